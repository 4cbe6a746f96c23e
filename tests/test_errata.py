"""Claims about attention that are often written down wrong, each decided by the package. The numbers are the book's errata ids."""

import numpy as np
import pytest

from attnlib import (
    attention,
    attention_scores,
    attention_weights,
    causal_mask,
    convex_hull,
    dropout_weights,
    linear_attention,
    multi_head_attention,
    positive_weights,
    project,
    softmax,
    tied_attention,
)

N, N_Z, D, D_K, D_V = 5, 7, 6, 4, 3


def drawn(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def close(actual, expected, tolerance=1e-13):
    return np.abs(actual - expected).max() < tolerance


def test_e1_rows_are_tokens_so_scores_are_x_times_its_transpose():
    (x,) = drawn((N, D))
    assert attention_scores(x, x, scale=1).shape == (N, N)
    assert (x.T @ x).shape == (D, D)


def test_e4_tied_scores_are_symmetric_and_the_weights_are_not_but_reversible():
    x, u = drawn((N, D), (D, 2))
    scores, weights = attention_scores(x @ u, x @ u), attention_weights(x @ u, x @ u)
    assert close(scores, scores.T)
    assert not close(weights, weights.T, 0.1)
    forward, backward = weights[0, 1] * weights[1, 2] * weights[2, 0], weights[0, 2] * weights[2, 1] * weights[1, 0]
    assert abs(forward - backward) < 1e-15
    query, key = drawn((N, D), (N, D), seed=1)
    free = attention_weights(query, key)
    assert abs(free[0, 1] * free[1, 2] * free[2, 0] - free[0, 2] * free[2, 1] * free[1, 0]) > 1e-4


def test_e5_the_variance_of_a_score_is_the_trace_of_both_covariances():
    rng = np.random.default_rng(0)
    mix_q, mix_k = rng.normal(size=(D, D)), rng.normal(size=(D, D))
    query, key = rng.normal(size=(200_000, D)) @ mix_q, rng.normal(size=(200_000, D)) @ mix_k
    expected = np.trace(mix_q.T @ mix_q @ mix_k.T @ mix_k)
    assert (query * key).sum(axis=1).var() == pytest.approx(expected, rel=0.03)


def test_e5_uncorrelated_is_not_enough():
    """k = ±q with a sign shared by all its components: no component is correlated, and the variance is D² + 2D."""
    rng = np.random.default_rng(0)
    query = rng.normal(size=(200_000, D))
    key = query * rng.choice([-1, 1], size=(200_000, 1))
    assert np.abs(np.mean(query[:, :, None] * key[:, None, :], axis=0)).max() < 0.02
    assert (query * key).sum(axis=1).var() == pytest.approx(D**2 + 2 * D, rel=0.03)


def test_e9_without_the_softmax_the_brackets_may_be_swapped_and_with_it_not():
    query, key, value = drawn((N, D_K), (N_Z, D_K), (N_Z, D_V))
    assert close((query @ key.T) @ value, query @ (key.T @ value))
    assert not close(attention(query, key, value), query @ (key.T @ value), 0.1)
    assert not close(attention(query, key, value), linear_attention(query, key, value), 0.1)


def test_e12_weights_sum_to_one_over_the_keys_and_not_over_the_queries():
    query, key = drawn((N, D_K), (N, D_K))
    weights = attention_weights(query, key)
    assert close(weights.sum(axis=1), 1)
    assert not close(weights.sum(axis=0), 1, 0.1)


def test_e14_the_nearest_key_does_not_get_the_largest_weight_unless_norms_are_equal():
    query = np.array([[1.0, 0.0]])
    assert attention_weights(query, np.array([[1.0, 0.0], [3.0, 3.0]]), scale=1).round(2).tolist() == [[0.12, 0.88]]
    keys = drawn((N, D))[0]
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    (query,) = drawn((1, D), seed=1)
    nearest = np.linalg.norm(keys - query, axis=1).argmin()
    assert attention_weights(query, keys).argmax() == nearest


def test_e20_the_ideal_tensor_is_the_weights_times_w_v_for_every_pair_of_tokens():
    x, w_v, query, key = drawn((N, D), (D, D_V), (N, D_K), (N, D_K))
    weights = attention_weights(query, key)
    whole = np.kron(weights, w_v.T)  # (n · d_v, n · d): one map for every pair of tokens
    assert close((whole @ x.ravel()).reshape(N, D_V), attention(query, key, x @ w_v))


def test_e21_only_the_product_of_w_q_and_w_k_matters_and_its_width_is_free():
    x, w_q, w_k, mix = drawn((N, D), (D, D_K), (D, D_K), (D_K, D_K))
    other_q, other_k = w_q @ mix, w_k @ np.linalg.inv(mix).T
    assert close(attention_scores(x @ w_q, x @ w_k), attention_scores(x @ other_q, x @ other_k), 1e-11)


def test_e27_dropout_on_weights_breaks_the_sum_of_a_row():
    (scores,) = drawn((50, 20))
    dropped = dropout_weights(softmax(scores), 0.3, np.random.default_rng(0))
    assert np.ptp(dropped.sum(axis=1)) > 0.3
    assert dropped.sum(axis=1).mean() == pytest.approx(1, abs=0.1)


def test_e29_the_dot_product_changes_its_sign_at_ninety_degrees():
    angles = np.deg2rad([0, 89, 91, 180])
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert np.sign(attention_scores(directions[:1], directions)).tolist() == [[1, 1, -1, -1]]


def test_e32_without_w_o_a_head_reaches_only_its_own_columns():
    x, w_q, w_k, w_v, w_o = drawn((N, D), (D, 8), (D, 8), (D, 8), (8, 8))
    silent = w_v.copy()
    silent[:, 4:] = 0  # the second of two heads
    unmixed = [multi_head_attention(x, w_q, w_k, w, np.eye(8), num_heads=2) for w in (w_v, silent)]
    assert (unmixed[0] == unmixed[1])[:, :4].all()
    assert (unmixed[1][:, 4:] == 0).all()
    mixed = [multi_head_attention(x, w_q, w_k, w, w_o, num_heads=2) for w in (w_v, silent)]
    assert (np.abs(mixed[0] - mixed[1]) > 1e-3).all()


def test_e33_under_the_causal_mask_output_i_depends_on_the_inputs_up_to_i():
    (x,) = drawn((N, D))
    for i in range(N):
        changed = x.copy()
        changed[i + 1 :] += 1
        assert (
            attention(x, x, x, causal_mask(N))[: i + 1] == attention(changed, changed, changed, causal_mask(N))[: i + 1]
        ).all()
    changed = x.copy()
    changed[2] += 1
    assert not close(
        attention(x, x, x, causal_mask(N))[2], attention(changed, changed, changed, causal_mask(N))[2], 0.1
    )


def test_e34_zeroing_after_the_softmax_leaks_and_renormalising_repairs_it():
    query, key = drawn((N, D_K), (N, D_K))
    mask = causal_mask(N)
    zeroed = attention_weights(query, key) * mask
    other = key.copy()
    other[-1] *= 3  # the first query must not see it
    leaking = attention_weights(query, other) * mask
    assert not close(zeroed[0], leaking[0], 0.01)
    assert close(zeroed / zeroed.sum(axis=1, keepdims=True), attention_weights(query, key, mask))


def test_e36_rows_and_columns_are_two_ways_to_write_one_thing_and_no_more():
    x, a = drawn((1, N), (N, N))
    assert close((x @ a).T, a.T @ x.T)
    assert not close((x @ a).T, a @ x.T, 0.1)


def test_e37_the_score_of_two_words_is_not_an_inner_product_of_them():
    w_q, w_k = drawn((D, 2), (D, 2))
    form = w_q @ w_k.T
    assert not close(form, form.T, 0.1)
    assert np.linalg.matrix_rank(form) == 2
    assert (np.linalg.eigvalsh(form + form.T) < -0.1).any()


def test_e39_unit_vectors_divided_by_the_root_of_d_leave_nothing_to_choose():
    d, n = 64, 16
    (x,) = drawn((n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert attention_weights(x, x).max() == pytest.approx(0.08, abs=0.01)  # 1/16 is 0.0625


def test_e40_a_uniform_component_from_minus_a_to_a_gives_products_of_variance_a4_over_9():
    rng = np.random.default_rng(0)
    for a in (1.0, 3**0.5):
        products = rng.uniform(-a, a, 400_000) * rng.uniform(-a, a, 400_000)
        assert products.var() == pytest.approx(a**4 / 9, rel=0.02)
    assert pytest.approx(1) == (3**0.5) ** 4 / 9


def test_e42_other_positive_functions_normalise_but_hardly_choose():
    def first_of_64(score, positive):
        return positive_weights(np.array([score] + [0.0] * 63), positive)[0]

    assert first_of_64(6.34, np.exp) == pytest.approx(0.9, abs=0.001)
    assert first_of_64(393.0, lambda s: np.logaddexp(0, s)) == pytest.approx(0.9, abs=0.001)
    assert first_of_64(1e6, lambda s: 1 / (1 + np.exp(-s))) < 0.04
    scores = drawn((N,))[0]
    for positive, invariant in ((np.exp, True), (lambda s: np.logaddexp(0, s), False)):
        assert close(positive_weights(scores + 2, positive), positive_weights(scores, positive), 1e-3) == invariant


def test_e43_small_scores_give_the_mean_and_a_tilt_by_the_covariance():
    query, key, value = drawn((1, D_K), (N, D_K), (N, D_V))
    query *= 1e-4
    covariance = (value - value.mean(axis=0)).T @ (key - key.mean(axis=0)) / N  # (d_v, d_k)
    expected = value.mean(axis=0) + covariance @ query[0] / D_K**0.5
    assert close(attention(query, key, value)[0], expected, 1e-8)


def test_e44_a_bias_is_a_row_added_to_every_token():
    x, w, b = drawn((N, D), (D, D_K), (D_K,))
    assert close(project(x, w, b), x @ w + np.outer(np.ones(N), b))


def test_e45_there_is_one_output_for_each_query():
    query, key, value = drawn((N, D_K), (N_Z, D_K), (N_Z, D_V))
    assert attention(query, key, value).shape == (N, D_V)


def test_e47_a_bias_of_the_keys_is_inert_and_one_of_the_values_a_constant_shift():
    x, w_q, w_k, w_v, b_q, b_k, b_v = drawn((N, D), (D, D_K), (D, D_K), (D, D_V), (D_K,), (D_K,), (D_V,))
    query, key, value = project(x, w_q), project(x, w_k), project(x, w_v)
    out = attention(query, key, value)
    assert close(attention(query, project(x, w_k, b_k), value), out)
    assert close(attention(query, key, project(x, w_v, b_v)), out + b_v)
    assert not close(attention(project(x, w_q, b_q), key, value), out, 0.01)


def test_e48_a_context_without_positions_has_no_order_but_counts_duplicates():
    query, key, value = drawn((1, D_K), (N, D_K), (N, D_V))
    order = np.random.default_rng(1).permutation(N)
    out = attention(query, key, value)
    assert close(attention(query, key[order], value[order]), out)
    doubled = np.concatenate([key, key[:1]]), np.concatenate([value, value[:1]])
    assert not close(attention(query, *doubled), out, 0.01)


def test_an_output_of_tied_attention_stays_in_the_convex_hull():
    (x,) = drawn((N, 2))
    hull = {tuple(x[i]) for i in convex_hull(x)}
    out = tied_attention(x)
    both = np.concatenate([x, out])
    assert {tuple(both[i]) for i in convex_hull(both)} == hull
