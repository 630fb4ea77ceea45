"""`make reproduced`, or `python -m scanproof.numeric.studies.reproduce FOLDER`: expected losses and trained models."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...jax_backend import one_blas_thread
from ..pictures.drawing import draw
from ..training.rows import recorded
from .curves import beside_trained, picture
from .page import page
from .trained import pages


def main(folder: Path) -> None:
    """Write both into a folder."""
    one_blas_thread()
    drawn = folder / "figures" / "expected-losses.svg"
    drawn.parent.mkdir(parents=True, exist_ok=True)
    drawn.write_bytes(draw(picture(), "svg"))
    found = recorded("features")
    assert found is not None
    beside = drawn.parent / "trained-over-sizes.svg"
    beside.write_bytes(draw(beside_trained(found), "svg"))
    (folder / "expected-losses.md").write_text(page(), encoding="utf-8")
    print(drawn, folder / "expected-losses.md", sep="\n")
    write_trained(folder)


def write_trained(folder: Path) -> None:
    """Write the page of trained models and its pictures, from recorded results."""
    text, pictures = pages()
    for name, content in pictures.items():
        (folder / "figures" / name).write_bytes(content)
    (folder / "reproduced.md").write_text(text, encoding="utf-8")
    print(folder / "reproduced.md")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m scanproof.numeric.studies.reproduce",
        description="Write the page of the sources' numbers beside exact ones.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where they are written")
    main(parser.parse_args().folder)
