"""tensorflow-privacy 0.9.0. Environment: tf_privacy (without TensorFlow: only the analyses are used)."""

import sys

sys.skip_tf_privacy_import = True

from tensorflow_privacy.privacy.analysis.compute_dp_sgd_privacy_lib import compute_dp_sgd_privacy  # noqa: E402

print("one-step", compute_dp_sgd_privacy(1, 1e-6, 10, 1e-6, 1e-8)[0])
print("ten-steps", compute_dp_sgd_privacy(1, 5e-6, 50, 10 * 5e-6, 1e-11)[0])
print("many-steps", compute_dp_sgd_privacy(1, 1e-8, 0.76, 70_000_000 * 1e-8, 6e-5)[0])
