"""The first minutes: `scanproof init`, and `scanproof check` of a folder."""

import pytest

from scanproof import _main

CLAIM = """
from scanproof import Source, definition, equal
mine = Source("{name}", title="mine")
@definition
def total(x):
    return x.sum()
@mine.claim("{name}.one", says="x", given={{"x": "n"}})
def one(x):
    return equal(total(x) * 2, total({right}))
"""


@pytest.mark.long
def test_the_starter_has_true_claims_and_one_that_is_false(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert _main.run(["init"]) == 0
    said = capsys.readouterr().out
    assert _main.run(["check", ".", "--jobs", "1"]) == 1
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    for id in ("mine.parallel", "mine.resume", "mine.attention"):
        assert [id, "proved"] in lines
    assert ["mine.descent", "refuted"] in lines
    assert "scanproof check claims.py" in said


@pytest.mark.long
def test_the_starter_s_false_claim_is_mended_as_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _main.run(["init", "claims_memory.py"])
    path = tmp_path / "claims_memory.py"
    text = path.read_text(encoding="utf-8")
    false = "np.sum((W @ token.k - token.v) ** 2) / 2"
    assert text.count(false) == 1
    path.write_text(text.replace(false, "-token.v @ W @ token.k"), encoding="utf-8")
    assert _main.run(["check", str(path), "mine.descent", "--jobs", "1", "--strict"]) == 0
    assert "1 claim: 1 proved" in capsys.readouterr().out


def test_init_writes_into_a_folder_and_never_over_a_file(tmp_path, capsys):
    assert _main.run(["init", str(tmp_path)]) == 0
    before = (tmp_path / "claims.py").read_text(encoding="utf-8")
    (tmp_path / "claims.py").write_text(before + "# mine\n", encoding="utf-8")
    assert _main.run(["init", str(tmp_path)]) == 3
    assert "is left as it is" in capsys.readouterr().err
    assert (tmp_path / "claims.py").read_text(encoding="utf-8").endswith("# mine\n")


@pytest.mark.parametrize(
    ("name", "words"),
    [("claims.txt", "must end in .py"), ("/dev/null/claims.py", "cannot write there")],
)
def test_init_says_where_it_cannot_write(tmp_path, monkeypatch, capsys, name, words):
    monkeypatch.chdir(tmp_path)
    assert _main.run(["init", name]) == 3
    assert words in capsys.readouterr().err


@pytest.mark.long
def test_claim_files_of_a_folder_are_found_by_their_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = {
        "claims.py": CLAIM.format(name="a", right="x + x"),
        "sub/claims_two.py": CLAIM.format(name="b", right="2 * x"),
        "sub/deeper/three_claims.py": CLAIM.format(name="c", right="x"),
        "sub/others.py": "raise SystemExit('not a claim file')",
        "sub/insurance_claims.py": "raise SystemExit('imports nothing')",
        "build/claims.py": "import scanproof; raise SystemExit('built')",
        ".hidden/claims.py": "import scanproof; raise SystemExit('hidden')",
        "env/claims.py": "import scanproof; raise SystemExit('an environment')",
        "env/pyvenv.cfg": "",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert _main.run(["check", ".", "--jobs", "1"]) == 1
    found = capsys.readouterr()
    assert "3 claims: 2 proved, 1 refuted" in found.out
    assert not found.err
    assert _main.run(["check", "sub", "c.*", "b.*", "--jobs", "1"]) == 1
    assert "2 claims: 1 proved, 1 refuted" in capsys.readouterr().out
    assert _main.run(["list", "sub"]) == 0
    assert "c.one" in capsys.readouterr().out


def test_a_folder_without_claim_files_says_how_they_are_called(tmp_path, capsys):
    assert _main.run(["check", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert "claims.py, *_claims.py, claims_*.py" in said
    assert "scanproof init" in said
