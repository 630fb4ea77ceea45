"""The map: claims and the definitions that they run, as one graph that Graphviz lays out.

A border says how the statement as printed fares, the fill how the best statement is proved, a dashed border that it
rests on what is not proved.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanproof.proofs.report.words import Record, is_mended

from .gathered import Ledger

BORDERS = {
    "proved": "#1a7f37",
    "refuted": "#cf222e",
    "supported": "#0969da",
    "unknown": "#9a6700",
    "not-checkable": "#6e7781",
}
"""By the verdict on the statement as printed."""
FILLS = {"all-sizes": "#b7e4c0", "fixed-size": "#fff2b3", None: "#f3f4f6"}
"""By the scope of the best proof, of the statement or of a mend."""


def graph(ledger: Ledger, source: str | None = None) -> str:
    """The map in Graphviz' language: of one source, for a page one folder down, or of all."""
    up = "../" if source else ""
    claims = ledger.of(source) if source else list(ledger.report["claims"])
    files = sorted({d.split(":")[0] for c in claims for d in _defined(c)})
    lines = [
        'digraph { rankdir=LR; bgcolor="transparent"; nodesep=0.06; ranksep=1.2;',
        'node [fontname="sans-serif", fontsize=10, height=0.24, margin="0.2,0.02"];',
        'edge [color="#8c959f55", arrowhead=none];',
        *(_file(path, up) for path in files),
        *(_claim(claim, up) for claim in claims),
    ]
    for claim in claims:
        paths = dict.fromkeys(d.split(":")[0] for d in _defined(claim))
        lines += [f'"{path}" -> "{claim["id"]}";' for path in paths]
        known = {c["id"] for c in claims}
        lines += [
            f'"{one}" -> "{claim["id"]}" [color="#0969da", style=bold, arrowhead=normal];'
            for one in claim["depends_on"]
            if one in known
        ]
    return "\n".join([*lines, "}"])


def best_scope(claim: Record) -> str | None:
    """The scope of the strongest proof among a claim and its mends."""
    scopes = [
        s["scope"] for s in (claim["as_stated"], *claim["amended"]) if s["verdict"] == "proved"
    ]
    return "all-sizes" if "all-sizes" in scopes else "fixed-size" if scopes else None


def _defined(claim: Record) -> Iterable[str]:
    return [d for d in claim["as_stated"]["definitions"] if d.startswith("constructs/")]


def _file(path: str, up: str) -> str:
    name = path.removeprefix("constructs/").removesuffix(".py")
    return (
        f'"{path}" [label="{name}", shape=box, color="#8c959f", fillcolor="#ffffff", style=filled, '
        f'URL="{up}source/{path}.html", class="definition", tooltip="{path}"];'
    )


def _claim(claim: Record, up: str) -> str:
    stated = claim["as_stated"]
    scope = best_scope(claim)
    words = stated["verdict"] + (
        ", mended" if stated["verdict"] == "refuted" and is_mended(claim) else ""
    )
    border = BORDERS.get(stated["verdict"], "#6e7781")
    dashed = ",dashed" if stated["tainted"] else ""
    classes = f"claim source-{claim['source'].replace('.', '-')} verdict-{stated['verdict']} scope-{scope}"
    return (
        f'"{claim["id"]}" [shape=box, style="rounded,filled{dashed}", penwidth=1.6, color="{border}", '
        f'fillcolor="{FILLS[scope]}", URL="{up}claims/{claim["id"]}.html", class="{classes}", '
        f'tooltip="{claim["id"]}: {words}"];'
    )
