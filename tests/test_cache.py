"""What was checked before is remembered as long as nothing that it is made of changes, and not a moment longer."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from command_line import EXITING, FALSE, KNOWN, MENDED, RAISING, TRUE, UNKNOWN, Run, Write

from scanproof.proofs.decide import cache
from scanproof.proofs.decide.cache import FILE, Cache, Keys
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.row_verdicts import check
from scanproof.proofs.decide.verdict import NOWHERE, Result
from scanproof.proofs.exact.engines import ENGINES

ASKED = (ENGINES["all"].names, NOWHERE)
HELPED = """
    from helper import FACTOR

    @paper.claim("{name}.helped", says="Σ c x_i = c Σ x_i", given={{"x": "N"}})
    def helped(x):
        return equal(total(x * 2), total(x) * FACTOR)
"""
HELPED_LATER = """
    @paper.claim("{name}.helped", says="Σ c x_i = c Σ x_i", given={{"x": "N"}})
    def helped(x):
        import helper

        return equal(total(x * 2), total(x) * helper.FACTOR)
"""


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of this test's own, used as outside CI."""
    monkeypatch.delenv("CI")
    monkeypatch.setenv("SCANPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def remembered(text: str) -> int:
    return json.loads(text)["timing"]["remembered"]


def _untimed(text: str) -> Any:
    return {**json.loads(text), "timing": None}


def checked(run: Run, *arguments: str) -> Any:
    return run("check", *arguments, "--format", "json")


@pytest.mark.long
@pytest.mark.usefixtures("own")
def test_a_second_check_remembers_all_and_says_the_same(run: Run, write: Write):
    file = write(TRUE, MENDED, UNKNOWN)
    first, second = (checked(run, file, KNOWN) for _ in range(2))
    assert (remembered(first.out), remembered(second.out)) == (0, 6)
    assert _untimed(first.out) == _untimed(second.out)
    assert first.code == second.code == 1
    assert "remembered" in run("check", file).out


def test_the_ledger_warm_is_the_ledger_cold(
    report: dict[str, Any], kept: Path, request: pytest.FixtureRequest
):
    asked = {row["id"] for row in report["claims"]}
    rows = [row for row in built_in().rows if row.claim.id in asked]
    again = check(built_in(), rows, cache=Cache(kept / request.node.callspec.params["report"]))
    statements = sum(1 + len(row["amended"]) for row in report["claims"])
    assert again["timing"]["remembered"] == statements
    one, other = (json.dumps({**found, "timing": {}}) for found in (report, again))
    assert one == other


@pytest.mark.usefixtures("own")
def test_a_claim_that_is_edited_is_checked_again(run: Run, write: Write):
    assert run("check", write(TRUE)).code == 0
    assert run("check", write(TRUE.replace("total(x) * c)", "total(x) * c * c)"))).code == 1


@pytest.mark.usefixtures("own")
def test_a_claim_is_checked_again_if_a_file_of_that_name_in_another_folder_is_read_after_it(
    run: Run, write: Write
):
    other = write(TRUE, name="b", file="b/claims.py")
    for text, code in ((TRUE, 0), (TRUE.replace("total(x) * c)", "total(x) * c * c)"), 1)):
        assert run("check", write(text, name="a", file="a/claims.py"), other).code == code


@pytest.mark.short("claim1")
@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("claim", [HELPED, HELPED_LATER])
def test_a_claim_whose_helper_is_edited_is_checked_again(
    run: Run, write: Write, claim: str, monkeypatch: pytest.MonkeyPatch
):
    import sys

    file = write(claim)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    for factor, code in ((2, 0), (3, 1), (2, 0)):
        Path("helper.py").write_text(f"FACTOR = {factor}\n", encoding="utf-8")
        sys.modules.pop("helper", None)
        for path in Path("__pycache__").glob("helper*"):
            path.unlink()
        assert run("check", file).code == code
    sys.modules.pop("helper", None)


@pytest.mark.long
def test_nothing_is_remembered_in_ci_or_if_one_says_so(
    run: Run, write: Write, own: Path, monkeypatch: pytest.MonkeyPatch
):
    file = write(TRUE)
    checked(run, file)
    assert remembered(checked(run, file).out) == 1
    assert remembered(checked(run, file, "--no-cache").out) == 0
    monkeypatch.setenv("CI", "1")
    assert remembered(checked(run, file).out) == 0
    assert remembered(checked(run, file, "--cache").out) == 1


@pytest.mark.long
@pytest.mark.usefixtures("own")
def test_errors_and_proofs_that_are_saved_are_not_remembered(run: Run, write: Write):
    file = write(RAISING, EXITING, TRUE)
    for expected in (0, 1, 1):
        assert remembered(checked(run, file).out) == expected
    assert remembered(checked(run, file, "--save-proofs", "proofs").out) == 0
    assert list(Path("proofs").glob("*.json"))


@pytest.mark.short("no database")
@pytest.mark.parametrize("text", [b"", b"no database", b"SQLite format 3\0" + bytes(2000)])
def test_a_damaged_cache_is_as_none(run: Run, write: Write, own: Path, text: bytes):
    own.mkdir()
    (own / FILE).write_bytes(text)
    file = write(FALSE)
    assert run("check", file).code == 1
    assert run("check", file).err == ""


@pytest.mark.long
def test_a_result_that_is_none_is_not_believed(run: Run, write: Write, own: Path):
    file = write(FALSE)
    checked(run, file)
    for nonsense in ("[]", "{", '{"verdict": "proved"}', '{"counterexample": 3}'):
        with sqlite3.connect(own / FILE) as database:
            database.execute("UPDATE verdicts SET result = ?", (nonsense,))
        assert run("check", file).code == 1


@pytest.mark.long
def test_where_nothing_can_be_written_all_is_checked(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.delenv("CI")
    (tmp_path / "taken").write_text("a file, no folder", encoding="utf-8")
    monkeypatch.setenv("SCANPROOF_CACHE", str(tmp_path / "taken"))
    file = write(TRUE)
    assert [run("check", file).code for _ in range(2)] == [0, 0]


def test_every_statement_of_the_ledger_has_a_key_of_its_own():
    claims = [c for row in built_in().rows for c in (row.claim, *row.amendments)]
    keys = [Keys().of(claim, *ASKED) for claim in claims]
    assert len(set(keys)) == len(claims)
    assert Keys().of(claims[0], ENGINES["flint"].names, NOWHERE) != keys[0]


def test_a_key_depends_on_the_definitions_that_a_claim_imports():
    rows = {row.claim.id: row.claim for row in built_in().rows}
    for id, own in (
        ("gril.eq2-match", "proofs/claims/gril/scalar.py"),
        ("gril.prop4.1", "constructs/constructions/gril.py"),  # the body is none of its own
    ):
        modules = {function.__module__ for function in rows[id].functions}
        files = cache._reached(path for name in modules for path in cache._files_of(name))
        names = {Path(path).relative_to(cache.ROOT).as_posix() for path in files}
        assert {"constructs/layers/gril.py", "constructs/arrays/scan.py", own} <= names
        assert "proofs/claims/ssd/duality.py" not in names


def test_what_nobody_asked_for_in_a_long_time_is_forgotten(tmp_path: Path):
    (row, *_) = built_in().rows
    for days, expected in ((1, {row.claim.id}), (61, set())):
        first = Cache(tmp_path)
        first.recall([(row.claim, *ASKED)])
        first.keep(row.claim.id, Result("unknown", reason="…"))
        first._ask("UPDATE verdicts SET used = used - ?", days * 24 * 3600)
        first.close()
        assert set(Cache(tmp_path).recall([(row.claim, *ASKED)])) == expected
