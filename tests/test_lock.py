"""The lock file: what was decided of which text, compared with what is found now and never believed."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from command_line import FALSE, KNOWN, MENDED, RAISING, TRUE, UNKNOWN, Run, Write, one_line

from scanproof.proofs.decide import lock
from scanproof.proofs.decide.ledger import from_file
from scanproof.proofs.decide.reached import Project
from scanproof.proofs.kernel.files import LIMIT, Unusable

LOCK = Path(lock.FILE)
ENTRY = lock.Entry("0" * 64, {"a.py::f": "0" * 16}, "all-sizes", "proved")
PROVED = {"certificate": "0" * 64, "reaches": {}, "scope": "all-sizes", "verdict": "proved"}


def entries() -> dict[str, Any]:
    return json.loads(LOCK.read_text("utf-8"))["claims"]


def text_of(**claims: Any) -> str:
    return json.dumps({"format": lock.FORMAT, "claims": claims})


@pytest.fixture(scope="module")
def kept() -> dict[Path, bytes]:
    """The files of a project that is locked, once the first test has locked it."""
    return {}


@pytest.fixture
def locked(run: Run, write: Write, kept: dict[Path, bytes]) -> str:
    """A claim file with a lock file beside it."""
    file = write(TRUE, FALSE)
    if not kept:
        assert run("check", file, "--lock").code == 1
        kept |= {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    for path, content in kept.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return file


# What it says, and when it is current.


@pytest.mark.long
def test_it_says_the_verdict_the_certificate_and_what_is_reached(locked: str):
    found = entries()
    assert list(found) == ["mine.py::mine.linear", "mine.py::mine.square"]
    assert [(e["verdict"], e["scope"]) for e in found.values()] == [
        ("proved", "all-sizes"),
        ("refuted", None),
    ]
    assert list(found["mine.py::mine.linear"]["reaches"]) == ["mine.py::linear", "mine.py::total"]
    assert {p.name for p in Path("certificates").iterdir()} == {
        "mine.linear.json",
        "mine.square.json",
    }


@pytest.mark.long
def test_what_did_not_change_is_current(run: Run, locked: str):
    before = LOCK.stat().st_mtime_ns
    answer = run("check", locked, "--locked", "--offline")
    said = "scanproof: scanproof.lock is current.\n"
    assert (answer.code, answer.err) == (1, said)  # 1 for the false claim
    assert run("check", locked, "--lock").err == ""
    assert LOCK.stat().st_mtime_ns == before
    assert run("check", locked, "mine.linear", "--locked").code == 0


@pytest.mark.long
def test_a_changed_definition_says_which_claims_it_reaches(run: Run, write: Write, locked: str):
    text = Path(locked).read_text("utf-8")
    Path(locked).write_text(text.replace("return x.sum(0)", "return 2 * x.sum(0)"), "utf-8")
    answer = run("check", locked, "mine.linear", "--locked")
    assert answer.code == 1
    lines = answer.err.splitlines()
    reached = "mine.py::total changed since scanproof.lock was written; it reaches mine.linear"
    assert f"scanproof: {reached}" in lines
    assert lines[-1] == (
        "scanproof: scanproof.lock is not current; `scanproof check mine.py --lock` writes it anew."
    )
    (told,) = [line for line in answer.out.splitlines() if "show mine.py mine.linear " in line]
    assert ": scanproof.lock: mine.py::total changed" in told
    assert run("check", locked, "mine.linear").code == 0  # without --locked it is only said
    assert "it reaches mine.linear, mine.square" in run("check", locked, "--lock").err
    assert run("check", locked, "mine.linear", "--locked").code == 0


@pytest.mark.long
def test_a_verdict_that_changes_is_told(run: Run, write: Write):
    file = write(TRUE)
    run("check", file, "--lock")
    write(TRUE.replace("total(x) * c)", "total(x) * c * c)"))
    said = "scanproof.lock: mine.linear was proved, is refuted, mine.py::linear changed"
    assert said in run("check", file, "--locked").err


@pytest.mark.long
def test_claims_that_come_and_go_are_told(run: Run, write: Write, locked: str):
    file = write(TRUE, UNKNOWN)
    answer = run("check", file, "--locked", "--format", "junit")
    assert answer.code == 1
    assert "scanproof.lock: mine.open is new" in answer.err
    assert "scanproof.lock: mine.square is gone" in answer.err
    assert 'name="mine.square"' in answer.out
    run("check", file, "--lock")
    assert [key.partition("::")[2] for key in entries()] == ["mine.linear", "mine.open"]
    assert run("check", file, "--locked").code == 0


@pytest.mark.long
def test_certificates_of_claims_that_are_gone_go_with_them_and_no_others(run: Run, write: Write):
    third = TRUE.replace("linear", "third")
    file = write(TRUE, FALSE, third)
    run("check", file, "--lock")
    folder = Path("certificates")
    (folder / "mine.third.json").write_text("{}", "utf-8")  # someone's own, by now
    (folder / "other.json").write_text("{}", "utf-8")
    moved = write(FALSE, file="moved.py")
    run("check", write(TRUE), moved, "--lock")
    left = ["mine.linear.json", "mine.square.json", "mine.third.json", "other.json"]
    assert sorted(p.name for p in folder.iterdir()) == left
    Path(moved).unlink()
    run("check", file, "--lock")
    assert not (folder / "mine.square.json").exists()


@pytest.mark.long
def test_a_file_in_the_place_of_the_certificates_says_what_to_do(run: Run, write: Write):
    Path("certificates").write_text("", "utf-8")
    answer = run("check", write(TRUE), "--save")
    assert answer.code == 3
    assert "cannot be written: certificates is a file; move it away, or" in answer.err


@pytest.mark.long
def test_what_is_not_asked_for_stays_as_it_was(run: Run, write: Write, locked: str):
    whole = LOCK.read_text("utf-8")
    other = write(TRUE, name="other")
    run("check", other, "--lock")
    assert len(entries()) == 3
    run("check", locked, "mine.linear", "--lock")
    assert len(entries()) == 3
    Path(other).unlink()
    assert "other.linear is gone" in run("check", locked, "--locked").err
    run("check", locked, "--lock")
    assert LOCK.read_text("utf-8") == whole


@pytest.mark.long
def test_claims_that_a_broken_file_does_not_come_to_are_not_gone(
    run: Run, write: Write, locked: str
):
    file = write(TRUE, "\nraise ValueError('no')\n", FALSE)
    answer = run("check", file, "--lock")
    assert answer.code == 3
    assert "gone" not in answer.err
    assert len(entries()) == 2


@pytest.mark.long
def test_it_lies_at_the_root_of_the_project(run: Run, write: Write):
    Path("pyproject.toml").write_text("", "utf-8")
    assert run("check", write(TRUE, file="deep/claims.py"), "--lock").code == 0
    assert list(entries()) == ["deep/claims.py::mine.linear"]
    assert Path("deep/certificates").is_dir()


@pytest.mark.long
def test_a_missing_lock_file_or_certificate_is_told(run: Run, write: Write):
    file = write(TRUE)
    answer = run("check", file, "--locked")
    assert answer.code == 1
    assert answer.err == (
        "scanproof: there is no scanproof.lock; `scanproof check mine.py --lock` writes it anew.\n"
    )
    run("check", file, "--lock")
    shutil.rmtree("certificates")
    answer = run("check", file, "--locked")
    assert "scanproof.lock: mine.linear has no certificate" in answer.err
    assert answer.code == 1


@pytest.mark.long
def test_errors_are_not_locked(run: Run, write: Write):
    assert run("check", write(TRUE, RAISING), "--lock").code == 3
    assert list(entries()) == ["mine.py::mine.linear"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--lock", "--locked"], "give one of them"),
        (["--lock", "--offline"], "give one of them"),
        (["--lock", "--engine", "flint"], "leave out --engine"),
        (["--locked", "--engine", "flint"], "leave out --engine"),
    ],
)
def test_options_that_contradict_each_other_are_one_clear_line(
    run: Run, write: Write, arguments: list[str], said: str
):
    assert said in one_line(run("check", write(TRUE), *arguments))


@pytest.mark.long
def test_the_built_in_claims_have_no_lock_file(run: Run):
    assert "none of these claims is your own" in one_line(run("check", KNOWN, "--locked"))


@pytest.mark.long
def test_verdicts_are_the_same_with_it_and_without(run: Run, write: Write):
    file = write(TRUE, MENDED, UNKNOWN)
    ways = [[], ["--lock"], ["--locked", "--offline"], ["--from-scratch"]]
    answers = [run("check", file, "--format", "json", *way) for way in ways]
    first, *others = [{**json.loads(answer.out), "timing": None} for answer in answers]
    assert others == [first] * len(others)
    assert {answer.code for answer in answers} == {1}


DATA = """
    @paper.claim("{name}.scaled", says="Σ c x_i = 2 Σ x_i", given={{"x": "N"}})
    def scaled(x):
        from pathlib import Path

        c = int(Path("c.txt").read_text())
        return equal(total(x * c), total(x) * 2)
