"""Accountants and functions in the place of others', against the real packages where these are installed."""

import copy
import math

import pytest

import dpcmp
from dpcmp.history import History

# De et al.-like, small, and one with a large rate.
RUNS = [(1.1, 0.01, 1000), (2.0, 0.3, 50), (0.8, 0.002, 3000)]


def pld_epsilon(noise, rate, steps, delta):
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    one = pld.from_gaussian_mechanism(noise, sampling_prob=rate, value_discretization_interval=1e-4)
    return one.self_compose(steps).get_epsilon_for_delta(delta)


def test_history_without_any_other_package():
    history = History()
    # Whoever sees nothing tells no two datasets apart: δ(ε) = 1 − e^ε below ε = 0.
    nothing = history.enclose_epsilon(1e-5)
    assert [float(nothing.lower), float(nothing.upper)] == pytest.approx([math.log1p(-1e-5)] * 2, rel=1e-4) and nothing.upper < 0
    for noise, rate, steps in RUNS:
        for _ in range(min(steps, 3)):
            history.step(noise_multiplier=noise, sample_rate=rate)
    assert [phase[2] for phase in history.history] == [3, 3, 3]
    together = history.enclose_epsilon(1e-5)
    separately = dpcmp.dp_sgd(phases=[{"noise-multiplier": n, "sample-rate": q, "steps": 3} for n, q, _ in RUNS])
    assert together == separately.epsilon(1e-5)
    history.step(noise_multiplier=0, sample_rate=0.1)
    assert history.enclose_epsilon(1e-5).lower == math.inf


@pytest.mark.parametrize("run", RUNS)
def test_dp_accounting(run):
    dp_accounting = pytest.importorskip("dp_accounting")
    from dpcmp.dp_accounting import Accountant

    noise, rate, steps = run
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise))
    ours = Accountant()
    assert ours.get_epsilon(1e-5) == 0.0 and ours.get_delta(0.0) == 0.0
    assert ours.get_delta(-1.0) == pytest.approx(1 - math.exp(-1)) and ours.enclose_epsilon(1e-5).upper < 0
    ours.compose(event, steps)
    theirs = pld_epsilon(noise, rate, steps, 1e-5)
    assert ours.get_epsilon(1e-5) == pytest.approx(theirs, rel=1e-3)
    enclosure = ours.enclose_epsilon(1e-5)
    assert enclosure.lower <= theirs * 1.001 and enclosure == dpcmp.dp_sgd(noise_multiplier=noise, sample_rate=rate, steps=steps).epsilon(1e-5)
    assert ours.get_delta(ours.get_epsilon(1e-5)) <= 1.001e-5
    rdp = dp_accounting.rdp.RdpAccountant().compose(event, steps)
    assert rdp.get_epsilon(1e-5) >= enclosure.lower


def test_dp_accounting_relations_and_refusals():
    dp_accounting = pytest.importorskip("dp_accounting")
    from dpcmp.dp_accounting import Accountant

    relations = dp_accounting.NeighboringRelation
    gaussian = dp_accounting.GaussianDpEvent(2.0)
    once = Accountant(relations.ADD_OR_REMOVE_ONE).compose(gaussian).get_epsilon(1e-5)
    twice = Accountant(relations.REPLACE_ONE).compose(gaussian).get_epsilon(1e-5)
    special = Accountant(relations.REPLACE_SPECIAL).compose(gaussian).get_epsilon(1e-5)
    assert once == special < twice
    assert twice == pytest.approx(float(dpcmp.gaussian(sigma=1).epsilon(1e-5)), rel=1e-3)
    assert Accountant().supports(dp_accounting.LaplaceDpEvent(1.0))
    assert Accountant().supports(dp_accounting.ComposedDpEvent([gaussian, dp_accounting.LaplaceDpEvent(1.0)]))
    assert not Accountant().supports(dp_accounting.UnsupportedDpEvent())
    with pytest.raises(dp_accounting.UnsupportedEventError):
        Accountant().compose(dp_accounting.UnsupportedDpEvent())
    assert Accountant().compose(dp_accounting.NoOpDpEvent()).get_epsilon(1e-5) == 0.0
    for bare in (dp_accounting.NonPrivateDpEvent(), dp_accounting.ComposedDpEvent([gaussian, dp_accounting.GaussianDpEvent(0)])):
        assert Accountant().compose(bare).get_epsilon(1e-5) == math.inf and Accountant().compose(bare).get_delta(1.0) == 1
    # The accountant is what their calibration takes, too.
    noise = dp_accounting.calibrate_dp_mechanism(
        Accountant, lambda s: dp_accounting.SelfComposedDpEvent(dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(s)), 100), 1.0, 1e-5, tol=1e-2
    )
    assert dpcmp.dp_sgd(noise_multiplier=noise, sample_rate=0.01, steps=100).epsilon(1e-5) <= 1


