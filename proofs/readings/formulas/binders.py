"""What binds a variable, as formulas: arrays by their entries, recursions, gradients."""

from __future__ import annotations

from typing import Any

from ...statement import nodes
from ...statement.nodes import Node
from ...statement.whole import whole
from ..slices import Expression
from .indices import Indices
from .naming import Block, Line

STATES = {0: "szmn", 1: "szuvhm", 2: "SZUVHM"}
POINTS = {0: "wuv", 1: "wuv", 2: "WUV"}
LOSSES = ("ℓ", "h", "g", "φ")


class Binders(Indices):
    """Writes lines that say what a name is, for all values of the variable."""

    def over(self, lines: list[Any], over: str) -> list[Any]:
        """Lines that hold for each value of a position: as a block, where they are more than one."""
        if len(lines) == 1 and isinstance(lines[0], Line):
            lines[0].over.insert(0, over)
            return lines
        return [Block([over], lines)] if lines else []

    def parameter(self, node: nodes.Parameter) -> Expression:
        if isinstance(node.of, nodes.Input):
            return self.text(node.of)
        wanted = "".join(c if c.isalnum() else "_" for c in node.path).strip("_") or "p"
        name = self.pick([wanted if not wanted.isdigit() else f"p{wanted}"])
        self.define_array(name, node.of)
        return name, 9

    def build(self, node: nodes.Build) -> Expression:
        name = self.name_for(node)
        self.define_array(name, node)
        return name, 9

    def define_array(self, name: str, node: Node) -> None:
        """Say what a name is, in the scope that is open: by its entries where these are made one by one."""
        outer: list[Any] = self._scopes[-1]
        if not isinstance(node, nodes.Build):
            text = self.inline(node)
            outer.append(Line(name, "=", text))
            return
        places: list[str] = []
        over: list[str] = []
        images: dict[Any, str] = {}
        inner: Node = node
        while isinstance(inner, nodes.Build):
            position = inner.position
            letter = self.letter_for(position)
            with self.scope(images):
                over.append(self.range(position, letter))
            images[position] = letter
            with self.scope(images):
                places.append(self.numbered(whole(position) - position.low, tight=True))
            inner = inner.entry
        with self.scope(images) as lines:
            self.needed_by(inner)
            entry = self.inline(inner)
        made = [*lines, Line(self.entry(name, *places), "=", entry)]
        if len(made) == 1:
            made[0].over = over
            outer += made
        else:
            outer.append(Block(over, made))
        self.free(*images.values())

    def _turns(self, r: nodes.Recursion) -> list[str]:
        depth = len(self._scopes) - 1
        letters = [STATES[min(len(one.shape), 2)] for one in r.states]
        states = [self.in_sums(self.pick(one), depth) for one in letters]
        outer: list[Any] = self._scopes[-1]
        for name, start in zip(states, r.start, strict=True):
            self.define_array(self.entry(name, "0"), start)
        time = self.letter_for(r.time)
        over = self.range(r.time, time)
        low = r.time.low
        with self.scope({r.time: time}):
            now = self.numbered(whole(r.time) - low, tight=True)
            then = self.numbered(whole(r.time) - low + 1, tight=True)
        before = {one: self.entry(s, now) for one, s in zip(r.states, states, strict=True)}
        with self.scope({r.time: time, **before}) as lines:
            self.needed_by(*r.steps)
            made: list[Any] = []
            for name, step in zip(states, r.steps, strict=True):
                self.define_array(self.entry(name, then), step)
                made += lines
                lines.clear()
                if isinstance(step, nodes.Map | nodes.Contract):
                    self._texts[-1][step] = self.entry(name, then), 9
        outer += self.over(made, over)
        self.free(time)
        return states

    def gradient(self, node: nodes.Gradient) -> Expression:
        """∇ℓ at a place; ℓ is defined in a line of its own."""
        depth = max(
            [self._bound[one][0] for one in node.loss.free if one is not node.point], default=0
        )
        known: dict[Any, Any] = self._loops[depth]
        if (node.point, node.loss) not in known:
            inner = self._scopes[depth + 1 :], self._texts[depth + 1 :], self._loops[depth + 1 :]
            del self._scopes[depth + 1 :], self._texts[depth + 1 :], self._loops[depth + 1 :]
            name = self.pick([self.a.ell if one == "ℓ" else one for one in LOSSES], depth)
            name = self.in_sums(name, depth)
            point = self.pick(POINTS[min(len(node.point.shape), 2)])
            outer: list[Any] = self._scopes[depth]
            with self.scope({node.point: point}) as lines:
                self.needed_by(node.loss)
                text = self.inline(node.loss)
            made = [*lines, Line(self.a.call(name, point), "=", text)]
            if len(made) == 1:
                outer += made
            else:
                outer.append(Block([f"{self.a.words('every ')}{point}"], made))
            self.free(point)
            known[node.point, node.loss] = name
            self._scopes += inner[0]
            self._texts += inner[1]
            self._loops += inner[2]
        return self.a.call(
            f"{self.a.nabla}{known[node.point, node.loss]}", self.text(node.at)[0]
        ), 9
