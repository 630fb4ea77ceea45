"""Each check computes its verdicts anew: nothing of an earlier one is kept but certificates, which are checked."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import TRUE, Run, Write, left_behind

CLAIM = """
    {top}

    @paper.claim("{{name}}.scaled", says="Σ c x_i = 2 Σ x_i", given={{{{"x": "N"}}}})
    def scaled(x):
        {inside}
        return equal(total(x * c), total(x) * 2)
"""
FILE = "c.txt"


def claim(inside: str, top: str = "import os; from pathlib import Path") -> str:
    return CLAIM.format(top=top, inside=inside)


def held(c: int) -> None:
    Path(FILE).write_text(str(c), encoding="utf-8")


def there(c: int) -> None:
    Path(FILE).unlink(missing_ok=True)
    if c == 2:
        held(c)


def linked(c: int) -> None:
    Path(FILE).unlink(missing_ok=True)
    if c == 2:
        os.symlink("elsewhere", FILE)
    else:
        held(c)


def listed(c: int) -> None:
    shutil.rmtree("d", ignore_errors=True)
    for k in range(c):
        (Path("d") / str(k)).mkdir(parents=True)


def a_program(c: int) -> None:
    there(c)
    if c == 2:
        Path(FILE).chmod(0o755)


def variable(c: int) -> None:
    os.environ["C_OF_CLAIM"] = str(c)


READS: dict[str, tuple[str, Callable[[int], None]]] = {
    "what a file holds": (claim(f"c = int(Path('{FILE}').read_text())"), held),
    "what a file holds as the claims are read": (
        claim("pass", top=f"from pathlib import Path\n    c = int(Path('{FILE}').read_text())"),
        held,
    ),
    "whether a file exists": (claim(f"c = 2 if os.path.exists('{FILE}') else 3"), there),
    "whether a file may be read": (claim(f"c = 2 if os.access('{FILE}', os.R_OK) else 3"), there),
    "whether a file is a link": (claim(f"c = 2 if os.path.islink('{FILE}') else 3"), linked),
    "whether a program is found": (
        claim(f"c = 2 if which('./{FILE}') else 3", top="from shutil import which"),
        a_program,
    ),
    "what a folder holds": (claim("c = len(os.listdir('d'))"), listed),
    "a variable of the environment": (claim("c = int(os.environ['C_OF_CLAIM'])"), variable),
}


@pytest.mark.long
@pytest.mark.parametrize("name", READS)
def test_no_verdict_outlives_what_it_rests_on_though_a_certificate_was_written(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv("C_OF_CLAIM", "")
    text, put = READS[name]
    file = write(text)
    for c, code in ((2, 0), (3, 1), (2, 0)):
        put(c)
        assert run("check", file, *(["--save"] if code == 0 else [])).code == code
    assert Path("certificates/mine.scaled.json").is_file()


@pytest.mark.long
def test_a_check_writes_no_file(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CI", raising=False)
    for name in ("HOME", "XDG_CACHE_HOME", "SCANPROOF_CACHE"):
        monkeypatch.setenv(name, str(Path.cwd()))
    file = write(TRUE)
    before = left_behind()
    assert [run("check", file).code for _ in range(2)] == [0, 0]
    assert left_behind() == before


@pytest.mark.long
def test_a_check_needs_no_home(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/dev/null/nobody")
    answer = run("check", write(TRUE))
    assert (answer.code, answer.err) == (0, "")
