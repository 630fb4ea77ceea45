"""`make figures`, or `python -m scanproof.numeric.pictures FOLDER`: the rows' pictures as SVG, named by their ids."""

from __future__ import annotations

import sys
from pathlib import Path

from scanproof.proofs.decide.ledger import built_in

from .drawing import draw
from .hybrid import PICTURES


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for row in built_in().rows:
        if row.claim.id in PICTURES:
            path = folder / f"{row.claim.id}.svg"
            path.write_bytes(draw(PICTURES[row.claim.id](row), "svg"))
            print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
