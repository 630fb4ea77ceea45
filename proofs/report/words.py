"""The words and short forms that every report shares."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from ..language import expect
from ..language.sizes import by_name

Record = Mapping[str, Any]
"""A part of the report: a claim (`id`, `as_stated`, `amended`, …) or a statement (`verdict`, `evidence`, …)."""

LONG, ENDS = 32, 3
"""Of a list with more entries than this, so many are shown at either end."""

ROOM = 40
"""Both sides of a counterexample stand in a line where they have no more characters than this."""
SPELLINGS = {"lambda": "lamda", "lam": "lamda", "eps": "epsilon"}
"""Unicode's spelling of letters."""


def one_line(text: object) -> str:
    """The text with every run of white space, line breaks too, as one space, and no control characters."""
    line = " ".join(str(text).split())
    return "".join(c if c.isprintable() else "\ufffd" for c in line)


def cut(text: str, room: int) -> str:
    """The text where it fits into so many columns of a terminal, else its beginning and "…"."""
    return text if cell_len(text) <= room else f"{set_cell_size(text, max(room - 1, 0)).rstrip()}…"


def verdict_words(statement: Record) -> str:
    """The verdict as it may be printed: never "proved" alone where only some sizes were looked at."""
    if statement["verdict"] == "proved" and statement["scope"] != "all-sizes":
        return "proved at fixed sizes"
    return statement["verdict"]


def as_expected(statement: Record) -> bool:
    """Whether the statement's author expects this verdict."""
    return expect.is_met(statement.get("expect"), verdict_said(statement))


def unmet(statement: Record) -> str:
    """In what the verdict is not the one that its author expects; "" if it is, none is, or it is an error."""
    words = verdict_said(statement)
    return "" if words == "error" else expect.unmet(statement.get("expect"), words)


def verdict_said(statement: Record) -> str:
    """The verdict with what a proof asks of the sizes: "proved for all T with 70000·T ≤ 2147483647"."""
    return " ".join([verdict_words(statement), *limited(statement)])


def verdict_beside(statement: Record) -> str:
    """The same with what was expected: "refuted, as expected"."""
    return expect.beside(statement.get("expect"), verdict_said(statement))


def limited(statement: Record) -> list[str]:
    """For which sizes alone it is proved, if not for all: ["for all T with 70000·T ≤ 2147483647"]."""
    evidence = statement["evidence"]
    asked = verdict_words(statement) == "proved" and conditions(evidence)
    return [f"for {all_sizes(evidence)}"] if asked else []


def conditions(every: Sequence[Record]) -> str:
    """What pieces of evidence ask of the sizes: "70000·T ≤ 2147483647 and 2·n + 1 ≤ 2147483647"; "" if nothing."""
    found = [(one, e.get("case")) for e in every for one in e.get("conditions", ())]
    said: list[str] = []
    for k, (one, case) in enumerate(found):
        others = [(n, other) for n, (other, of) in enumerate(found) if n != k and of == case]
        stronger = (
            n < k or not _follows(other, one) for n, other in others if _follows(one, other)
        )
        if not any(stronger):
            said.append(_condition(one) + (f" (in the case {case})" if case else ""))
    return " and ".join(said)


def _follows(one: Record, other: Record) -> bool:
    """Whether a condition holds wherever another one does: its sum is no larger at any sizes, which are ≥ 0."""
    names = {*one["sizes"], *other["sizes"]}
    no_larger = all(one["sizes"].get(n, 0) <= other["sizes"].get(n, 0) for n in names)
    return no_larger and one["plus"] - one["at_most"] <= other["plus"] - other["at_most"]


def _condition(one: Record) -> str:
    text = ""
    for name, c in one["sizes"].items():
        sign = "−" if c < 0 else "+" if text else ""
        factor = "" if abs(c) == 1 else f"{abs(c)}·"
        text += f" {sign} {factor}{name}" if text else f"{sign}{factor}{name}"
    plus = one["plus"]
    text += f" {'−' if plus < 0 else '+'} {abs(plus)}" if plus else ""
    return f"{text} ≤ {one['at_most']}"


