"""What Sphinx runs besides its own: formulas as MathML, graphs as SVG, ids of claims as links, pages of source.

Formulas and graphs of all pages go to one process of Node, `render.mjs`; derivations come as HTML. A formula that KaTeX
cannot parse, and an id that is not in the ledger, are warnings with their lines; every warning makes the build fail.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx
from sphinx.util import logging

from .derivation import PLACE
from .folds import lightened
from .node import display, render

ROOT = Path(__file__).resolve().parents[2]
FILES = (".py", ".md", ".svg", ".json", ".jax", ".torch")
ARROW = re.compile(r"^\s*(\w+) --> (.+)$")
READABLE = 720
"""The names in a graph can be read where it is so many pixels wide; a smaller screen scrolls it sideways."""
log = logging.getLogger(__name__)
FORMULAS: dict[tuple[str, bool], str] = {}
"""The MathML of each formula, in a line or alone, and"""
GRAPHS: dict[str, str] = {}
"""the SVG of each graph, once all pages are read; the processes that write pages inherit them."""
NAVIGATION: dict[str, str] = {}
"""The navigation of pages that do not stand in it, by folder and options."""


class drawn(nodes.General, nodes.Element):
    """A graph, in Graphviz' language."""


class Dot(Directive):
    """A graph in Graphviz' language: in the file that is named, or in the block."""

    has_content = True
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The graph as a node."""
        text = "\n".join(self.content)
        if self.arguments:
            env = self.state.document.settings.env
            text = Path(env.srcdir, self.arguments[0]).read_text(encoding="utf-8")
        return [self.node(text)]

    def node(self, text: str) -> nodes.Node:
        """The node of a graph."""
        found = drawn(dot=text)
        found.source, found.line = self.state_machine.get_source_and_line(self.lineno)
        return found


class Mermaid(Dot):
    """A graph of arrows as GitHub draws it: `a --> b & c`."""

    def node(self, text: str) -> nodes.Node:
        """The same in Graphviz' language."""
        lines = [
            'digraph { rankdir=LR; bgcolor="transparent"; node [shape=box, fontname="sans-serif"];'
        ]
        for line in text.splitlines():
            if found := ARROW.match(line):
                lines += [f'"{found[1]}" -> "{to.strip()}";' for to in found[2].split("&")]
        return super().node("\n".join([*lines, "}"]))


# Formulas and graphs.


def render_all(app: Sphinx, env: Any) -> None:
    """Render what is on all pages, before any is written; a formula that cannot be parsed is told with its line."""
    places: dict[tuple[str, bool], tuple[str, int | None]] = {}
    graphs: dict[str, None] = {}
    for name in sorted(env.found_docs):
        tree = env.get_doctree(name)
        for node in tree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
            key = node.astext().strip(), isinstance(node, nodes.math_block)
            places.setdefault(key, (name, _line(node)))
        graphs.update(dict.fromkeys(node["dot"] for node in tree.findall(drawn)))
    found = render(list(places), list(graphs))
    FORMULAS.clear()
    for (key, place), one in zip(places.items(), found["formulas"], strict=True):
        if "error" in one:
            log.warning("%s: in the formula %s", one["error"], key[0], location=place)
        FORMULAS[key] = one.get("html", html.escape(key[0]))
    GRAPHS.update((text, _plain(svg)) for text, svg in zip(graphs, found["graphs"], strict=True))


def _line(node: Any) -> int | None:
    while node is not None and node.line is None:
        node = node.parent
    return None if node is None else node.line


def _plain(svg: str) -> str:
    """The SVG element alone, in pixels; what is no map is as wide as its page allows, and as it can be read."""
    found = svg[svg.index("<svg") :]
    found = _lean(found) if _is_map(found) else found
    width = re.search(r' width="([\d.]+)pt"', found)
    least = min(float(width[1]) * 4 / 3, READABLE) if width and not _is_map(svg) else 0
    found = found.replace("<svg", f'<svg style="min-width: {least:.0f}px"', 1) if least else found
    return re.sub(
        r' (width|height)="([\d.]+)pt"',
        lambda m: f' {m[1]}="{float(m[2]) * 4 / 3:.0f}"',
        found,
        count=2,
    )


