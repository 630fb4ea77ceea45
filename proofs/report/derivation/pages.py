"""Pages of derivations: one a source, every row a section.

A page holds nothing that changes from run to run but line numbers of definitions, which move when files are edited.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..markdown import block, code, escaped, grid
from ..measured import Figures, measured
from ..story import counterexample
from ..words import Record, suffix, verdict_words
from .markdown import as_markdown
from .text import CONVENTION
from .told import Entry, Told

ROOT = "../../"
"""From a page to the repository's root."""


def pages(
    entries: Sequence[Entry], report: Record, figures: Figures | None = None
) -> dict[str, str]:
    """The page of each source, in Markdown, with the figures of its rows."""
    by_source: dict[str, list[Entry]] = {name: [] for name in report["sources"]}
    for entry in entries:
        by_source[entry.record["source"]].append(entry)
    return {
        name: _page(report["sources"][name], name, own, figures or {})
        for name, own in by_source.items()
        if own
    }


def _page(source: Record, name: str, entries: Sequence[Entry], figures: Figures) -> str:
    shown = [e for e in entries if any(t.proof or t.breaks for t in e.told.values())]
    arxiv = f" (arXiv {source['arxiv']})" if source["arxiv"] else ""
    lines = [
        f"# Derivations: {escaped(source['title'])}{arxiv}",
        "",
        "<!-- Written by `scanproof derivations`; change the ledger, not this page. -->",
        "",
        "Each proof that holds at every size, line by line, printed from the proof that the kernel",
        "checked; and of each statement that fails, where its two sides part. “Left” and “right” are the",
        "two sides of a claim's equation: what the definitions compute and what is claimed.",
        "",
        CONVENTION,
        r"The entry of a state at time $`t`$ is written $`Z^{(t)}_{a,b}`$; what stands after a semicolon",
        "says which run of a recursion it is. The number before a line is its own, those after a reason",
        "are the lines that it rests on.",
        "",
        f"To print one in a terminal: `scanproof show ID`; all of this page: `scanproof derivations --source {name}`.",
        "",
        *(f"- [{code(e.record['id'])}](#{_anchor(e.record['id'])}): {_summary(e)}" for e in shown),
    ]
    for entry in shown:
        lines += ["", *_section(entry, figures)]
    lines += ["", "## Rows without a derivation", "", *_without(entries, shown)]
    return "\n".join(lines).rstrip() + "\n"


def _anchor(id: str) -> str:
    """GitHub's anchor of the heading that is this id."""
    return "".join(c for c in id.lower() if c.isalnum() or c in "-_")


def _summary(entry: Entry) -> str:
    own = entry.told[entry.record["id"]]
    said = "proved" if own.proof else "where it breaks" if own.breaks else own.why and "open"
    mended = [
        code(suffix(a, entry.record))
        for a in entry.record["amended"]
        if entry.told[a["id"]].proof is not None
    ]
    return ", ".join(filter(None, [said, f"mended by {', '.join(mended)}" if mended else ""]))


def _section(entry: Entry, figures: Figures) -> list[str]:
    record = entry.record
    stated = record["as_stated"]
    where = f"{escaped(record['where'])}. " if record["where"] else ""
    lines = [f"## {code(record['id'])}", "", f"{where}The source says:", ""]
    lines += [f"> {escaped(stated['statement'])}", ""]
    if stated["reading"]:
        lines += [f"*How it was read.* {escaped(stated['reading'])}", ""]
    told = entry.told[record["id"]]
    if stated["verdict"] == "refuted":
        lines += ["*It fails.* The smallest example:", ""]
        lines += [*block(counterexample(stated["counterexample"])), ""]
    lines += _told(told)
    more = measured(record["id"], figures)
    lines += [*([""] if lines[-1] else []), *more[:-1]] if more else []
    for amendment in record["amended"]:
        lines += ["", f"### Amended: {code(suffix(amendment, record))}", ""]
        lines += [f"> {escaped(amendment['statement'])}", ""]
        lines += _told(entry.told[amendment["id"]])
    return lines


def _told(told: Told) -> list[str]:
    found = told.proof or told.breaks
    if found is None:
        return [f"*No derivation:* {escaped(told.why)}.", ""] if told.why else []
    return as_markdown(found, level=0, link=ROOT).splitlines()


def _without(entries: Sequence[Entry], shown: Sequence[Entry]) -> list[str]:
    rows = []
    for entry in entries:
        if any(entry is one for one in shown):
            continue
        record = entry.record
        told = entry.told[record["id"]]
        why = told.why or "refuted by an example: see the errata"
        stated = verdict_words(record["as_stated"])
        rows.append([code(record["id"]), stated, escaped(why)])
    return grid(["id", "verdict", "why"], rows) if rows else ["None."]
