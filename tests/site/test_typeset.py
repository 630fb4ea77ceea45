"""Formulas in the words of claims are typeset as they stand there, or not at all."""

import importlib
import re
import sys
import unicodedata
from pathlib import Path

import pytest

from scanproof.proofs.decide.ledger import built_in

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def typeset():
    """The module that does it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield importlib.import_module("_site.typeset")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def latex_of(typeset, text):
    """The formulas of a text in LaTeX, and what stays text."""
    pieces = list(typeset.pieces(text))
    return [latex for _, latex in pieces if latex], "".join(t for t, latex in pieces if not latex)


@pytest.mark.parametrize(
    ("text", "formulas", "rest"),
    [
        ("z_t = z_{t−1} + Ψc_t", [r"z_{t} = z_{t - 1} + \Psi c_{t}"], ""),
        ("with β = +η/N", [r"\beta = + \eta / N"], "with "),
        ("(1/n) Σ_{i≤n} (w·x_i − y_i)²", [r"(1 / n)\ \sum_{i \le n} (w \cdot x_{i} - y_{i})^{2}"], ""),
        ("Z̃ W_{l−1}, ŷ_{t+1} and Ā", [r"\tilde{Z}\ W_{l - 1}", r"\hat{y}_{t + 1}", r"\bar{A}"], ",  and "),
        ("|E_2| ≤ ‖B‖C²", [r"\lvert E_{2} \rvert \le \lVert B \rVert C^{2}"], ""),
        ("⟨Bx_i^½, x_j⟩y_j", [r"\langle B x_{i}^{1/2},\;x_{j}\rangle  y_{j}"], ""),
        ("y_{n+1} ≠ 0 for i ∉ S", [r"y_{n + 1} \ne 0", r"i \notin S"], " for "),
        ("a statistic at t = N only.", ["t = N"], "a statistic at  only."),
        ("with a δ and an ε", [r"\delta", r"\varepsilon"], "with a  and an "),
    ],
)  # fmt: skip
def test_a_formula_is_typeset_and_words_stay_words(typeset, text, formulas, rest):
    assert latex_of(typeset, text) == (formulas, rest)


@pytest.mark.parametrize(
    "text",
    [
        "the case of Table 10, with S5 and S6",
        "A mask of decays is a mask",
        "(a) and (b), eqs. 2, 5",
        "GD and SGD do so in 2 steps",
        "c_1k u",  # a subscript of two, or a product?
        "linear in the layer's query",
        "-0.5 or 1",
        "tokens (x_j, is_query",
        "N's layer",
        "f-dimensional",
        "by +sign and gd-ssm.eq9",
    ],
)
def test_what_may_be_no_formula_stays_as_it_is(typeset, text):
    formulas, _ = latex_of(typeset, text)
    assert not [one for one in formulas if one not in ("u", "x_{j}")], formulas


def test_large_brackets_with_words_in_them_stay_text(typeset):
    formulas, _ = latex_of(typeset, "diag(I, rest) and tril(Q words) V")
    assert formulas == ["V"]


@pytest.mark.long
def test_in_the_whole_ledger_each_symbol_of_a_formula_is_in_its_latex(typeset):
    """Spaces, and where things are raised or lowered, aside: no letter, number, sign or bracket is lost or changed."""
    seen = 0
    for row in built_in().rows:
        for claim in (row.claim, *row.amendments):
            for text in (claim.says, claim.reading or "", *claim.hypotheses):
                for part, latex in typeset.pieces(" ".join(text.split())):
                    if latex is not None:
                        seen += 1
                        assert symbols_of_latex(typeset, latex) == symbols(part), (part, latex)
    assert seen > 2000


def symbols(text):
    """The symbols of a formula as text has it; a raised one as the same symbol on the line."""
    plain = unicodedata.normalize("NFD", text).replace("≠", "≠").replace("∉", "∉")
    plain = unicodedata.normalize(
        "NFKD", plain.replace("½", "1/2").replace("≠", "#").replace("∉", "@")
    )
    plain = (
        plain.replace("⁄", "/")
        .replace("ᵀ", "T")
        .replace("'", "′")
        .replace("’", "′")
        .replace("⁻", "−")
    )
    return sorted(re.sub(r"[\s_^{}]", "", plain.replace("̄", "̅")))


BACK = {
    r"\top": "T", r"\prime": "′", r"\tfrac": "½", r"\dots": "…", r"\ast": "*", r"\ne": "#", r"\notin": "@",
    r"\lvert": "|", r"\rvert": "|", r"\lVert": "‖", r"\rVert": "‖", r"\bmod": "mod", r"\infty": "∞", r"\sqrt": "√",
    r"\;": "", r"\,": "", r"\ ": "", r"\operatorname": "", r"\mathrm": "", r"\langle": "⟨", r"\rangle": "⟩",
    r"\mathbb{R}": "ℝ", r"\hat": "̂", r"\tilde": "̃", r"\bar": "̅", r"\dot": "̇", r"\{": "", r"\}": "",
}  # fmt: skip


def symbols_of_latex(typeset, latex):
    """The same of LaTeX, its commands read by a table of their own where they are no signs."""
    tables = (
        typeset.GREEK,
        typeset.RELATIONS,
        typeset.ADDITIONS,
        typeset.PRODUCTS,
        typeset.LARGE,
        typeset.BEFORE,
    )
    known = {c: sign for table in tables for sign, c in table.items() if c.startswith("\\")}
    known = {**known, r"\sum": "Σ", r"\prod": "Π", **BACK}
    latex = latex.replace(r"\tfrac{1}{2}", "1/2").replace(r"\tfrac{1}{4}", "1/4")

    def back(found):
        return known[found[0]]

    text = re.sub(r"\\mathbb\{R\}|\\[A-Za-z]+|\\.", back, latex).replace("-", "−")
    return symbols(text)
