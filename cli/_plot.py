"""`scanproof plot`: a row as a picture, the errors of its layers beside the bounds it states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._options import OneClaim

FORMATS = {".svg": "svg", ".png": "png", ".pdf": "pdf"}


def plot(
    targets: OneClaim,
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="The picture: .svg, .png or .pdf.")
    ] = ...,  # type: ignore[assignment]
) -> None:
    """Draw a row: its errors against its bounds.

    ID is a row, or an amendment. ssd.thm5.1 and ssd.thm5.2 have pictures of their own; any other
    row with a bound left ≤ right, also one of your own FILE.py, is drawn over its scalars and
    sizes. Data are drawn with a fixed seed: two runs write the same file.
    """
    from functools import partial

    from scanproof.constructs.errors import UsageError

    from ._output import Destination, quiet_stdout
    from ._targets import one_claim

    format = FORMATS.get(output.suffix.lower())
    if format is None:
        raise UsageError(
            f"--output {output}: the extension says which format is written; give one of {', '.join(FORMATS)}."
        )
    with quiet_stdout():
        named = one_claim("plot", targets)
        file = Destination(output, "--output")

        from scanproof.numeric.studies.pictures.drawing import draw, matplotlib
        from scanproof.numeric.studies.pictures.row_picture import picture
        from scanproof.proofs.decide.workers import run

        matplotlib()
        (answer,) = run([partial(picture, named.row, named.id)])  # a body is foreign code
        if answer.missing:
            raise UsageError(
                f"plot {named.id}: no picture; its process ended with {answer.missing}."
            )
        drawn = draw(answer.value, format)
    file.write(drawn)
