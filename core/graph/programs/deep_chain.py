"""A chain as deep as one likes: nothing here recurses, in any mode."""


def deep_chain(x=0.5, depth=int(100)):
    for i in range(depth):
        x = sin(x)
    return x
