"""The sum of squares; its gradient is 2x."""


def square_sum(x=[1, 2]):
    y = x**2
    z = y.sum()
    return z