"""


@pytest.mark.long
def test_a_locked_project_whose_data_change_is_not_current(run: Run, write: Write):
    file, data = write(DATA), Path("c.txt")
    Path("pyproject.toml").touch()
    data.write_text("2", encoding="utf-8")
    assert run("check", file, "--lock").code == 0
    assert run("check", file, "--locked").code == 0
    data.write_text("3", encoding="utf-8")
    assert run("check", file, "--locked").code == 1


@pytest.mark.long
def test_writing_it_says_what_was_written(run: Run, write: Write):
    file = write(TRUE)
    Path("pyproject.toml").touch()
    said = "scanproof: scanproof.lock: "
    assert f"{said}1 statement, 1 new\n" in run("check", file, "--lock").err
    assert run("check", file, "--lock").err == ""  # nothing is written
    write(TRUE.replace("total(x) * c", "total(x) + c"))
    assert f"{said}1 statement, 1 changed\n" in run("check", file, "--lock").err


# Nothing in it is believed.


@pytest.mark.long
def test_a_lock_file_proves_nothing(run: Run, write: Write):
    """The entry of a true claim, and its certificate, are put in the place of a false one's."""
    file = write(TRUE, FALSE)
    run("check", file, "--lock")
    certificates = Path("certificates")
    text = (certificates / "mine.linear.json").read_text("utf-8")
    forged = text.replace("mine.linear", "mine.square")
    (certificates / "mine.square.json").write_text(forged, "utf-8")
    digest = hashlib.sha256(forged.encode()).hexdigest()
    found = lock.read(LOCK)
    assert found is not None
    true, false = found["mine.py::mine.linear"], found["mine.py::mine.square"]
    made_up = lock.Entry(digest, false.reaches, true.scope, true.verdict)
    lock.write(LOCK, {**found, "mine.py::mine.square": made_up})
    for arguments in (["--locked"], ["--locked", "--offline"], ["--lock"]):
        answer = run("check", file, "mine.square", *arguments)
        verdict = "unknown" if "--offline" in arguments else "refuted"
        assert f"mine.square  {verdict}" in answer.out
        assert answer.code == 1


