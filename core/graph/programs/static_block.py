"""dynamic_block with cond and while_loop: one graph, whatever the values are."""


def static_block(x=[1, 2], steps=int(6)):
    def body(i, x):
        x = cond(x.sum() > 0, lambda: x * 0.9, lambda: x + 1.0)
        return i + 1, x

    i, x = while_loop(lambda i, x: i < steps, body, 0, x)
    return x
