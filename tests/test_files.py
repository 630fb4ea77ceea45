"""Files are written in one step: whole, or not at all."""

import stat
from pathlib import Path

import pytest

from scanproof.proofs.decide import files
from scanproof.proofs.decide.files import replace


def test_a_file_is_replaced_and_its_mode_stays(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_text("old")
    path.chmod(0o664)
    replace(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    assert [one.name for one in tmp_path.iterdir()] == ["page.md"]


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path):
    other, path = tmp_path / "other.txt", tmp_path / "link.json"
    other.write_text("mine")
    path.symlink_to(other)
    replace(path, "new")
    assert (other.read_text(), path.read_text(), path.is_symlink()) == ("mine", "new", False)


def test_what_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(text: object) -> bytes:
        raise OSError("no space left")

    path = tmp_path / "page.md"
    path.write_text("old")
    monkeypatch.setattr(files, "as_bytes", full)
    with pytest.raises(OSError, match="no space"):
        replace(path, "new")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("page.md", "old")]


def test_two_writers_of_one_folder_do_not_meet(tmp_path: Path):
    assert files.unfinished(tmp_path / "a.json") != files.unfinished(tmp_path / "b.json")
