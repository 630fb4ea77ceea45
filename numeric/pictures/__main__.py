"""`make figures`, or `python -m scanproof.numeric.pictures FOLDER`: the rows' pictures as SVG, named by their ids."""

from __future__ import annotations

import argparse
from pathlib import Path

from scanproof.proofs.decide.ledger import built_in

from .accumulation import heat_maps
from .drawing import draw
from .hybrid import PICTURES


def main(folder: Path) -> None:
    """Draw every row that has a picture of its own into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in built_in().rows:
        if row.claim.id in PICTURES:
            path = folder / f"{row.claim.id}.svg"
            path.write_bytes(draw(PICTURES[row.claim.id](row), "svg"))
            print(path)
    path = folder / "accumulation.svg"
    path.write_bytes(heat_maps())
    print(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m scanproof.numeric.pictures", description="Draw the rows' pictures as SVG."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where they are written")
    main(parser.parse_args().folder)
