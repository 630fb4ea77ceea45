"""Every file of members, imported in the order of their names."""

from __future__ import annotations

import importlib
from pathlib import Path

FAMILIES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if path.stem[:2] in ("c_", "p_", "q_")
)
for _name in FAMILIES:
    importlib.import_module(f".{_name}", __package__)
