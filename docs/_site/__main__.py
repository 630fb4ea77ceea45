"""`make docs`: `python docs/_site [ID …]` writes the site to build/site, of these claims or of all."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sphinx.cmd.build import build_main
from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _site import card, indexes, map  # noqa: E402
from _site.claim_page import page  # noqa: E402
from _site.derivation import typeset_all  # noqa: E402
from _site.gathered import Ledger, Unsettled, gather  # noqa: E402
from _site.previews import previews  # noqa: E402
from _site.served import serve  # noqa: E402
from _site.titles import TITLES  # noqa: E402
from scanproof.constructs.errors import UsageError  # noqa: E402
from scanproof.proofs.report.standing import statements  # noqa: E402
from scanproof.proofs.report.words import verdict_words  # noqa: E402

TEXTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Pages that lie outside of docs/."""


def main(patterns: Sequence[str]) -> int:
    """Write the site; the exit code of what failed, with its reason on standard error."""
    started = time.monotonic()
    try:
        ledger = gather(patterns)
    except (Unsettled, UsageError) as error:
        print(f"no page was written.\n{error}", file=sys.stderr)
        return 1
    known = time.monotonic()
    print(f"writing {len(ledger.claims)} claims' pages, {known - started:.0f} s so far", flush=True)
    pages, site = ROOT / "build" / "site-pages", ROOT / "build" / "site"
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        write(ledger, pages)
    except ExtensionError as error:
        print(f"no page was written.\n{error}", file=sys.stderr)
        return 1
    code = sphinx(pages, site)
    if code == 0:
        serve(ledger, site)
        (site / "_static" / "claims.js").write_text(previews(ledger), encoding="utf-8")
        card.drawn(site / "_static" / "card.png")
        (site / "report.json").write_text(json.dumps(ledger.report), encoding="utf-8")
        seconds = time.monotonic() - started
        count = sum(1 for _ in site.rglob("*.html"))
        print(
            f"{site / 'index.html'}: {count} pages, {seconds:.0f} s, of these {known - started:.0f} s for the proofs"
        )
    return code


def write(ledger: Ledger, folder: Path) -> None:
    """Write the pages that are made, and copies of those that are written by hand."""
    docs = ROOT / "docs"
    own = docs / "_site"
    texts = {name: ROOT / name for name in TEXTS}
    texts |= {p.name: p for p in (own / "conf.py", *own.glob("texts/*.md"))}
    others = [p for p in docs.rglob("*") if p.is_file() and not p.is_relative_to(own)]
    texts |= {str(p.relative_to(ROOT)): p for p in others if "__pycache__" not in p.parts}
    for name, path in texts.items():
        to = folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)
    figures = {p.stem: f"../docs/figures/{p.name}" for p in sorted(docs.glob("figures/*.svg"))}
    made = {f"claims/{id}": page(ledger, claim, figures) for id, claim in ledger.claims.items()}
    for name, text in {**made, **indexes.pages(ledger)}.items():
        to = folder / f"{name}.md"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8")
    (folder / "maps").mkdir()
    for name in ledger.report["sources"]:
        (folder / "maps" / f"{name}.dot").write_text(map.graph(ledger, name), encoding="utf-8")
    write_derivations(ledger, folder)
    (folder / "ledger.json").write_text(json.dumps(_for_sphinx(ledger)), encoding="utf-8")


def write_derivations(ledger: Ledger, folder: Path) -> None:
    """Write the derivations, which pages get when they are written."""
    (folder / "derivations").mkdir(parents=True)
    derived = {id: r.derivation for id, r in ledger.renderings.items() if r.derivation}
    for id, text in typeset_all(derived).items():
        (folder / "derivations" / f"{id}.html").write_text(text, encoding="utf-8")


def _for_sphinx(ledger: Ledger) -> dict[str, object]:
    """What its extension has to know: of which claim each statement is, and which files have a page."""
    every = [(c, s) for c in ledger.report["claims"] for s, _ in statements(c)]
    places = {d for _, s in every for d in (*s["definitions"], s["written"] or "")}
    places |= {
        place
        for one in ledger.renderings.values()
        for line in (one.derivation.lines if one.derivation else ())
        for place in line.places
    }
    files = sorted(
        {p.split(":")[0] for p in places}
        | {str(p.relative_to(ROOT)) for p in ROOT.glob("constructs/**/*.py")}
    )
    ids = {s["id"]: c["id"] for c, s in every}
    said = {s["id"]: f"{TITLES[c['id']]}: {verdict_words(s)}" for c, s in every}
    orders = [[c["id"] for c in ledger.of(name)] for name in ledger.report["sources"]]
    version = ledger.report["tool"]["version"]
    names = list(ledger.report["sources"])
    return {
        "names": names,
        "claims": ids,
        "said": said,
        "orders": orders,
        "sources": [f for f in files if (ROOT / f).is_file()],
        "version": version,
        "root": str(ROOT),
    }


def sphinx(pages: Path, site: Path) -> int:
    """Run Sphinx: nitpicky, every warning an error, all of them told."""
    arguments = ["-b", "html", "-n", "-W", "--keep-going", "-q", "-j", "auto"]
    trees = site.with_name("site-trees")
    shutil.rmtree(trees, ignore_errors=True)
    return build_main([*arguments, "-d", str(trees), str(pages), str(site)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
