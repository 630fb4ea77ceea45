"""What Node renders, many at once: formulas by KaTeX, graphs by Graphviz."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[2]


def render(formulas: Sequence[tuple[str, bool]], graphs: Sequence[str] = ()) -> dict[str, Any]:
    """Each formula as MathML, or why it cannot be parsed, and each graph as SVG.

    Args:
        formulas: LaTeX, and whether it stands alone.
        graphs: in Graphviz' language.

    Raises:
        ExtensionError: if Node cannot be run, with what it said.
    """
    modules = os.environ.get("SCANPROOF_NODE", str(ROOT / "build" / "node"))
    command = ["node", str(Path(__file__).with_name("render.mjs")), modules]
    asked = json.dumps({"formulas": formulas, "graphs": graphs})
    try:
        done = subprocess.run(
            command, input=asked, capture_output=True, encoding="utf-8", check=False
        )
    except OSError as error:
        raise ExtensionError(f"formulas need Node: {error}; `make docs` installs it.") from error
    if done.returncode:
        raise ExtensionError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def display(mathml: str) -> str:
    """A formula that stands alone; a wide one scrolls by itself, by keys too."""
    return f'<div class="formula" tabindex="0" role="group" aria-label="formula">{mathml}</div>\n'
