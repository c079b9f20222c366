"""A Python if on a tensor's value: free in eager, a graph break in capture, refused in static."""


def dynamic_block(x=[1, 2], steps=int(6)):
    for i in range(steps):
        if x.sum() > 0:
            x = x * 0.9
        else:
            x = x + 1.0
    return x
