"""The law against its differential equation, its closed forms and published numbers."""

import subprocess
import sys

import numpy as np
import pytest

from lactic.fatigue import RULES, advance, fresh, residual_capacity, step, track, uniform

FRESH = np.array([0.0, 1.0, 0.0])


def law(*rates: float, rule: str = "held") -> np.ndarray:
    """F, R, r, L and the rule as `step` takes them."""
    return np.array([*rates, float(rule == "rest")])


SHOULDER = law(0.0182, 0.00168, 15.0, 10.0)
CHEEMA = law(1.0, 0.01, 1.0, 10.0)


def slopes(s, TL, rates, rule):
    """The three-case law exactly as cheema2023 Eqs. 1–3 print it."""
    MA, MR, MF = s
    F, R, r, L = rates[:4]
    C = L * (TL - MA) if MA >= TL or MR > TL - MA else L * MR
    Rr = r * R if (MA >= TL if rule == "held" else TL == 0) else R
    return np.array([C - F * MA, -C + Rr * MF, F * MA - Rr * MF])


def reference(loads, rates, hold, start=FRESH, rule="held", fine=400):
    """A Runge–Kutta solution of the printed law, each load held for `hold` seconds in `fine` steps."""
    s, h = np.array(start), hold / fine
    for TL in loads:
        for _ in range(fine):
            a = slopes(s, TL, rates, rule)
            b = slopes(s + h / 2 * a, TL, rates, rule)
            c = slopes(s + h / 2 * b, TL, rates, rule)
            d = slopes(s + h * c, TL, rates, rule)
            s = s + h / 6 * (a + 2 * b + 2 * c + d)
    return s


def stepped(loads, rates, hold, n):
    return track(np.repeat(np.array(loads, float), n), law(*rates[:4]), hold / n, FRESH)[-1]


@pytest.mark.parametrize("rates", [CHEEMA, (3, 0.02, 1, 10), (1, 0.2, 1, 10), (1, 0.2, 1, 200), (0.01, 0.002, 1, 50)])
@pytest.mark.parametrize("loads", [(0.8, 0.8), (1.0, 0.0), (0.2, 0.9), (0.9, 0.3)])
def test_second_order_at_animation_settings(rates, loads):
    exact = reference(loads, rates, 2.0, fine=4000)
    at_30_hz = np.abs(stepped(loads, rates, 2.0, 60) - exact).max()
    at_120_hz = np.abs(stepped(loads, rates, 2.0, 240) - exact).max()
    assert at_30_hz < 1e-3
    assert at_120_hz < at_30_hz / 10 + 1e-7  # 16 times at second order, 4 at first; L·dt = 7 at 30 Hz costs some of it


@pytest.mark.parametrize("L", [10.0, 50.0, 200.0])
def test_a_met_load_is_exact_even_where_the_drive_is_faster_than_the_step(L):
    rates = (0.0182, 0.0, 1.0, L)
    for n in (1, 2, 40):  # one step of 20 s has L·dt of up to 4000
        MF = 0.0182 * 0.5 * L / (L + 0.0182) * (20.0 - 1 / (L + 0.0182))
        assert stepped([0.5], rates, 20.0, n)[2] == pytest.approx(MF, rel=1e-6)


@pytest.mark.parametrize("dt", [0.01, 1 / 30, 0.2, 1.0, 10.0])
def test_equilibrium_is_exact_for_any_step(dt):
    for F, R, L in [(1.0, 0.2, 10.0), (0.0182, 0.00168, 10.0)]:
        # MA = L/(L+F)·(1 − MF) and F·MA = R·MF
        MF = 1 / (1 + R * (L + F) / (L * F))
        MA = R * MF / F
        state = np.array([MA, 1 - MA - MF, MF])
        assert step(state, np.array(1.0), law(F, R, 1.0, L), dt) == pytest.approx(state, abs=1e-12)


def test_drive_forgets_how_it_was_reached_and_never_overshoots():
    for dt in (0.001, 0.1, 1.0, 10.0):  # explicit Euler overshoots from L·dt = 1
        path = track(np.full(50, 0.6), law(0.0, 0.0, 1.0, 10.0), dt)
        assert np.all(np.diff(path[:, 0]) >= 0) and np.all(path[:, 0] <= 0.6)


