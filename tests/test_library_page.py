"""The examples on the library's page run, and print what the page says."""

import re
import sys
from pathlib import Path

import pytest
from test_pages import LANGUAGE, PROVE, python_of

pytest.importorskip("jax")
PAGE = (Path(__file__).resolve().parents[1] / "docs" / "library.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", PAGE, re.S)


@pytest.mark.long
def test_the_page_s_examples_print_what_stands_under_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "mymodule", None)  # and is forgotten after the test
    del sys.modules["mymodule"]
    for name, page, marker in (
        ("mymodule", PROVE, "def forward("),
        ("mypaper", LANGUAGE, "mypaper.eq2"),
    ):
        (tmp_path / f"{name}.py").write_text(python_of(page, marker), encoding="utf-8")
    known: dict[str, object] = {}
    for number, (code, printed) in enumerate(BLOCKS):
        exec(compile(code, f"example {number}", "exec"), known)
        assert capsys.readouterr().out == printed
    assert len(BLOCKS) == PAGE.count("```python") == 4