def all_sizes(every: Sequence[Record]) -> str:
    """For which sizes a proof for all sizes holds: "all sizes", or "all T with 70000·T ≤ 2147483647"."""
    said = conditions(every)
    products = (m for e in every for one in e.get("conditions", ()) for m in one["sizes"])
    names = dict.fromkeys(name for product in products for name in product.split("·"))
    return f"all {', '.join(names)} with {said}" if said else "all sizes"


def few(names: Sequence[str]) -> str:
    """The first three names, and how many there are besides."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


STALE = "stale: its certificate is not of this claim as it is now"
TAINTED = "tainted: it rests on a row that is not proved, or on an axiom that is not shown"


def caveats(statement: Record) -> list[str]:
    """What is to be said beside the verdict."""
    marks = {STALE: statement["stale"], TAINTED: statement["tainted"]}
    said = [unmet(statement), *(text for text, holds in marks.items() if holds)]
    vacuous = statement.get("vacuous")
    return [text for text in (*said, f"says nothing: {vacuous}" if vacuous else "") if text]


def suffix(amendment: Record, claim: Record) -> str:
    """What an amendment's id adds to the claim's: "+sign"."""
    return amendment["id"].removeprefix(claim["id"])


def is_mended(claim: Record) -> bool:
    """Whether an amendment of the claim is proved."""
    return any(a["verdict"] == "proved" for a in claim["amended"])


def is_negation(amendment: Record, claim: Record) -> bool:
    """Whether an amendment says that nothing does what the claim says exists: by convention "+none"."""
    return suffix(amendment, claim) == "+none"


def holds_instead(claim: Record) -> list[Record]:
    """The amendments that are proved and are no negation of the claim."""
    return [a for a in claim["amended"] if a["verdict"] == "proved" and not is_negation(a, claim)]


def proved_negations(claim: Record) -> list[Record]:
    """The proved amendments by which nothing does what the claim says exists."""
    return [a for a in claim["amended"] if a["verdict"] == "proved" and is_negation(a, claim)]


def mend(found: Record) -> str:
    """An edit of the user's text that mends a claim: where it is, and the lines before and after it."""
    scope = "" if found["scope"] == "all-sizes" else " at fixed sizes"
    place = f"{found['file']}:{found['line']}"
    return one_line(f"{place}: {found['before']} → {found['after']} (proved{scope})")


def symbol(name: str) -> str:
    """A symbol as the sources write it: eta is η, Delta is Δ."""
    word = name.rstrip("_")
    size = "CAPITAL" if word[:1].isupper() else "SMALL"
    letter = SPELLINGS.get(word.lower(), word.lower())
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {letter}")
    except KeyError:
        return name


def exact(value: Any) -> str:
    """Nested lists of exact numbers in strings, without the quotes: [[1, 1/2], [0, -1]]."""
    if isinstance(value, list):
        return f"[{', '.join(exact(v) for v in value)}]"
    return one_line(value)


def shortened(value: Any) -> str:
    """Nested lists of numbers likewise, of long ones the first and last entries alone: [1, 2, 3, …, 8, 9, 10]."""
    if not isinstance(value, list):
        return exact(value)
    if len(value) <= LONG:
        return f"[{', '.join(map(shortened, value))}]"
    more = f"… ({len(value) - 2 * ENDS} more) …"
    ends = [*map(shortened, value[:ENDS]), more, *map(shortened, value[-ENDS:])]
    return f"[{', '.join(ends)}]"


def at_place(value: Any, place: Sequence[int]) -> str:
    """One entry of nested lists."""
    for i in place:
        value = value[i]
    return exact(value)


def at_sizes(sizes: Mapping[str, int]) -> str:
    """One point of the grid: "N = 1, f = 2"."""
    return by_name(sizes) or "the printed numbers"


def over_sizes(every: Sequence[Mapping[str, int]] | None) -> str:
    """The sizes that were checked, compactly: "N=1..3, f=1..2 (6 sizes)"."""
    if every is None:
        return "all sizes"
    distinct = {tuple(sizes.items()): sizes for sizes in every}.values()  # engines share sizes
    by_letters: dict[tuple[str, ...], list[Mapping[str, int]]] = {}
    for sizes in distinct:
        by_letters.setdefault(tuple(sizes), []).append(sizes)
    return "; ".join(map(_over, by_letters.values())) or "no size to vary"


