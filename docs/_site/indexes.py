"""Pages about many claims: one for each source, its errata, all claims, and what verdicts rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from scanproof.proofs.report.errata import errata
from scanproof.proofs.report.long_table import counts
from scanproof.proofs.report.markdown import code, escaped, grid, titled
from scanproof.proofs.report.standing import statements
from scanproof.proofs.report.words import Record, is_mended, verdict_words

from .claim_page import table
from .gathered import Ledger

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
            found[f"errata/{name}"] = (
                f"---\norphan: true\n---\n\n{errata(ledger.report, name, figures)}"
            )
    names = "\n".join(f"sources/{name}" for name in ledger.report["sources"])
    found["counts"] = "\n".join(
        [f"The ledger: {counts(ledger.report['claims'])}.", "", *_sources(ledger), ""]
    )
    found["sources"] = "\n".join(
        ["# Sources", "", *_sources(ledger), "", "```{toctree}", ":hidden:", "", names, "```", ""]
    )
    return found


def _sources(ledger: Ledger) -> list[str]:
    rows = []
    for name, source in ledger.report["sources"].items():
        counted = _counts(ledger.of(name))
        fails = f", [errata](errata/{name}.md)" if counted["refuted"] else ""
        numbers = [counted["proved"], counted["proved at fixed sizes"], counted["refuted"]]
        numbers += [counted["mended"], counted["unknown"] + counted["not-checkable"]]
        title = f"{titled(source)}: [dashboard](sources/{name}.md){fails}"
        rows.append([title, *(str(n or "") for n in numbers)])
    return grid(["source", "proved", "proved\\*", "refuted", "mended", "open"], rows)


COLUMNS = ("proved", "proved at fixed sizes", "refuted", "mended", "unknown", "not-checkable")


def _counts(claims: Iterable[Record]) -> Counter[str]:
    claims = list(claims)
    counted = Counter(verdict_words(c["as_stated"]) for c in claims)
    counted["mended"] = sum(c["as_stated"]["verdict"] == "refuted" and is_mended(c) for c in claims)
    return counted


def _source(ledger: Ledger, name: str) -> str:
    source, claims = ledger.report["sources"][name], ledger.of(name)
    counted = _counts(claims)
    mends = [a for c in claims for a in c["amended"]]
    rows = [[k, str(counted[k])] for k in COLUMNS if counted[k]]
    rows.append(["all claims", str(len(claims))])
    rows.append(["amended statements", str(len(mends))])
    rows.append(["… of these proved", str(sum(a["verdict"] == "proved" for a in mends))])
    fails = f"[Errata](../errata/{name}.md): what fails as printed. " if counted["refuted"] else ""
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
        f"```{{dot}} sources/{name}.dot",
        "```",
        "",
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
        *table(ledger, ledger.report["claims"]),
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
        "Facts about exp and log that the kernel does not know. sympy shows each of them, outside of it.",
        "",
    ]
    for axiom, ids in sorted(axioms.items()):
        lines += [f"### {escaped(axiom)}", "", _listed(ids), ""]
        through = _users(ledger, ids)
        if through:
            lines += [f"Through claims that they use: {_listed(through)}", ""]
    lines += ["## Taken for granted, or not tried", ""]
    for text, ids in sorted(assumed.items(), key=lambda pair: -len(pair[1])):
        lines += [f"{escaped(text)[0].upper()}{escaped(text)[1:]}:", "", _listed(ids), ""]
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
