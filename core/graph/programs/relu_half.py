"""relu's derivative is 0 on the negative half, and 0 at 0 by convention."""


def relu_half(x=[-2, -1, 0, 1, 2]):
    y = relu(x)
    return y.sum()
