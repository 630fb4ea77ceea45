"""Pages about many claims: one for each source, its errata, all claims, and what verdicts rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial

from scanproof.proofs.report.errata import errata, slips
from scanproof.proofs.report.long_table import counts
from scanproof.proofs.report.markdown import code, escaped, grid, titled
from scanproof.proofs.report.standing import statements
from scanproof.proofs.report.words import (
    holds_instead,
    proved_negations,
    verdict_words,
)

from .claim_page import badge, table
from .gathered import Ledger
from .titles import TITLES
from .wording import said, taken

METHODS = {
    "induction": "a proof by induction, for all sizes, followed step by step by the kernel",
    "normal-form": "a proof by normal forms, for all sizes, followed by the kernel",
    "bound-chain": "a chain of inequalities, for all sizes, each an instance of a named schema",
    "sum-of-squares": "a bound whose slack is a sum of squares, for all sizes",
    "identity": "an identity in every entry at listed sizes, by exact arithmetic with letters",
    "witness": "parameters or inputs that show that something exists, or differs",
    "counterexample": "numbers at which the statement fails",
    "limit": "an argument about limits, by named rules",
    "property-test": "numbers tried at further sizes, which could have refuted it",
    "measurement": "printed figures beside exact expected losses and recorded training runs",
}
"""What each method of the evidence is."""


def pages(ledger: Ledger) -> dict[str, str]:
    """The pages by name, in Markdown for MyST."""
    found = {"claims/index": _all(ledger), "rests-on": _rests_on(ledger)}
    for name in ledger.report["sources"]:
        found[f"sources/{name}"] = _source(ledger, name)
        if any(c["as_stated"]["verdict"] == "refuted" for c in ledger.of(name)):
            figures: dict[str, str] = {}
            shown = errata(ledger.report, name, figures, partial(said, ledger))
            found[about(ledger, name)] = f"---\norphan: true\n---\n\n{shown}"
    names = "\n".join(f"sources/{name}" for name in ledger.report["sources"])
    found["counts"] = "\n".join(
        [
            f"The ledger: {counts(ledger.report['claims'])}. (“Mended” is as `scanproof check` counts: "
            "a proof that nothing does what is asked for is among these; the table tells it apart.)",
            "",
            *_sources(ledger),
            "",
        ]
    )
    found["maps"] = "\n".join(
        line for name in ledger.report["sources"] for line in _map(ledger, name)
    )
    found["sources"] = "\n".join(
        ["# Sources", "", *_sources(ledger), "", "```{toctree}", ":hidden:", "", names, "```", ""]
    )
    return found


def about(ledger: Ledger, name: str) -> str:
    """The page of what fails of a source: errata, or answers to questions of our own."""
    return f"{'answers' if ledger.report['sources'][name].get('own') else 'errata'}/{name}"


def _sources(ledger: Ledger) -> list[str]:
    rows = []
    for name, source in ledger.report["sources"].items():
        counted = _counts(ledger, name)
        what = about(ledger, name)
        fails = f", [{what.split('/')[0]}]({what}.md)" if counted["refuted"] else ""
        numbers = [counted["proved"], counted["proved at fixed sizes"], counted["refuted"]]
        numbers += [counted["slips"], counted["mended"]]
        numbers += [counted["unknown"] + counted["not-checkable"]]
        title = f"{titled(source)}: [dashboard](sources/{name}.md){fails}"
        rows.append([title, *(str(n or "") for n in numbers)])
    said = [
        "proved\\*: at the sizes that were looked at. Slips: one can make several statements fail, so that there are",
        "fewer. Statements of our own are questions, and have none. Instead: what holds instead is proved.",
    ]
    headers = ["source", "proved", "proved\\*", "refuted", "slips", "instead", "open"]
    return [*grid(headers, rows), "", *said]


def _map(ledger: Ledger, name: str) -> list[str]:
    """A source's part of the map: its graph, and for small screens its claims as a list."""
    listed = [
        f"- {code(c['id'])} {escaped(TITLES[c['id']])} {badge(c['as_stated'])}"
        for c in ledger.of(name)
    ]
    title = titled(ledger.report["sources"][name])
    return [
        f"## {title}",
        "",
        *_drawn(name),
        '<div class="map-list">',
        "",
        *listed,
        "",
        "</div>",
        "",
    ]


def _drawn(name: str) -> list[str]:
    return [f"```{{dot}} maps/{name}.dot", "```", ""]


COLUMNS = {
    "proved": "proved",
    "proved at fixed sizes": "proved at fixed sizes",
    "refuted": "refuted",
    "slips": "… by so many separate slips, as we count them",
    "mended": "… with a proved statement of what holds instead",
    "nowhere": "… proved that nothing does what is asked for",
    "unknown": "unknown",
    "not-checkable": "not-checkable",
}
"""What is counted, and its words."""


