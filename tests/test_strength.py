"""The faults that `make test-strength` plants."""

import ast
from pathlib import Path

import pytest
from strength.__main__ import COUNT, NO_CHANGE, ROOT
from strength.faults import FOLDERS, drawn, places
from strength.related import nearest

FILE = "proofs/kernel/index.py"


@pytest.mark.long
def test_a_fault_is_one_place_of_a_file_that_stays_python_and_means_something_else():
    text = (ROOT / FILE).read_bytes()
    tree = ast.dump(ast.parse(text))
    found = list(places(ROOT, ROOT / FILE))
    assert len(found) > 100
    for fault in found:
        assert ast.dump(ast.parse(fault.planted(text))) != tree, fault.name


def test_each_folder_of_the_list_has_python():
    assert all(list((ROOT / folder).rglob("*.py")) for folder in FOLDERS)


@pytest.mark.long
def test_tests_that_import_a_file_come_before_those_that_reach_it_through_others():
    _, tests = nearest(ROOT, "numeric/ops/streaming.py")
    first, other = (tests.index(f"tests/{n}.py") for n in ("test_ops_streaming", "test_kernel"))
    assert first < other


@pytest.mark.long
def test_faults_that_are_said_to_change_nothing_can_still_be_planted():
    lines = Path(NO_CHANGE).read_text(encoding="utf-8").splitlines()
    named = {line.partition(" # ")[0] for line in lines if line}
    files = {name.partition(" ")[0] for name in named}
    assert named <= {fault.name for file in files for fault in places(ROOT, ROOT / file)}


@pytest.mark.long
def test_a_draw_has_as_many_faults_as_are_asked_for_and_none_twice():
    faults = drawn(ROOT, COUNT)
    assert len({(fault.path, fault.start, fault.after) for fault in faults}) == COUNT
    assert {fault.path.startswith(FOLDERS) for fault in faults} == {True}
