"""Compilers that make one executable per shape: torch.compile and JAX.

torch.compile stops after ``recompile_limit`` graphs of one function (8 by default) and runs it
eagerly for good, without an error; K sizes need a limit of K. JAX has no limit.
"""

from __future__ import annotations

from ..batch_report import RECOMPILE_LIMIT
from .request import PAD_TO, Exporter, ExportRequest, assignment, header

#: torch._dynamo's default limit over all guards of one function.
_ACCUMULATED_LIMIT = 256

_TORCH = '''

def configure():
    """Let torch.compile keep one graph per shape; never lowers a limit that is set already."""
    import torch._dynamo

    config = torch._dynamo.config
    limits = {"recompile_limit": RECOMPILE_LIMIT, "accumulated_recompile_limit": ACCUMULATED_LIMIT}
    for name, limit in limits.items():
        if not hasattr(config, name):  # before PyTorch 2.6
            name = name.replace("recompile_limit", "cache_size_limit")
        setattr(config, name, max(getattr(config, name), limit))


def pad(tensor, value=0, dim=-1):
    """Pad dimension `dim` of a tensor at its end to the bucket it falls into."""
    import torch.nn.functional

    dim %= tensor.dim()
    missing = pad_to(tensor.shape[dim]) - tensor.shape[dim]
    before = [0, 0] * (tensor.dim() - 1 - dim)
    return torch.nn.functional.pad(tensor, (*before, 0, missing), value=value)
'''

_JAX = '''

def pad_batch(sequences, rows=None, value=0):
    """Return the sequences as one array (rows, size, ...) and its mask (rows, size).

    The size is the bucket of the longest sequence, so that a jitted function meets at most
    len(BUCKETS) lengths. Give `rows` to fill the batch up to a fixed number, empty rows last.
    """
    arrays = [np.asarray(sequence) for sequence in sequences]
    size = pad_to(max(len(array) for array in arrays))
    shape = (len(arrays) if rows is None else rows, size, *arrays[0].shape[1:])
    batch = np.full(shape, value, np.result_type(*arrays))
    mask = np.zeros(shape[:2], bool)
    for row, array in enumerate(arrays):
        batch[row, : len(array)] = array
        mask[row, : len(array)] = True
    return batch, mask
'''


def _shapes_line(request: ExportRequest) -> str:
    """Return the compiled shapes for warming up, where the numbers of rows are known."""
    if request.shapes[0][0] is None:
        return ""
    pairs = "".join(f"    ({rows}, {size}),\n" for rows, size in request.shapes)
    return f"SHAPES = (  # (rows, size) of every graph\n{pairs})\n"


def _render_torch(request: ExportRequest) -> str:
    graphs = len(request.shapes)
    return (
        header(
            request,
            f"{graphs} shapes are {graphs} graphs: the recompile limit has to be {graphs} or more.",
            "configure(); model = torch.compile(model, dynamic=False); then pad every batch.",
            "Another number of rows is another shape: drop or fill up the last batch.",
        )
        + "\nfrom bisect import bisect_left\n\n"
        + assignment("BUCKETS", request.boundaries, "()")
        + _shapes_line(request)
        + f"RECOMPILE_LIMIT = {max(graphs, RECOMPILE_LIMIT)}\n"
        + f"ACCUMULATED_LIMIT = {max(graphs, _ACCUMULATED_LIMIT)}\n"
        + PAD_TO
        + _TORCH
    )


def _render_jax(request: ExportRequest) -> str:
    return (
        header(
            request,
            f"jax.jit compiles once per shape: {len(request.shapes)} times if the rows are fixed.",
        )
        + "\nfrom bisect import bisect_left\n\nimport numpy as np\n\n"
        + assignment("BUCKETS", request.boundaries, "()")
        + _shapes_line(request)
        + PAD_TO
        + _JAX
    )


EXPORTERS = (
    Exporter(
        "torch-compile",
        "lengths",
        False,
        _render_torch,
        "sizes for torch.compile and the recompile limit they need",
    ),
    Exporter("jax", "lengths", False, _render_jax, "a pad helper that keeps to the sizes"),
)
