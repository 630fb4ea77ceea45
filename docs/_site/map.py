"""The map: the claims of a source and the definitions that they run, as a graph that Graphviz lays out.

A border says how the statement as printed fares, the fill how the best statement is proved, a dashed border that it
rests on what is not proved. `static/site.css` has the colours, for light and dark.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanproof.proofs.report.words import Record, holds_instead

from .gathered import Ledger
from .titles import TITLES

ROW = 3
"""So many claims stand side by side that have no arrow."""


def graph(ledger: Ledger, source: str) -> str:
    """The map of a source in Graphviz' language, with what its claims use of other sources.

    Its links begin with "UP/", for which a page has its own way to the top.
    """
    own = ledger.of(source)
    uses = {c["id"]: list(dict.fromkeys(d.split(":")[0] for d in _defined(c))) for c in own}
    arrows = [
        (ledger.ids[one], c["id"]) for c in own for one in c["depends_on"] if one in ledger.ids
    ]
    foreign = list(dict.fromkeys(one for one, _ in arrows if one not in uses))
    tied = {id for arrow in arrows for id in arrow} | {id for id, files in uses.items() if files}
    alone = [claim["id"] for claim in own if claim["id"] not in tied]
    rows = [alone[k : k + ROW] for k in range(0, len(alone), ROW)]
    lines = [
        'digraph { rankdir=LR; bgcolor="transparent"; nodesep=0.08; ranksep=0.9; newrank=true;',
        'node [fontname="sans-serif", fontsize=10, height=0.3, margin="0.22,0.03"];',
        "edge [arrowhead=none];",
        *(_file(path) for path in sorted({path for files in uses.values() for path in files})),
        *(_claim(ledger.claims[id]) for id in foreign),
        *(_claim(claim) for claim in sorted(own, key=lambda c: c["id"] in alone)),
        *(f"{' -> '.join(_quoted(row))} [style=invis];" for row in rows if row[1:]),
        *(f'"{path}" -> "{id}";' for id, files in uses.items() for path in files),
        *(f'"{one}" -> "{id}" [class="uses", arrowhead=normal];' for one, id in arrows),
    ]
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


def _file(path: str) -> str:
    name = path.removeprefix("constructs/").removesuffix(".py")
    return f'"{path}" [label="{name}", shape=box, URL="UP/source/{path}.html", class="definition", tooltip="{path}"];'


def _claim(claim: Record) -> str:
    stated = claim["as_stated"]
    words = stated["verdict"] + (
        ", mended" if stated["verdict"] == "refuted" and holds_instead(claim) else ""
    )
    dashed = ",dashed" if stated["tainted"] else ""
    classes = f"claim verdict-{stated['verdict']} scope-{best_scope(claim)}"
    return (
        f'"{claim["id"]}" [shape=box, style="rounded,filled{dashed}", URL="UP/claims/{claim["id"]}.html", '
        f'class="{classes}", tooltip="{TITLES[claim["id"]]}: {words}"];'
    )
