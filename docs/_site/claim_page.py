"""The page of a claim: what is said, whether it holds, what one can redo by hand, and the derivation line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanproof.proofs.orders import orders
from scanproof.proofs.report.errata import COLLISION, CONSTRUCTION
from scanproof.proofs.report.markdown import block, code, escaped, grid
from scanproof.proofs.report.standing import statements
from scanproof.proofs.report.story import counterexample, evidence, parting
from scanproof.proofs.report.words import (
    Record,
    at_sizes,
    caveats,
    holds_instead,
    inputs,
    is_collision,
    is_negation,
    one_line,
    over_sizes,
    proved_negations,
    suffix,
    symbol,
    verdict_words,
)

from .derivation import place
from .folds import folded
from .gathered import Ledger
from .limits import argument, shown_by
from .served import checked_here, run_here
from .terms import terms_of
from .titles import TITLES
from .wording import said, taken, why

GLANCE = 24
"""A statement of more lines of mathematics is folded."""
FEW = 4
"""So many mends are named at the head of a page."""
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


def badge(statement: Record, more: str = "") -> str:
    """The verdict in a coloured box; its words say all that the colour does."""
    words = verdict_words(statement) + more
    kind = statement["verdict"] + ("" if statement["scope"] != "fixed-size" else " fixed")
    tainted = " tainted" if statement["tainted"] else ""
    return f'<span class="verdict {kind}{tainted}">{words}</span>'


def _more(claim: Record) -> str:
    """What is said beside a refuted claim's verdict: a mend is proved, or that there is none."""
    if claim["as_stated"]["verdict"] != "refuted":
        return ""
    return (
        ", mended" if holds_instead(claim) else ", nothing does it" * bool(proved_negations(claim))
    )


def _lines(ledger: Ledger, claim: Record, figures: Mapping[str, str]) -> Iterator[str]:
    stated, id = claim["as_stated"], claim["id"]
    source = ledger.report["sources"][claim["source"]]
    arxiv = f" (arXiv {source['arxiv']})" if source["arxiv"] else ""
    where = f", {escaped(claim['where'])}" if claim["where"] else ""
    yield from ("---", "orphan: true", "---", "", f"# {escaped(TITLES[id])}", "")
    own = source.get("own", False)
    mends = ", ".join(_mends(claim))
    yield " ".join(filter(None, [code(id), badge(stated, _more(claim)), mends]))
    yield from (
        "",
        f"[{escaped(source['title'])}](../sources/{claim['source']}.md){arxiv}{where}; {claim['kind']}.",
        "",
    )
    if terms := terms_of(id):
        yield from (f"In the source's words: {escaped('; '.join(terms))}.", "")
    title = "The question, as a claim" if own else "The claim, in our words"
    yield from (f"## {title}", "", f"> {said(ledger, stated['statement'])}", "")
    yield from _in_symbols(ledger, id)
    yield from ("## Does it hold?", "", _plainly(ledger, claim, stated), "", *_rest(stated))
    yield from checked_here(ledger, stated["id"])
    yield from _slips(ledger, claim)
    yield from _reading(ledger, stated, "##")
    yield from _hypotheses(ledger, stated, "##")
    yield from _example(ledger, claim, stated, "##")
    rendering = ledger.renderings.get(id)
    if rendering is not None and rendering.breaks is not None:
        yield from ("## Where the source's line breaks", "")
        yield from place(id)
    if stated["near_misses"]:
        yield from (
            "## Small changes that make it true",
            "",
            "Found by trying them at the sizes of the example, not proved:",
            "",
        )
        yield from (*(f"- {escaped(change)}" for change in stated["near_misses"]), "")
    nowhere = [a for a in claim["amended"] if is_negation(a, claim)]
    others = [a for a in claim["amended"] if a not in nowhere]
    refuted = stated["verdict"] == "refuted"
    for title, amendments in (
        ("Nothing does what is asked for", nowhere),
        ("What holds instead" if refuted else "Further statements about it", others),
    ):
        if amendments:
            yield from (f"## {title}", "")
        for amendment in amendments:
            yield from _amended(ledger, claim, amendment)
    if refuted and not holds_instead(claim) and not proved_negations(claim):
        yield from ("## No mend", "", f"{escaped(claim['unmended'] or 'None is known')}.", "")
    if rendering is not None and rendering.proof is not None:
        yield from ("## Derivation", "", *place(id))
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