def test_recovery_rules_differ_only_under_a_load_that_is_more_than_met():
    rates, start = {rule: law(0.01, 0.02, 5.0, 10.0, rule=rule) for rule in RULES}, np.array([0.5, 0.0, 0.5])
    recovered = {rule: 0.5 - step(start, np.array(0.2), rates[rule], 0.01)[2] for rule in RULES}
    tired = 0.01 * 0.5 * 0.01
    assert recovered["held"] == pytest.approx(5 * 0.02 * 0.5 * 0.01 - tired, rel=0.01)
    assert recovered["rest"] == pytest.approx(0.02 * 0.5 * 0.01 - tired, rel=0.05)
    for load in (0.0, 0.9):  # at rest both boost, under a load not met neither does
        assert np.array_equal(*[step(start, np.array(load), rates[rule], 0.01) for rule in RULES])


def test_the_fifth_column_says_the_rule_of_each_joint():
    start, load = np.array([[0.5, 0.0, 0.5]] * 2), np.full(2, 0.2)
    found = step(start, load, np.stack([law(0.01, 0.02, 5.0, 10.0, rule=rule) for rule in ("held", "rest")]), 1e-3)
    # MF' = F·MA − Rr·MF with Rr = r·R while held, R at rest only: over 1 ms, by hand
    slopes = np.array([0.01 * 0.5 - 5 * 0.02 * 0.5, 0.01 * 0.5 - 0.02 * 0.5])
    assert found[:, 2] == pytest.approx(0.5 + 1e-3 * slopes, abs=1e-7)


def test_r_of_1_is_3cc():
    rng = np.random.default_rng(0)
    loads = rng.uniform(0, 1, (200, 7))
    three_cc = [track(loads, law(1.0, 0.1, 1.0, 10.0, rule=rule), 1 / 30) for rule in RULES]
    assert np.array_equal(*three_cc)  # with r = 1 no rule matters ...
    exact = reference(loads[:, 0], (1.0, 0.1, 1.0, 10.0), 1 / 30, rule="never", fine=10)  # ... and 3CC has none
    assert three_cc[0][-1, 0] == pytest.approx(exact, abs=2e-4)


# FACTS: shoulder, 10 s cycle, 50 % duty at 50 % of maximum; torque decline in % after 1, 3, 5, 10, 15 minutes
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "r, decline",
    [(1, (25.8, 65.8, 79.0, 83.9, 84.1)), (15, (17.6, 28.9, 31.1, 31.7, 31.7)), (30, (12.1, 15.2, 15.3, 15.3, 15.3))],
)
def test_intermittent_work(r, decline, rule):
    dt = 0.1
    loads = np.tile(np.repeat([0.5, 0.0], 50), 90)
    path = track(loads, law(0.0182, 0.00168, r, 10.0, rule=rule), dt)
    at = [round(minutes * 60 / dt) for minutes in (1, 3, 5, 10, 15)]
    assert 100 * (1 - residual_capacity(path[at])) == pytest.approx(decline, abs=0.11)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rule", RULES)
def test_compartments_stay_fractions_for_any_dt_load_and_rates(rule, dtype):
    rng = np.random.default_rng(1)
    n, ulp = 4000, np.finfo(dtype).eps
    for dt in np.geomspace(1e-4, 10, 12):
        F, R, L = 10 ** rng.uniform([[-5], [-5], [-1]], [[1], [1], [2.5]], (3, n))
        F, R, r = F * rng.integers(0, 2, n), R * rng.integers(0, 2, n), rng.uniform(0, 150, n)
        rates = np.stack([F, R, r, L, np.full(n, float(rule == "rest"))], -1)
        state = rng.dirichlet((0.3, 0.3, 0.3), n).astype(dtype)
        for _ in range(20):
            load = rng.choice([0, 1, 0.3, 5, np.inf, -1, np.nan], n) if rng.random() < 0.5 else rng.uniform(0, 1.2, n)
            state = step(state, load.astype(dtype), rates.astype(dtype), float(dt))
            assert state.dtype == dtype
            assert np.all((state >= 0) & (state <= 1))
            assert np.all(np.abs(state.sum(-1) - 1) <= 4 * ulp)


def test_fatigue_off_leaves_fatigue_alone():
    state = np.array([0.2, 0.3, 0.5])
    for dt in (1e-4, 1 / 30, 10.0):
        for L in (10.0, 0.0):
            after = step(state, np.array(0.4), law(0.0, 0.0, 0.0, L), dt)
            assert after[2] == 0.5 and after.sum() == pytest.approx(1)
    assert after == pytest.approx(state)  # and without a drive nothing moves at all


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rule", RULES)
def test_nothing_moves_where_all_rates_are_zero(rule, dtype):
    torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
    rng = np.random.default_rng(6)
    state = rng.dirichlet((1, 1, 1), 60).astype(dtype)
    load = np.r_[rng.uniform(0, 1.2, 50), [0.0, 1.0] * 5].astype(dtype)
    rates = np.tile(law(0.0, 0.0, 0.0, 0.0, rule=rule), (60, 1)).astype(dtype)
    for dt in (1e-4, 1 / 120, 1 / 30, 10.0):
        after = step(state, load, rates, dt)
        assert np.array_equal(after[:, 2], state[:, 2])
        assert np.abs(after - state).max() <= 4 * np.finfo(dtype).eps  # what is left of 1 for MR may round
        theirs, left = advance(*(torch.from_numpy(x) for x in (state, load, rates)), dt)
        assert np.array_equal(theirs.numpy(), after) and np.array_equal(left.numpy(), 1 - state[:, 2])


