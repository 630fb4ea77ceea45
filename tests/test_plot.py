"""`scanproof plot`: its numbers, its files, what it refuses, and the figures of the pages."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from command_line import Run
from tightness_cases import CLAIMS

from scanproof.numeric.studies.pictures import bounds, construction, hybrid, row_picture
from scanproof.numeric.studies.pictures.__main__ import CONSTRUCTIONS
from scanproof.numeric.studies.pictures.drawing import FORMATS, draw
from scanproof.numeric.studies.pictures.panel import Line, Panel, Picture, shown
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.report.measured import figures_beside, measured

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"
MINE = str(Path(__file__).with_name("tightness_cases.py"))
SIMPLE = Picture("x", "A line", "of one point", [Panel("", "x", "y", [Line("it", [1, 2], [3, 4])])])
ROWS = {row.claim.id: row for row in built_in().rows}
EPSILON = float(np.finfo(np.float64).eps)


@functools.cache
def picture(id: str) -> Picture:
    """Of a row."""
    return row_picture.picture(ROWS[id], id)


def in_words(of: hybrid.Data, count: int, eta: float) -> np.ndarray:
    """z_i ← z_i − η⟨x_i, x_t⟩z_t for the tokens i ≥ t, in loops: Theorem 5.1's mended layers as ε → 0."""
    n, d = of.y.shape[0], of.x.shape[1]
    z = np.column_stack([of.x, [*of.y, 0.0]])
    for step in range(count):
        t, before = step % n, z.copy()
        for i in range(t, n + 1):
            z[i] -= eta * (before[i, :d] @ before[t, :d]) * before[t]
    return z.T


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_the_layers_shown_are_what_the_theorem_s_limit_says(count: int):
    of = hybrid.data(3, 2)
    found, wanted = hybrid.layers(of, count, 0.3)[-1], in_words(of, count, 0.3)
    assert np.abs(found - wanted).max() < 200 * EPSILON  # entries ≤ 1, some dozen roundings a layer


def test_the_learner_shown_is_sgd():
    of, w = hybrid.data(3, 2), np.zeros(2)
    for x, y in zip(of.x[[0, 1, 2, 0]], of.y[[0, 1, 2, 0]], strict=True):
        w = w - 0.3 * (w @ x - y) * x
    assert hybrid.sgd(of, 4, 0.3)[-1] == pytest.approx(of.x[-1] @ w, abs=50 * EPSILON)


def test_one_layer_is_one_step_and_orthogonal_examples_one_pass():
    assert hybrid.sgd_error(hybrid.data(4, 3), 1, 0.5)[1] < 10 * EPSILON
    error = hybrid.sgd_error(hybrid.orthogonal(4), 5, 0.5)
    assert error[:5].max() < 50 * EPSILON and error[5] > 1e-4


def test_the_errors_are_of_second_order():
    at = [2.0**-k for k in (9, 10)]
    two_layers = [hybrid.sgd_error(hybrid.data(4, 3), 2, eta)[2] for eta in at]
    batch = [hybrid.batch_error(hybrid.data(4, 3), 2, eta, 3) for eta in at]
    for large, small in (two_layers, batch):
        assert np.log2(large / small) == pytest.approx(2, abs=0.05)


def test_data_of_fewer_examples_are_the_first_of_more():
    few, many = hybrid.data(2, 3), hybrid.data(5, 3)
    assert (few.x[:2] == many.x[:2]).all() and (few.x[2] == many.x[5]).all()
    assert (few.y == many.y[:2]).all()


def test_a_bound_is_drawn_over_its_scalars_and_its_sizes():
    panels: Any = bounds.picture(CLAIMS["tight.step"]).panels
    assert [panel.title for panel in panels] == ["Over η", "Over n", "Over d"]
    for panel in panels:
        lines = {line.label: np.asarray(line.y) for line in panel.lines}
        for name in ("sum", "change"):
            left, right = lines[f"left ({name})"], lines[f"right ({name})"]
            assert (left <= right * (1 + 1e-12)).all() and (left > 0).all()


def test_where_conditions_fail_nothing_is_drawn():
    over_eta: Any = bounds.picture(CLAIMS["tight.contraction"]).panels[0]
    left = np.asarray(over_eta.lines[0].y)
    assert np.isnan(left[-1]) and not np.isnan(left[0])  # ηC² ≤ 1


@pytest.mark.long
def test_bounds_of_amendments_stand_above_what_they_bound():
    panels: Any = picture("ssd.thm5.1").panels
    for panel in panels:
        bounds_drawn = [line for line in panel.lines if line.role == "bound"]
        assert len(bounds_drawn) == 3, panel.title  # one for each η, or each l
        for line in bounds_drawn:
            measured, bound = (np.asarray(one.y) for one in (panel.lines[line.like or 0], line))
            known = ~np.isnan(bound)
            assert known.any() and (measured[known] <= bound[known] * (1 + 1e-6)).all()


def test_a_bound_on_something_else_is_not_drawn():
    row = ROWS["ssd.thm5.1"]
    other = hybrid.Worst(np.asarray(0.123), np.asarray(0))
    assert np.isnan(hybrid._least_bound(row, other, n=4, d=8, l=4, eta=0.1)[1])


