"""Errata: a page a source, of the lines that fail, how each was read, the smallest example, and the mend.

The pages hold nothing that changes from run to run: no timing, no commit, no line number.
"""

from __future__ import annotations

from .markdown import block, code, escaped, grid, titled
from .measured import Figures, measured
from .story import counterexample
from .words import Record, is_collision, is_mended, one_line, over_sizes, suffix, verdict_words

CONSTRUCTION = "The printed construction fails. Whether another one works is a question of its own."
COLLISION = "No map can serve both of these inputs."


def errata(report: Record, source: str, figures: Figures | None = None) -> str:
    """The page of one source, in Markdown, with the figures of its rows."""
    claims = [claim for claim in report["claims"] if claim["source"] == source]
    by_verdict: dict[str, list[Record]] = {}
    for claim in claims:
        by_verdict.setdefault(claim["as_stated"]["verdict"], []).append(claim)
    wrong = by_verdict.pop("refuted", [])
    right = by_verdict.pop("proved", []) + by_verdict.pop("supported", [])
    open_rows = [claim for rows in by_verdict.values() for claim in rows]
    lines = [
        *_preface(report["sources"][source], source),
        *_counts(claims, wrong, right, open_rows),
    ]
    lines += ["", "## Statements that fail"]
    for claim in wrong:
        lines += ["", *_failing(claim, figures or {})]
    lines += [] if wrong else ["", "None of the statements that were decided."]
    lines += ["", "## Statements that hold", "", *_holding(right)]
    lines += ["", "## Statements still open", "", *_open(open_rows)]
    return "\n".join(lines) + "\n"


def _preface(source: Record, name: str) -> list[str]:
    return [
        f"# Errata: {titled(source)}",
        "",
        "<!-- Written by `scanproof errata`; change the ledger, not this page. -->",
        "",
        "Only work that says precisely what it does can be checked like this, and we thank the authors",
        "for it. A machine went through the statements of the source one by one. This page lists those",
        "that fail as they are printed, each with the way it was read, the smallest example that shows",
        "it, and, where one is known, a mended statement that is proved. Most are slips of a sign, a",
        "factor, a transpose or an index, and leave the idea as it was. If we have misread a line, the",
        "error is ours: please tell us.",
        "",
        "“Proved at fixed sizes” means: an identity in every entry, with every input a symbol, at the",
        "sizes named. That a printed construction fails does not say that the theorem it was printed for",
        "is false. “Comes out” is what the layer or learner computes, “claimed” what the source says.",
        "",
        f"To redo all of it: `scanproof check --source {name}`.",
    ]


def _counts(
    claims: list[Record], wrong: list[Record], right: list[Record], open_rows: list[Record]
) -> list[str]:
    mended = sum(map(is_mended, wrong))
    rows = [
        ["fail as printed", str(len(wrong))],
        ["… of these, mended by a proved statement", str(mended)],
        ["hold as printed", str(len(right))],
        ["still open", str(len(open_rows))],
        ["all", str(len(claims))],
    ]
    return ["", *grid(["statements", "number"], rows)]


def _failing(claim: Record, figures: Figures) -> list[str]:
    statement = claim["as_stated"]
    where = f", {escaped(claim['where'])}" if claim["where"] else ""
    lines = [f"### {code(claim['id'])}{where}", "", "The claim, in our words:", ""]
    lines += [f"> {escaped(statement['statement'])}", ""]
    if statement["reading"]:
        lines += [f"*How it was read.* {escaped(statement['reading'])}", ""]
    if statement["hypotheses"]:
        lines += [f"*Hypotheses.* {escaped('; '.join(statement['hypotheses']))}.", ""]
    found = statement["counterexample"]
    note = CONSTRUCTION if claim["kind"] == "construction" else ""
    note = COLLISION if is_collision(found) else note
    lines += [f"*Smallest example.* {note}".rstrip(), "", *block(counterexample(found)), ""]
    script = code(f"scanproof show {claim['id']} --script")
    lines += [f"As a program that stands alone: {script}.", ""]
    if statement["near_misses"]:
        changes = "; ".join(escaped(change) for change in statement["near_misses"])
        lines += [f"*Small changes that make it true, found by trying them.* {changes}.", ""]
    return [*lines, *measured(claim["id"], figures), *_mends(claim)]


def _mends(claim: Record) -> list[str]:
    proved = [a for a in claim["amended"] if a["verdict"] == "proved"]
    others = [a for a in claim["amended"] if a["verdict"] != "proved"]
    lines = ["*Mended.*", "", *(f"- {_mend(a, claim)}" for a in proved)] if proved else []
    if others:
        gap = [""] if lines else []
        lines += [*gap, "*Mends not settled.*", "", *(f"- {_mend(a, claim)}" for a in others)]
    if not proved:
        gap = [""] if lines else []
        lines += [*gap, f"*Mended.* No: {escaped(claim['unmended'] or 'no proved mend is known')}."]
    return lines


def _mend(amendment: Record, claim: Record) -> str:
    text = f"{code(suffix(amendment, claim))}: {escaped(amendment['statement'])}"
    if amendment["hypotheses"]:
        text += f" Hypotheses: {escaped('; '.join(amendment['hypotheses']))}."
    if amendment["reading"]:
        text += f" Read so: {escaped(amendment['reading'])}"
    return f"{text} — {verdict_words(amendment)}{_checked_at(amendment)}."


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


def _holding(claims: list[Record]) -> list[str]:
    rows = [
        [
            code(claim["id"]),
            escaped(claim["where"]),
            escaped(claim["as_stated"]["statement"]),
            verdict_words(claim["as_stated"]) + _checked_at(claim["as_stated"]),
        ]
        for claim in claims
    ]
    return grid(["id", "where", "statement", "verdict"], rows) if rows else ["None yet."]


def _open(claims: list[Record]) -> list[str]:
    rows = [
        [
            code(claim["id"]),
            escaped(claim["where"]),
            verdict_words(claim["as_stated"]),
            escaped(one_line(claim["as_stated"]["reason"])),
        ]
        for claim in claims
    ]
    return grid(["id", "where", "verdict", "why"], rows) if rows else ["None."]