def _lean(svg: str) -> str:
    """A map without what its page's styles say again, comments, and parts of pixels."""
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<g id="edge\d+" class="[^"]*">)\n<title>.*?</title>', r"\1", svg)
    svg = re.sub(r'<g id="a_\w+">(<a .*?</a>)\n</g>', r"\1", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="\w+"', "<g", svg).replace("&#45;", "-")
    svg = re.sub(r' (?:font-family|font-size|stroke|text-anchor|xml:space)="[^"]*"', "", svg)
    return re.sub(
        r' (d|points|x|y)="([^"]*)"',
        lambda m: f' {m[1]}="{re.sub(r"-?[0-9]+[.][0-9]+", _whole, m[2])}"',
        svg,
    )


def _whole(number: re.Match[str]) -> str:
    return f"{float(number[0]):.0f}"


def _is_map(svg: str) -> bool:
    return 'class="node claim' in svg


def visit_formula(self: Any, node: nodes.Element) -> None:
    """Write a formula in a line of text."""
    self.body.append(FORMULAS[node.astext().strip(), False])
    raise nodes.SkipNode


def visit_display(self: Any, node: nodes.Element) -> None:
    """Write a formula that stands alone."""
    self.body.append(display(FORMULAS[node.astext().strip(), True]))
    raise nodes.SkipNode


def visit_drawn(self: Any, node: nodes.Element) -> None:
    """Write a graph."""
    svg = GRAPHS[node["dot"]]
    up = "../" * self.builder.current_docname.count("/")
    kind, name = ("graph map", "map") if _is_map(svg) else ("graph", "graph")
    shown = svg.replace('"UP/', f'"{up}')
    self.body.append(
        f'<div class="{kind}" tabindex="0" role="group" aria-label="{name}">{shown}</div>\n'
    )
    raise nodes.SkipNode


# Links.


def link(app: Sphinx, tree: nodes.document, name: str) -> None:
    """Make links of ids of claims and of places in the source."""
    known, names = app.config.scanproof_claims, app.config.scanproof_names
    about, within = name.removeprefix("claims/"), None
    for node in list(tree.findall(nodes.literal)):
        text = node.astext()
        place = _part(node)
        if within is not None and place is not within:
            about, within = name.removeprefix("claims/"), None
        if _is_id(text, names) and text in known:
            about, within = known[text], place
        if text.startswith("+") and f"{about}{text}" in known:
            text = f"{about}{text}"
        if not _is_id(text, names) or isinstance(node.parent, nodes.reference | nodes.title):
            continue
        if text not in known:
            log.warning("%s is not a claim of the ledger", text, location=(name, _line(node)))
        elif name != f"claims/{known[text]}" or text != known[text]:
            more = text.removeprefix(known[text])
            there = name == f"claims/{known[text]}"
            to = "" if there else app.builder.get_relative_uri(name, f"claims/{known[text]}")
            to += f"#amended{more.replace('+', '-')}" if more else ""
            shown = nodes.reference("", "", node.deepcopy(), internal=True, refuri=to)
            shown["reftitle"], shown["classes"] = app.config.scanproof_said[text], ["claim"]
            node.replace_self(shown)
    for node in tree.findall(nodes.reference):
        if node.get("refuri", "").startswith("source:"):
            path, _, line = node["refuri"].removeprefix("source:").partition("#")
            node["refuri"] = app.builder.get_relative_uri(name, f"source/{path}") + line.replace(
                "L", "#L-"
            )
            node["internal"] = True


def _part(node: nodes.Node) -> nodes.Node:
    """The row of a table, the item of a list, or else the section, in which "+sign" is of the claim named before."""
    while not isinstance(node, nodes.row | nodes.list_item | nodes.section | nodes.document):
        node = node.parent
    return node


def _is_id(text: str, names: Collection[str]) -> bool:
    """Whether a word of code is meant as the id of a claim."""
    meant = any(text.startswith(f"{name}.") for name in names) and text not in names
    return meant and not text.endswith(FILES) and re.fullmatch(r"[\w.+-]*\w", text) is not None


def outside(app: Sphinx, env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """A link to a file of the repository that is no page: its page of source, or its words alone."""
    if node.get("reftype") != "myst":
        return None
    page = Path(env.doc2path(node["refdoc"])).relative_to(env.srcdir)
    target = os.path.normpath(page.parent / node["reftarget"].split("#")[0])
    if not (ROOT / target).exists():
        return None
    if target in app.config.scanproof_sources:
        to = app.builder.get_relative_uri(node["refdoc"], f"source/{target}")
        return nodes.reference("", "", content, internal=True, refuri=to)
    return content


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file of definitions, its lines numbered."""
    for path in app.config.scanproof_sources:
        text = (ROOT / path).read_text(encoding="utf-8")
        form = HtmlFormatter(linenos="inline", linespans="L", anchorlinenos=False)
        body = f"<h1>{html.escape(path)}</h1>\n{highlight(text, PythonLexer(), form)}"
        yield f"source/{path}", {"title": path, "body": body}, "page.html"


def navigate(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Make the navigation of pages that do not stand in it, most of all, once for each folder: it is the same there."""
    listed = {one for names in app.env.toctree_includes.values() for one in names}
    if name in listed or name == app.config.root_doc:
        return
    folder, made = name.rpartition("/")[0], context["toctree"]

    def toctree(**options: Any) -> str:
        key = f"{folder} {sorted(options.items())}"
        if key not in NAVIGATION:
            NAVIGATION[key] = made(**options)
        return NAVIGATION[key]

    context["toctree"] = toctree


def finish(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Make blocks of code, which can be wider than a screen, known to the keyboard, and claims to their neighbours."""
    if "body" in context:
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')
    context["metatags"] = context.get("metatags", "") + _cards(app, name, context, tree)
    id = name.removeprefix("claims/")
    if id in app.config.scanproof_claims and "body" in context:
        made = Path(app.srcdir, "derivations")
        context["body"] = PLACE.sub(
            lambda m: (made / f"{m[1]}.html").read_text(encoding="utf-8"), context["body"]
        )
        folder = Path(app.outdir, "claims")
        folder.mkdir(exist_ok=True)
        context["body"] = lightened(context["body"], id, context["title"], folder)
    for order in app.config.scanproof_orders:
        if name.startswith("claims/") and id in order:
            at = order.index(id)
            context["prev"] = _neighbour(app, name, order[max(at - 1, 0) : at])
            context["next"] = _neighbour(app, name, order[at + 1 : at + 2])


def _cards(app: Sphinx, name: str, context: dict[str, Any], tree: Any) -> str:
    """What a link to a page is shown with elsewhere: its title and, of a claim, the verdict; else its first words."""
    told = app.config.scanproof_said.get(name.removeprefix("claims/"), "").rpartition(": ")[2]
    first = tree.next_node(nodes.paragraph) if tree is not None and not told else None
    words = f"A machine-checked verdict: {told}." if told else first.astext() if first else ""
    title = re.sub(r"<[^>]+>", "", context.get("title", "scanproof"))
    cards = {"og:site_name": "scanproof", "og:type": "article", "og:title": html.unescape(title)}
    cards |= {"og:description": " ".join(words.split())[:200] or app.config.scanproof_about}
    base, path = app.config.html_baseurl, "_static/card.png"
    picture = f"{base.rstrip('/')}/{path}" if base else context["pathto"](path, resource=True)
    cards |= {"og:image": picture, "twitter:card": "summary_large_image"}
    return "".join(
        f'<meta property="{what}" content="{html.escape(text)}">\n' for what, text in cards.items()
    )


def _neighbour(app: Sphinx, name: str, ids: list[str]) -> dict[str, str] | None:
    """What the theme's links at the end of a page are made of."""
    if not ids:
        return None
    title = html.escape(app.config.scanproof_said[ids[0]].rpartition(": ")[0])
    return {"link": app.builder.get_relative_uri(name, f"claims/{ids[0]}"), "title": title}


def escape(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Absolute values in docstrings are no substitutions."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of all this."""
    app.add_config_value("scanproof_names", [], "env")
    app.add_config_value("scanproof_claims", {}, "env")
    app.add_config_value("scanproof_said", {}, "env")
    app.add_config_value("scanproof_about", "", "env")
    app.add_config_value("scanproof_orders", [], "env")
    app.add_config_value("scanproof_sources", [], "env")
    app.add_node(drawn, html=(visit_drawn, None))
    app.add_directive("dot", Dot)
    app.add_directive("mermaid", Mermaid)
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_display, None))
    app.connect("env-updated", render_all)
    app.connect("doctree-resolved", link)
    app.connect("missing-reference", outside)
    app.connect("html-page-context", navigate, priority=400)  # before the theme asks for it
    app.connect("html-page-context", finish)
    app.connect("autodoc-process-docstring", escape)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
