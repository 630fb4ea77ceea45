"""What the kernel answers when it does not prove."""

from __future__ import annotations


class KernelError(Exception):
    """No theorem, and why."""


class IllTyped(KernelError):
    """The term or the step makes no sense: an index for a scalar, an index outside its range, a name twice."""


class NotProved(KernelError):
    """The rules do not show it; it may be false."""


class TooHard(KernelError):
    """A stated cap was exceeded."""
