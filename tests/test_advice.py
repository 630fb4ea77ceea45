"""What to do about a row of one's own stands below the table in full, whatever of its reason is cut."""

from pathlib import Path

import pytest
from command_line import Run

SUM = """
import numpy as np
from scanproof import Source, equal, scan

mine = Source("mine", title="A layer of mine")


@mine.claim("mine.sum", says="it adds up", given={"x": "N d"})
def total(x, d):
    state = scan(lambda _, s, x: (s + x, s), None, np.zeros(d), x).final_state
    return equal(state, x.sum(0))
"""
READ = """
from scanproof import Source, at_most, norm

other = Source("other", title="Another layer of mine")


@other.claim(
    "other.read",
    kind="bound",
    says="what is read grows by C",
    given={"S": "m d", "q": "d", "v": "m", "C": "", "b": ""},
    assuming={
        "|S q| <= C": lambda S, q, C: at_most(norm(S @ q), C),
        "|v| <= b": lambda v, b: at_most(norm(v), b),
    },
)
def read(S, q, v, C, b):
    return at_most(norm(S @ q + v), C + b)
"""


@pytest.mark.long
def test_advice_has_a_line_of_its_own_and_the_reason_begins_with_its_cause(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SUM)
    Path("other.py").write_text(READ)
    table = run("check", "mine.py", "other.py").out
    words = " ".join(table.split())
    assert "mine.sum proved* np.zeros(d) asks for the number" in words
    assert "\n    `from scanproof import numpy as np`\n" in table
    assert "such as norm(q) ≤ C and operator_norm(S) ≤ b for S @ q" in words
    assert "scanproof show other.py other.read " in table  # its own file alone
