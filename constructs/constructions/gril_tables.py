"""Numbers that gril (arXiv 2410.11687 v3) prints in its tables, as exact decimals."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..arrays.definition import definition

LRA_TASKS = ("ListOps", "Text", "Retrieval", "Image", "Pathfinder")
"""The five tasks of Long Range Arena, in the order of the tables' columns."""
LOSS_DIGIT = Fraction(1, 1000)
"""The last printed digit of a loss."""
LRA_DIGIT = Fraction(1, 100)
"""The last printed digit of an accuracy: what is larger in print is larger by at least this."""

Accuracies = dict[str, tuple[Fraction, ...]]
"""For each model its test accuracies in per cent, task by task."""


class Ablation(NamedTuple):
    """Losses of the whole model, and of the models without one or both of its two components."""

    whole: Fraction
    without_input: Fraction
    without_readout: Fraction
    without_both: Fraction


@definition
def table5() -> Ablation:
    """gril Table 5: scalar linear regression."""
    return Ablation(*_decimals("0.209 0.426 0.426 0.426"))


@definition
def table6() -> Ablation:
    """gril Table 6: multivariate linear regression."""
    return Ablation(*_decimals("0.206 0.414 0.414 0.414"))


class Comparison(NamedTuple):
    """Losses of gril Table 7, each of one step, or of the model that was trained to take it."""

    trained: Fraction
    gradient_descent: Fraction
    construction: Fraction
    newton: Fraction


@definition
def table7() -> Comparison:
    """gril Table 7: multivariate linear regression, by gradient descent and by Newton–Raphson."""
    return Comparison(*_decimals("0.206 0.207 0.206 0.114"))


@definition
def table3_s5() -> tuple[Fraction, ...]:
    """gril Table 3: S5 on multivariate linear regression, with 1, 2, 4 and 6 layers."""
    return _decimals("0.426 0.426 0.426 0.426")


@definition
def spreads() -> dict[str, tuple[Fraction, ...]]:
    """What stands behind ± in gril Tables 5 to 7, in their order; Table 3 has none."""
    return {
        "table5": _decimals("0.0012 0.0016 0.0016 0.0016"),
        "table6": _decimals("0.001 0.002 0.002 0.002"),
        "table7": _decimals("0.001 0.001 0.002 0.001"),
    }


@definition
def table1() -> Accuracies:
    """gril Table 1: Long Range Arena in the main text."""
    return {
        "S5": _decimals("62.15 89.31 91.40 88.00 95.33"),
        "LRU": _decimals("60.20 89.40 89.90 89.00 95.10"),
        "Mamba (S6)": _decimals("38.02 81.34 80.05 65.08 69.26"),
        "GRIL": _decimals("62.40 86.86 87.90 72.56 72.86"),
    }


@definition
def table10() -> Accuracies:
    """gril Table 10: Long Range Arena, the extended comparison."""
    return {
        "Random": _decimals("10.00 50.00 50.00 10.00 50.00"),
        "Transformer": _decimals("36.37 64.27 57.46 42.44 71.40"),
        "S4": _decimals("59.60 86.82 90.90 88.65 94.20"),
        "S4D": _decimals("60.52 87.34 91.09 88.19 93.96"),
        "S5": _decimals("62.15 89.31 91.40 88.00 95.33"),
        "LRU": _decimals("60.20 89.40 89.90 89.00 95.10"),
        "Mamba (S6)": _decimals("38.02 81.34 80.50 65.08 69.26"),
        "RG-LRU": _decimals("32.34 71.75 66.58 61.15 73.38"),
        "GRIL": _decimals("62.40 86.86 87.90 72.56 72.86"),
    }


def _decimals(row: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, row.split()))