def test_nan_stays_where_it_is():
    rng = np.random.default_rng(2)
    state, load = rng.dirichlet((1, 1, 1), 9), rng.uniform(0, 1, 9)
    clean = step(state, load, SHOULDER, 0.1)
    load[3], state[5] = np.nan, np.nan
    dirty = step(state, load, SHOULDER, 0.1)
    others = [0, 1, 2, 4, 6, 7, 8]
    assert np.array_equal(dirty[others], clean[others])
    load[3] = 0.0  # a NaN load is no load
    assert np.array_equal(dirty[3], step(state[3], load[3], SHOULDER, 0.1))


def test_numpy_and_torch_agree():
    torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
    rng = np.random.default_rng(3)
    loads, rates = rng.uniform(0, 1.2, (300, 5, 28)), np.stack([CHEEMA] * 14 + [SHOULDER] * 14)
    ours = track(loads, rates, 1 / 30)
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 5e-6)):
        theirs = track(torch.tensor(loads, dtype=dtype), torch.tensor(rates, dtype=dtype), 1 / 30)
        assert theirs.dtype == dtype and np.abs(theirs.numpy() - ours).max() < tolerance
        one = step(theirs[150], torch.tensor(loads[150], dtype=dtype), torch.tensor(rates, dtype=dtype), 1 / 30)
        two = step(theirs[150].double().numpy(), loads[150], rates, 1 / 30)
        assert np.abs(one.numpy() - two).max() < 1e-6


def test_fresh():
    assert np.array_equal(fresh((2, 3)), np.broadcast_to(FRESH, (2, 3, 3)))


def test_uniform_starts_are_algorithm_1():
    u = np.random.default_rng(0).random((20_000, 2))
    MA, MR, MF = uniform(u).T
    assert np.array_equal(MR, u[:, 0]) and np.all(MA <= 1 - MR)
    assert (MA.mean(), MR.mean(), MF.mean()) == pytest.approx((0.25, 0.5, 0.25), abs=0.01)
    assert uniform(np.array([0.4, 0.5])) == pytest.approx([0.3, 0.4, 0.3])


def test_batched_is_one_by_one():
    rng = np.random.default_rng(4)
    load = rng.uniform(0, 1, (3, 4))
    state = step(fresh((3, 4)), load, np.broadcast_to(CHEEMA, (4, 5)), 0.5)
    assert state.shape == (3, 4, 3)
    assert np.array_equal(state[2, 1], step(FRESH, load[2, 1:2], CHEEMA, 0.5)[0])


def test_exported_law_is_small_and_the_same(tmp_path):
    torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
    onnx = pytest.importorskip("onnx", reason="no onnx: pip install lactic[train]")
    onnxruntime = pytest.importorskip("onnxruntime", reason="no onnxruntime: pip install lactic")

    class Law(torch.nn.Module):
        def forward(self, state, load, rates):
            return step(state, load, rates, 1 / 30)

    rng = np.random.default_rng(5)
    inputs = [rng.dirichlet((1, 1, 1), (1, 28)), rng.uniform(0, 1, (1, 28)), np.tile(SHOULDER, (1, 28, 1))]
    inputs = [x.astype("float32") for x in inputs]
    tensors = tuple(torch.from_numpy(x) for x in inputs)
    torch.onnx.export(Law().eval(), tensors, tmp_path / "law.onnx", dynamo=True, verbose=False)
    assert len(onnx.load(tmp_path / "law.onnx").graph.node) <= 44
    session = onnxruntime.InferenceSession(tmp_path / "law.onnx")
    inputs[1][0, 3], inputs[2][0, 5:9, 3], inputs[2][0, 7:11] = np.nan, 0.0, 0.0
    out = session.run(None, {x.name: value for x, value in zip(session.get_inputs(), inputs, strict=True)})[0]
    assert np.abs(out - step(*inputs, 1 / 30)).max() < 1e-6
    assert np.abs(out - inputs[0])[0, 7:11].max() < 1e-6  # the exporter has kept what guards rates of zero


def test_does_not_import_torch():
    code = "import sys, lactic.fatigue; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
