"""Pages of derivations: one a source, every row a section.

A page holds nothing that changes from run to run but line numbers of definitions, which move when files are edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..markdown import block, code, escaped, grid, titled
from ..measured import Figures, measured
from ..standing import statements
from ..story import counterexample
from ..words import Record, suffix, verdict_words
from .markdown import as_markdown
from .rendering import Rendering
from .text import CONVENTION

Renderings = Mapping[str, Rendering]
ROOT = "../../"
"""From a page to the repository's root."""


def pages(renderings: Renderings, report: Record, figures: Figures | None = None) -> dict[str, str]:
    """The page of each source, in Markdown.

    Args:
        renderings: the derivation of each statement, by id.
        report: the report that they are of.
        figures: pictures of rows.
    """
    by_source: dict[str, list[Record]] = {name: [] for name in report["sources"]}
    for claim in report["claims"]:
        by_source[claim["source"]].append(claim)
    return {
        name: _page(report["sources"][name], name, own, renderings, figures or {})
        for name, own in by_source.items()
        if own
    }


def _page(
    source: Record, name: str, claims: Sequence[Record], renderings: Renderings, figures: Figures
) -> str:
    shown = [c for c in claims if any(renderings[s["id"]].derivation for s, _ in statements(c))]
    others = [c for c in claims if not any(c is one for one in shown)]
    lines = [
        f"# Derivations: {titled(source)}",
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
        *(f"- [{code(c['id'])}](#{_anchor(c['id'])}): {_summary(c, renderings)}" for c in shown),
    ]
    for claim in shown:
        lines += ["", *_section(claim, renderings, figures)]
    lines += ["", "## Rows without a derivation", "", *_without(others, renderings)]
    return "\n".join(lines).rstrip() + "\n"


def _anchor(id: str) -> str:
    """GitHub's anchor of the heading that is this id."""
    return "".join(c for c in id.lower() if c.isalnum() or c in "-_")


def _summary(claim: Record, renderings: Renderings) -> str:
    own = renderings[claim["id"]]
    said = "proved" if own.proof else "where it breaks" if own.breaks else own.why and "open"
    mended = [code(suffix(a, claim)) for a in claim["amended"] if renderings[a["id"]].proof]
    return ", ".join(filter(None, [said, f"mended by {', '.join(mended)}" if mended else ""]))


def _section(claim: Record, renderings: Renderings, figures: Figures) -> list[str]:
    stated = claim["as_stated"]
    where = f"{escaped(claim['where'])}. " if claim["where"] else ""
    lines = [f"## {code(claim['id'])}", "", f"{where}The claim, in our words:", ""]
    lines += [f"> {escaped(stated['statement'])}", ""]
    if stated["reading"]:
        lines += [f"*How it was read.* {escaped(stated['reading'])}", ""]
    if stated["verdict"] == "refuted":
        lines += ["*It fails.* The smallest example:", ""]
        lines += [*block(counterexample(stated["counterexample"])), ""]
    lines += _derivation(renderings[claim["id"]])
    more = measured(claim["id"], figures)
    lines += [*([""] if lines[-1] else []), *more[:-1]] if more else []
    for amendment in claim["amended"]:
        lines += ["", f"### Amended: {code(suffix(amendment, claim))}", ""]
        lines += [f"> {escaped(amendment['statement'])}", ""]
        lines += _derivation(renderings[amendment["id"]])
    return lines


def _derivation(one: Rendering) -> list[str]:
    if one.derivation is None:
        return [f"*No derivation:* {escaped(one.why)}.", ""] if one.why else []
    return as_markdown(one.derivation, level=0, link=ROOT).splitlines()


def _without(claims: Sequence[Record], renderings: Renderings) -> list[str]:
    rows = []
    for claim in claims:
        why = renderings[claim["id"]].why or "refuted by an example: see the errata"
        rows.append([code(claim["id"]), verdict_words(claim["as_stated"]), escaped(why)])
    return grid(["id", "verdict", "why"], rows) if rows else ["None."]
