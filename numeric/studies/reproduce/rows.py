"""The rows that `scanproof reproduce` knows, by id: those of the ledger's measurements.

A row's `names()` are the names of the figures that training has to show; its record, in `results/ROW.PRESET.json`, has
a mean, a spread and the values over seeds for each of them (`scanproof.proofs.expected.recorded`).
"""

from __future__ import annotations

from scanproof.proofs.expected.rows import ROWS, EmpiricalRow, Figure, Relation, row_of

__all__ = ["ROWS", "EmpiricalRow", "Figure", "Relation", "row_of"]
"""The printed figures with their labels, what is expected of each, and what is said of several."""
