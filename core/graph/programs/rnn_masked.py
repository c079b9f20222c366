"""A padded sequence: the mask keeps the state where there is no real step."""

W = [[0.5, -0.3], [0.2, 0.4]]
h0 = [0, 0]


def rnn_masked(seq=[1, -0.5, 0.25, 0, 0], mask=[1, 1, 1, 0, 0]):
    h = h0
    for t in range(len(seq)):
        new = tanh(h @ W + seq[t])
        # A masked step holds the state. Zeros as its output are a choice of their own, and
        # leave the state alone: y = where(mask[t] > 0, h, 0).
        h = where(mask[t] > 0, new, h)
    return h.sum()
