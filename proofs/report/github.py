"""Workflow commands of GitHub Actions, which it shows as annotations beside the lines of a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .findings import LEVELS, Finding, Spot, spot
from .words import few, one_line

LIMIT = 10
"""GitHub shows no more annotations of a level and step than this."""
ROOM = 2000
"""Characters of one annotation."""
COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def commands(found: Sequence[Finding], problems: Sequence[str] = (), prefix: str = "") -> str:
    """At most ten commands, the gravest first; of more, the last says how many are left out.

    What is as it was in the baseline is one line.

    Args:
        found: what is to be said, as `findings` gives it.
        problems: what went wrong beside the claims: files that cannot be read, and the like.
        prefix: the folder in which the check ran, named from the root of the repository.
    """
    every = [_command("error", "scanproof", text, _problem_spot(text, prefix)) for text in problems]
    for one in sorted(
        (one for one in found if not one.known), key=lambda finding: LEVELS.index(finding.level)
    ):
        said = [one_line(one.statement["statement"])] if one.statement is not None else []
        said += [one.why] if one.why else []
        text = "\n".join([*said, *one.mends]) or one.headline
        every.append(_command(COMMANDS[one.level], one.headline, text, spot(one.written, prefix)))
    known = [one.id for one in found if one.known]
    if known:
        text = f"open or wrong as in the baseline: {few(known)}"
        every.append(_command("notice", "scanproof", text, None))
    if len(every) > LIMIT:
        shown, rest = every[: LIMIT - 1], len(every) - LIMIT + 1
        text = f"{rest} more are not shown here; the table of the check has them all"
        every = [*shown, _command(_gravest(found, problems), "scanproof", text, None)]
    return "".join(f"{command}\n" for command in every)


def _gravest(found: Sequence[Finding], problems: Sequence[str]) -> str:
    levels = {one.level for one in found if not one.known} | ({"error"} if problems else set())
    return COMMANDS[min(levels, key=LEVELS.index)]


def _problem_spot(text: str, prefix: str) -> Spot | None:
    named = re.match(r"(\S+\.py):(\d+)", text)
    return spot(named[0], prefix) if named else None


def _command(name: str, title: str, text: str, place: Spot | None) -> str:
    fields = {"file": place.path, "line": str(place.line)} if place else {}
    fields["title"] = one_line(title)
    short = text if len(text) <= ROOM else f"{text[: ROOM - 1]}…"
    given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in fields.items())
    return f"::{name} {given}::{_escaped(short)}"


def _escaped(text: str, more: str = "") -> str:
    """The text as GitHub reads it back: in a command's fields two more characters have a meaning."""
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text