def _in_symbols(ledger: Ledger, id: str) -> Iterator[str]:
    """The recorded statement as mathematics, folded where it is long, and the Python that it was recorded of."""
    lines = ledger.symbols.get(id, ())
    shown = ["```text", *lines, "```"]
    if len(lines) > GLANCE:
        yield from folded(f"In symbols, {len(lines)} lines", shown)
    elif lines:
        yield from (*shown, "")
    if id in ledger.bodies:
        yield from folded(
            "The Python that was recorded", ["```python", *ledger.bodies[id].splitlines(), "```"]
        )


def _plainly(ledger: Ledger, claim: Record, statement: Record) -> str:
    """The verdict and its scope, for a reader who has met neither word."""
    verdict, reason = statement["verdict"], why(statement["reason"] or "")
    told = f"{said(ledger, reason.words[:1].upper() + reason.words[1:])}."
    if verdict == "proved" and statement["scope"] == "all-sizes":
        answer = "**Yes, at every size.** A small checker followed each step of a proof in which the sizes are letters."
    elif verdict == "proved" and not any(
        e["sizes"] and any(e["sizes"]) for e in statement["evidence"]
    ):
        answer = "**Yes.** It speaks of no sizes: it was computed with every input a letter."
    elif verdict == "proved":
        answer = (
            f"**Yes, at the sizes that were looked at** ({_looked_at(statement)}), with every input a letter. "
            "At larger sizes it was tried with numbers only."
        )
        answer += (
            f" Why there is no proof for all sizes: {said(ledger, reason.words)}."
            if reason.words
            else ""
        )
    elif verdict == "refuted":
        own = ledger.report["sources"][claim["source"]].get("own")
        answer = f"**No{'' if own else ', not as it is printed'}.** {shown_by(statement)}"
        if not own and claim["kind"] == "construction" and statement is claim["as_stated"]:
            answer += f" {CONSTRUCTION}"
        if statement["counterexample"] and is_collision(statement["counterexample"]):
            answer += f" {COLLISION}"
    elif verdict == "unknown":
        answer = f"**Not known.** {told}"
    elif verdict == "supported":
        answer = f"**The figures agree.** {told}"
    elif verdict == "not-checkable":
        answer = f"**Not for a machine of this kind to say.** {told}"
    else:
        answer = f"**{verdict}.** {told}"
    return " ".join([answer, *(f"*{escaped(text)}.*" for text in caveats(statement))])


def _slips(ledger: Ledger, claim: Record) -> Iterator[str]:
    """What is wrong in the source, in words, and what else fails by it."""
    of = claim["source"]
    for slip in ledger.report["sources"][of].get("slips", ()):
        if claim["id"] in slip["claims"]:
            others = [code(id) for id in slip["claims"] if id != claim["id"] and id in ledger.ids]
            alike = f"; by the same slip {', '.join(others)}" if others else ""
            words = said(ledger, slip["words"])
            yield f"- *The slip*, [one of those of this source](../errata/{of}.md): {words}{alike}."
    yield ""


def _rest(statement: Record) -> Iterator[str]:
    """What a search for a proof was left with, folded."""
    rest = why(statement["reason"] or "").rest
    if rest:
        yield from folded("What the search was left with, in its own words", block([rest]))


def _looked_at(statement: Record) -> str:
    sizes = [e["sizes"] for e in statement["evidence"] if e["sizes"] and e["scope"] != "sampled"]
    return over_sizes(max(sizes, key=len)) if sizes else "those of its evidence"