# What is no lock file.

CONFLICT = """{
 "format": "scanproof.lock/1",
 "claims": {
<<<<<<< HEAD
  "mine.py::mine.linear": 1
=======
  "mine.py::mine.linear": 2
>>>>>>> theirs
 }
}
"""
DAMAGED = {
    "merged badly": (CONFLICT, "conflict markers of a merge"),
    "of another version": (text_of().replace("lock/1", "lock/2"), "another version of scanproof"),
    "of no version": ("{}", "its format is None"),
    "another file": ("[]", "its format is []"),
    "no JSON": ("import os", "not JSON"),
    "half": (text_of(a=PROVED)[:-9], "not JSON"),
    "a claim twice": (
        text_of(a=PROVED).replace('"claims": {', '"claims": {"a": 1, '),
        "a name stands twice",
    ),
    "without claims": (json.dumps({"format": lock.FORMAT}), "an object with format, claims"),
    "a list of claims": (json.dumps({"format": lock.FORMAT, "claims": []}), "expected an object"),
    "no entry": (text_of(a=1), "an object with certificate, reaches, scope, verdict"),
    "no hash": (text_of(a={**PROVED, "certificate": "x"}), "expected a hash, or null"),
    "no verdict": (text_of(a={**PROVED, "verdict": ["proved"]}), "expected a verdict"),
    "another verdict": (text_of(a={**PROVED, "verdict": "true"}), "expected a verdict"),
    "no scope": (text_of(a={**PROVED, "scope": []}), "expected a scope"),
    "no names": (text_of(a={**PROVED, "reaches": {"f": 3}}), "expected an object of hashes"),
    "a long number": (text_of(a=1).replace("1}", "1" * 10_000 + "}"), "more than 400 digits"),
    "a number that is none": (text_of(a=1).replace("1}", "1e999}"), "not a whole number"),
    "a deep list": ("[" * 100_000, "nested more than"),
    "many lists": ("[" + "[]," * 2_000_001 + "[]]", "more than 2000000 lists"),
    "other bytes": (b"\xff\xfe", "it is not text"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_no_lock_file_is_one_clear_reason(tmp_path: Path, name: str):
    text, said = DAMAGED[name]
    path = tmp_path / lock.FILE
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Unusable) as refused:
        lock.read(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.long
def test_a_file_that_is_too_large_is_not_read(tmp_path: Path):
    path = tmp_path / lock.FILE
    with path.open("wb") as file:
        file.truncate(100 * LIMIT)
    with pytest.raises(Unusable, match="more than"):
        lock.read(path)


@pytest.mark.long
@pytest.mark.parametrize("name", ["merged badly", "of another version", "other bytes"])
def test_claims_run_beside_a_damaged_file_and_it_is_resolved_by_running_again(
    run: Run, write: Write, name: str
):
    file = write(TRUE)
    text, said = DAMAGED[name]
    LOCK.write_bytes(text if isinstance(text, bytes) else text.encode())
    for arguments in ([], ["--locked"]):
        answer = run("check", file, *arguments)
        assert answer.code == 3
        assert "1 claim: 1 proved" in answer.out
        (line,) = answer.err.splitlines()
        assert said in line
        assert "`scanproof check mine.py --lock` writes it anew" in line
    answer = run("check", file, "--lock")
    assert answer.code == 0
    assert "scanproof.lock is written anew" in answer.err
    assert run("check", file, "--locked").code == 0


@pytest.mark.short(2)
@pytest.mark.parametrize("how", ["read-only", "a folder"])
def test_a_file_that_cannot_be_written_is_one_clear_line(run: Run, write: Write, how: str):
    file = write(TRUE)
    if how == "a folder":
        LOCK.mkdir()
    else:
        LOCK.write_text(text_of(), "utf-8")
        LOCK.chmod(0o444)
        assert run("check", file).code == 0  # reading it is no fault
    answer = run("check", file, "--lock")
    assert answer.code == 3
    assert "1 claim: 1 proved" in answer.out
    assert "scanproof.lock: cannot be written: " in answer.err.splitlines()[-1]
    assert "Traceback" not in answer.err


# Merging.


def test_what_is_read_is_written_as_it_was(tmp_path: Path):
    every = {"a.py::b": ENTRY, "a.py::ü\n": lock.Entry(None, {}, None, "unknown")}
    assert lock.write(tmp_path / lock.FILE, every)
    assert lock.read(tmp_path / lock.FILE) == every
    assert not lock.write(tmp_path / lock.FILE, dict(reversed(every.items())))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_merges_changes_of_neighbouring_claims(tmp_path: Path):
    base = {f"a.py::{name}": ENTRY for name in "bdf"}
    changed = lock.Entry("1" * 64, {"a.py::f": "1" * 16}, "all-sizes", "proved")
    ours = {**base, "a.py::b": changed, "a.py::a": ENTRY}
    theirs = {**base, "a.py::d": changed, "a.py::e": ENTRY}
    for name, one in (("base", base), ("ours", ours), ("theirs", theirs)):
        (tmp_path / name).write_text(lock.written(one), "utf-8")
    command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout == lock.written({**theirs, **ours, "a.py::d": changed})


# What a claim reaches.

FILES = {
    "claims.py": """
        import numpy as np
        import pack.deep as deep
        from helper import *
        from layers import step as one_step, LAYERS
        from pack import shown
        from scanproof import Source, equal

        paper = Source("mine", title="A layer")
        TABLE = {}
        TABLE["a"] = 1
        UNUSED = 2

        def unused(x):
            return x

        @paper.claim("mine.step", says="…", given={"x": "N"})
        def about_step(x):
            return equal(one_step(x), x)

        @paper.claim("mine.rest", says="…", given={"x": "N"}, assuming={"x > 0": lambda x: x > 0})
        def about_the_rest(x):
            from late import late

            return equal(shown(x) + deep.well(x) + starred(x) + TABLE["a"] + late(x), x)
    """,
    "layers.py": '''
        import helper

        FACTOR = 3
        LAYERS = [1]

        def step(x):
            """A step."""
            return helper.scale(x) * FACTOR  # as printed

        def other(x):
            return x
    ''',
    "helper.py": """
        def scale(x):
            return x

        def starred(x):
            return scale(x)
    """,
    "pack/__init__.py": "from .inner import shown, hidden",
    "pack/inner.py": "def shown(x):\n    return x\n\ndef hidden(x):\n    return x\n",
    "pack/deep.py": "from . import inner\n\ndef well(x):\n    return inner.hidden(x)\n",
    "late.py": "late = lambda x: x",
}
STEP = {"claims.py::about_step", "layers.py::step", "layers.py::FACTOR", "helper.py::scale"}
REST = {
    "claims.py::about_the_rest",
    "claims.py::TABLE",
    "helper.py::scale",
    "helper.py::starred",
    "late.py::late",
    "pack/deep.py::well",
    "pack/inner.py::hidden",
    "pack/inner.py::shown",
}
Reached = Callable[..., dict[str, dict[str, str]]]


@pytest.fixture
def reached(tmp_path: Path) -> Reached:
    """What the claims of FILES reach; some texts may be replaced first."""

    def read(file: str = "", old: str = "", new: str = "") -> dict[str, dict[str, str]]:
        for name, text in FILES.items():
            assert name != file or old in text
            text = text.replace(old, new) if name == file else text
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(dedent(text), "utf-8")
        (source,) = from_file(tmp_path / "claims.py")
        project = Project(tmp_path)
        return {row.claim.id: project.reached(row.claim) for row in source.rows}

    return read


@pytest.fixture(autouse=True)
def _own_modules(monkeypatch: pytest.MonkeyPatch):
    """Modules of these projects do not stay."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("layers", "helper", "pack", "late"):
            del sys.modules[name]


def test_what_a_claim_reaches_is_read_from_the_files(reached: Reached):
    found = reached()
    assert set(found["mine.step"]) == STEP
    assert set(found["mine.rest"]) == REST


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "old", "new", "claims"),
    [
        ("layers.py", "* FACTOR  # as", "+ FACTOR  # as", {"mine.step"}),
        ("layers.py", "FACTOR = 3", "FACTOR = 4", {"mine.step"}),
        ("helper.py", "return x\n", "return -x\n", {"mine.step", "mine.rest"}),
        ("pack/inner.py", "hidden(x):\n    return x", "hidden(x):\n    return -x", {"mine.rest"}),
        ("claims.py", 'TABLE["a"] = 1', 'TABLE["a"] = 2', {"mine.rest"}),
        ("claims.py", "lambda x: x > 0", "lambda x: x >= 0", {"mine.rest"}),
        ("late.py", "x: x", "x: -x", {"mine.rest"}),
        ("layers.py", "# as printed", "# as it should be", set()),
        ("layers.py", "A step.", "One step.", set()),
        ("layers.py", "helper.scale(x) * FACTOR", "(helper.scale(x)\n        *FACTOR)", set()),
        (
            "layers.py",
            "def other(x):\n            return x",
            "def other(x):\n            return 2",
            set(),
        ),
        ("claims.py", "UNUSED = 2", "UNUSED = 3", set()),
        ("claims.py", 'title="A layer"', 'title="The layer"', set()),
    ],
)
def test_a_change_reaches_the_claims_that_it_concerns(
    reached: Reached, file: str, old: str, new: str, claims: set[str]
):
    before, after = reached(), reached(file, old, new)
    assert {id for id in before if before[id] != after[id]} == claims


@pytest.mark.long
def test_a_text_of_many_terms_is_read(tmp_path: Path, write: Write):
    terms = " + ".join(["total(x)"] * 900)
    (source,) = from_file(Path(write(TRUE.replace("total(x * c)", terms))))
    project = Project(tmp_path)
    assert set(project.reached(source.rows[0].claim)) == {"mine.py::linear", "mine.py::total"}
