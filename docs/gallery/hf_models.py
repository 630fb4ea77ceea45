"""Torch forwards of huggingface/transformers 5.23.0: prefill against decoding, chunks against recurrences.

Both sides of every claim are written here from the published definition; one head, no batch. Nothing is fetched.
"""

import jax
import jax.numpy as jnp

from scanproof import Source, equal, program

hf = Source("transformers", title="huggingface/transformers 5.23.0, src/transformers/models")

SSD = {"x": "T P", "dt": "T", "B": "T N", "C": "T N", "A": "", "h": "P N"}


def decode(clip):
    """h ← exp(Δ A) h + Δ x Bᵀ, y = h C for Δ = clip(dt), token by token."""

    @program
    def steps(x, dt, B, C, A, h, least):
        def step(h, token):
            x, dt, B, C = token
            dt = clip(dt, least)
            h = jnp.exp(dt * A) * h + jnp.outer(dt * x, B)
            return h, h @ C

        return jax.lax.scan(step, h, (x, dt, B, C))[1]

    return steps


@program
def prefill(x, dt, B, C, A, h, least):
    """One chunk of Mamba-2 with Δ = max(dt, least)."""
    T = x.shape[0]
    dt = jnp.maximum(dt, least)
    a = jnp.cumsum(dt * A)
    L = jnp.where(jnp.tril(jnp.ones((T, T), bool)), jnp.exp(a[:, None] - a[None, :]), 0.0)
    within = (C @ B.T * L) @ (dt[:, None] * x)
    return within + jnp.exp(a)[:, None] * (C @ h.T)


@hf.claim(
    "transformers.time-step",
    where="nemotron_h/modeling_nemotron_h.py, zamba2/modeling_zamba2.py: mamba2_chunk_scan, "
    "mamba2_selective_state_update",
    says="decoding token by token gives what prefilling the same tokens gives",
    given={**SSD, "least": ""},
    reading="dt is after softplus; least is time_step_min, 0.001 by default; one group, no skip.",
)
def time_step(x, dt, B, C, A, h, least, *, clips=False):
    """Prefill clamps the step size at time_step_limit = (time_step_min, ∞); decoding has no limit.

    Where softplus(dt + bias) is below time_step_min, the cached path continues with another recurrence than
    the one that filled the cache. A clamp before the call of the update mends it; a limit of (0, ∞), as
    Mamba-2's, has no effect.

    Run: mamba2_chunk_scan and mamba2_selective_state_update of nemotron_h in 5.23.0, dt = −10, A = −1, x =
    B = C = 1, time_step_limit (0.001, ∞): 0.0010 and 0.000045.
    """
    clip = jnp.maximum if clips else (lambda dt, least: dt)
    args = (x, dt, B, C, A, h, least)
    return equal(decode(clip)(*args), prefill(*args))


time_step.amend("clamp", "it does if decoding clamps the step size as well", clips=True)


@hf.claim(
    "transformers.ssd",
    where="mamba2/modeling_mamba2.py: mamba2_chunk_scan, mamba2_selective_state_update",
    says="the state after a chunk is that of the recurrence",
    given={"x": "T P", "dt": "T", "B": "T N", "A": "", "h": "P N"},
    reading="one chunk of T tokens from any state.",
)
def ssd(x, dt, B, A, h):
    @program
    def steps(x, dt, B, A, h):
        def step(h, token):
            x, dt, B = token
            return jnp.exp(dt * A) * h + jnp.outer(dt * x, B), None

        return jax.lax.scan(step, h, (x, dt, B))[0]

    @program
    def chunk(x, dt, B, A, h):
        a = jnp.cumsum(dt * A)
        return jnp.exp(a[-1]) * h + ((dt * jnp.exp(a[-1] - a))[:, None] * x).T @ B

    return equal(steps(x, dt, B, A, h), chunk(x, dt, B, A, h))


@hf.claim(
    "transformers.segment-sum",
    where="mamba2/modeling_mamba2.py: segment_sum",
    says="exp of the masked cumulated sums is exp(a_t − a_s) for s ≤ t and 0 elsewhere, a "
    "cumulated",
    given={"g": "T"},
    reading="As in Mamba-2's own segsum.",
)
def segment_sum(g):
    @program
    def masked_sums(g):
        T = g.shape[0]
        x = jnp.where(jnp.tril(jnp.ones((T, T), bool), -1), g[:, None], 0.0)
        seen = jnp.tril(jnp.ones((T, T), bool))
        return jnp.exp(jnp.where(seen, jnp.cumsum(x, axis=0), -jnp.inf))

    @program
    def differences(g):
        a = jnp.cumsum(g)
        seen = jnp.tril(jnp.ones((g.shape[0], g.shape[0]), bool))
        return jnp.where(seen, jnp.exp(a[:, None] - a[None, :]), 0.0)

    return equal(masked_sums(g), differences(g))


@hf.claim(
    "transformers.lightning",
    where="minimax/modeling_minimax.py: MiniMaxLightningAttention.forward",
    says="a block of lightning attention gives the outputs and the state of decoding",
    given={"q": "T d", "k": "T d", "v": "T e", "slope": "", "S": "d e"},
    reading="one block of T tokens from any state; with S a token's decay is exp(−slope).",
)
def lightning(q, k, v, slope, S):
    def steps(q, k, v, slope, S):
        def step(S, token):
            q, k, v = token
            S = jnp.exp(-slope) * S + jnp.outer(k, v)
            return S, q @ S

        return jax.lax.scan(step, S, (q, k, v))

    def block(q, k, v, slope, S):
        n = q.shape[0]
        t = jnp.arange(n)
        apart = t[:, None] - t[None, :]
        D = jnp.where(apart >= 0, jnp.exp(-slope * apart), 0.0)
        outputs = jnp.exp(-slope * (t + 1))[:, None] * (q @ S) + (q @ k.T * D) @ v
        return jnp.exp(-slope * n) * S + (jnp.exp(-slope * (n - 1 - t))[:, None] * k).T @ v, outputs

    for n in range(2):
        one, other = (program(lambda *a, f=f, n=n: f(*a)[n]) for f in (steps, block))
        yield equal(one(q, k, v, slope, S), other(q, k, v, slope, S))
