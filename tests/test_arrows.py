"""Which folders import which: a table, to which every import statement is held, and no circles of files."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from scanproof import constructs, numeric, proofs
from scanproof._imports import arrows, cycles, imported, modules
from scanproof._trust import KINDS, of_each_kind

MAY = {
    "kernel": (),
    "language": (),
    "inequalities": ("kernel",),
    "exact": ("language",),
    "interpret": ("kernel", "language", "inequalities", "exact"),
    "check": ("kernel", "language", "inequalities", "exact", "interpret"),
    "search": ("kernel", "language", "inequalities", "exact", "interpret", "check"),
    "refute": ("language", "exact", "check"),
    "decide": ("kernel", "language", "exact", "interpret", "check", "search", "refute"),
    "claims": ("language", "exact"),
    "orders": ("exact", "claims"),
    "report": ("kernel", "language", "exact", "interpret", "check", "search", "decide", "orders"),
    "bench": ("kernel", "language", "exact", "interpret", "check", "search", "decide"),
}
"""What each folder of proofs/ imports (orders and bench are files). Above the empty ones stand those that need them."""
ROOMS = {"constructs": (), "proofs": ("constructs",), "numeric": ("constructs", "proofs")}
TRUSTED = ("kernel", "language", "inequalities", "exact", "interpret", "check")
"""What a verdict rests on: nothing of it imports what searches."""
SEARCHING = ("search", "refute", "decide")
ARCHITECTURE = Path(__file__).parents[1] / "ARCHITECTURE.md"

KNOWN = {
    **{name: path for room in (constructs, proofs, numeric) for name, path in _of(room).items()},
}
ARROWS = arrows(KNOWN)
