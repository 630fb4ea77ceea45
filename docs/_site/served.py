"""What is served beside the pages: certificates and counterexamples as files, the checker, and Python for a browser.

A page's button loads Pyodide from here, runs the checker on that page's certificate, and asks nothing of other sites.
"""

from __future__ import annotations

import json
import os
import shutil
from importlib.metadata import files as installed
from pathlib import Path

from .gathered import Ledger

ROOT = Path(__file__).resolve().parents[2]
MODULES = Path(os.environ.get("SCANPROOF_NODE", ROOT / "build" / "node"), "node_modules")
CHECKER = ROOT / "build" / "scanproof_checker.pyz"
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
"""What a browser needs of the package: the loader, the interpreter, its standard library, and the list of packages."""
FONT = "stix-two-math-latin-400-normal.woff2"
NOTICE = """Pyodide {version} (https://github.com/pyodide/pyodide), unchanged, is under the Mozilla Public License 2.0:
LICENSE-MPL-2.0. Its source is at https://github.com/pyodide/pyodide/tree/{version}. It holds CPython and, in
python_stdlib.zip, its standard library, under the licence of the Python Software Foundation: LICENSE-PSF.
"""


def checked_here(ledger: Ledger, id: str) -> list[str]:
    """What a reader can do with a statement's written proof: by `static/check.js` on the page, or in a shell."""
    name = f"{id}.json"
    if id not in ledger.certificates:
        return []
    size = max(len(ledger.certificates[id].encode()) // 1000, 1)
    shell = f"python {_file(CHECKER.name)} {name}"
    words = (
        f"The certificate: {_file(name)}, {size} kB. Any Python checks it: <code>{shell}</code>."
    )
    return [f'<div class="check"><p>{words}</p></div>', ""]


def run_here(id: str) -> list[str]:
    """What a reader can do with a counterexample's program."""
    shell = f"scanproof show {id} --script"
    words = f"The program: {_file(f'{id}.py')}; <code>{shell}</code> prints it."
    return [f'<div class="check"><p>{words}</p></div>', ""]


def _file(name: str) -> str:
    return f'<a href="../certificates/{name}" download>{name}</a>'


def serve(ledger: Ledger, site: Path) -> None:
    """Write them into the site.

    Raises:
        FileNotFoundError: if `make docs` has not made the checker, or not installed Pyodide.
    """
    folder, python, fonts = (
        site / name for name in ("certificates", "_static/pyodide", "_static/fonts")
    )
    for one in (folder, python, fonts):
        one.mkdir(parents=True, exist_ok=True)
    for id, text in ledger.certificates.items():
        (folder / f"{id}.json").write_text(text, encoding="utf-8")
    for id, text in ledger.scripts.items():
        (folder / f"{id}.py").write_text(text, encoding="utf-8")
    shutil.copyfile(CHECKER, folder / CHECKER.name)
    for name in PYODIDE:
        shutil.copyfile(MODULES / "pyodide" / name, python / name)
    package = json.loads((MODULES / "pyodide" / "package.json").read_text(encoding="utf-8"))
    (python / "NOTICE").write_text(NOTICE.format(version=package["version"]), encoding="utf-8")
    # Neither package brings its licence as a file; others that are installed bring the same texts.
    shutil.copyfile(MODULES / "axe-core" / "LICENSE", python / "LICENSE-MPL-2.0")
    licence = next(f for f in installed("typing_extensions") or () if f.name == "LICENSE")
    shutil.copyfile(licence.locate(), python / "LICENSE-PSF")
    font = MODULES / "@fontsource" / "stix-two-math"
    shutil.copyfile(font / "files" / FONT, fonts / "stix-two-math.woff2")
    shutil.copyfile(font / "LICENSE", fonts / "LICENSE")
