"""A linear layer, batch normalisation with fixed statistics, relu: most of it can be fused."""

average = [0.5, -0.5]
variance = [1.0, 4.0]
scale = [1.0, 0.5]
shift = [0.0, 0.1]


def linear_bn_relu(x=[[1, 2], [3, -4], [0.5, 0]], w=[[1, 0.5], [-1, 2]], b=[0.1, 0.2]):
    y = x @ w + b
    y = (y - average) / sqrt(variance + 1e-5)
    y = y * scale + shift
    return relu(y)