def _over(every: Sequence[Mapping[str, int]]) -> str:
    """The same of sizes that differ and have the same letters."""
    names = list(every[0])
    if not names:
        return "no size to vary"
    ranges = {name: sorted({sizes[name] for sizes in every}) for name in names}
    whole = 1
    for values in ranges.values():
        whole *= len(values)
    count = len(every)
    text = ", ".join(f"{name}={_range(values)}" for name, values in ranges.items())
    if count == 1:
        return text
    return f"{text} ({count} sizes)" if count == whole else f"{text} ({count} of {whole} sizes)"


def _range(values: list[int]) -> str:
    if len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]}..{values[-1]}"
    return ",".join(map(str, values))


def inputs(found: Record) -> list[str]:
    """The inputs of a counterexample or witness, one a line: "x = [[1], [1]]"."""
    return [
        line
        for name, values in _sets(found)
        for line in ([f"{name}:", *(f"  {a}" for a in values)] if name else values)
    ]


def inputs_inline(found: Record) -> str:
    """The same in one line."""
    return "; ".join(
        f"{name}: {', '.join(v)}" if name else ", ".join(v) for name, v in _sets(found)
    )


def _sets(found: Record) -> list[tuple[str, list[str]]]:
    """The sets of inputs, each with its name: one without a name, or a first and a second."""
    given = found["inputs"]
    if is_collision(found):
        return [(f"{which} input", _assignments(given[which])) for which in ("first", "second")]
    return [("", _assignments(given))]


def _assignments(values: Mapping[str, Any]) -> list[str]:
    return [f"{symbol(name)} = {exact(value)}" for name, value in values.items()]


def is_collision(found: Record) -> bool:
    """Whether the inputs of a counterexample or witness are a pair that no single map can serve."""
    given = found["inputs"]
    return set(given) == {"first", "second"} and all(isinstance(v, Mapping) for v in given.values())


def limit_steps(statement: Record) -> list[str]:
    """What refutes a statement about limits, a line a step, its letters as letters; nothing where no limits do."""
    steps = (one for e in statement["evidence"] if e["method"] == "limit" for one in e["steps"])
    lettered = (re.sub(r"[a-z]+", lambda name: symbol(name[0]), step) for step in steps)
    return [step.replace("*", " ").replace("-", "−") for step in lettered]


def outcome(found: Record) -> list[tuple[str, str]]:
    """What comes out of a counterexample's inputs and what the claim says, each with its name."""
    if is_collision(found):
        first, second = found["actual"]
        return [
            ("claimed", exact(found["claimed"]).replace("'", "")),
            ("first gives", exact(first)),
            ("second gives", exact(second)),
        ]
    return [("comes out", exact(found["actual"])), ("claimed", exact(found["claimed"]))]


def first_difference(found: Record) -> list[int]:
    """Where both sides of a counterexample first differ; no place if each is one number, or they are two inputs."""
    place: list[int] = []
    actual, claimed = found["actual"], found["claimed"]
    while isinstance(actual, list) and isinstance(claimed, list) and not is_collision(found):
        pairs = enumerate(zip(actual, claimed, strict=False))
        at = next((i for i, (one, other) in pairs if one != other), None)
        if at is None:
            return []
        place.append(at)
        actual, claimed = actual[at], claimed[at]
    return place


SAID_BY_VERDICTS = (
    "no counterexample was found; ",
    "for all sizes no proof was found: ",
    "for all sizes it is not read: ",
)
"""How reasons begin of what is unknown or proved at fixed sizes: a verdict beside them says as much."""


def beside_verdict(reason: str) -> str:
    """The reason without what its verdict says."""
    for begin in SAID_BY_VERDICTS:
        reason = reason.removeprefix(begin)
    return reason


def fault(statement: Record) -> str:
    """What keeps a statement from being proved; both sides of its counterexample, where they are short."""
    reason = one_line(statement["reason"] or "")
    found = statement["counterexample"]
    if not found or is_collision(found):
        return reason
    actual, claimed = exact(found["actual"]), exact(found["claimed"])
    if len(actual) + len(claimed) > ROOM:
        return reason
    part = f" ({one_line(found['part'])})" if "part" in found else ""
    return f"{actual} against the claimed {claimed} at {at_sizes(found['sizes'])}{part}"
