"""NumPy as the body of a claim may write it: `from scanproof import numpy as np`.

While a body runs, functions take and make arrays of the kind that it runs on, so that `np.zeros((m, d))` works for
sizes that are symbols. Elsewhere, and for what makes no arrays (`np.newaxis`, `np.ndarray`), it is NumPy itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

from scanproof.constructs.arrays import protocols


class _Functions:
    """The functions of a module of NumPy's, which `prefix` names."""

    def __init__(self, module: ModuleType, prefix: str = "") -> None:
        self._module, self._prefix = module, prefix

    def __getattr__(self, name: str) -> Any:
        theirs = getattr(self._module, name)
        if name == "linalg":
            return _Functions(theirs, "linalg.")
        if isinstance(theirs, type | ModuleType) or not callable(theirs):
            return theirs
        return _function(self._prefix + name, theirs)


def _function(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    def function(*args: Any, **options: Any) -> Any:
        speaker = protocols.speaking_among([*args, *options.values()], protocols.present())
        if speaker is None or speaker is numpy:  # a claim is also compared in floats
            return theirs(*args, **options)
        return protocols.called(speaker, name, args, options)

    function.__name__ = function.__qualname__ = name
    return function


_top = _Functions(numpy)


def __getattr__(name: str) -> Any:
    return getattr(_top, name)


def __dir__() -> list[str]:
    return dir(numpy)
