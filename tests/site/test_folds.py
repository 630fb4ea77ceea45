"""What a heavy page folds lies on pages beside it, and nothing of it is lost."""

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folds():
    """The module that does it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield importlib.import_module("_site.folds")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def fold(title, inside):
    return f"<details>\n<summary>{title}</summary>\n{inside}\n</details>"


def words(html):
    return re.sub(r"<[^>]+>", " ", html).split()


def test_a_light_page_stays_as_it_is(folds, tmp_path):
    body = f"<p>said</p>{fold('a', 'x ' * 5_000)}{fold('b', fold('c', 'y'))}"
    assert folds.lightened(body, "claim", "Claim", tmp_path) == body
    assert list(tmp_path.iterdir()) == []


def test_a_heavy_page_loses_its_largest_folds_to_pages_that_are_light_themselves(folds, tmp_path):
    inner = [fold(f"part {k}", f"word{k} " * 30_000) for k in range(4)]
    body = f"<p>said</p>{fold('every line', ''.join(inner))}<p>{fold('few', 'kept')}</p>"
    light = folds.lightened(body, "claim", "A claim &amp; more", tmp_path)
    assert "every line" in light and "kept" in light and "word0" not in light
    pages = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert max(map(len, pages.values())) < folds.HEAVY + 10_000
    linked = {
        link
        for text in (light, *pages.values())
        for link in re.findall(r'rest" href="([^"]*)', text)
    }
    assert linked == set(pages)
    assert "<title>A claim &amp; more: every line</title>" in pages["claim.lines-1.html"]
    shown = " ".join(
        " ".join(words(text.partition('<div class="rest">')[2])) for text in pages.values()
    )
    assert all(shown.count(f"word{k}") == 30_000 for k in range(4))
