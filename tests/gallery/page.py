"""`make gallery-page`: docs/gallery/README.md, from what `scanproof check` says of the claims beside it.

Nothing on the page is written by hand but its preface: claims, notes and mends stand in the claim files, verdicts and
smallest inputs come from the check. No running time and no line number stands there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import Any

from scanproof.proofs.decide.ledger import from_file
from scanproof.proofs.language.source import Source
from scanproof.proofs.report.markdown import SPECIAL, block, code, escaped, grid, titled
from scanproof.proofs.report.story import counterexample
from scanproof.proofs.report.words import one_line, suffix, verdict_words

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "gallery"
PAGE = FOLDER / "README.md"
FILES = sorted(FOLDER.glob("*.py"))
KINDS = tomllib.loads((FOLDER / "kinds.toml").read_text(encoding="utf-8"))
"""The kinds of mistake: what each is, and the refuted claims of it."""

PREFACE = """\
# Gallery: claims of public code and papers

<!-- Written by `make gallery-page`; change the claim files, not this page. -->

Claims that were made in public, that two programs compute the same or that an update minimises an
objective, with both sides written here from the published definition and nothing fetched. Each is proved for
all sizes, or refuted by the smallest inputs found, with a mend that is proved. What one test at one
shape cannot see shows here at one or two tokens. What is refuted stands first, by the kind of mistake.

That a reference or a printed line fails does not refute the kernel beside it, nor the paper around it; most are
slips of an order, a factor or an index, and only work that says precisely what it does can be checked at all. Each
refuted claim has a note that says what the public code itself gave when it was run. If we have misread a line, the
error is ours: please tell us.

Not all are slips: `fla-gates.path-forget` and `fla-learners.mesa-cg` are what a reader may expect and the code
does not set out to do; six are printed lines beside code that is right (`fla-delta.comment`, `fla-notes.*`,
`gated-deltanet.chunk-outputs`).

Claims of flash-linear-attention are those of commit `bc3b101dcb713ddc5bd8924b66754eb68b5ccf89`, paths beneath `fla/ops`;
of transformers, those of release 5.23.0, paths beneath `src/transformers/models`. Both sides leave out batch and heads.

To redo it: `make gallery-page`, some minutes; one file: `scanproof check docs/gallery/fla_notes.py`.
"""


def sources() -> list[Source]:
    """The sources of all claim files of the folder."""
    return [source for file in FILES for source in from_file(file)]


def notes() -> dict[str, list[str]]:
    """What the body of each claim says of it, in paragraphs."""
    rows = [row for source in sources() for row in source.rows]
    texts = {row.claim.id: getattr(row.claim.body, "__doc__", None) or "" for row in rows}
    return {
        id: [" ".join(p.split()) for p in dedent(text).strip().split("\n\n") if p.strip()]
        for id, text in texts.items()
    }


def checked(*targets: str) -> dict[str, Any]:
    """The report of `scanproof check` on the folder's files, or on these: files, and claims of them."""
    command = ["-m", "scanproof", "check", *(targets or map(str, FILES)), "--format", "json"]
    run = subprocess.run(
        [sys.executable, *command, "--time-limit", "200"],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(
            f"scanproof check docs/gallery: exit code {run.returncode}: {run.stderr}"
        )
    return json.loads(run.stdout)


def prose(text: object) -> str:
    """The text as one line in which nothing but names in backticks is taken for markup."""
    parts = one_line(text).split("`")
    return "".join(code(one) if k % 2 else one.translate(SPECIAL) for k, one in enumerate(parts))


def table(report: dict[str, Any]) -> list[str]:
    """A row a claim: what is claimed, where, the verdict, and the mend."""
    rows = []
    for claim in report["claims"]:
        stated = claim["as_stated"]
        mends = [f"{prose(a['statement'])}: {verdict_words(a)}" for a in claim["amended"]]
        place = f"{claim['source']}, {claim['where']}"
        cells = [prose(stated["statement"]), escaped(place), f"**{verdict_words(stated)}**"]
        rows.append([code(claim["id"]), *cells, "; ".join(mends)])
    return grid(["claim", "says", "source", "verdict", "mend"], rows)


def counts(report: dict[str, Any]) -> str:
    """How many of each verdict, and how many mends are proved."""
    found = Counter(verdict_words(claim["as_stated"]) for claim in report["claims"])
    mended = Counter(verdict_words(a) for claim in report["claims"] for a in claim["amended"])
    words = ", ".join(f"{n} {verdict}" for verdict, n in found.most_common())
    mends = ", ".join(f"{n} {verdict}" for verdict, n in mended.most_common())
    return f"{len(report['claims'])} claims: {words}. Mends: {mends}."


def note(claim: dict[str, Any], paragraphs: list[str]) -> list[str]:
    """What the authors of a refuted claim could use."""
    stated = claim["as_stated"]
    lines = [
        f"### {claim['id']}",
        "",
        f"{escaped(claim['where'])}: {prose(stated['statement'])}.",
    ]
    lines += ["", f"How it was read: {prose(stated['reading'])}"] if stated["reading"] else []
    for paragraph in paragraphs:
        lines += ["", prose(paragraph)]
    lines += ["", *block(counterexample(stated["counterexample"]))]
    for amendment in claim["amended"]:
        end = f"{prose(amendment['statement'])} ({verdict_words(amendment)})."
        lines += ["", f"Mend, {code(suffix(amendment, claim))}: {end}"]
    return lines


def page(report: dict[str, Any]) -> str:
    """The whole page."""
    said = notes()
    claims = {claim["id"]: claim for claim in report["claims"]}
    lines = [PREFACE, counts(report), ""]
    for name, kind in KINDS.items():
        links = ", ".join(f"[{id}](#{id.replace('.', '')})" for id in kind["claims"])
        lines.append(f"- **[{name}](#{name.replace(' ', '-')})**: {links}")
    for name, kind in KINDS.items():
        lines += ["", f"## {name.capitalize()}", "", kind["words"]]
        for id in kind["claims"]:
            lines += ["", *note(claims[id], said[id])]
    lines += ["", "## All claims", "", *table(report), "", "## Sources", ""]
    lines += [f"- {code(name)}: {titled(source)}" for name, source in report["sources"].items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(checked()), encoding="utf-8")
    print(f"{PAGE.relative_to(FOLDER.parents[1])} written")
