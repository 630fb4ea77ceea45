"""Functions for torch that write in place what several names may stand for; each takes x (4, 4) and y (4, 4)."""

import torch


def view_written(x, y):
    a = x.clone()
    b = a[0]
    b += y[0]
    return a


def base_written(x, y):
    a = x.clone()
    b = a[0]
    a += y
    return b


def other_name(x, y):
    a = x.clone()
    b = a
    b += y
    return a


def copy_stays(x, y):
    a = x.clone()
    b = a.clone()
    a += y
    return b


def new_name(x, y):
    a = x.clone()
    b = a
    b = b + y
    return a


def transposed(x, y):
    a = x.clone()
    a.T[0] += y[:, 0]
    return a


def reshaped(x, y):
    a = x.clone()
    a.view(16)[3] = 7.0
    return a


def cast_same(x, y):
    a = x.clone()
    b = a.to(torch.float64)
    b += 1
    return a


def part_of_part(x, y):
    a = x.clone()
    a[1][2] = 5.0
    return a


def part_augmented(x, y):
    a = x.clone()
    a[1:3, 1] *= 3
    return a


def swapped(x, y):
    a, b = x.clone(), y.clone()
    a[0], b[0] = b[0].clone(), a[0].clone()
    return a, b


def swapped_views(x, y):
    a = x.clone()
    a[0], a[1] = a[1], a[0]
    return a


def methods(x, y):
    a = x.clone()
    b = a[:, 1].add_(1)
    return a, b


def accumulated(x, y):
    S = torch.zeros(4, 4)
    first = S
    for t in range(x.shape[0]):
        S += torch.outer(x[t], y[t])
    return S, first


def accumulated_anew(x, y):
    S = torch.zeros(4, 4)
    first = S
    for t in range(x.shape[0]):
        S = S + torch.outer(x[t], y[t])
    return S, first


def written_then_anew(x, y):
    S = torch.zeros(4, 4)
    first = S
    for t in range(x.shape[0]):
        S += torch.outer(x[t], y[t])
        S = S * 0.5
    return S, first


def kept_state(x, y):
    S, last = torch.zeros(4, 4), torch.zeros(4, 4)
    for t in range(x.shape[0]):
        last = S
        S = S + torch.outer(x[t], y[t])
    return S - last


def kept_state_in_place(x, y):
    S, last = torch.zeros(4, 4), torch.zeros(4, 4)
    for t in range(x.shape[0]):
        last = S
        S += torch.outer(x[t], y[t])
    return S - last


def listed_state(x, y):
    S = torch.zeros(4, 4)
    rows = []
    for t in range(x.shape[0]):
        S += torch.outer(x[t], y[t])
        rows.append(S)
    return torch.stack(rows)


def listed_then_written(x, y):
    rows = []
    for t in range(x.shape[0]):
        row = x[t] * 2
        rows.append(row)
        row += y[t]
    return torch.stack(rows)


def listed_before_it_is_new(x, y):
    S = torch.zeros(4, 4)
    rows = []
    for t in range(x.shape[0]):
        rows.append(S)
        S = S + torch.outer(x[t], y[t])
    return torch.stack(rows)


def listed_copies(x, y):
    S = torch.zeros(4, 4)
    rows = []
    for t in range(x.shape[0]):
        S += torch.outer(x[t], y[t])
        rows.append(S.clone())
    return torch.stack(rows)


def row_view_before_the_loop(x, y):
    S = torch.zeros(4, 4)
    row = S[0]
    total = torch.zeros(4)
    for t in range(x.shape[0]):
        total = total + row
        S += torch.outer(x[t], y[t])
    return total


def table_written(x, y):
    out = x.clone()
    total = torch.zeros(4)
    for t in range(x.shape[0]):
        out[t] = y[t] * 2
        total = total + out[t]
    return out, total


def table_read_ahead(x, y):
    out = x.clone()
    for t in range(1, x.shape[0]):
        out[t] = out[t - 1] + y[t]
    return out


def names_exchanged(x, y):
    a, b = x.clone(), y.clone()
    for _ in range(x.shape[0]):
        a, b = b, a + b
    a += 1
    return a, b


def one_name_for_two(x, y):
    a = x.clone()
    b = a
    for t in range(x.shape[0]):
        b = a
        a = a * 0.5
    b += 1
    return a, b


def dictionary(x, y):
    state = {"S": torch.zeros(4, 4)}
    for t in range(x.shape[0]):
        state["S"] = state["S"] + torch.outer(x[t], y[t])
    return state["S"]


def counted(x, y):
    n, total = 0, torch.zeros(4)
    for t in range(x.shape[0]):
        n += 1
        total = total + n * x[t]
    return total


def argument_written(x, y):
    x = x.clone()
    x *= 2
    return x + y


def last_of_loop(x, y):
    for t in range(x.shape[0]):
        row = x[t] + y[t]
    return row


def negative_place(x, y):
    out = torch.zeros_like(x)
    for t in range(x.shape[0]):
        out[t] = x[t - 1]
    return out


def nested(x, y):
    out = torch.zeros_like(x)
    for i in range(x.shape[0]):
        total = torch.zeros(4)
        for j in range(y.shape[0]):
            total = total + x[i] * y[j]
        out[i] = total
    return out


def list_changed(x, y):
    rows = [x[0], y[0]]
    for t in range(x.shape[0]):
        rows[0] = rows[0] + x[t]
    return rows[0]
