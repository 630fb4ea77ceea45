"""Pages that are not too heavy: what is folded in a large page lies on a page of its own, and is loaded when unfolded.

Without JavaScript, and from a file, the fold holds a link to that page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

HEAVY = 300_000
"""Bytes of a page's text above which its largest folds go, one by one."""
LIGHT = 4_000
"""A fold of fewer bytes stays."""
TAG = re.compile(r"<details>|</details>")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="../_static/styles/furo.css"><link rel="stylesheet" href="../_static/site.css"></head>
<body><article class="lines"><h1>{title}</h1><p><a href="{back}">The claim</a></p>
<div class="rest">
{body}
</div></article></body></html>
"""


def fold(title: str, inside: str) -> str:
    """HTML that is shown when its title is clicked."""
    return f"<details>\n<summary>{title}</summary>\n{inside}</details>\n"


def folded(title: str, lines: list[str]) -> Iterator[str]:
    """The same in Markdown."""
    yield from ("<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", "")


def lightened(body: str, name: str, title: str, folder: Path) -> str:
    """The text of a page with its largest folds on pages of their own, which are written beside it.

    Args:
        body: HTML.
        name: of the page, without its folder.
        title: of the page, as HTML.
        folder: the page's.
    """
    return _lightened(body, name, title, folder, iter(range(1, 10_000)))


def _lightened(body: str, name: str, title: str, folder: Path, numbers: Iterator[int]) -> str:
    size = len(body.encode())
    folds = sorted(_folds(body), key=lambda fold: fold[0] - fold[1])
    moved: dict[tuple[int, int], str] = {}
    for start, end in folds:
        weight = len(body[start:end].encode())
        if size <= HEAVY or weight < LIGHT:
            break
        size -= weight
        head, _, rest = body[start:end].partition("</summary>")
        file = f"{name}.lines-{next(numbers)}.html"
        words = html.unescape(re.sub(r"<[^>]+>", "", head)).strip()
        inside = _lightened(rest.removesuffix("</details>"), name, title, folder, numbers)
        page = PAGE.format(title=f"{title}: {html.escape(words)}", back=f"{name}.html", body=inside)
        (folder / file).write_text(page, encoding="utf-8")
        link = f'<p><a class="rest" href="{file}">The lines, {weight // 1000} kB</a></p>'
        moved[start, end] = f"{head}</summary>{link}</details>"
    for (start, end), less in sorted(moved.items(), reverse=True):
        body = body[:start] + less + body[end:]
    return body


def _folds(body: str) -> Iterator[tuple[int, int]]:
    """Where the outermost folds begin and end."""
    deep = start = 0
    for found in TAG.finditer(body):
        if found[0] == "<details>":
            start = start if deep else found.start()
            deep += 1
        else:
            deep -= 1
            if not deep:
                yield start, found.end()
