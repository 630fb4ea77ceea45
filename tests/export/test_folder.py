"""The folder of an export: it appears whole or not at all, and takes the place of nothing but an export."""

import os
import shutil
from pathlib import Path

import pytest

from scanproof.constructs.errors import UsageError
from scanproof.numeric.export import folder
from scanproof.numeric.export.folder import ENCODING, MANIFEST, WEIGHTS

OLD = {WEIGHTS: b"old", ENCODING: b"old", MANIFEST: b"old"}
NEW = {WEIGHTS: b"new", ENCODING: b"new"}


def written(path: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in path.iterdir()}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An export that is there."""
    folder.write(tmp_path / "out", OLD)
    return tmp_path / "out"


def test_a_folder_is_made_with_its_files_and_nothing_beside_it(tmp_path):
    folder.write(tmp_path / "out", NEW)
    assert written(tmp_path / "out") == NEW
    assert os.listdir(tmp_path) == ["out"]


def test_its_permissions_are_those_of_any_new_folder(tmp_path):
    (tmp_path / "usual").mkdir()
    folder.write(tmp_path / "out", NEW)
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_relative_path_with_dots_and_a_slash_at_its_end_is_fine(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    folder.write(Path("../out/"), NEW)
    assert written(tmp_path / "out") == NEW


def test_what_is_there_stays_unless_it_is_an_export_and_force_is_given(out):
    with pytest.raises(UsageError, match="it exists; --force replaces an export"):
        folder.write(out, NEW)
    assert written(out) == OLD
    folder.write(out, NEW, force=True)
    assert written(out) == NEW
    assert os.listdir(out.parent) == ["out"]


def test_force_fills_an_empty_folder(tmp_path):
    (tmp_path / "out").mkdir()
    folder.write(tmp_path / "out", NEW, force=True)
    assert written(tmp_path / "out") == NEW


def an_extra_file(path: Path) -> None:
    (path / "thesis.tex").write_text("years of work")


def an_extra_folder(path: Path) -> None:
    (path / "photos").mkdir()


def a_folder_for_a_file(path: Path) -> None:
    (path / MANIFEST).unlink()
    (path / MANIFEST).mkdir()


def a_link_for_a_file(path: Path) -> None:
    (path / MANIFEST).unlink()
    (path / MANIFEST).symlink_to("/etc/hostname")


def a_hidden_file(path: Path) -> None:
    (path / ".git").write_text("")


def no_encoding(path: Path) -> None:
    (path / ENCODING).unlink()


def a_file_in_the_way(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("a list of things to buy")


def a_link_to_a_folder(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


def a_dangling_link(path: Path) -> None:
    shutil.rmtree(path)
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (an_extra_file, "this one holds 'thesis.tex'"),
        (an_extra_folder, "this one holds 'photos'"),
        (a_folder_for_a_file, f"this one holds '{MANIFEST}'"),
        (a_link_for_a_file, f"this one holds '{MANIFEST}'"),
        (a_hidden_file, "this one holds '.git'"),
        (no_encoding, f"this one has no {WEIGHTS} with {ENCODING}"),
        (a_file_in_the_way, "this is not a folder"),
        (a_link_to_a_folder, "this is a link"),
        (a_dangling_link, "this is a link"),
    ],
)
def test_force_replaces_nothing_but_exports(out, change, complaint):
    change(out)
    before = sorted(out.parent.rglob("*"))
    with pytest.raises(UsageError, match=complaint):
        folder.write(out, NEW, force=True)
    assert sorted(out.parent.rglob("*")) == before


@pytest.mark.parametrize("path", ["/", "/usr", "."])
def test_force_spares_folders_that_matter(path, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--force replaces exports only, and this"):
        folder.check(Path(path), force=True)


def test_a_parent_that_is_missing_or_a_file_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"/a does not exist; make it"):
        folder.write(tmp_path / "a" / "out", NEW)
    (tmp_path / "a").write_text("")
    with pytest.raises(UsageError, match=r"/a is not a folder; make it"):
        folder.write(tmp_path / "a" / "out", NEW)


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"], ids=["too long", "a zero byte"])
def test_a_name_that_no_file_can_have_is_told(name, tmp_path):
    with pytest.raises(UsageError, match="cannot write there"):
        folder.write(tmp_path / name, NEW)
    assert os.listdir(tmp_path) == []


def test_a_parent_that_is_write_protected_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(
        os, "access", lambda path, mode: path != tmp_path
    )  # root may write anywhere
    with pytest.raises(UsageError, match="is write-protected; name another folder"):
        folder.write(tmp_path / "out", NEW)


def test_an_export_that_is_write_protected_is_told(out, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != out)
    with pytest.raises(UsageError, match="this one is write-protected"):
        folder.write(out, NEW, force=True)


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("when", [0, 1])
def test_a_write_that_fails_leaves_everything_as_it_was(out, monkeypatch, failure, when):
    writes = []

    def fail(self: Path, content: bytes) -> int:
        writes.append(self)
        if len(writes) > when:
            raise failure
        with self.open("wb") as opened:
            return opened.write(content)

    monkeypatch.setattr(Path, "write_bytes", fail)
    expected = UsageError if isinstance(failure, OSError) else KeyboardInterrupt
    for force, path in ((True, out), (False, out.parent / "other")):
        writes.clear()
        with pytest.raises(expected):
            folder.write(path, NEW, force=force)
        assert os.listdir(out.parent) == ["out"] and written(out) == OLD


@pytest.mark.parametrize("failure", [OSError(16, "Device or resource busy"), KeyboardInterrupt()])
@pytest.mark.parametrize("when", [1, 2])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_an_exchange_that_is_interrupted_leaves_one_whole_export(
    out, monkeypatch, failure, when, after
):
    rename, calls = os.rename, []

    def fail(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == when and not after:
            raise failure
        rename(source, target)
        if len(calls) == when and after:
            raise failure

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(UsageError if isinstance(failure, OSError) else KeyboardInterrupt):
        folder.write(out, NEW, force=True)
    assert written(out) == (NEW if when == 2 and after else OLD)
    assert os.listdir(out.parent) == ["out"]