def test_gdpnum():
    theirs = pytest.importorskip("gdpnum")
    from dpcmp import gdpnum as ours

    for noise, rate, steps in RUNS[:2]:
        mu, regret = ours.dpsgd.get_mu_and_regret_for_dpsgd(noise_multiplier=noise, sample_rate=rate, num_steps=steps)
        mu_theirs, regret_theirs = theirs.dpsgd.get_mu_and_regret_for_dpsgd(noise_multiplier=noise, sample_rate=rate, num_steps=steps)
        # gdpnum's μ is too small for the first of them, which our lower bound proves.
        truth = dpcmp.dp_sgd(noise_multiplier=noise, sample_rate=rate, steps=steps)
        assert mu >= truth.mu(error_floor="1e-10").lower and mu >= mu_theirs * 0.999
        assert float(truth.regret(mu_theirs)) == pytest.approx(regret_theirs, abs=2e-3) or mu_theirs < mu * 0.99
        # Narrow bounds, but not the same ones: what was asked before helps.
        assert truth.regret(mu).lower <= regret and regret == pytest.approx(float(truth.regret(mu)), rel=1e-3)
    both = [module.CTDAccountant() for module in (ours, theirs)]
    for accountant in both:
        for _ in range(20):
            accountant.step(noise_multiplier=1.0, sample_rate=0.1)
        accountant.step(noise_multiplier=2.0, sample_rate=0.1)
    assert both[0].get_epsilon(delta=1e-5) == pytest.approx(both[1].get_epsilon(delta=1e-5), rel=1e-3)
    assert both[0].get_beta(0.1) == pytest.approx(both[1].get_beta(0.1), rel=1e-3)
    assert both[0].get_mu_and_regret()[0] >= both[1].get_mu_and_regret()[0] * 0.999
    assert len(both[0]) == len(both[1]) == 21 and both[0].mechanism() == both[1].mechanism()
    assert len(both[0].get_beta()) == 8


def test_riskcal():
    theirs = pytest.importorskip("riskcal")
    numpy = pytest.importorskip("numpy")
    from dpcmp import riskcal as ours

    run = {"sample_rate": 0.01, "num_steps": 500}
    noises = [m.calibration.dpsgd.find_noise_multiplier_for_advantage(advantage=0.1, **run) for m in (ours, theirs)]
    assert noises[0] == pytest.approx(noises[1], rel=3e-2)
    assert ours.get_advantage_for_dpsgd(noises[0], **run) <= 0.1
    noises = [m.calibration.dpsgd.find_noise_multiplier_for_err_rates(alpha=0.1, beta=0.75, **run) for m in (ours, theirs)]
    assert noises[0] == pytest.approx(noises[1], rel=3e-2)
    assert ours.get_beta_for_dpsgd(noises[0], alpha=0.1, **run) >= 0.75
    alphas = numpy.array([0.05, 0.2, 0.5])
    for name, arguments in [
        ("get_beta_from_gdp", {"mu": 1.2, "alpha": alphas}),
        ("get_beta_from_adp", {"epsilon": 1.0, "delta": 1e-3, "alpha": alphas}),
        ("get_beta_from_rdp", {"epsilon": 0.3, "order": 3.0, "alpha": alphas}),
        ("get_beta_from_zcdp", {"rho": 0.2, "alpha": alphas}),
        ("get_bayes_risk_from_gdp", {"mu": 1.2, "prior": alphas}),
    ]:
        found, expected = (getattr(m.analysis, name)(**arguments) for m in (ours, theirs))
        assert isinstance(found, numpy.ndarray) and found == pytest.approx(expected, rel=1e-3, abs=1e-6), name
    assert ours.analysis.get_advantage_from_gdp(1.2) == pytest.approx(theirs.analysis.get_advantage_from_gdp(1.2))
    assert ours.analysis.get_advantage_from_adp(1.0, 1e-3) == pytest.approx(theirs.analysis.get_advantage_from_adp(1.0, 1e-3))
    with pytest.raises(TypeError, match="Mechanism"):
        ours.analysis.get_advantage_from_pld(object())


