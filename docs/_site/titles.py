"""The titles of claims' pages, for headings, tables, the map and links: `titles.toml` has them by id."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path

TITLES: dict[str, str] = tomllib.loads(Path(__file__).with_name("titles.toml").read_text("utf-8"))
"""In words, by claim's id."""


def untitled(ids: Collection[str]) -> list[str]:
    """The claims without a title."""
    return sorted(set(ids) - set(TITLES))


def strangers(ids: Collection[str]) -> list[str]:
    """What has a title and is no claim."""
    return sorted(set(TITLES) - set(ids))
