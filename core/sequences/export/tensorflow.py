"""tf.data: ``Dataset.bucket_by_sequence_length``, whose boundaries are exclusive.

Length l goes to the first boundary above it, and a static batch is padded to the boundary minus
one. So every boundary is written one higher. Statically all K are written, with one more batch
size that the signature asks for and no sequence reaches (a longer one fails an assertion);
dynamically the first K - 1, and the last bucket is open.
"""

from __future__ import annotations

from ...errors import PlanError
from ...wording import say
from .request import Exporter, ExportRequest, assignment, header

#: TensorFlow compares boundaries as int32.
_HIGHEST = 2**31 - 1

_FUNCTION = '''

def bucketed(dataset, element_length_func, **options):
    """Batch `dataset` by length; `options` go to Dataset.bucket_by_sequence_length."""
    return dataset.bucket_by_sequence_length(
        element_length_func=element_length_func,
        bucket_boundaries=BUCKET_BOUNDARIES,
        bucket_batch_sizes=BUCKET_BATCH_SIZES,
        pad_to_bucket_boundary={static},
        **options,
    )
'''


def _render_static(request: ExportRequest) -> str:
    """Write all K boundaries and K + 1 batch sizes."""
    sizes = request.batch_sizes or ()
    said = (
        "Static shapes: TensorFlow's boundaries are exclusive and a batch is padded to one less;",
        "a sequence above the last boundary fails. The last batch size is required but unused.",
    )
    return _render(request, said, request.boundaries, (*sizes, sizes[-1]), True)


def _render_dynamic(request: ExportRequest) -> str:
    """Write K - 1 boundaries and K batch sizes."""
    said = (
        "Batches are padded to their own longest; TensorFlow's boundaries are exclusive.",
        "The last bucket is open: what is longer still ends up there.",
    )
    return _render(request, said, request.boundaries[:-1], request.batch_sizes or (), False)


def _render(
    request: ExportRequest,
    said: tuple[str, ...],
    boundaries: tuple[int, ...],
    sizes: tuple[int, ...],
    static: bool,
) -> str:
    if request.boundaries[-1] >= _HIGHEST:
        raise PlanError(
            say(
                "TensorFlow takes boundaries below {highest}, not {last}",
                highest=_HIGHEST,
                last=request.boundaries[-1],
            )
        )
    return (
        header(request, *said)
        + "\n"
        + assignment("BUCKET_BOUNDARIES", [boundary + 1 for boundary in boundaries])
        + assignment("BUCKET_BATCH_SIZES", sizes)
        + _FUNCTION.format(static=static)
    )


EXPORTERS = (
    Exporter(
        "tf-static", "lengths", True, _render_static, "tf.data buckets padded to the boundary"
    ),
    Exporter(
        "tf-dynamic",
        "lengths",
        True,
        _render_dynamic,
        "tf.data buckets padded to each batch's longest",
    ),
)
