"""Python's loops as they are written for torch: last values, counters, tuples, first turns, lists, and odd ones."""

import torch


def last(x):
    for t in range(x.shape[0]):
        y = x[t] * 2
    return y


def parts_added(x):
    """A token at a time, by parts of the array."""
    out = [row * 2 for row in x.split(1)]
    return torch.cat(out)


def last_acc(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        y = s * 2
    return y


def spec_last(x):
    return x[-1] * 2


def spec_sum(x):
    return x.sum(0)


def spec_sum2(x):
    return x.sum(0) * 2


def spec_mean(x):
    return x.mean(0)


def spec_cumsum(x):
    return x.cumsum(0)


def spec_twice(x):
    return x * 2


def var_num_after(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
    return s / (t + 1)


def els(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
    else:
        s = s * 2
    return s


def rev(x):
    s = torch.zeros(x.shape[1])
    for t in reversed(range(x.shape[0])):
        s = s * 0.5 + x[t]
    return s


def rev2(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0] - 1, -1, -1):
        s = s * 0.5 + x[t]
    return s


def rev3(x):
    T = x.shape[0]
    s = torch.zeros(x.shape[1])
    for t in range(T):
        s = s * 0.5 + x[T - 1 - t]
    return s


def walrus_after(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + (y := x[t] * 2)
    return y


def walrus_comp(x):
    s = torch.zeros(x.shape[1])
    return torch.stack([s := s + x[t] for t in range(x.shape[0])])


def comp_sum(x):
    return sum(x[t] for t in range(x.shape[0]))


def comp_sum_list(x):
    return sum([x[t] for t in range(x.shape[0])])


def ret_in(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        if t == x.shape[0] - 1:
            return s


def delname(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        y = x[t]
        s = s + y
        del y
    return s


def tuple_state(x):
    state = (torch.zeros(x.shape[1]), torch.zeros(x.shape[1]))
    for t in range(x.shape[0]):
        state = (state[0] + x[t], state[1])
    return state[0]


def none_state(x):
    s = None
    for t in range(x.shape[0]):
        s = x[t] if s is None else s + x[t]
    return s


def int_state(x):
    n = 0
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        n += 1
        s = s + x[t]
    return s / n


def used_before(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        if t > 0:
            s = s + y  # noqa: F821
        y = x[t]
    return s + y


def last_of_list(x):
    out = []
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        out.append(s)
    return out[-1]


def preinit(x):
    out = [None] * x.shape[0]
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        out[t] = s
    return torch.stack(out)


def gen(x):
    def g():
        for t in range(x.shape[0]):
            yield x[t] * 2

    return torch.stack(list(g()))


def whil(x):
    s = torch.zeros(x.shape[1])
    t = 0
    while t < x.shape[0]:
        s = s + x[t]
        t += 1
    return s


def starunpack(x):
    for t, *r in enumerate(x):
        y = r[0] * 2
    return y


def alias_append(x):
    out = []
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        out.append(s)
    s += 1
    return torch.stack(out)


def alias_view_append(x):
    x = x.clone()
    out = [x[t] for t in range(x.shape[0])]
    x[0] = 7
    return torch.stack(out)


def last_view_write(x):
    x = x.clone()
    for t in range(x.shape[0]):
        y = x[t]
    y += 1
    return x


def last_two_alias(x):
    for t in range(x.shape[0]):
        y = x[t] * 2
        z = y
    y += 1
    return z


def lastlist_alias(x):
    out = []
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        out.append(s)
    y = out[-1]
    s += 1
    return y


def cont_cond(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        if t == 0:
            continue
        s = 0.5 * s + x[t] - x[t - 1]
    return s


def cond_write(x):
    o = torch.zeros_like(x)
    for t in range(x.shape[0]):
        if t > 0:
            o[t] = o[t - 1] + x[t]
        else:
            o[t] = x[t]
    return o


def swallowed2(x):
    s = torch.zeros(x.shape[1])
    try:
        for t in range(x.shape[0]):
            s = s + x[t] * (t % 2)
    except Exception:
        s = x[0]
    return s


def counter_double(x):
    n = 1
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        n = n * 2
        s = s + n * x[t]
    return s


def mid_cond(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        if t == 2:
            s = s * 3
        s = s + x[t]
    return s


def tup_grow(x):
    st = ()
    for t in range(x.shape[0]):
        st = (*st, x[t])
    return st[0]  # pyright: ignore[reportGeneralTypeIssues]  the loop has a turn


def shadow(x):
    for x_t in x:
        x = x_t * 2
    return x


def differences(x):
    return torch.cat([torch.zeros(1, x.shape[1]), (x[1:] - x[:-1]).cumsum(0)])[-1] * 1


def decayed(x):
    s = x[0] * 0
    for t in range(1, x.shape[0]):
        s = 0.5 * s + x[t] - x[t - 1]
    return s


def spec_rows_summed(x):
    return x.cumsum(0)


def first_left_out(x):
    s = x[0] * 0
    for t in range(x.shape[0]):
        if t == 0:
            continue
        s = s + x[t]
    return s


def counted_from_one(x):
    n = 1
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        n += 1
        s = s + x[t]
    return s / n


def rows_apart(x):
    rows = list(x.unbind(dim=0))
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + rows[t]
    return s


def parts_made_before(x):
    parts = [k * x for k in range(1, 4)]
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        one, two, three = (part[t] for part in parts)
        s = s + three - two + 0 * one
    return s


def state_in_a_list(x):
    state = None
    for t in range(x.shape[0]):
        if state is None:
            state = [torch.zeros(x.shape[1]), torch.zeros(x.shape[1])]
        state = [state[0] + x[t], state[1]]
    return state[0] + state[1]  # pyright: ignore[reportOptionalSubscript]  the loop has a turn


def normed(x):
    """Groups of one channel, as many as there are."""
    rows = torch.cat([x, 1 - 2 * x])
    return torch.nn.functional.group_norm(rows.T[None], x.shape[1], eps=0.5)[0].T


def spec_normed(x):
    rows = torch.cat([x, 1 - 2 * x])
    apart = rows - rows.mean(0)
    return apart / (apart.pow(2).mean(0) + 0.5).sqrt()