def _counts(ledger: Ledger, name: str) -> Counter[str]:
    claims = ledger.of(name)
    wrong = [c for c in claims if c["as_stated"]["verdict"] == "refuted"]
    counted = Counter(verdict_words(c["as_stated"]) for c in claims)
    counted["slips"] = len(slips(ledger.report["sources"][name], wrong))
    counted["mended"] = sum(bool(holds_instead(c)) for c in wrong)
    counted["nowhere"] = sum(bool(proved_negations(c)) for c in wrong)
    return counted


def _source(ledger: Ledger, name: str) -> str:
    source, claims = ledger.report["sources"][name], ledger.of(name)
    counted = _counts(ledger, name)
    mends = [a for c in claims for a in c["amended"]]
    rows = [[words, str(counted[k])] for k, words in COLUMNS.items() if counted[k]]
    rows.append(["all claims", str(len(claims))])
    rows.append(["amended statements", str(len(mends))])
    rows.append(["… of these proved", str(sum(a["verdict"] == "proved" for a in mends))])
    own = source.get("own")
    said = (
        "Answers](../{}.md) to what is asked. "
        if own
        else "Errata](../{}.md): what fails as printed. "
    )
    fails = f"[{said.format(about(ledger, name))}" if counted["refuted"] else ""
    lines = [
        f"# {titled(source)}",
        "",
        f"{fails}[The map](../map.md) shows these claims with the definitions that they share. Redo all: "
        f"`scanproof check --source {name}`.",
        "",
        *grid(["", "number"], rows),
        "",
        "## Its map",
        "",
        *_drawn(name),
        "Borders: the verdict as printed; fill: the best proof ([legend](../map.md)).",
        "",
        "## Its claims",
        "",
        *table(ledger, claims),
    ]
    return "\n".join(lines) + "\n"


def _all(ledger: Ledger) -> str:
    lines = [
        "# All claims",
        "",
        "With JavaScript a filter stands above the table; without, it is the whole ledger.",
        "",
        *table(ledger, ledger.report["claims"], brief=True),
    ]
    return "\n".join(lines) + "\n"


def _rests_on(ledger: Ledger) -> str:
    axioms: dict[str, list[str]] = {}
    assumed: dict[str, list[str]] = {}
    methods: dict[str, list[str]] = {}
    for claim in ledger.report["claims"]:
        for statement, _ in statements(claim):
            for entry in statement["evidence"]:
                for axiom in entry["axioms"]:
                    axioms.setdefault(axiom, []).append(statement["id"])
                for text in entry.get("assumes", ()):
                    assumed.setdefault(text, []).append(statement["id"])
                methods.setdefault(entry["method"], []).append(statement["id"])
    tainted = [s["id"] for c in ledger.report["claims"] for s, _ in statements(c) if s["tainted"]]
    lines = [
        "# What verdicts rest on",
        "",
        "Every verdict rests on Python, the engines and the files that `scanproof trust` lists "
        "([what remains to be believed](docs/trust.md)). Beyond that some rest on an axiom or take something for "
        "granted; these say so, and are listed here.",
        "",
        "## Axioms",
        "",
        "Facts about exp and log that the kernel does not know; sympy shows each of them, outside of it.",
        "",
    ]
    for axiom, ids in sorted(axioms.items()):
        lines += [f"### {escaped(axiom)}", "", _listed(ids), ""]
        through = _users(ledger, ids)
        if through:
            lines += [f"Through claims that they use: {_listed(through)}", ""]
    lines += ["## Taken for granted, or not tried", ""]
    for text, ids in sorted(assumed.items(), key=lambda pair: -len(pair[1])):
        words = escaped(taken(text))
        lines += [f"{words[0].upper()}{words[1:]}:", "", _listed(ids), ""]
    lines += [
        "## Rows that rest on rows",
        "",
        "A claim that uses another one is as good as that one.",
        "",
    ]
    uses = [(c["id"], c["depends_on"]) for c in ledger.report["claims"] if c["depends_on"]]
    lines += grid(["claim", "uses"], [[code(a), ", ".join(map(code, b))] for a, b in uses])
    lines += ["", f"Tainted, since something that they use is not proved: {_listed(tainted)}", ""]
    lines += ["## Kinds of evidence", ""]
    rows = [[METHODS.get(m, escaped(m)), code(m), str(len(set(ids)))] for m, ids in methods.items()]
    lines += grid(["what it is", "name", "statements"], rows)
    return "\n".join(lines) + "\n"


def _users(ledger: Ledger, ids: Iterable[str]) -> list[str]:
    """The claims that use one of these, or a claim that does, and are none of them."""
    known = set(ids)
    found: list[str] = []
    while True:
        waiting = [
            c["id"]
            for c in ledger.report["claims"]
            if c["id"] not in known and known & set(c["depends_on"])
        ]
        if not waiting:
            return found
        known.update(waiting)
        found += waiting


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(code(id) for id in dict.fromkeys(ids)) + "." if ids else "none."
