"""The RNN as one while_loop: the trip count is known only when it runs, one graph for all."""

W = [[0.5, -0.3], [0.2, 0.4]]
h0 = [0, 0]


def rnn_while(seq=[1, -0.5, 0.25, 2]):
    n = len(seq)

    def body(t, h):
        return t + 1, tanh(h @ W + seq[t])

    t, h = while_loop(lambda t, h: t < n, body, 0, h0)
    return h.sum()
