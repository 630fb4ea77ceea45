"""A node's entries, taken apart along axes of a few places, against the node."""

import math
from collections.abc import Mapping

import numpy as np

from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement.entries import FEW, entries
from scanproof.proofs.statement.errors import IllFormed
from scanproof.proofs.statement.nodes import Node
from scanproof.proofs.statement.statement import Statement, relation


def by_entries(node: Node, sizes: Mapping[str, int], inputs: Mapping[str, np.ndarray]) -> bool:
    """Whether anything of a node is taken apart; if so, it has to have the node's numbers at these sizes and inputs."""
    try:
        apart = entries(Statement("mine", (), (), (relation("equal", node, node),)))
    except IllFormed:
        return False
    reading = Floats(sizes, inputs)
    whole = np.asarray(reading(node), float)
    axes = [k for k, n in enumerate(node.shape) if isinstance(n, int) and 0 < n <= FEW]
    gone = [] if len(apart.relations[0].left.shape) == whole.ndim else axes
    kept = [k for k in range(whole.ndim) if k not in gone]
    shape = [math.prod(whole.shape[k] for k in gone), *(whole.shape[k] for k in kept)]
    rows = np.transpose(whole, [*gone, *kept]).reshape(shape)
    for one, wanted in zip(apart.relations, rows if gone else [whole], strict=True):
        found = np.asarray(reading(one.left), float)
        assert found.shape == wanted.shape
        assert np.allclose(found, wanted, rtol=1e-9, atol=1e-12, equal_nan=True), (found, wanted)
    return True