def plds():
    """Distributions that dp_accounting keeps as dictionaries and as arrays, with equal and with different directions."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    yield pld.from_laplace_mechanism(1.0, value_discretization_interval=1e-2)
    yield pld.from_randomized_response(0.3, 4, value_discretization_interval=1e-3)
    yield pld.from_gaussian_mechanism(1.1, sampling_prob=0.01, value_discretization_interval=1e-3).self_compose(200)


def test_what_a_pld_says():
    """δ, ε and f of the mechanism against the distribution's own sums: never better, and hardly worse."""
    for pld in plds():
        ours = dpcmp.Mechanism.from_pld(pld)
        assert "what is said is of the least private mechanisms with the stated guarantee: others reveal no more" in ours.conditions
        for epsilon in (0.0, 0.17, 0.5, 1.1, 2.0):
            theirs = pld.get_delta_for_epsilon(epsilon)
            assert theirs <= float(ours.delta(epsilon)) + 1e-14, epsilon
            # Of long distributions a thousand bends are kept.
            assert float(ours.delta(epsilon)) <= theirs * 1.005 + 1e-9, epsilon
    pessimistic = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    optimistic = pessimistic.from_laplace_mechanism(1.0, pessimistic_estimate=False, value_discretization_interval=1e-2)
    with pytest.raises(dpcmp.InputError, match="optimistic"):
        dpcmp.Mechanism.from_pld(optimistic)


def test_functions_on_plds():
    """The one-line switch: the same calls with the same distributions, ours on the safe side."""
    their_risks, their_mu = pytest.importorskip("riskcal"), pytest.importorskip("gdpnum")
    from dpcmp import gdpnum, riskcal

    for number, pld in enumerate(plds()):
        assert riskcal.analysis.get_advantage_from_pld(pld) == pytest.approx(their_risks.analysis.get_advantage_from_pld(pld), abs=1e-9)
        for alpha in (0.01, 0.1, 0.5):
            found, theirs = (module.analysis.get_beta_from_pld(pld, alpha) for module in (riskcal, their_risks))
            assert theirs - 2e-4 <= found
            # Both of theirs take tests that reject whole outcomes, of which responses have few; the curve has lines between them.
            responses = max(1 - alpha * 0.775 / 0.075, 0.3 - alpha, (1 - alpha) * 0.075 / 0.775)
            assert found <= (responses if number == 1 else theirs) + 1e-9
            found = gdpnum.PLDConverter(pld).get_beta([alpha])[0]
            assert number == 1 or found == pytest.approx(their_mu.PLDConverter(pld).get_beta([alpha])[0], abs=2e-4)
        found, theirs = (module.analysis.get_bayes_risk_from_pld(pld, 0.3) for module in (riskcal, their_risks))
        assert theirs - 2e-4 <= found <= theirs + 1e-9
    laplace = next(plds())
    mu, regret = gdpnum.PLDConverter(laplace).get_mu_and_regret()
    assert mu == pytest.approx(their_mu.PLDConverter(laplace).get_mu(), rel=1e-4) and 0 < regret < 0.1


