"""The page of a claim: what is said, whether it holds, what one can redo by hand, and the derivation line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from scanproof.proofs.orders import orders
from scanproof.proofs.report.derivation.document import Derivation, Line
from scanproof.proofs.report.derivation.markdown import as_markdown, line_as_markdown
from scanproof.proofs.report.errata import COLLISION, CONSTRUCTION
from scanproof.proofs.report.markdown import block, code, escaped, grid
from scanproof.proofs.report.standing import statements
from scanproof.proofs.report.story import counterexample, evidence, parting
from scanproof.proofs.report.words import (
    Record,
    at_sizes,
    caveats,
    inputs,
    is_collision,
    is_mended,
    one_line,
    over_sizes,
    suffix,
    symbol,
    verdict_words,
)

from .gathered import Ledger

FEW = 4
"""So many mends are named at the head of a page."""
SHORT = 10
"""The idea of a derivation is told in so many lines at most."""
ROWS, COLUMNS = 8, 10
"""The largest matrix that is written out as one; a larger one is a nested list."""


def page(ledger: Ledger, claim: Record, figures: Mapping[str, str]) -> str:
    """The page of a claim, in Markdown for MyST.

    Args:
        ledger: what is shown.
        claim: its record in the report.
        figures: pictures by claim's id, as the page links them.
    """
    return "\n".join(_lines(ledger, claim, figures)) + "\n"


def anchor(amendment: str) -> str:
    """Where an amendment stands on the page of its claim, by what its id adds: "+sign" at "amended-sign"."""
    return "amended" + amendment.replace("+", "-")


def badge(statement: Record, mended: bool = False) -> str:
    """The verdict in a coloured box; its words say all that the colour does."""
    words = verdict_words(statement) + (", mended" if mended else "")
    kind = statement["verdict"] + ("" if statement["scope"] != "fixed-size" else " fixed")
    tainted = " tainted" if statement["tainted"] else ""
    return f'<span class="verdict {kind}{tainted}">{words}</span>'


def _lines(ledger: Ledger, claim: Record, figures: Mapping[str, str]) -> Iterator[str]:
    stated, id = claim["as_stated"], claim["id"]
    source = ledger.report["sources"][claim["source"]]
    arxiv = f" (arXiv {source['arxiv']})" if source["arxiv"] else ""
    where = f", {escaped(claim['where'])}" if claim["where"] else ""
    yield from ("---", "orphan: true", "---", "", f"# {code(id)}", "")
    mended = stated["verdict"] == "refuted" and is_mended(claim)
    yield " ".join(filter(None, [badge(stated, mended), ", ".join(_mends(claim))]))
    yield from (
        "",
        f"[{escaped(source['title'])}](../sources/{claim['source']}.md){arxiv}{where}; {claim['kind']}.",
        "",
    )
    yield from ("## The claim, in our words", "", f"> {escaped(stated['statement'])}", "")
    yield from ("## Does it hold?", "", _plainly(claim, stated), "")
    yield from _reading(ledger, stated, "##")
    yield from _hypotheses(ledger, stated, "##")
    yield from _example(ledger, claim, stated, "##")
    rendering = ledger.renderings.get(id)
    if rendering is not None and rendering.breaks is not None:
        yield from ("## Where the source's line breaks", "")
        yield from _derivation(rendering.breaks)
    if stated["near_misses"]:
        yield from ("## Small changes that make it true", "", "Found by trying them:", "")
        yield from (*(f"- {escaped(change)}" for change in stated["near_misses"]), "")
    if claim["amended"]:
        yield from ("## What holds instead" if mended else "## Amended statements", "")
    for amendment in claim["amended"]:
        yield from _amended(ledger, claim, amendment)
    if stated["verdict"] == "refuted" and not mended:
        yield from ("## No mend", "", f"{escaped(claim['unmended'] or 'None is known')}.", "")
    if rendering is not None and rendering.proof is not None:
        yield from ("## Derivation", "", *_derivation(rendering.proof))
    yield from _picture(id, figures)
    yield from _basis(ledger, claim)
    yield from _definitions(stated["definitions"])
    yield from _commands(ledger, claim)
    yield from ("## Cite", "", *_bibtex(claim, source, ledger.report["tool"]["version"]))


def _mends(claim: Record) -> list[str]:
    proved = [a for a in claim["amended"] if a["verdict"] == "proved"]
    more = [f"and {len(proved) - FEW} more are proved"] if len(proved) > FEW else []
    return [
        f'<a href="#{anchor(suffix(a, claim))}">{suffix(a, claim)}</a> is {verdict_words(a)}'
        for a in proved[:FEW]
    ] + more


def _plainly(claim: Record, statement: Record) -> str:
    """The verdict and its scope, for a reader who has met neither word."""
    verdict, reason = statement["verdict"], escaped(statement["reason"] or "")
    told = reason[:1].upper() + reason[1:]
    if verdict == "proved" and statement["scope"] == "all-sizes":
        said = "**Yes, at every size.** A small checker followed each step of a proof in which the sizes are letters."
    elif verdict == "proved" and not any(
        e["sizes"] and any(e["sizes"]) for e in statement["evidence"]
    ):
        said = "**Yes.** It speaks of no sizes: it was computed with every input a letter."
    elif verdict == "proved":
        said = (
            f"**Yes, at the sizes that were looked at** ({_looked_at(statement)}), with every input a letter. "
            "At larger sizes it was tried with numbers only."
        )
        said += f" Why there is no proof for all sizes: {reason}." if reason else ""
    elif verdict == "refuted":
        said = "**No, not as it is printed.** The numbers below show it."
        if claim["kind"] == "construction" and statement is claim["as_stated"]:
            said += f" {CONSTRUCTION}"
        if statement["counterexample"] and is_collision(statement["counterexample"]):
            said += f" {COLLISION}"
    elif verdict == "unknown":
        said = f"**Not known.** {told}."
    elif verdict == "supported":
        said = f"**The figures agree.** {told}."
    elif verdict == "not-checkable":
        said = f"**Not for a machine of this kind to say.** {told}."
    else:
        said = f"**{verdict}.** {told}."
    return " ".join([said, *(f"*{escaped(text)}.*" for text in caveats(statement))])


def _looked_at(statement: Record) -> str:
    sizes = [e["sizes"] for e in statement["evidence"] if e["sizes"] and e["scope"] != "sampled"]
    return over_sizes(max(sizes, key=len)) if sizes else "those of its evidence"


def _reading(ledger: Ledger, statement: Record, level: str) -> Iterator[str]:
    if statement["reading"]:
        yield from (f"{level} How it was read", "", _linked(ledger, statement["reading"]), "")


def _linked(ledger: Ledger, text: str) -> str:
    """Words with the ids of claims in them as links."""
    parts = re.split(r"([a-z0-9-]+(?:\.[A-Za-z0-9-]+)+)", text)
    return "".join(code(one) if one in ledger.claims else escaped(one) for one in parts)


def _hypotheses(ledger: Ledger, statement: Record, level: str) -> Iterator[str]:
    if not statement["hypotheses"]:
        return
    yield from (
        f"{level} Hypotheses",
        "",
        *(f"- {escaped(h)}" for h in statement["hypotheses"]),
        "",
    )
    met = ledger.met.get(statement["id"])
    if met is not None:
        yield f"They can be met, for example at {at_sizes(met['sizes'])} by:"
        yield from ("", *block(inputs(met)), "")


def _example(ledger: Ledger, claim: Record, statement: Record, level: str) -> Iterator[str]:
    found = statement["counterexample"]
    if found is None:
        return
    yield from (f"{level} The smallest example", "")
    part = f", {escaped(found['part'])}" if "part" in found else ""
    yield from (
        (f"At {at_sizes(found['sizes'])}{part}:" if found["sizes"] or part else "With:"),
        "",
    )
    matrices = _matrices(found)
    yield from matrices or block(counterexample(found))
    yield ""
    yield from (*parting(found), "")
    script = ledger.scripts.get(statement["id"])
    if script is not None:
        said = "The same as a program, which needs Python's standard library alone"
        yield from _folded(f"{said}", ["```python", *script.rstrip().splitlines(), "```"])
        yield from (f"`scanproof show {statement['id']} --script` prints it.", "")


def _matrices(found: Record) -> list[str]:
    """The inputs and both sides as matrices; nothing where one is too large, or there are two inputs."""
    if is_collision(found):
        return []
    given = [(symbol(name), value) for name, value in found["inputs"].items()]
    shown = [(_name(name), _matrix(value)) for name, value in given]
    sides = [
        (rf"\text{{{n}}}", _matrix(found[k]))
        for n, k in (("comes out", "actual"), ("claimed", "claimed"))
    ]
    if any(m is None for _, m in (*shown, *sides)):
        return []
    lines = [
        r",\qquad ".join(f"{n} = {m}" for n, m in shown[k : k + 4]) for k in range(0, len(shown), 4)
    ]
    lines.append(r"\qquad ".join(rf"{n}\colon\; {m}" for n, m in sides))
    return [part for line in lines for part in ("```math", line, "```", "")]


def _name(name: str) -> str:
    from scanproof.proofs.report.derivation.latex import LATEX

    return LATEX.letter(name)


def _matrix(value: object) -> str | None:
    """An exact number, vector (as a row) or matrix; None for what is larger or deeper."""
    if not isinstance(value, list):
        text = one_line(value)
        plain = text.replace("-", "").replace("/", "").isdigit()
        top, _, below = text.lstrip("-").partition("/")
        sign = "-" if text.startswith("-") else ""
        return (rf"{sign}\tfrac{{{top}}}{{{below}}}" if below else text) if plain else None
    rows = value if value and isinstance(value[0], list) else [value]
    cells = [[_matrix(v) for v in row] for row in rows]
    small = cells and 0 < len(cells) <= ROWS and all(0 < len(row) <= COLUMNS for row in cells)
    if not small or any(c is None or c.startswith("\\begin") for row in cells for c in row):
        return None
    inside = r" \\ ".join(" & ".join(map(str, row)) for row in cells)
    return rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}"


def _amended(ledger: Ledger, claim: Record, amendment: Record) -> Iterator[str]:
    name = suffix(amendment, claim)
    yield from (
        f'<span id="{anchor(name)}"></span>',
        "",
        f"### {code(name)}",
        "",
        badge(amendment),
        "",
    )
    yield from (f"> {escaped(amendment['statement'])}", "", _plainly(claim, amendment), "")
    yield from _reading(ledger, amendment, "####")
    yield from _hypotheses(ledger, amendment, "####")
    yield from _example(ledger, claim, amendment, "####")
    rendering = ledger.renderings.get(amendment["id"])
    if rendering is not None and rendering.proof is not None:
        yield from ("#### Derivation", "", *_derivation(rendering.proof))
    extra = [d for d in amendment["definitions"] if d not in claim["as_stated"]["definitions"]]
    if extra:
        yield from (f"Further definitions that ran: {', '.join(map(_source, extra))}.", "")


def _derivation(derivation: Derivation) -> Iterator[str]:
    """The idea in about ten lines, then every line, folded."""
    idea = [line for s in derivation.sections for line in s.lines if _tells(line)]
    if 0 < len(idea) < len(derivation.lines):
        yield from ("The idea, by the numbers of the lines below:", "")
        for line in idea[:SHORT]:
            yield from (*line_as_markdown(line, "source:"), "")
        if len(idea) > SHORT:
            yield from (f"… and {len(idea) - SHORT} more such lines.", "")
    steps = as_markdown(derivation, level=0, link="source:").splitlines()
    yield from _folded(
        f"All {len(derivation.lines)} lines, with the equation after every step", steps
    )


def _tells(line: Line) -> bool:
    """Whether a line is one of those that tell the idea: lemmas, both sides as read, and what comes of them."""
    telling = ("Lemma", "the left side", "the right side", "both sides", "normal form:")
    return line.reason.startswith((*telling, "what is left over", "bound", "witness", "result"))


def _folded(title: str, lines: list[str]) -> Iterator[str]:
    yield from ("<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", "")


def _picture(id: str, figures: Mapping[str, str]) -> Iterator[str]:
    found = orders(id)
    if found:
        yield from (
            "## Measured",
            "",
            "Orders of the error terms, in exact numbers on one small context:",
            "",
        )
        yield from (*(f"- {escaped(order)}" for order in found), "")
    if id in figures:
        yield from (
            "## In a picture",
            "",
            f"![{id}: what the layers do, in numbers]({figures[id]})",
            "",
        )
        yield from (f"Drawn by `scanproof plot {id} --out FILE.svg`.", "")


def _basis(ledger: Ledger, claim: Record) -> Iterator[str]:
    yield from ("## What the verdicts rest on", "")
    for statement, amends in statements(claim):
        for entry in statement["evidence"]:
            named = f"{code(suffix(statement, claim))}: " if amends else ""
            yield f"- {named}{escaped(evidence(entry))}"
    if claim["depends_on"]:
        yield f"- It uses {', '.join(map(code, claim['depends_on']))}."
        fixed = [id for id in claim["depends_on"] if _is_fixed(ledger, id)]
        if fixed:
            yield f"- **Proved at fixed sizes only, of these: {', '.join(map(code, fixed))}.**"
    users = [c["id"] for c in ledger.report["claims"] if claim["id"] in c["depends_on"]]
    if users:
        yield f"- It is used by {', '.join(map(code, users))}."
    yield "- [What remains to be believed](../docs/trust.md), [which claims share an axiom](../rests-on.md)."
    yield ""


def _is_fixed(ledger: Ledger, id: str) -> bool:
    found = [s for c in ledger.report["claims"] for s, _ in statements(c) if s["id"] == id]
    return any(s["verdict"] == "proved" and s["scope"] != "all-sizes" for s in found)


def _definitions(places: list[str]) -> Iterator[str]:
    if places:
        yield from ("## The definitions that ran", "", *(f"- {_source(one)}" for one in places), "")


def _source(place: str) -> str:
    path, _, line = place.partition(":")
    return f"[{code(place)}](source:{path}#L{line})"


def _commands(ledger: Ledger, claim: Record) -> Iterator[str]:
    ids = [statement["id"] for statement, _ in statements(claim)]
    stated = claim["as_stated"]
    written = f" It is written down in {_source(stated['written'])}." if stated["written"] else ""
    yield from (
        "## Redo it",
        "",
        "```sh",
        f"scanproof check {claim['id']}",
        f"scanproof show {claim['id']}",
    )
    yield from (f"scanproof run {id}" for id in ids if id in ledger.runs)
    exported = next((id for id in ids if id in ledger.exports), None)
    if exported is not None:
        target = ledger.exports[exported][0]
        yield f"scanproof export {exported} --target {target} --features 4 --examples 20 --out weights"
    yield from ("```", "")
    if exported is not None:
        targets = ", ".join(map(code, ledger.exports[exported]))
        yield f"Targets of [`scanproof export`](../docs/export.md): {targets}.{written}"
    elif written:
        yield written.strip()
    yield ""


def _bibtex(claim: Record, source: Record, version: str) -> list[str]:
    where = f", {claim['where']}" if claim["where"] else ""
    said = f"{claim['id']}: {source['title']}{where}"
    return [
        "```bibtex",
        f"@misc{{scanproof:{claim['id']},",
        "  author = {{The scanproof authors}},",
        f"  title = {{{said}. A machine-checked verdict}},",
        f"  note = {{scanproof {version}, claims/{claim['id']}.html}},",
        "}",
        "```",
    ]


def table(ledger: Ledger, claims: list[Record]) -> list[str]:
    """Claims with their verdicts, in rows that filters know by their badge."""
    rows = [
        [
            code(claim["id"]),
            badge(
                claim["as_stated"], claim["as_stated"]["verdict"] == "refuted" and is_mended(claim)
            ),
            escaped(claim["where"]),
            escaped(claim["as_stated"]["statement"]),
        ]
        for claim in claims
    ]
    return grid(["claim", "verdict", "where", "what it says"], rows)
