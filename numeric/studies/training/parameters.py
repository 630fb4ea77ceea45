"""The parameters of a trained block beside those of the construction, up to what leaves its function as it is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scanproof.constructs.constructions.gril import a2

from ...jax_arrays import Namespace, plain
from .models import Model


def beside_construction(model: Model, arrays: Mapping[str, np.ndarray]) -> list[dict[str, float]]:
    """For each seed the distance of Q, A and q from those of gril A.2, relative to the latter.

    Q, q and β may be multiplied by numbers whose product is 1; so Q and q are compared at norm 1, with the better sign.
    The gate has no such freedom.

    Args:
        model: one block of GRIL on windows of three; of another there is nothing to compare.
        arrays: its trained arrays, with a leading axis of seeds.
    """
    names = {name: f"layers.0.{name}" for name in ("mixing", "gate", "query")}
    if (
        model.family != "gril"
        or "layers.1.gate" in arrays
        or not set(names.values()) <= set(arrays)
    ):
        return []
    gate = arrays[names["gate"]]
    made = a2(Namespace(None), gate.shape[1], 1, 1.0)
    wanted = {name: np.asarray(plain(getattr(made, name)), float) for name in names}
    found = []
    for seed in range(len(gate)):
        own = {name: np.asarray(arrays[key][seed], float) for name, key in names.items()}
        found.append({name: _off(own[name], wanted[name], name != "gate") for name in names})
    return found


def _off(own: np.ndarray, wanted: np.ndarray, scaled: bool) -> float:
    """‖own − wanted‖ / ‖wanted‖, of both at norm 1 and with the better sign if they are known up to a factor."""
    norm = np.linalg.norm
    if not scaled:
        return float(norm(own - wanted) / norm(wanted))
    own, wanted = own / (norm(own) or 1.0), wanted / norm(wanted)
    return float(min(norm(own - wanted), norm(own + wanted)))
