"""`make figures`, or `python -m scanproof.numeric.studies.pictures FOLDER`: the pages' pictures, as SVG."""

from __future__ import annotations

import argparse
from pathlib import Path

from scanproof.proofs.decide.ledger import built_in

from .drawing import draw
from .hybrid import PICTURES
from .row_picture import picture

CONSTRUCTIONS = (
    "gd-ssm.prop1-construction",
    "gril.prop4.1-construction",
    "gd-ssm.prop3-construction",
)
"""Rows whose constructions the pages show: one head with scalar targets, one with vectors, and two heads."""


def main(folder: Path) -> None:
    """Draw every row that has a picture of its own, and some constructions, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in built_in().rows:
        if row.claim.id in (*PICTURES, *CONSTRUCTIONS):
            path = folder / f"{row.claim.id}.svg"
            path.write_bytes(draw(picture(row, row.claim.id), "svg"))
            print(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m scanproof.numeric.studies.pictures",
        description="Draw the rows' pictures as SVG.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where they are written")
    main(parser.parse_args().folder)
