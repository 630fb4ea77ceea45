"""What a claim reads besides Python's modules is noticed: a verdict that rests on it is not remembered for too long."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Run, Write

from scanproof.proofs.decide import noticed

CLAIM = """
    {top}

    @paper.claim("{{name}}.scaled", says="Σ c x_i = 2 Σ x_i", given={{{{"x": "N"}}}})
    def scaled(x):
        {inside}
        return equal(total(x * c), total(x) * 2)
"""
pytestmark = pytest.mark.usefixtures("own")


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of this test's own, used as outside CI; helpers are forgotten."""
    monkeypatch.delenv("CI")
    monkeypatch.setenv("SCANPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def claim(top: str = "", inside: str = "pass") -> str:
    return CLAIM.format(top=top, inside=inside)


def written(file: str, text: str = "{n}", **others: str) -> Callable[[int], None]:
    """Writes files, in which {n} is the number that a claim reads."""

    def write(n: int) -> None:
        for name, held in {file: text, **others}.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(held.replace("{n}", str(n)), encoding="utf-8")

    return write


def archive(n: int) -> None:
    with zipfile.ZipFile("lib.zip", "w") as file:
        file.writestr("packed.py", f"c = {n}")


def array(n: int) -> None:
    import numpy as np

    np.save("c.npy", np.array(n))


def listed(n: int) -> None:
    Path("d").mkdir(exist_ok=True)
    for file in Path("d").iterdir():
        file.unlink()
    for k in range(n):
        (Path("d") / str(k)).touch()


def there(n: int) -> None:
    Path("marker.txt").unlink(missing_ok=True)
    if n == 2:
        Path("marker.txt").write_text("2", encoding="utf-8")


def variable(n: int) -> None:
    os.environ["C_OF_CLAIM"] = str(n)


def unset(n: int) -> None:
    os.environ.pop("C_OF_CLAIM", None)
    if n != 2:
        os.environ["C_OF_CLAIM"] = str(n)


READS: dict[str, tuple[str, Callable[[int], None]]] = {
    "a file, in the body": (
        claim(inside="c = int(open('c.txt').read())"),
        written("c.txt"),
    ),
    "a file, while the claims are read": (
        claim("with open('c.txt') as file:\n        c = int(file.read())"),
        written("c.txt"),
    ),
    "a file, by pathlib": (
        claim("from pathlib import Path", "c = int(Path('c.txt').read_text())"),
        written("c.txt"),
    ),
    "a file, by os.open": (
        claim("import os", "c = int(os.read(os.open('c.txt', os.O_RDONLY), 9))"),
        written("c.txt"),
    ),
    "a file, by json": (claim("import json", "c = json.load(open('c.txt'))"), written("c.txt")),
    "an array, by numpy": (claim("import numpy as np", "c = int(np.load('c.npy'))"), array),
    "numbers, by numpy": (
        claim("import numpy as np", "c = int(np.loadtxt('c.txt'))"),
        written("c.txt"),
    ),
    "a text that is executed": (
        claim(inside="own = {{}}; exec('c = ' + open('c.txt').read(), own); c = own['c']"),
        written("c.txt"),
    ),
    "a file by its helper": (
        claim("from helper import c"),
        written("c.txt", **{"helper.py": "with open('c.txt') as file:\n    c = int(file.read())"}),
    ),
    "a module by its name": (
        claim("import importlib", "c = importlib.import_module('la' + 'ter').c"),
        written("later.py", "c = {n}"),
    ),
    "a module of another folder": (
        claim("import sys; sys.path.append('more')", "from further import c"),
        written("more/further.py", "c = {n}"),
    ),
    "a module in an archive": (
        claim("import sys; sys.path.append('lib.zip')", "from packed import c"),
        archive,
    ),
    "a folder": (claim("import os", "c = len(os.listdir('d'))"), listed),
    "a variable": (claim("import os", "c = int(os.environ['C_OF_CLAIM'])"), variable),
    "a variable, while the claims are read": (
        claim("import os; c = int(os.getenv('C_OF_CLAIM'))"),
        variable,
    ),
    "a variable that is missing": (
        claim("import os", "c = int(os.getenv('C_OF_CLAIM', '2'))"),
        unset,
    ),
    "a file that is missing": (
        claim(
            "def marked():\n        try:\n            return int(open('marker.txt').read())\n"
            "        except OSError:\n            return 3",
            "c = marked()",
        ),
        there,
    ),
}


def forget() -> None:
    for name in ("helper", "later", "further", "packed"):
        sys.modules.pop(name, None)
    for place in ("more", "lib.zip"):
        while place in sys.path:
            sys.path.remove(place)
    sys.path_importer_cache.clear()


def known(run: Run, file: str, *more: str) -> tuple[int, int]:
    forget()
    answer = run("check", file, "--format", "json", *more)
    return answer.code, json.loads(answer.out)["timing"]["remembered"]


@pytest.mark.short("a file, in the body")
@pytest.mark.parametrize("name", READS)
def test_a_claim_is_remembered_as_long_as_what_it_reads_is_the_same(
    run: Run, write: Write, name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("C_OF_CLAIM", raising=False)
    text, put = READS[name]
    put(2)
    file = write(text)
    assert known(run, file) == (0, 0)
    assert known(run, file) == (0, 1)
    put(3)
    assert known(run, file) == (1, 0)
    put(2)
    assert known(run, file)[0] == 0
    os.environ.pop("C_OF_CLAIM", None)


DEEDS = {
    "time": (claim("import time"), "mine.py names time, the clock"),
    "datetime": (claim(inside="from datetime import date"), "mine.py names datetime, the clock"),
    "random": (claim("from random import random"), "mine.py names random, random numbers"),
    "numpy.random": (
        claim("import numpy as nu", "nu.random.seed(0)"),
        "mine.py names numpy.random, random numbers",
    ),
    "from numpy": (claim("from numpy import random"), "mine.py names numpy.random"),
    "argv": (claim("import sys", "sys.argv"), "mine.py names argv, the command line"),
    "exists": (claim("import os", "os.path.exists('a')"), "mine.py names exists, what is there"),
    "a text that names it": (claim(inside="exec('import time')"), "names time, the clock"),
    "a process": (
        claim("import subprocess", "subprocess.run(['true'])"),
        "mine.scaled: not remembered, checked each time: starts a process",
    ),
    "a shell": (claim("import os; os.system('true')"), "starts a process"),
    "a socket": (claim("import socket; socket.socket().close()"), "opens a socket"),
    "what it writes": (claim(inside="open('c.txt', 'w').write('2')"), "writes c.txt"),
    "a device": (claim(inside="open('/dev/zero', 'rb').read(1)"), "which is no plain file"),
}


@pytest.mark.short("time")
@pytest.mark.parametrize("name", DEEDS)
def test_a_claim_whose_code_does_what_is_no_value_is_checked_each_time(
    run: Run, write: Write, name: str
):
    text, why = DEEDS[name]
    file = write(text.replace("x * c", "x * 2"))
    for _ in range(2):
        answer = run("check", file)
        assert "remembered)" not in answer.out
        assert why in answer.err


def test_what_only_has_such_a_name_is_remembered(run: Run, write: Write):
    file = write(claim("from helper import random", "c = 2"))
    written("helper.py", "random = 1")(2)
    assert [known(run, file) for _ in range(2)] == [(0, 0), (0, 1)]


def test_a_worker_tells_what_a_module_read_that_an_earlier_claim_imported(run: Run, write: Write):
    second = claim(inside="from helper import c").replace("scaled", "again")
    file = write(claim(inside="from helper import c"), second)
    for n, code in ((2, 0), (3, 1)):
        Path("helper.py").write_text(
            "with open('c.txt') as file:\n    c = int(file.read())", encoding="utf-8"
        )
        written("c.txt")(n)
        assert known(run, file, "--jobs", "1") == (code, 0)


def test_a_file_is_noted_with_what_it_held_when_it_was_read(tmp_path: Path):
    file = tmp_path / "c.txt"
    with noticed.while_deciding() as notes:
        for text in ("2", "3"):
            file.write_text(text, encoding="utf-8")
            file.read_text(encoding="utf-8")
    assert f"reads {file}, which changes meanwhile" in notes.deeds
    notes.deeds.clear()
    notes.reads.clear()


def test_a_locked_project_whose_data_change_is_not_current(run: Run, write: Write):
    file = write(claim(inside="c = int(open('c.txt').read())"))
    Path("pyproject.toml").touch()
    written("c.txt")(2)
    assert run("check", file, "--lock").code == 0
    assert run("check", file, "--locked").code == 0
    written("c.txt")(3)
    assert run("check", file, "--locked").code == 1


def test_bodies_import_from_the_folder_of_their_file(run: Run, write: Write):
    files = []
    for n, name in ((2, "a"), (3, "b")):
        files.append(write(claim(inside="from lazy import c"), name=name, file=f"{name}/claims.py"))
        Path(name, "lazy.py").write_text(f"c = {n}", encoding="utf-8")
    report = json.loads(run("check", *files, "--format", "json").out)
    verdicts = {one["id"]: one["as_stated"]["verdict"] for one in report["claims"]}
    assert verdicts == {"a.scaled": "proved", "b.scaled": "refuted"}
    assert "lazy" not in sys.modules
    assert not any(str(Path(name).resolve()) in sys.path for name in "ab")


def test_writing_the_lock_file_says_what_was_written(run: Run, write: Write):
    file = write(claim("c = 2"))
    Path("pyproject.toml").touch()
    said = "scanproof: scanproof.lock: "
    assert f"{said}1 statement, 1 new\n" in run("check", file, "--lock").err
    assert run("check", file, "--lock").err == ""  # nothing is written
    write(claim("c = 3"))
    assert f"{said}1 statement, 1 changed\n" in run("check", file, "--lock").err
