"""z = x*x + x*y; at (2, 3) z is 10, dz/dx = 2x + y = 7, dz/dy = x = 2."""


def x2_plus_xy(x=2, y=3):
    z = x**2 + x * y
    return z
