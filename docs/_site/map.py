"""The map: claims and the definitions that they run, as one graph that Graphviz lays out.

A border says how the statement as printed fares, the fill how the best statement is proved, a dashed border that it
rests on what is not proved.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanproof.proofs.report.words import Record, holds_instead

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


ROW = 3
"""So many claims stand side by side that have no arrow."""


def graph(ledger: Ledger, source: str | None = None) -> str:
    """The map in Graphviz' language: of one source, for a page one folder down, or of all, source by source."""
    up = "../" if source else ""
    shown = [source] if source else list(ledger.report["sources"])
    claims = [claim for name in shown for claim in ledger.of(name)]
    known = {claim["id"] for claim in claims}
    uses = {c["id"]: list(dict.fromkeys(d.split(":")[0] for d in _defined(c))) for c in claims}
    arrows = [(one, c["id"]) for c in claims for one in c["depends_on"] if one in known]
    tied = {id for arrow in arrows for id in arrow} | {id for id, files in uses.items() if files}
    used_by: dict[str, set[str]] = {}
    for claim in claims:
        for path in uses[claim["id"]]:
            used_by.setdefault(path, set()).add(claim["source"])
    lines = [
        'digraph { rankdir=LR; bgcolor="transparent"; nodesep=0.06; ranksep=1.2; newrank=true;',
        'node [fontname="sans-serif", fontsize=10, height=0.24, margin="0.2,0.02"];',
        'edge [color="#8c959f55", arrowhead=none];',
    ]
    for name in shown:
        own = ledger.of(name)
        alone = [claim["id"] for claim in own if claim["id"] not in tied]
        rows = [alone[k : k + ROW] for k in range(0, len(alone), ROW)]
        lines += [
            f'subgraph "cluster {name}" {{ label="{name}"; labeljust=l; color="#8c959f"; fontname="sans-serif";',
            *(_file(path, up) for path in sorted(used_by) if used_by[path] == {name}),
            *(_claim(claim, up) for claim in sorted(own, key=lambda c: c["id"] in alone)),
            *(f"{' -> '.join(_quoted(row))} [style=invis];" for row in rows if row[1:]),
            "}",
        ]
    lines += [_file(path, up) for path in sorted(used_by) if len(used_by[path]) > 1]
    lines += [f'"{path}" -> "{id}";' for id, files in uses.items() for path in files]
    bold = '[color="#0969da", style=bold, arrowhead=normal]'
    lines += [f'"{one}" -> "{id}" {bold};' for one, id in arrows]
    return "\n".join([*lines, "}"])


def _quoted(ids: Iterable[str]) -> list[str]:
    return [f'"{id}"' for id in ids]


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
        ", mended" if stated["verdict"] == "refuted" and holds_instead(claim) else ""
    )
    border = BORDERS.get(stated["verdict"], "#6e7781")
    dashed = ",dashed" if stated["tainted"] else ""
    classes = f"claim source-{claim['source'].replace('.', '-')} verdict-{stated['verdict']} scope-{scope}"
    return (
        f'"{claim["id"]}" [shape=box, style="rounded,filled{dashed}", penwidth=1.6, color="{border}", '
        f'fillcolor="{FILLS[scope]}", URL="{up}claims/{claim["id"]}.html", class="{classes}", '
        f'tooltip="{claim["id"]}: {words}"];'
    )
