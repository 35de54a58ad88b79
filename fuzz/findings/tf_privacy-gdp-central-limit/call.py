"""tensorflow-privacy 0.9.0. Environment: tf_privacy (without TensorFlow: only the analyses are used)."""

import sys

sys.skip_tf_privacy_import = True

from tensorflow_privacy.privacy.analysis.gdp_accountant import compute_eps_poisson  # noqa: E402

print("one-step", compute_eps_poisson(epoch=0.1, noise_multi=1, n=1, batch_size=0.1, delta=0.01))
print("large-rate", compute_eps_poisson(epoch=0.9, noise_multi=5, n=1, batch_size=0.9, delta=0.01))
