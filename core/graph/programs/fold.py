"""a = 2, b = a + 3: constants that a pass computes before anything runs."""


def fold(x=1):
    a = array(2)
    b = a + 3
    return x * b