def test_tf_privacy():
    """A training with TF-Privacy's optimizer, accounted for by the events of its query."""
    dp_accounting = pytest.importorskip("dp_accounting")
    tf = pytest.importorskip("tensorflow")
    tfp = pytest.importorskip("tensorflow_privacy")
    from dpcmp.dp_accounting import Accountant

    records, batch, noise, steps = 400, 20, 1.1, 4
    tf.random.set_seed(1)
    features, labels = tf.random.normal((records, 4)), tf.random.uniform((records,), maxval=2, dtype=tf.int64)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=tf.losses.Reduction.NONE)
    model.compile(optimizer=tfp.DPKerasSGDOptimizer(l2_norm_clip=1.0, noise_multiplier=noise, num_microbatches=batch // 4, learning_rate=0.1), loss=loss)
    model.fit(features[: batch * steps], labels[: batch * steps], batch_size=batch, verbose=0)
    # What its query says that it released, in every step.
    query = tfp.GaussianSumQuery(1.0, noise)
    gradients = tf.random.normal((batch, 4))
    ours, theirs = Accountant(), dp_accounting.rdp.RdpAccountant()
    state = query.initial_global_state()
    for _ in range(steps):
        sums = query.initial_sample_state(gradients[0])
        for gradient in gradients:
            sums = query.accumulate_record(query.derive_sample_params(state), sums, gradient)
        _, state, event = query.get_noised_result(sums, state)
        for accountant in (ours, theirs):
            accountant.compose(dp_accounting.PoissonSampledDpEvent(batch / records, event))
    # The query keeps its noise as a float of 32 bits.
    truth = dpcmp.dp_sgd(noise_multiplier=tf.constant(noise).numpy().item(), sample_rate="0.05", steps=steps).epsilon(1e-5)
    assert ours.get_epsilon(1e-5) == float(truth)
    assert theirs.get_epsilon(1e-5) >= truth.lower


def test_opacus_accountant():
    pytest.importorskip("opacus")
    from opacus.accountants import RDPAccountant, create_accountant

    import dpcmp.opacus

    ours, theirs = create_accountant("dpcmp"), RDPAccountant()
    assert isinstance(ours, dpcmp.opacus.Accountant) and ours.get_epsilon(1e-5) == 0
    for accountant in (ours, theirs):
        for _ in range(300):
            accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    assert ours.history == theirs.history and len(ours) == len(theirs)
    truth = ours.enclose_epsilon(1e-5)
    assert truth.upper <= ours.get_epsilon(delta=1e-5) <= truth.upper * (1 + 2**-50)
    assert theirs.get_epsilon(delta=1e-5) >= truth.lower
    state = copy.deepcopy(ours.state_dict())
    again = create_accountant("dpcmp")
    again.load_state_dict(state)
    assert again.state_dict() == state and again.enclose_epsilon(1e-5) == truth
    # What another accountant kept is what was run.
    again.load_state_dict(theirs.state_dict())
    assert again.enclose_epsilon(1e-5) == truth
    for wrong in (None, {}, {"history": []}):
        with pytest.raises(ValueError):
            again.load_state_dict(wrong)


def test_opacus_trains(tmp_path):
    """A run of the size of MNIST, tiny model and made-up data, whose ε comes from this package, checkpoint included."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("opacus")
    from opacus import PrivacyEngine

    import dpcmp.opacus  # noqa: F401

    torch.manual_seed(1)
    records, batch = 60_000, 2_000
    data = torch.utils.data.TensorDataset(torch.randn(records, 1, 7, 7), torch.randint(0, 10, (records,)))
    loader = torch.utils.data.DataLoader(data, batch_size=batch)

    def made():
        model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(49, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        engine = PrivacyEngine(accountant="dpcmp")
        return engine, *engine.make_private(module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.1, max_grad_norm=1.0)

    engine, model, optimizer, private = made()
    for features, labels in private:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(features), labels).backward()
        optimizer.step()
    epsilon = engine.get_epsilon(1e-5)
    steps = sum(phase[2] for phase in engine.accountant.history)
    assert steps == records // batch
    truth = dpcmp.dp_sgd(noise_multiplier=1.1, sample_rate=1 / len(loader), steps=steps).epsilon(1e-5)
    assert truth.upper <= epsilon <= float(truth) * (1 + 2**-50)

    path = tmp_path / "checkpoint.pt"
    engine.save_checkpoint(path=path, module=model, optimizer=optimizer)
    engine, model, optimizer, private = made()
    engine.load_checkpoint(path=path, module=model, optimizer=optimizer)
    assert engine.get_epsilon(1e-5) == epsilon

    # Noise for a budget, found by Opacus with our accountant, keeps it.
    engine = PrivacyEngine(accountant="dpcmp")
    model = torch.nn.Linear(49, 10)
    _, optimizer, _ = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=loader,
        target_epsilon=2.0,
        target_delta=1e-5,
        epochs=1,
        max_grad_norm=1.0,
    )
    assert dpcmp.dp_sgd(noise_multiplier=optimizer.noise_multiplier, sample_rate=1 / len(loader), steps=len(loader)).epsilon(1e-5) <= 2


def test_jax_privacy_accounting():
    """JAX-Privacy's accounting calls with this accountant."""
    accounting = pytest.importorskip("jax_privacy.accounting")
    from jax_privacy.accounting import analysis, calibrate

    from dpcmp.jax_privacy import AccountantConfig

    parameters = analysis.DpParams(noise_multipliers=1.1, num_samples=60_000, delta=1e-5, batch_size=600)
    ours, theirs = (accounting.DpsgdTrainingAccountant(config()) for config in (AccountantConfig, accounting.PldAccountantConfig))
    truth = dpcmp.dp_sgd(noise_multiplier=1.1, sample_rate="0.01", steps=1000).epsilon(1e-5)
    assert ours.compute_epsilon(1000, parameters) == float(truth)
    assert theirs.compute_epsilon(1000, parameters) == pytest.approx(float(truth), rel=1e-3)
    noise = calibrate.calibrate_noise_multiplier(
        target_epsilon=1.0, accountant=ours, batch_sizes=600, num_updates=1000, num_samples=60_000, target_delta=1e-5
    )
    assert dpcmp.dp_sgd(noise_multiplier=noise, sample_rate="0.01", steps=1000).epsilon(1e-5).lower < 1.02
