"""python -m scanproof.proofs.inequalities PATH …: check written proofs with the kernel, and those of bounds besides.

A PATH is a file, or a folder whose *.json files are checked. Nothing is needed but this folder, and that of the kernel
beside it; `make checker` packs the two into one file that any Python runs. Exit code 0 if every proof shows its
statements, 1 if one is refused, 3 for a mistake in the call.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from ..kernel import __main__ as kernel
from ..kernel import index as declarations
from ..kernel.words import about, letter, ranges, term
from .statements import Inequality
from .written import check_written

SIDES = {"": "{}", "absolute": "|{}|", "norm": "‖{}‖", "operator": "‖{}‖"}


def lines(written: Any) -> tuple[int, list[str]]:
    """How many bounds a certificate shows, and what they are in words.

    Raises:
        Refused: if it does not show them.
    """
    found = check_written(written)
    problem = found.shown.problem
    every = (*problem.hypotheses, *problem.goals)
    said = about([one for i in every for one in (i.left, i.right)], found.equations.divisors)
    given = zip(problem.names, problem.hypotheses, strict=True)
    said += [f"  if {_words(one)} — {own}" for own, one in given]
    said += [f"  ⊢ {_words(one)}" for one in problem.goals]
    return len(problem.goals), said


def _words(one: Inequality) -> str:
    left = SIDES[one.measure].format(term(one.left))
    along = f"_{{{', '.join(map(letter, one.ends))}}}" if one.ends else ""
    free = ranges({*one.variables, *one.ends} - declarations.current.sizes)
    return f"{left}{along} ≤ {term(one.right)}{free}"


def main() -> NoReturn:
    """The command; it ends the process, as the one file's own start would forget the exit code."""
    sys.exit(kernel.main(bounds=lines, about=__doc__))


if __name__ == "__main__":
    main()
