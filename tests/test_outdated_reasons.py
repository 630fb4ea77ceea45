"""A certificate for fixed sizes gives a reason, which is not believed: the claim may be read for all sizes by now."""

from pathlib import Path

import pytest
from command_line import Run

CLAIMS = """
import numpy as np

from scanproof import Source, equal, scan

mine = Source("mine", title="A sum")


@mine.claim("mine.sum", says="a scan adds up", given={"x": "N d"})
def total(x, d):
    state = scan(lambda _, s, x: (s + x, s), None, np.zeros(d), x).final_state
    return equal(state, x.sum(0))
"""


@pytest.mark.long
def test_a_claim_that_can_be_read_since_its_certificate_was_written_is_proved_for_all_sizes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    file = Path("mine.py")
    file.write_text(CLAIMS)
    assert "mine.py:11" in run("check", "mine.py", "--save", "--long").out.replace("\n", "")
    file.write_text("# a line more\n" + CLAIMS)
    assert "mine.py:12;" in run("show", "mine.py", "mine.sum").out
    file.write_text(CLAIMS.replace("import numpy as np", "from scanproof import numpy as np"))
    offline = run("check", "mine.py", "--offline").out
    assert "proved*" in offline and "since the claim's text changed" in offline
    assert "mine.sum  proved  a scan adds up" in run("check", "mine.py").out
