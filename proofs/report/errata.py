"""Errata: a page a source, of the lines that fail, how each was read, the smallest example, and the mend.

A source of our own has no errata: its statements are questions, and its page has the answers.

The pages hold nothing that changes from run to run: no timing, no commit, no line number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .markdown import block, code, escaped, grid, titled
from .measured import Figures, measured
from .story import counterexample
from .words import (
    Record,
    holds_instead,
    is_collision,
    one_line,
    over_sizes,
    proved_negations,
    suffix,
    verdict_words,
)

CONSTRUCTION = "The printed construction fails. Whether another one works is a question of its own."
COLLISION = "No map can serve both of these inputs."

FAIR = (
    "Only work that says precisely what it does can be checked like this, and we thank the authors",
    "for it. A machine went through the statements of the source one by one. This page lists those",
    "that fail as they are printed, each with the way it was read, the smallest example that shows",
    "it, and, where one is known, a mended statement that is proved. One slip can make several",
    "statements fail: the slips are listed first. Most are of a sign, a factor, a transpose or an",
    "index, and leave the idea as it was. That a printed construction fails does not say that the",
    "theorem it was printed for is false. If we have misread a line, the error is ours: please tell us.",
)
ASKED = (
    "Nobody has claimed these statements: they are scanproof's own, each a question in the form of a",
    "claim. A machine answered them. “No” comes with the smallest example that shows it, and with what",
    "is so instead, where that is proved.",
)


@dataclass(frozen=True)
class Form:
    """The words of a page: of errata for authors, or of answers to questions of our own."""

    title: str
    preface: tuple[str, ...]
    fail: str
    hold: str
    failing: str
    holding: str
    open: str
    instead: str
    said: str
    construction: str
    words: Callable[[object], str] = escaped
    """Makes Markdown of what claims say."""


ERRATA = Form(
    "Errata",
    FAIR,
    "fail as printed",
    "hold as printed",
    "Statements that fail",
    "Statements that hold",
    "Statements still open",
    "What holds instead",
    "The claim, in our words",
    CONSTRUCTION,
)
ANSWERS = Form(
    "Answers",
    ASKED,
    "answered: no",
    "answered: yes",
    "Answered: no",
    "Answered: yes",
    "Still open",
    "What is so instead",
    "The question, as a claim",
    "",
)


def errata(
    report: Record,
    source: str,
    figures: Figures | None = None,
    words: Callable[[object], str] = escaped,
) -> str:
    """The page of one source, in Markdown, with the figures of its rows; for a source of our own, of answers.

    Args:
        report: that of a check, as data.
        source: its name.
        figures: pictures of rows.
        words: makes Markdown of what claims say.
    """
    form = replace(ANSWERS if report["sources"][source].get("own") else ERRATA, words=words)
    claims = [claim for claim in report["claims"] if claim["source"] == source]
    by_verdict: dict[str, list[Record]] = {}
    for claim in claims:
        by_verdict.setdefault(claim["as_stated"]["verdict"], []).append(claim)
    wrong = by_verdict.pop("refuted", [])
    right = by_verdict.pop("proved", []) + by_verdict.pop("supported", [])
    open_rows = [claim for rows in by_verdict.values() for claim in rows]
    found = slips(report["sources"][source], wrong)
    lines = [
        *_preface(form, report["sources"][source], source),
        *_counts(form, claims, wrong, right, open_rows, found),
        *_slips(form, found),
    ]
    lines += ["", f"## {form.failing}"]
    for claim in wrong:
        lines += ["", *_failing(form, claim, figures or {})]
    lines += [] if wrong else ["", "None of the statements that were decided."]
    lines += ["", f"## {form.holding}", "", *_holding(form, right)]
    lines += ["", f"## {form.open}", "", *_open(form, open_rows)]
    return "\n".join(lines) + "\n"


def slips(source: Record, wrong: Sequence[Record]) -> list[tuple[str, list[str]]]:
    """What is wrong in a source, in words, and the claims that fail by it; nothing where that is not written down.

    Args:
        source: its record in the report.
        wrong: its claims that are refuted, or some of them; others are left out.
    """
    known = [claim["id"] for claim in wrong]
    found = [
        (s["words"], [id for id in s["claims"] if id in known]) for s in source.get("slips", ())
    ]
    return [(words, ids) for words, ids in found if ids]


def _preface(form: Form, source: Record, name: str) -> list[str]:
    return [
        f"# {form.title}: {titled(source)}",
        "",
        "<!-- Written by `scanproof errata`; change the ledger, not this page. -->",
        "",
        *form.preface,
        "",
        "“Proved at fixed sizes” means: an identity in every entry, with every input a symbol, at the",
        "sizes named. “Comes out” is what the layer or learner computes, “claimed” what the statement",
        "says.",
        "",
        f"To redo all of it: `scanproof check --source {name}`.",
    ]


def _counts(
    form: Form,
    claims: list[Record],
    wrong: list[Record],
    right: list[Record],
    open_rows: list[Record],
    found: list[tuple[str, list[str]]],
) -> list[str]:
    instead = [claim for claim in wrong if holds_instead(claim)]
    nowhere = [claim for claim in wrong if proved_negations(claim)]
    rows = [
        [form.fail, str(len(wrong))],
        ["… by so many separate slips, as we count them", str(len(found))],
        [
            f"… of these, with a proved statement of {form.instead[0].lower()}{form.instead[1:]}",
            str(len(instead)),
        ],
        ["… of these, proved that nothing does what is asked for", str(len(nowhere))],
        [form.hold, str(len(right))],
        ["still open", str(len(open_rows))],
        ["all", str(len(claims))],
    ]
    shown = [row for row in rows if row[1] != "0" or not row[0].startswith("…")]
    return ["", *grid(["statements", "number"], shown)]


def _slips(form: Form, found: list[tuple[str, list[str]]]) -> list[str]:
    if not found:
        return []
    listed = [
        f"{n}. {form.words(w)}: {', '.join(map(code, ids))}" for n, (w, ids) in enumerate(found, 1)
    ]
    return ["", "## The slips, and what fails by each", "", *listed]


def _failing(form: Form, claim: Record, figures: Figures) -> list[str]:
    statement = claim["as_stated"]
    where = f", {escaped(claim['where'])}" if claim["where"] else ""
    lines = [f"### {code(claim['id'])}{where}", "", f"{form.said}:", ""]
    lines += [f"> {form.words(statement['statement'])}", ""]
    if statement["reading"]:
        lines += [f"*How it was read.* {form.words(statement['reading'])}", ""]
    if statement["hypotheses"]:
        lines += [f"*Hypotheses.* {form.words('; '.join(statement['hypotheses']))}.", ""]
    found = statement["counterexample"]
    note = form.construction if claim["kind"] == "construction" else ""
    note = COLLISION if is_collision(found) else note
    lines += [f"*Smallest example.* {note}".rstrip(), "", *block(counterexample(found)), ""]
    script = code(f"scanproof show {claim['id']} --script")
    lines += [f"As a program that stands alone: {script}.", ""]
    if statement["near_misses"]:
        changes = "; ".join(escaped(change) for change in statement["near_misses"])
        lines += [f"*Small changes that make it true, found by trying them.* {changes}.", ""]
    return [*lines, *measured(claim["id"], figures), *_mends(form, claim)]


def _mends(form: Form, claim: Record) -> list[str]:
    instead, nowhere = holds_instead(claim), proved_negations(claim)
    others = [a for a in claim["amended"] if a["verdict"] != "proved"]
    parts = [
        (form.instead, instead),
        ("It does not hold in another form either: nothing does what is asked for", nowhere),
        ("Not settled", others),
    ]
    lines: list[str] = []
    for title, amendments in parts:
        if amendments:
            lines += [f"*{title}.*", "", *(f"- {_mend(form, a, claim)}" for a in amendments), ""]
    if not instead and not nowhere:
        lines += [
            f"*{form.instead}.* {escaped(claim['unmended'] or 'Nothing that is proved, so far')}."
        ]
    return lines[:-1] if lines[-1] == "" else lines


def _mend(form: Form, amendment: Record, claim: Record) -> str:
    text = f"{code(suffix(amendment, claim))}: {form.words(amendment['statement'])}"
    text += f" — {verdict_words(amendment)}{_checked_at(amendment)}."
    if amendment["hypotheses"]:
        text += f" Hypotheses: {form.words('; '.join(amendment['hypotheses']))}."
    if amendment["reading"]:
        text += f" Read so: {form.words(amendment['reading'])}"
    return text


def _checked_at(statement: Record) -> str:
    if statement["verdict"] != "proved":
        return f" ({escaped(statement['reason'])})" if statement["reason"] else ""
    if statement["scope"] == "all-sizes":
        return " for all sizes"
    looked_at = [
        e["sizes"] for e in statement["evidence"] if e["sizes"] and e["scope"] != "sampled"
    ]
    widest = max(looked_at, key=len, default=None)
    return f" ({over_sizes(widest)})" if widest else ""


def _holding(form: Form, claims: list[Record]) -> list[str]:
    rows = [
        [
            code(claim["id"]),
            escaped(claim["where"]),
            form.words(claim["as_stated"]["statement"]),
            verdict_words(claim["as_stated"]) + _checked_at(claim["as_stated"]),
        ]
        for claim in claims
    ]
    return grid(["id", "where", "statement", "verdict"], rows) if rows else ["None yet."]


def _open(form: Form, claims: list[Record]) -> list[str]:
    rows = [
        [
            code(claim["id"]),
            escaped(claim["where"]),
            verdict_words(claim["as_stated"]),
            form.words(one_line(claim["as_stated"]["reason"])),
        ]
        for claim in claims
    ]
    return grid(["id", "where", "verdict", "why"], rows) if rows else ["None."]
