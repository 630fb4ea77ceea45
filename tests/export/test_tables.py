"""The tables of docs/export.md are what `make export-tables` writes, and say what exports do."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.request import exportable
from scanproof.numeric.export.targets import TARGETS
from scanproof.numeric.studies import export_tables as tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "export.md"
TEXT = PAGE.read_text(encoding="utf-8")


def written(name: str) -> list[str]:
    """The lines of a table on the page."""
    begin, end = tables.BEGIN.format(name), tables.END.format(name)
    return TEXT.partition(begin)[2].partition(end)[0].strip().splitlines()


def table(name: str) -> list[list[str]]:
    """The cells of a table on the page, its headers first."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in written(name)]
    return [row for i, row in enumerate(rows) if i != 1]


@pytest.mark.long
def test_the_page_s_tables_are_those_of_today(monkeypatch):
    """Of what is left after several steps the first two rows are computed: all of them take a minute."""
    monkeypatch.setattr(tables, "SEVERAL", tables.SEVERAL[:2])
    stored = written("stored")
    assert tables.several_steps() == stored[: 2 + len(tables.SEVERAL)], "make export-tables"
    monkeypatch.setattr(tables, "several_steps", lambda: stored)
    assert tables.page(TEXT) == TEXT, "make export-tables"


def test_every_target_row_and_format_is_in_the_table():
    headers, *rows = table("targets")
    assert [row[0].split("`")[1] for row in rows] == exportable()
    for target in TARGETS.values():
        for dtype in target.dtypes:
            assert any(f"`{target.name}`" in h and h.endswith(dtype) for h in headers)
    every = [id for row in table("step sizes")[1:] for id in re.findall("`(.*?)`", row[0])]
    assert sorted(every) == sorted(exportable())


@pytest.mark.long
def test_a_figure_is_that_of_the_export(tmp_path):
    headers, *rows = table("targets")
    cells = dict(zip(headers, next(row for row in rows if row[0] == "`gril.prop4.1`"), strict=True))
    d, n = tables.FEATURES, tables.EXAMPLES
    export("gril.prop4.1", target="jax", output=tmp_path / "out", features=d, examples=n)
    said = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["certificate"]
    (column,) = [h for h in headers if "`jax`" in h and h.endswith("float64")]
    assert cells[column] == f"{said['absolute'] / said['attained']:.1e}"


@pytest.mark.parametrize(
    ("id", "at"),
    [
        ("gril.prop4.1", Fraction(1, 7)),
        ("gril.propA.1", Fraction(1, 4)),
        ("mamba2.gd", Fraction(1, 4)),
    ],
)
def test_weights_for_four_examples_step_by_so_much_on_seven(id, at):
    assert tables.step_size_at(tables.made(id, 4), 7) == at


def test_what_is_no_step_of_gradient_descent_has_no_step_size():
    built = tables.made("gril.prop4.1", 4)
    assert built.exact is not None
    gate = built.exact.layers[0].gate.copy()
    gate[0, 0] = Fraction(1, 2)
    forgets = built.exact._replace(layers=(built.exact.layers[0]._replace(gate=gate),))
    assert tables.step_size_at(built._replace(exact=forgets), 7) is None


def test_a_page_without_their_places_is_refused():
    with pytest.raises(ValueError, match="the page has no"):
        tables.page("# A page\n")
