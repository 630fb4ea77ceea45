"""What a door does not let in."""

from __future__ import annotations


class Refused(Exception):
    """What a body or a program does has no nodes; the message says it by name, with the line."""
