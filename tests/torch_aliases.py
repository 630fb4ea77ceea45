"""Functions for torch that write in place what several names may stand for; each takes x (4, 4) and y (4, 4)."""

import torch


def view_written(x, y):
    a = x.clone()
    b = a[0]
    b += y[0]
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


def row_view_before_the_loop(x, y):
    S = torch.zeros(4, 4)
    row = S[0]
    total = torch.zeros(4)
    for t in range(x.shape[0]):
        total = total + row
        S += torch.outer(x[t], y[t])
    return total


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


def exchanged_then_written(x, y):
    a, b = x.clone(), y.clone()
    first = a
    for _ in range(x.shape[0]):
        a, b = b, a
    a += 1
    return a, first


def exchanged_in_an_outer_loop(x, y):
    S, R = x[0] * 1, x[1] * 1
    for _ in range(x.shape[0]):
        a, b = S, R
        for _ in range(x.shape[0]):
            a, b = b, a
        a += 1
    return S, R


def state_under_another_name(x, y):
    S = torch.zeros(4)
    last = S
    out = torch.zeros_like(x)
    for t in range(x.shape[0]):
        S += x[t]
        out[t] = last
        last = S.clone()
    return out


def place_before_the_first(x, y):
    out = x.clone()
    for t in range(x.shape[0]):
        out[t - 1] = y[t]
    return out


def slices_past_the_end(x, y):
    out = torch.zeros_like(x)
    for t in range(x.shape[0]):
        out[t] = x[t : t + 2].sum(0)
    return out


def item_of_a_list_augmented(x, y):
    rows = [x.clone()] * 2
    rows[0] += 1
    return rows[1]


def first_of_the_list_written(x, y):
    S = x[0] * 1
    rows = [S]
    for t in range(1, x.shape[0]):
        rows.append(x[t] - x[t - 1])
    S += 1
    return torch.stack(rows)


def lists_of_two_loops(x, y):
    rows = [x[0] + y[0]]
    for t in range(1, x.shape[0]):
        rows.append(x[t] - x[t - 1])
    for t in range(x.shape[0]):
        rows.append(y[t] * 2)
    return torch.stack(rows, dim=1), torch.cat(rows, dim=-1)


def backwards(x, y):
    a, b, S = torch.zeros_like(x), torch.zeros_like(x), torch.zeros(4)
    for t in range(x.shape[0] - 1, -1, -1):
        S = S * 0.5 + x[t]
        a[t] = S
    for t in reversed(range(x.shape[0])):
        b[t] = x[t] * t
    return a, b, x[x.shape[0] - 1]


def in_chunks(x, y):
    z = torch.cat([x, y])
    out, S = torch.zeros_like(z), torch.zeros(4)
    for i in range(0, z.shape[0], 2):
        out[i : i + 2] = z[i : i + 2] + S
        S = S + z[i : i + 2].sum(0)
    return out
