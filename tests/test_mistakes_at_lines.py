"""Mistakes in a claim's body are told with the line where they are made, and have no statement in symbols."""

from pathlib import Path

import pytest
from command_line import Run

HEAD = """from scanproof import Source, at_most, determines, equal, scan

mine = Source("mine", title="Mistakes")
GIVEN = {"x": "N f", "y": "N", "w": "f"}


def step(parameters, state, token):
    return state + token, state.unknown


"""
BODIES = {
    "raises": ('raise ValueError("no")', "ValueError"),
    "shapes": ("return equal(x @ w, w)", "the two sides have shapes (1,) and (2,)"),
    "bound": ("return at_most(x @ w, w)", "the two sides have shapes (1,) and (2,)"),
    "product": ("return equal(x @ y, w)", "ValueError"),
    "function": ("return equal(xp.unknown(x), w)", "no function 'unknown'"),
    "name": ("return equal(unknown, w)", "name 'unknown' is not defined"),
    "nothing": ("z = x @ w", "returned NoneType"),
    "array": ("return x @ w", "returned"),
    "yields": ("yield 3", "yielded int"),
    "text": ('return equal(x, "x")', "is no array"),
    "ragged": ("return equal(x, [[1, 2], [3]])", "is no array"),
    "shared": ('return determines(x, y, shared=("q",))', "shared= has 'q'"),
    "index": ("return equal(x[7], w)", "index 7 is out of bounds"),
    "branch": ("return equal(x, x) if w[0] > 0 else equal(w, w)", "is not compared"),
}
"""A line of a body, and what is said of it."""


@pytest.fixture
def mistaken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """A file of claims with one mistake each in the current folder, and the lines of these."""
    text, lines = HEAD, {}
    for id, (line, _) in BODIES.items():
        text += f'@mine.claim("mine.{id}", says="…", given=GIVEN)\n'
        text += f"def {id}(x, y, w, xp):\n    about = 0\n    {line}\n\n\n"
        lines[id] = text[: text.index(line)].count("\n") + 1
    text += '@mine.claim("mine.step", says="…", given=GIVEN)\n'
    text += "def stepped(x, y, w):\n    return equal(scan(step, None, w, x).final_state, w)\n"
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return lines


@pytest.mark.long
def test_every_mistake_in_a_body_is_told_at_its_line(run: Run, mistaken: dict[str, int]):
    answer = run("check", "mine.py")
    told = {
        one.split(": ")[1]: one
        for one in answer.err.splitlines()
        if one.startswith("scanproof: mine.")
    }
    for id, (_, says) in BODIES.items():
        assert f"at mine.py:{mistaken[id]}" in told[f"mine.{id}"], told[f"mine.{id}"]
        assert says in told[f"mine.{id}"]
    assert "at mine.py:8:" in told["mine.step"]
    assert "Traceback" not in answer.err + answer.out


@pytest.mark.long
def test_show_tells_a_mistake_at_its_line_and_no_statement(run: Run, mistaken: dict[str, int]):
    shown = run("show", "mine.py", "mine.shapes").out
    assert f"at mine.py:{mistaken['shapes']}" in shown and "In symbols" not in shown
