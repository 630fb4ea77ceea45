"""Every file of members, imported in the order of their names."""

from __future__ import annotations

import importlib
from pathlib import Path

FAMILIES = sorted(
    path.stem
    for path in Path(__file__).parent.glob("*.py")
    if path.stem not in ("__init__", "case", "members") and not path.stem.startswith("test_")
)
for _name in FAMILIES:
    importlib.import_module(f".{_name}", __package__)
