"""`scanproof check`: which claims it takes, what it prints, where, and with which exit code."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from command_line import (
    BADLY_MENDED,
    KNOWN,
    MENDED,
    TRUE,
    UNKNOWN,
    Run,
    Write,
    ids,
    left_behind,
    one_line,
    untimed,
)


@pytest.mark.long
def test_true_claim_of_a_file_is_proved(run: Run, write: Write):
    answer = run("check", write(TRUE))
    assert answer.code == 0
    assert "mine.linear  proved " in answer.out
    assert "*" not in answer.out


@pytest.mark.long
def test_false_claim_of_a_file_exits_1_even_if_mended(run: Run, write: Write):
    answer = run("check", write(TRUE, MENDED))
    assert answer.code == 1
    assert "5 against the claimed 9 at N = 2" in answer.out
    (told,) = [line for line in answer.out.splitlines() if "mine.square+one " in line]
    assert told.startswith("  scanproof show mine.py mine.square+one  refuted  mine.py:")
    assert told.endswith(": 5 against the claimed 9 at N = 2")
    assert "\x1b" not in answer.out
    assert "└ +one" in run("check", write(MENDED), "--long").out


@pytest.mark.long
def test_line_that_a_source_gets_wrong_exits_0_if_mended(run: Run):
    assert run("check", KNOWN, "--strict", "--offline").code == 0


@pytest.mark.long
def test_unknown_claim_exits_2_only_with_strict(run: Run, write: Write):
    file = write(UNKNOWN)
    assert run("check", file).code == 0
    assert run("check", file, "--strict").code == 2


@pytest.mark.long
def test_refuted_amendment_exits_1(run: Run, write: Write):
    assert run("check", write(BADLY_MENDED)).code == 1


@pytest.mark.long
def test_built_in_source_that_a_file_imports_is_not_the_files_own(run: Run, write: Write):
    imported = "from scanproof.proofs.claims.gd_ssm import SOURCE\n"
    assert ids(run("check", write(UNKNOWN, imported), "--format", "json").out) == ["mine.open"]
    Path("mine.py").write_text(imported, encoding="utf-8")
    assert "mine.py defines no source of its own" in one_line(run("check", "mine.py"))


@pytest.mark.long
def test_file_and_built_in_ids_are_checked_together_and_an_amendment_id_selects_its_claim(
    run: Run, write: Write
):
    answer = run("check", write(UNKNOWN), f"{KNOWN}+sign", "--format", "json")
    assert ids(answer.out) == ["mine.open", KNOWN]


@pytest.mark.long
def test_pattern_picks_among_the_claims_of_a_file(run: Run, write: Write):
    answer = run("check", write(TRUE, UNKNOWN), "mine.o*", "--format", "json")
    assert ids(answer.out) == ["mine.open"]


@pytest.mark.long
def test_source_option_keeps_that_source_only(run: Run, write: Write):
    answer = run("check", write(UNKNOWN), KNOWN, "--source", "mine", "--format", "json")
    assert ids(answer.out) == ["mine.open"]


def test_importable_module_is_a_target(run: Run, write: Write):
    write(TRUE, name="inpackage", file="somepackage/claims.py")
    assert ids(run("check", "somepackage.claims", "--format", "json").out) == ["inpackage.linear"]


@pytest.mark.long
def test_prints_of_a_claim_file_do_not_mix_with_the_report(run: Run, write: Write):
    answer = run("check", write(UNKNOWN, "print('hello')\n"), "--format", "json")
    assert ids(answer.out) == ["mine.open"]
    assert answer.err == "hello\n"


@pytest.mark.long
def test_engine_option_chooses_the_engine(run: Run, write: Write):
    answer = run("check", write(TRUE), "--engine", "sympy", "--format", "json")
    (claim,) = json.loads(answer.out)["claims"]
    assert {entry["engine"] for entry in claim["as_stated"]["evidence"]} == {"sympy", "modular"}


@pytest.mark.long
@pytest.mark.parametrize("format", ["table", "json", "junit", "markdown"])
def test_output_file_holds_what_would_have_been_printed(run: Run, write: Write, format: str):
    file = write(UNKNOWN)
    printed = run("check", file, "--format", format)
    written = run("check", file, "--format", format, "--output", "report")
    assert (written.code, written.out) == (0, "")
    assert untimed(Path("report").read_text("utf-8")) == untimed(printed.out)
    assert left_behind() == {"mine.py", "report"}


@pytest.mark.long
def test_output_keeps_the_mode_of_the_file_it_replaces(run: Run, write: Write):
    Path("report").write_text("old", encoding="utf-8")
    Path("report").chmod(0o640)
    assert run("check", write(UNKNOWN), "--output", "report").code == 0
    assert stat.S_IMODE(Path("report").stat().st_mode) == 0o640


@pytest.mark.long
def test_output_may_be_a_device(run: Run, write: Write):
    assert run("check", write(UNKNOWN), "--output", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.long
def test_a_claim_that_is_edited_within_a_second_is_the_edited_one(run: Run, write: Write):
    file = write(TRUE)
    assert run("check", file, "--engine", "flint").code == 0
    write(TRUE.replace("total(x) * c", "total(x) + c"))  # as long as before
    assert run("check", file, "--engine", "flint").code == 1
    assert not list(Path(file).resolve().parent.rglob("__pycache__"))


@pytest.mark.long
def test_files_of_one_name_in_two_folders_are_read_each(run: Run, write: Write):
    other = write(UNKNOWN, name="b", file="b/claims.py")
    wrong = TRUE.replace("total(x) * c)", "total(x) * c * c)")
    for text, code in ((UNKNOWN, 0), (wrong, 1)):
        assert run("check", write(text, name="a", file="a/claims.py"), other).code == code


IMPORTING = """
    @paper.claim("{name}.scaled", says="Σ c x_i = 2 Σ x_i", given={{"x": "N"}})
    def scaled(x):
        from lazy import c

        return equal(total(x * c), total(x) * 2)
"""


@pytest.mark.long
def test_bodies_import_from_the_folder_of_their_file(run: Run, write: Write):
    files = []
    for c, name in ((2, "a"), (3, "b")):
        files.append(write(IMPORTING, name=name, file=f"{name}/claims.py"))
        Path(name, "lazy.py").write_text(f"c = {c}", encoding="utf-8")
    report = json.loads(run("check", *files, "--format", "json").out)
    verdicts = {one["id"]: one["as_stated"]["verdict"] for one in report["claims"]}
    assert verdicts == {"a.scaled": "proved", "b.scaled": "refuted"}
    assert "lazy" not in sys.modules
    assert not any(str(Path(name).resolve()) in sys.path for name in "ab")
