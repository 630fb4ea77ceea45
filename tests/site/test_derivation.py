"""A derivation is written in parts that are light enough for a page, and none of its lines is lost."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from scanproof.proofs.report.derivation.document import Derivation, Formula, Line, Section

pytest.importorskip("sphinx", reason="the extra [docs] is not installed: `make docs` installs it")
ROOT = Path(__file__).resolve().parents[2]
NODE = (ROOT / "build" / "node" / "node_modules" / "katex").is_dir()


@pytest.fixture(scope="module")
def writing():
    """The module that does it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield importlib.import_module("_site.derivation")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def lines(count, **more):
    return [Line(n, f"reason {n}", **more) for n in range(1, count + 1)]


def test_every_line_of_a_long_derivation_stands_in_a_fold_that_names_its_lines(writing):
    text = writing.derivation(Derivation("a.b", [Section("Result", lines(40))]))
    titles = re.findall(r"<summary>(.*?)</summary>", text)
    assert titles == [
        "All 40 lines, with the equation after every step",
        "Result, (1) to (16)",
        "Result, (17) to (32)",
        "Result, (33) to (40)",
    ]
    assert [int(n) for n in re.findall(r"<p>\((\d+)\)", text)] == list(range(1, 41))


def test_the_idea_begins_with_definitions_and_has_the_lemmas_that_the_result_rests_on(writing):
    told = [
        Line(1, "definition of R"),
        *(Line(n, f"Bound {n}, by induction on t") for n in range(2, 20)),
        Line(20, "the bound", rests_on=(19,)),
        Line(21, "result"),
    ]
    text = writing.derivation(Derivation("a.b", [Section("Bounds", told)]))
    text = text.partition("<details>")[0]
    shown = [int(n) for n in re.findall(r"<p>\((\d+)\)", text)]
    assert len(shown) == writing.SHORT and {1, 19, 20, 21} <= set(shown)
    assert "and 11 more such lines" in text


def test_a_line_says_its_reason_what_it_rests_on_and_its_definition(writing):
    line = Line(3, "x < y", words="so & so", places=("constructs/a.py:7",), rests_on=(1, 2))
    text = writing.derivation(Derivation("a.b", [Section("Result", [line])]))
    assert "(3) <em>x &lt; y</em> (1, 2): so &amp; so, <a " in text
    assert 'href="../source/constructs/a.py.html#L-7"' in text


def test_a_formula_of_many_rows_is_cut_and_keeps_every_row(writing):
    rows = [f"&row {k}" for k in range(100)]
    latex = "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"
    blocks = writing._blocks(latex)
    assert len(blocks) == 3
    assert all(b.startswith("\\begin{aligned}\n") and b.endswith("\\end{aligned}") for b in blocks)
    assert [r for b in blocks for r in re.findall(r"&row \d+", b)] == rows


def test_a_row_that_is_too_long_to_be_typeset_is_shown_in_latex(writing, monkeypatch):
    rows = ["a + b", "c" * (writing.TYPESET + 1), "< d"]
    latex = "\n".join(["\\begin{aligned}", *rows, "\\end{aligned}"])
    monkeypatch.setattr(writing, "formula", lambda one: latex)
    formula = SimpleNamespace(parts=(SimpleNamespace(pieces=(1,)),))
    line = Line(1, "so", formulas=(formula,))
    text = writing.derivation(Derivation("a.b", [Section("Result", [line])]))
    assert [rows[1] in block for block in re.findall(r"<pre.*?</pre>", text, re.DOTALL)] == [True]
    assert len(re.findall("<tex>", text)) == 2
    assert max(map(len, re.findall("<tex>.*?</tex>", text, re.DOTALL))) < writing.TYPESET


@pytest.mark.skipif(not NODE, reason="KaTeX is not installed: `make docs` installs it")
def test_a_formula_that_does_not_parse_is_told_with_its_statement(writing, monkeypatch):
    from sphinx.errors import ExtensionError

    formula = Formula(())
    found = Derivation("a.b", [Section("Result", [Line(1, "so", formulas=(formula,))])])
    monkeypatch.setattr(writing, "formula", lambda one: r"\frac{1}")
    with pytest.raises(ExtensionError, match=r"a\.b: KaTeX parse error.*\\frac\{1\}"):
        writing.typeset_all({"a.b": found})