def _reading(ledger: Ledger, statement: Record, level: str) -> Iterator[str]:
    if statement["reading"]:
        parts = [said(ledger, part) for part in statement["reading"].split("\n\n")]
        yield from (f"{level} How it was read", "", "\n\n".join(parts), "")


def _hypotheses(ledger: Ledger, statement: Record, level: str) -> Iterator[str]:
    if not statement["hypotheses"]:
        return
    yield from (
        f"{level} Hypotheses",
        "",
        *(f"- {said(ledger, h)}" for h in statement["hypotheses"]),
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
    yield from (*argument(statement, level), f"{level} The smallest example", "")
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
        title = "The same as a program, which needs Python's standard library alone"
        yield from folded(title, ["```python", *script.rstrip().splitlines(), "```"])
        yield from run_here(statement["id"])


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
    yield from (
        f"> {said(ledger, amendment['statement'])}",
        "",
        _plainly(ledger, claim, amendment),
        "",
    )
    yield from (*_rest(amendment), *checked_here(ledger, amendment["id"]))
    yield from _reading(ledger, amendment, "####")
    yield from _hypotheses(ledger, amendment, "####")
    yield from _example(ledger, claim, amendment, "####")
    rendering = ledger.renderings.get(amendment["id"])
    if rendering is not None and rendering.proof is not None:
        yield from ("#### Derivation", "", *place(amendment["id"]))
    extra = [d for d in amendment["definitions"] if d not in claim["as_stated"]["definitions"]]
    if extra:
        yield from (f"Further definitions that ran: {', '.join(map(_source, extra))}.", "")


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
        yield from (f"Drawn by `scanproof plot {id} --output FILE.svg`.", "")


def _basis(ledger: Ledger, claim: Record) -> Iterator[str]:
    yield from ("## What the verdicts rest on", "")
    for statement, amends in statements(claim):
        for entry in statement["evidence"]:
            named = f"{code(suffix(statement, claim))}: " if amends else ""
            words = [taken(text) for text in entry.get("assumes", ())]
            told = evidence({**entry, "assumes": words} if words else entry)
            yield f"- {named}{escaped(told)}"
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


def _source(where: str) -> str:
    path, _, line = where.partition(":")
    return f"[{code(where)}](source:{path}#L{line})"


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
        yield f"scanproof export {exported} --target {target} --features 4 --examples 20 --output weights"
    yield from ("```", "")
    if exported is not None:
        targets = ", ".join(map(code, ledger.exports[exported]))
        yield f"Targets of [`scanproof export`](../docs/export.md): {targets}.{written}"
    elif written:
        yield written.strip()
    yield ""


def _bibtex(claim: Record, source: Record, version: str) -> list[str]:
    where = f", {claim['where']}" if claim["where"] else ""
    title = f"{TITLES[claim['id']]} ({claim['id']}): {source['title']}{where}"
    return [
        "```bibtex",
        f"@misc{{scanproof:{claim['id']},",
        "  author = {{The scanproof authors}},",
        f"  title = {{{title}. A machine-checked verdict}},",
        f"  note = {{scanproof {version}, claims/{claim['id']}.html}},",
        "}",
        "```",
    ]


def table(ledger: Ledger, claims: list[Record], brief: bool = False) -> list[str]:
    """Claims with their verdicts, in rows that filters know by their badge; a brief one leaves out what they say."""
    rows = [
        [
            f"{escaped(TITLES[claim['id']])} {code(claim['id'])} {escaped(claim['where'])}",
            badge(claim["as_stated"], _more(claim)),
            *([] if brief else [said(ledger, claim["as_stated"]["statement"])]),
        ]
        for claim in claims
    ]
    headers = ["claim", "verdict", *([] if brief else ["what it says"])]
    return [f"```{{rst-class}} claims{' brief' * brief}", "```", "", *grid(headers, rows)]