def test_what_is_drawn_hides_rounding():
    assert np.isnan(shown([0.0, 1e-17], log=True)).all()
    assert list(shown([0.1 + 1e-12, 0.0], log=False)) == [0.1, 0.0]


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
def test_a_picture_is_the_same_bytes_each_time_whatever_the_reader_has_set(format: str):
    first = draw(SIMPLE, format)
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": None, "axes.facecolor": "red"}):
        assert draw(SIMPLE, format) == first
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[format])


@pytest.mark.short(".svg")
@pytest.mark.parametrize("suffix", [".svg", ".PNG"])
def test_plot_writes_the_file_and_nothing_else(run: Run, tmp_path: Path, suffix: str):
    for name in ("one", "two"):
        answer = run("plot", MINE, "tight.operator", "--output", str(tmp_path / f"{name}{suffix}"))
        assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.short(
    "arguments0-this row has nothing to plot", "arguments4-give one of .svg, .png, .pdf"
)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gril.eq10", "--output", "a.svg"], "this row has nothing to plot"),
        (["ssd.fig1", "--output", "a.svg"], "this row has nothing to plot"),
        (
            ["gril.eq1000", "--output", "a.svg"],
            "no claim matches 'gril.eq1000'; nearest: gril.eq10",
        ),
        (["ssd.thm5*", "--output", "a.svg"], "give one id, not a pattern"),
        (["ssd.thm5.1", "--output", "a.jpg"], "give one of .svg, .png, .pdf"),
        (["ssd.thm5.1", "--output", "a"], "give one of .svg, .png, .pdf"),
        (
            ["ssd.thm5.1", "--output", "folder.svg"],
            "--output folder.svg: cannot write there: it is a dir",
        ),
        (
            ["ssd.thm5.1", "--output", "no/a.svg"],
            "--output no/a.svg: cannot write there: No such file",
        ),
        ([MINE, "tight.impossible", "--output", "a.svg"], "this row has nothing to plot"),
        (
            [MINE, "tight.raises", "--output", "a.svg"],
            "the body of claim tight.raises raised ValueEr",
        ),
        (["ssd.thm5.1"], "Missing option '--output'"),
    ],
)
def test_plot_refuses_in_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
):
    monkeypatch.chdir(tmp_path)
    Path("folder.svg").mkdir()
    answer = run("plot", *arguments)
    assert (answer.code, answer.out, answer.err.count("\n")) == (3, "", 1)
    assert words in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


def test_without_matplotlib_plot_says_which_extra_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = run("plot", "ssd.thm5.1", "--output", str(tmp_path / "a.svg"))
    assert answer.code == 3
    assert "pip install 'scanproof[plot]'" in answer.err


@pytest.mark.long
def test_a_picture_that_fails_leaves_the_old_file(run: Run, tmp_path: Path, monkeypatch):
    out = tmp_path / "a.svg"
    out.write_text("old")

    def failing(*_):
        raise RuntimeError("no picture")

    monkeypatch.setattr("scanproof.numeric.studies.pictures.drawing.draw", failing)
    assert run("plot", MINE, "tight.operator", "--output", str(out)).code == 3
    assert out.read_text() == "old" and list(tmp_path.iterdir()) == [out]


def test_a_page_shows_the_measured_orders_and_the_figure_of_a_row(tmp_path: Path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "ssd.thm5.1-drift.svg").write_text("")
    lines = "\n".join(measured("ssd.thm5.1-drift", figures_beside(tmp_path / "errata")))
    assert "order 1.00 (claimed: 2)" in lines
    assert "](../figures/ssd.thm5.1-drift.svg)" in lines
    assert measured("gril.eq10", {}) == []


@pytest.mark.long
@pytest.mark.parametrize("id", [*hybrid.PICTURES, *CONSTRUCTIONS])
def test_the_figures_of_the_pages_are_there_and_current(id: str):
    text = (FIGURES / f"{id}.svg").read_text(encoding="utf-8")
    (version,) = re.findall(r"Matplotlib v([\d.]+)", text)
    if version == matplotlib.__version__:  # another one sets type and ticks otherwise
        assert draw(picture(id), "svg").decode() == text


@pytest.mark.long
@pytest.mark.parametrize("id", ["gril.prop4.1-construction", "gd-ssm.prop1-construction"])
def test_a_construction_is_drawn_as_the_gradient_that_its_state_is(id: str):
    panels: Any = picture(id).panels
    parameters, loss, state, gradient = panels
    assert state.title.startswith("The state after token t: minus the gradient")
    for (_, one), (_, other) in zip(state.matrices, gradient.matrices, strict=True):
        near = one if "transposed" not in state.title else one.T
        assert np.allclose(near, -other, rtol=0, atol=100 * EPSILON)
    assert {name for name, _ in parameters.matrices} >= {"count"}
    layer, learner, zero = (np.asarray(line.y) for line in loss.lines)
    assert np.allclose(layer, learner, rtol=1e-12) and layer[-1] < 0.5 * zero[-1]


@pytest.mark.long
def test_every_construction_with_a_state_is_drawn():
    drawn = [row for row in ROWS.values() if construction.drawable(row)]
    assert len(drawn) > 25
    for row in drawn[:: len(drawn) // 2]:
        assert len(construction.picture(row).panels) > 2
