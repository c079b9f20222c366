"""(a + b) * c: two ops in eager, one launch once they are fused."""


def affine(a=2, b=3, c=4):
    s = a + b
    y = s * c
    return y
