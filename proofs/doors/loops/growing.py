"""A list to which a turn of a loop over a size appends, and which answers nothing: it is another in each turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .items import Listed


class Growing(Listed):
    """It takes what a turn appends.

    Args:
        refuse: makes the error of what the turn asks of the list, in words.
        name: the user's name for it.
    """

    def __init__(self, refuse: Callable[[str], Exception], name: str) -> None:
        super().__init__([_Inside()])  # for C code, which asks no method of a list
        self._refuse, self._name = refuse, name
        self.added: list[Any] = []
        """What the turn has appended."""
        self.asked: Exception | None = None
        """What was asked first, which stands though the turn catches the error."""

    @property
    def has_grown(self) -> bool:
        """Whether the turn has appended something."""
        return bool(self.added)

    def append(self, item: Any) -> None:
        self.added.append(item)

    def extend(self, items: Iterable[Any]) -> None:
        self.added.extend(items)

    def __iadd__(self, items: Iterable[Any]) -> Any:  # type: ignore[override, misc]
        self.extend(items)
        return self

    def question(self, of: str) -> Exception:
        """The error where something other than appending is done."""
        error = self._refuse(f"{of} of {self._name}, a list to which turns append")
        self.asked = self.asked or error
        return error

    def leaves(self) -> Any:
        """For frameworks, which would take the list for a single leaf of a tree."""
        raise self.question("the items")

    def expect_unasked(self) -> None:
        """Raise what was asked, if the turn caught it."""
        if self.asked is None and (list.__len__(self), type(list.__getitem__(self, 0))) != (
            1,
            _Inside,
        ):
            raise self.question("writing items")
        if self.asked is not None:
            raise self.asked


class Trial(Listed):
    """A copy of a list, for a turn that is run to see whether it appends."""

    def __init__(self, items: list[Any]) -> None:
        super().__init__(items)
        self._count = len(items)

    @property
    def has_grown(self) -> bool:
        """Whether it has more items than at first."""
        return len(self) > self._count


class _Inside:
    """Stands for the items."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        lists = [one for one in (*args, *(kwargs or {}).values()) if isinstance(one, Growing)]
        name = getattr(function, "__name__", "a function")
        if not lists:
            raise TypeError(f"{name} of a list to which turns of a loop over a size append")
        raise lists[0].question(name)


KNOWN = ("append", "extend", "__iadd__", "__init__", "__new__", "__getattribute__", "__setattr__")
"""What a list answers in a turn."""
OBJECTS = (
    "__class__",
    "__delattr__",
    "__dir__",
    "__doc__",
    "__init_subclass__",
    "__subclasshook__",
)
"""What every object answers alike."""
WORDS = {
    "__bool__": "the truth",
    "__len__": "the length",
    "__getitem__": "an item",
    "__setitem__": "writing an item",
    "__delitem__": "deleting items",
    "__iter__": "a loop through the items",
    "__reversed__": "a loop through the items",
    "__contains__": "whether an item is in the list,",
}


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(self: Growing, *given: Any, **named: Any) -> Any:
        raise self.question(WORDS.get(name, name.strip("_")))

    return refuse


for _name in ["__bool__", *dir(list)]:
    if _name not in (*KNOWN, *OBJECTS, "__hash__", "__class_getitem__", "__getstate__"):
        setattr(Growing, _name, _refusing(_name))
