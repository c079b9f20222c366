"""t % 2 is a Python number: the branch is decided while drawing, without a graph break."""

W = [[0.5, -0.3], [0.2, 0.4]]
h0 = [0, 0]


def every_other(seq=[1, -0.5, 0.25, 2]):
    h = h0
    for t in range(len(seq)):
        if t % 2 == 0:
            h = tanh(h @ W + seq[t])
        else:
            h = h + seq[t]
    return h.sum()
