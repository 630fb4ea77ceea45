"""How one names claims of one's own: what is meant is said where a name is none of a claim's."""

import sys
from pathlib import Path

import pytest
from command_line import FALSE, TRUE, Run, Write, one_line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "mine.linear"), "`scanproof check FILE.py mine.linear`"),
        (("show", "mine.linear"), "`scanproof show FILE.py mine.linear`"),
        (("check", "mine.py::mine.linear"), "`scanproof check mine.py mine.linear`"),
        (("show", "mine.py::mine.linear"), "`scanproof show mine.py mine.linear`"),
        (("check", "gril.eq99"), "nearest: gril.eq"),
    ],
)
def test_a_name_that_is_no_claim_s_is_answered_with_the_call_that_is_meant(
    run: Run, write: Write, arguments: tuple[str, ...], said: str
):
    write(TRUE)
    assert said in one_line(run(*arguments))


@pytest.mark.long
def test_what_check_says_to_run_of_a_module_s_claims_runs(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
):
    file = Path(write(FALSE))
    monkeypatch.delitem(sys.modules, file.stem, raising=False)
    table = run("check", file.stem).out
    assert "scanproof show mine mine.square" in table
    assert run("show", "mine", "mine.square").code == 0


@pytest.mark.long
def test_a_folder_that_is_not_there_is_named_once_as_it_was_given(run: Run):
    assert one_line(run("check", "nowhere/")).count("nowhere") == 1


def test_what_is_asked_of_a_mistyped_command_is_a_sentence(run: Run):
    assert "Did you mean 'check'? `scanproof --help`" in one_line(run("chek"))


def test_init_makes_the_folder_that_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert run("init", "claims/claims_memory.py").code == 0
    assert Path("claims/claims_memory.py").is_file()
