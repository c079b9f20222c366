"""A recursive model: halves are combined until one value is left."""


def combine(left, right):
    return tanh(left + 0.5 * right)


def tree(x=[1, 2, 3, 4, 5]):
    n = len(x)
    if n == 1:
        return x[0]
    return combine(tree(x[: n // 2]), tree(x[n // 2 :]))
