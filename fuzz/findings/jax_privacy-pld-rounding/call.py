"""jax_privacy 2.0.0 with dp_accounting 0.6.0. Environment: jax_privacy."""

from jax_privacy.accounting import accountants, analysis

accountant = analysis.DpsgdTrainingAccountant(accountants.PldAccountantConfig())
every_record = analysis.DpParams(noise_multipliers=9, num_samples=1, batch_size=1, delta=1e-10)
print("claim", accountant.compute_epsilon(1000, every_record))
