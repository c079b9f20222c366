"""Clip is continuous with derivative 0 or 1; g / ||g|| at g = 0 is NaN."""


def clip_at_zero(g=[0, 0]):
    by_value = clip(g, -1, 1)
    norm = sqrt((g * g).sum())
    by_norm = g / norm
    return by_value, by_norm
