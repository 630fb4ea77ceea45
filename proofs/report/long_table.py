"""The long table: a line for each claim and each amendment that is decided; what is wrong stands in the last column.

`table.table` is what `scanproof check` prints by default; what both say is here.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence

from tabulate import tabulate

from .standing import statements
from .words import Record, as_expected, caveats, fault, is_mended, limited, mend, one_line, suffix

WIDTH = 100
LIMITS = {"id": 38, "verdict": 13, "where": 16}
"""The widest that a column may be; the last one takes what is left."""
NARROW = 10
"""The widest that the column "where" may be on a terminal of fewer columns."""
GAP = 2
PADDING = 2
"""What tabulate sets between columns, and adds to a header's width."""
HEADERS = ["id", "verdict", "where", "what fails, what holds"]
COLOURS = {"proved": "32", "refuted": "31", "supported": "36", "unknown": "33", "error": "1;31"}
HINT = "`scanproof show {}` tells a claim's whole story; with --script, its counterexample as a program."
FEW = 2
"""So many files are named there."""
FIXED = "* proved at fixed sizes: an identity in every entry at the sizes that `scanproof show ID` lists."


def long_table(
    report: Record, *, files: Sequence[str] = (), colour: bool = False, width: int = WIDTH
) -> str:
    """The report as text of at most `width` columns (and never more than 100)."""
    rows = [row for claim in report["claims"] for row in _rows(claim)]
    limits = [LIMITS["id"], LIMITS["verdict"], LIMITS["where"] if width >= WIDTH else NARROW]
    room = min(width, WIDTH) - sum(_widths(rows, limits)) - len(limits) * GAP
    room = max(room, len(HEADERS[-1]) + PADDING)
    wrapped = [_wrapped(row, [*limits, room]) for row in rows]
    text = tabulate(wrapped, headers=HEADERS, tablefmt="simple", disable_numparse=True)
    lines = [line.rstrip() for line in text.splitlines()]
    if colour:
        lines = [_coloured(line) for line in lines]
    fixed = any(row[1] == "proved*" for row in rows)
    return "\n".join([*lines, "", *notes(report, fixed=fixed, width=width, files=files)]) + "\n"


def notes(report: Record, *, fixed: bool, width: int, files: Sequence[str] = ()) -> list[str]:
    """The lines below: the counts, what a star means where there is one (`fixed`), and where to read on."""
    hint = HINT.format(" ".join([*shown_files(files), "ID"]))
    every = [*([FIXED] if fixed else []), summary_line(report), hint]
    return [part for note in every for part in textwrap.wrap(note, min(width, WIDTH))]


def shown_files(files: Sequence[str]) -> list[str]:
    """The files as a command names them; of many it is left open which."""
    return [shlex.quote(one_line(name)) for name in files] if len(files) <= FEW else ["FILE"]


def short_verdict(statement: Record) -> str:
    """The verdict with a star for "at fixed sizes"."""
    fixed = statement["verdict"] == "proved" and statement["scope"] != "all-sizes"
    return statement["verdict"] + "*" * fixed


def summary_line(report: Record) -> str:
    """The counts in one line, with the time: "3 claims: 1 proved*, 2 refuted (2 mended); … (1.2 s)."."""
    return f"{counts(report['claims'])} ({report['timing']['total']:.1f} s)."


def counts(claims: list[Record]) -> str:
    """How many claims have which verdict: "3 claims: 1 proved*, 2 refuted (2 mended)"."""
    parts = []
    for verdict in dict.fromkeys(short_verdict(c["as_stated"]) for c in _best_first(claims)):
        counted = [c for c in claims if short_verdict(c["as_stated"]) == verdict]
        said = ", ".join(_notes(counted)) if verdict in ("refuted", "unknown") else ""
        parts.append(f"{len(counted)} {verdict}" + f" ({said})" * bool(said))
    amended = [s for c in claims for s in c["amended"]]
    if amended:
        proved = sum(s["verdict"] == "proved" for s in amended)
        parts.append(f"{proved} of {len(amended)} amendments proved")
    plural = "claim" if len(claims) == 1 else "claims"
    return f"{len(claims)} {plural}: {', '.join(parts) or 'nothing to check'}"


def _notes(claims: Sequence[Record]) -> Iterator[str]:
    """Of how many refuted claims an amendment is proved, and of how many others a mend was found.

    Of these, and of unknown ones, how many are as expected.
    """
    mended = sum(map(is_mended, claims))
    others = sum(bool(c["as_stated"].get("mends")) and not is_mended(c) for c in claims)
    expected = sum(as_expected(c["as_stated"]) for c in claims)
    if claims[0]["as_stated"]["verdict"] == "refuted":
        if mended or not (others or expected):
            yield f"{mended} mended"
        if others:
            yield f"{others} with a mend"
    if expected:
        yield f"{expected} as expected"


def _best_first(claims: list[Record]) -> list[Record]:
    order = ["proved", "proved*", "supported", "refuted", "unknown", "not-checkable", "error"]
    return sorted(claims, key=lambda claim: order.index(short_verdict(claim["as_stated"])))


def _rows(claim: Record) -> Iterator[list[str]]:
    for statement, amends in statements(claim):
        verdict = short_verdict(statement)
        if amends and statement["verdict"] == "unknown":
            continue
        name = f"└ {suffix(statement, claim)}" if amends else claim["id"]
        where = "" if amends else one_line(claim["where"])
        yield [name, verdict, where, what_fails_or_holds(claim, statement, amends)]


def what_fails_or_holds(claim: Record, statement: Record, amends: bool) -> str:
    """The last column: why a statement is not proved, or what a proved amendment says."""
    said = fault_or_no_mend(claim, statement, amends=amends)
    if statement["verdict"] == "proved" and (amends or statement["scope"] == "all-sizes"):
        said = ": ".join([*limited(statement), *[one_line(statement["statement"])] * amends])
    return caveats_before(statement, said)


def caveats_before(statement: Record, said: str) -> str:
    """The words, after what is to be said beside the verdict."""
    return "; ".join([*caveats(statement), *([said] if said else [])])


def fault_or_no_mend(claim: Record, statement: Record, *, amends: bool = False) -> str:
    """What keeps the statement from being proved, and why a refuted claim has no mend."""
    text = fault(statement)
    if as_expected(statement) and text:
        return f"as expected: {text}"
    if statement["verdict"] != "refuted":
        return text
    if statement.get("mends"):
        return f"{text}; mend: {mend(statement['mends'][0])}"
    if amends or is_mended(claim):
        return text
    if statement["near_misses"] and not claim["unmended"]:
        return f"{text}; near miss: {one_line(statement['near_misses'][0])}"
    return f"{text}; no mend: {one_line(claim['unmended'] or 'none is known')}"


def _widths(rows: list[list[str]], limits: list[int]) -> list[int]:
    return [
        max([len(HEADERS[i]) + PADDING, *(min(len(row[i]), limit) for row in rows)])
        for i, limit in enumerate(limits)
    ]


def _wrapped(row: list[str], widths: list[int]) -> list[str]:
    return [
        "\n".join(textwrap.wrap(cell, width, break_on_hyphens=False))
        for cell, width in zip(row, widths, strict=True)
    ]


def _coloured(line: str) -> str:
    """The line with its verdict, the second column, in colour."""
    return re.sub(
        rf"^(\S.*?  )({'|'.join(COLOURS)})(?=\*|  |$)",
        lambda found: f"{found[1]}\x1b[{COLOURS[found[2]]}m{found[2]}\x1b[0m",
        line,
    )
