"""The largest error / bound of every bound of the ledger, over sizes, as a table."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.ledger import Ledger
from scanproof.proofs.decide.row_verdicts import check
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Row

from ...jax_backend import jax
from .drawing import KINDS, draw
from .exact import certify
from .hypotheses import hypotheses
from .search import bounds, search

TOLERANCE = 1e-9
"""A ratio above 1 by less is no violation that is worth the name."""
LOOSE = 1e-3
"""A bound that no ratio reaches to is worth another look."""
REACH = 3
"""How far beyond the sizes at which a claim is checked the search goes."""


@dataclass
class Line:
    """What was found of one statement left ≤ right of a claim, over some sizes."""

    id: str
    label: str
    verdict: str
    tried: int = 0
    """How many sizes were tried."""
    ratio: float = 0.0
    sizes: Mapping[str, int] | None = None
    """Where the largest ratio was found."""
    least: float = float("inf")
    """The largest ratio at the sizes where it is smallest: how the bound fares away from its best case."""
    least_sizes: Mapping[str, int] | None = None
    holds: bool | None = None
    """Whether left ≤ right is certain there, in enclosures; None if they do not tell."""

    @property
    def violated(self) -> bool:
        """Whether the bound certainly fails."""
        return self.holds is False and self.ratio > 1 + TOLERANCE

    @property
    def wrong(self) -> bool:
        """Whether a bound that is not known to fail fails."""
        return self.violated and self.verdict != "refuted"

    @property
    def note(self) -> str:
        """What is to be said of the line, or nothing."""
        if self.violated:
            return "fails, as is known" if self.verdict == "refuted" else "VIOLATED"
        if self.ratio > 1 + TOLERANCE:
            return "above 1 in floats alone"
        return "loose" if self.ratio < LOOSE else ""


def with_bounds(claim: Claim) -> bool:
    """Whether the claim's body has a statement left ≤ right about its symbols, at its smallest sizes.

    Raises:
        UsageError: if it is of the kind bound and cannot be run on NumPy's arrays.
    """
    if claim.body is None or not claim.given or not claim.every_size:
        return False
    sizes = claim.every_size[0]
    try:
        of = hypotheses(claim, sizes)
        inputs = draw(np.random.default_rng(0), of, KINDS[0])
        return inputs is not None and bool(bounds(claim, sizes, of.complete(inputs, np), np))
    except UsageError:
        raise
    except Exception as error:
        if claim.kind != "bound":  # what only arrays that record can run is not measured
            return False
        raise UsageError(
            f"the body of claim {claim.id} raised {type(error).__name__} on NumPy's arrays: {error}"
        ) from error


def grid(claim: Claim, count: int, seed: int) -> list[dict[str, int]]:
    """Sizes to try: the smallest and the largest checked ones, then seeded ones from the range up to `REACH` beyond.

    A size of which only one value is checked keeps it.
    """
    ranges = {
        name: tuple(values) if len(values) == 1 else range(min(values), max(values) + REACH + 1)
        for name, values in claim.ranges.items()
    }
    wide = replace(claim, sizes=ranges).every_size
    random.Random(f"{claim.id} {seed}").shuffle(wide)
    chosen = [claim.every_size[0], claim.every_size[-1], *wide]
    return [s for i, s in enumerate(chosen) if s not in chosen[:i]][:count]


def measure(
    claim: Claim, verdict: str, *, count: int, starts: int, steps: int, seed: int
) -> list[Line]:
    """The tightness of every bound of one claim, over `count` sizes; other arguments as for `search`."""
    lines: dict[str, Line] = {}
    for sizes in grid(claim, count, seed):
        of = hypotheses(claim, sizes)
        for found in search(claim, sizes, starts=starts, steps=steps, seed=seed):
            name = found.label or f"statement {found.statement + 1}"
            line = lines.setdefault(name, Line(claim.id, name, verdict))
            line.tried += 1
            if 0 < found.ratio < line.least:  # 0 ≤ 0 tells nothing
                line.least, line.least_sizes = found.ratio, sizes
            sure = certify(of, found.values) if found.ratio > line.ratio else None
            ratio = found.ratio if sure is None else sure[found.statement].ratio
            if ratio > line.ratio and not line.violated:
                line.ratio, line.sizes = ratio, sizes
                line.holds = None if sure is None else sure[found.statement].holds
    if len(lines) == 1:
        for line in lines.values():
            line.label = "" if line.label.startswith("statement ") else line.label
    return list(lines.values())


def run(
    ledger: Ledger,
    rows: Sequence[Row],
    *,
    count: int = 4,
    starts: int = 20,
    steps: int = 200,
    seed: int = 0,
    begin: Callable[[str], None] = lambda text: None,
) -> list[Line]:
    """The tightness of every bound of some rows, as stated and amended, with the ledger's verdict on each.

    Args:
        ledger: where the rows come from.
        rows: those to look at; statements without left ≤ right are passed over.
        count: how many sizes are tried of each claim.
        starts: inputs to begin from, at each size.
        steps: steps of gradient ascent from each.
        seed: of all that is drawn.
        begin: called with each claim's id before work on it starts.

    Raises:
        UsageError: if JAX is missing, or the rows have no bound.
    """
    jax("tightness")
    chosen = [row for row in rows if any(map(with_bounds, (row.claim, *row.amendments)))]
    if not chosen:
        raise UsageError("tightness: none of these rows has a statement at_most(left, right).")
    checked = check(ledger, chosen)["claims"]  # before JAX starts, since it forks
    verdicts = {s["id"]: s["verdict"] for c in checked for s in (c["as_stated"], *c["amended"])}
    lines: list[Line] = []
    for claim in (c for row in chosen for c in (row.claim, *row.amendments)):
        if with_bounds(claim):
            begin(claim.id)
            verdict = verdicts[claim.id]
            lines += measure(claim, verdict, count=count, starts=starts, steps=steps, seed=seed)
    return lines


def _at(sizes: Mapping[str, int] | None) -> str:
    return " ".join(f"{name}={value}" for name, value in (sizes or {}).items())


def as_text(lines: Sequence[Line]) -> str:
    """A table of the lines, and a sentence that counts them.

    Of each bound the largest ratio over all sizes, and that of the sizes where it is least.
    """
    from tabulate import tabulate

    rows = [
        [
            line.id,
            line.label,
            line.verdict,
            line.tried,
            f"{line.ratio:.4g}",
            _at(line.sizes),
            f"{line.least:.2g}" if line.least_sizes else "",
            _at(line.least_sizes),
            line.note,
        ]
        for line in lines
    ]
    headers = ["id", "part", "verdict", "sizes", "left/right", "at", "least", "at", ""]
    table = tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True)
    table = "\n".join(line.rstrip() for line in table.splitlines())
    wrong = sum(line.wrong for line in lines)
    loose = sum(line.note == "loose" for line in lines)
    return f"{table}\n\n{len(lines)} bounds: {wrong} violated, {loose} never within a factor {1 / LOOSE:.0f}.\n"
