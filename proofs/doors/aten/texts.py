"""A traced program learns no size, and no number, from a text: its symbols are written otherwise than numbers are.

The texts, the hashes and the parts (for `pickle`) of PyTorch's symbols, and the texts and parts of tensors, are refused
while a program is traced. PyTorch asks for them too, for its records and its guards; none of these reaches the program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...interpret.questions import LIBRARY, asks, place
from ..refused import Refused, Spelled
from .refusal import beside, torch

CLOSED = {
    "__str__": "text",
    "__repr__": "text",
    "__format__": "text",
    "__hash__": "hash",
    "__reduce_ex__": "parts",
}
"""Methods that reveal what a number is, with what they are called for."""
PASSED_ON = ("_tensor.py", "_tensor_str.py", "_utils.py", "__init__.py")
"""PyTorch's modules that make texts for whoever calls them, though their names begin as those of its insides do."""
OF_TENSORS = ("fx" + os.sep, "functional.py", os.path.join("nn", "functional.py"))
"""PyTorch's public modules whose functions return arrays and graphs, and texts in warnings alone."""


@contextmanager
def closed(refusals: list[Refused]) -> Iterator[None]:
    """Refuse the program's code these inside the block; `refusals` learns it, whatever the program catches."""
    t = torch()
    folders = beside()

    def method(own: Callable[..., Any], what: str) -> Callable[..., Any]:
        def ask(one: Any, *rest: Any, **named: Any) -> Any:
            if _is_of_the_program(sys._getframe(1), folders):
                error = Spelled(f"it asks for {what}{place(folders)}, {INSTEAD}", placed=True)
                refusals.append(error)
                raise error
            return own(one, *rest, **named)

        return ask

    kinds = [(kind, name) for kind in (t.SymInt, t.SymFloat, t.SymBool) for name in CLOSED]
    places = [
        *((kind, name, f"the {CLOSED[name]} of a size") for kind, name in kinds),
        (t._tensor_str, "_str", "the text of an array"),
        (t.Tensor, "__reduce_ex__", "the parts of an array"),
    ]
    before = [vars(holder).get(name) for holder, name, _ in places]
    for holder, name, what in places:
        setattr(holder, name, method(getattr(holder, name), what))
    try:
        yield
    finally:
        for (holder, name, _), own in zip(places, before, strict=True):
            if own is None:
                delattr(holder, name)
            else:
                setattr(holder, name, own)


INSTEAD = "which is not known where it is traced; leave it out of texts, messages and keys"


def _is_of_the_program(frame: Any, folders: tuple[str, ...]) -> bool:
    """Whether a call comes from the program: what makes texts of texts asks for whoever calls it."""
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        pytorchs = file.startswith(folders)
        if not (
            file == __file__
            or file.startswith("<frozen ")
            or (file.startswith(LIBRARY) and "-packages" + os.sep not in file[len(LIBRARY) :])
            or (name in CLOSED and (pytorchs or file == "<string>"))
        ):
            if pytorchs:
                inside = file.removeprefix(folders[0])
                return not inside.startswith(OF_TENSORS) and (
                    not inside.startswith("_") or inside in PASSED_ON
                )
            if file.startswith("<"):
                return not file.startswith("<eval_with_key>")  # the code of PyTorch's graphs
            return asks(file, ()) and f"{os.sep}einops{os.sep}" not in file
        frame = frame.f_back
    return False
