"""Right and wrong answers to the exercises of chapter 8."""

import numpy as np

RIGHT = {}
WRONG = {}

# Places as waves


def _angles(n, d, exponent=2, start=0):
    return np.arange(start, start + n)[:, None] / 10_000 ** (exponent * np.arange(d // 2) / d)


def _table(n, d, angles=None, first=np.sin, second=np.cos):
    angles = _angles(n, d) if angles is None else angles
    table = np.zeros((n, d))
    table[:, 0::2], table[:, 1::2] = first(angles), second(angles)
    return table


def _table_by_loops(n, d):
    table = np.zeros((n, d))
    for p in range(n):
        for c in range(d // 2):
            table[p, 2 * c] = np.sin(p / 10_000 ** (2 * c / d))
            table[p, 2 * c + 1] = np.cos(p / 10_000 ** (2 * c / d))
    return table


def _table_by_einsum(n, d):
    angles = np.einsum("p,c->pc", np.arange(n), 10_000.0 ** (-2 * np.arange(d // 2) / d))
    waves = np.exp(1j * angles)
    return np.stack([waves.imag, waves.real], axis=-1).reshape(n, d)


def _own_frequencies(n, d):
    angles = np.arange(n)[:, None] * 10_000.0 ** (-np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


RIGHT["sinusoidal-table"] = [_table, _table_by_loops, _table_by_einsum]
WRONG["sinusoidal-table"] = [
    ("All sines come first", lambda n, d: np.hstack([np.sin(_angles(n, d)), np.cos(_angles(n, d))])),
    ("Sine and cosine are exchanged", lambda n, d: _table(n, d, first=np.cos, second=np.sin)),
    ("The positions start at 1", lambda n, d: _table(n, d, _angles(n, d, start=1))),
    ("the exponent is −2c/d, not −c/d", lambda n, d: _table(n, d, _angles(n, d, 1))),
    ("The frequencies rise", lambda n, d: _table(n, d, _angles(n, d, -2))),
    ("the base is missing", lambda n, d: _table(n, d, _angles(n, d, 0))),
    ("Rows and columns are exchanged", lambda n, d: _table(n, d).T),
    ("should have shape (5, 8), got (5, 4)", lambda n, d: np.sin(_angles(n, d))),
    ("is None", lambda n, d: None),
    ("Every column has a frequency of its own", _own_frequencies),
    (
        "you divide by d/2 − 1",
        lambda n, d: _table(n, d, np.arange(n)[:, None] * 10_000.0 ** (-np.arange(d // 2) / max(d // 2 - 1, 1))),
    ),
    ("An axis of length 1 is missing", lambda n, d: np.squeeze(_table(n, d))),
    ("should be", lambda n, d: np.where(np.arange(d) < 64, _table(n, d), 0)),
    (
        "should be",
        lambda n, d: _table(n, d, np.arange(n).astype(np.int8)[:, None] * 10_000.0 ** (-2 * np.arange(d // 2) / d)),
    ),
]

# Turn in halves


def _turn(x, positions, step=2, sign=1):
    half = x.shape[-1] // 2
    angles = sign * positions[:, None] * 10_000.0 ** (-step * np.arange(half) / x.shape[-1])
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1)


def _turn_by_complex(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 10_000.0 ** (-np.arange(half) * 2 / x.shape[-1])
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag], axis=-1)


def _turn_by_loops(x, positions):
    d = x.shape[-1]
    out = np.zeros(x.shape)
    for row, p in enumerate(positions):
        for c in range(d // 2):
            angle = p * 10_000 ** (-2 * c / d)
            a, b = x[..., row, c], x[..., row, c + d // 2]
            out[..., row, c] = a * np.cos(angle) - b * np.sin(angle)
            out[..., row, c + d // 2] = a * np.sin(angle) + b * np.cos(angle)
    return out


def _turn_by_einsum(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 10_000.0 ** (-2 * np.arange(half) / x.shape[-1])
    rotation = np.array([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]])  # (from, to, n, half)
    pairs = x.reshape(*x.shape[:-1], 2, half)
    return np.einsum("...nfc,ftnc->...ntc", pairs, rotation).reshape(x.shape)


def _interleaved(x, positions):
    d = x.shape[-1]
    order = np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])
    out = np.zeros(x.shape)
    out[..., order] = _turn(x[..., order], positions)
    return out


def _one_after_the_other(x, positions):
    out, half = x.copy(), x.shape[-1] // 2
    angles = positions[:, None] * 10_000.0 ** (-2 * np.arange(half) / x.shape[-1])
    out[..., :half] = out[..., :half] * np.cos(angles) - out[..., half:] * np.sin(angles)
    out[..., half:] = out[..., :half] * np.sin(angles) + out[..., half:] * np.cos(angles)
    return out


def _in_place(x, positions):
    x[:] = _turn(x, positions)
    return x


def _first_axis(x, positions):
    angles = positions[:, None] * 10_000.0 ** (-2 * np.arange(x.shape[1] // 2) / x.shape[1])
    a, b = np.split(x, 2, axis=1)
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=1)


RIGHT["turn-half"] = [_turn, _turn_by_loops, _turn_by_complex, _turn_by_einsum]
WRONG["turn-half"] = [
    ("the interleaved layout", _interleaved),
    ("You turn backwards", lambda x, p: _turn(x, p, sign=-1)),
    ("The positions are ignored", lambda x, p: _turn(x, np.arange(x.shape[-2]))),
    ("the exponent is −2c/d", lambda x, p: _turn(x, p, step=1)),
    ("Every pair turns as fast as the first", lambda x, p: _turn(x, p, step=0)),
    ("The new b is made from the new a", _one_after_the_other),
    ("Nothing is turned", lambda x, p: x),
    ("changed its argument 1 in place", _in_place),
    ("stopped with", _first_axis),
    ("An axis of length 1 is missing", lambda x, p: np.squeeze(_turn(x, p))),
    ("the distance from the first position", lambda x, p: _turn(x, p - p[0])),
    ("one too high", lambda x, p: _turn(x, p + 1)),
    ("The two new halves are exchanged", lambda x, p: np.roll(_turn(x, p), x.shape[-1] // 2, axis=-1)),
    ("should be", lambda x, p: _turn(x, p.astype(np.int8))),
]

# A bias for each distance


def _bias(table, n):
    back = np.arange(n)[:, None] - np.arange(n)
    return np.where(back < 0, -np.inf, table[back.clip(0, len(table) - 1)])


def _bias_by_loops(table, n):
    out = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = table[min(i - j, len(table) - 1)]
    return out


def _bias_by_diagonals(table, n):
    out = np.triu(np.full((n, n), -np.inf), 1)
    for back in range(n):
        out += np.diag(np.full(n - back, table[min(back, len(table) - 1)]), -back)
    return out


RIGHT["distance-table"] = [_bias, _bias_by_loops, _bias_by_diagonals]
WRONG["distance-table"] = [
    ("Rows and columns are exchanged", lambda t, n: _bias(t, n).T),
    ("Keys after the query get a number", lambda t, n: t[abs(np.arange(n)[:, None] - np.arange(n)).clip(0, len(t) - 1)]),
    ("Keys after the query get a number", lambda t, n: t[(np.arange(n)[:, None] - np.arange(n)).clip(0, len(t) - 1)]),
    ("Keys after the query get 0", lambda t, n: np.nan_to_num(_bias(t, n), neginf=0)),
    ("A key at the query's own place is blocked", lambda t, n: _bias(t, n) + np.diag(np.full(n, -np.inf))),
    ("off by one", lambda t, n: _bias(np.append(t[1:], t[-1]), n)),
    ("start it anew",
        lambda t, n: np.where(np.tri(n) > 0, t[(np.arange(n)[:, None] - np.arange(n)) % len(t)], -np.inf)),
    ("A bias of exactly 0 blocks", lambda t, n: np.where(_bias(t, n) == 0, -np.inf, _bias(t, n))),
    ("Distances beyond the table get 0", lambda t, n: _bias(np.append(t, 0), n)),
    ("The table is read from its end", lambda t, n: _bias(t[::-1], n)),
    ("An axis of length 1 is missing", lambda t, n: np.squeeze(_bias(t, n))),
    ("Distances count from the first key", lambda t, n: np.where(np.tri(n) > 0, t[np.arange(n).clip(0, len(t) - 1)], -np.inf)),
    ("stopped with IndexError",
        lambda t, n: np.where(np.tri(n) > 0, t[abs(np.arange(n)[:, None] - np.arange(n))], -np.inf)),
]  # fmt: skip
