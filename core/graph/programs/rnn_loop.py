"""An RNN as a Python loop: capture unrolls it, so every length is a graph of its own."""

W = [[0.5, -0.3], [0.2, 0.4]]
h0 = [0, 0]


def rnn_loop(seq=[1, -0.5, 0.25, 2]):
    h = h0
    for x in seq:
        h = tanh(h @ W + x)
    return h.sum()
