"""dpcmp: every differential-privacy quantity between two proved bounds, and claims verified or refuted.

>>> import dpcmp
>>> from fractions import Fraction
>>> run = dpcmp.dp_sgd(noise_multiplier="9.4", sample_rate=Fraction(16384, 50000), steps=2000)
>>> epsilon = run.epsilon(delta="1e-5")
>>> epsilon.lower < Fraction("7.4244") < epsilon.upper
True
>>> dpcmp.verify({"mechanism": run, "claim": {"kind": "approx-dp", "epsilon": "7.4", "delta": 1e-5}})[0].outcome
'refuted'
"""

from . import claims, errors, kinds
from ._native import __version__
from .claims import Claim
from .comparison import Comparison, compare
from .curve import Curve
from .enclosure import Enclosure
from .errors import DpcmpError, InputError, InternalError, OutOfTimeError, UndecidedError, UnsupportedError
from .kinds import *  # noqa: F403
from .mechanism import Mechanism
from .numbers import Number
from .plotting import plot_bayes_error, plot_curve, plot_privacy_profile, plot_sweep, plot_trade_off
from .report import Report, Statement
from .search import Calibration, Sweep, SweepPoint, calibrate, sweep, target
from .verdict import Certificate, Checked, Verdict, Verdicts, verify

__all__ = [
    "Calibration",
    "Certificate",
    "Checked",
    "Claim",
    "Comparison",
    "Curve",
    "DpcmpError",
    "Enclosure",
    "InputError",
    "InternalError",
    "Mechanism",
    "Number",
    "OutOfTimeError",
    "Report",
    "Statement",
    "Sweep",
    "SweepPoint",
    "UndecidedError",
    "UnsupportedError",
    "Verdict",
    "Verdicts",
    "__version__",
    "calibrate",
    "claims",
    "compare",
    "errors",
    "kinds",
    "plot_bayes_error",
    "plot_curve",
    "plot_privacy_profile",
    "plot_sweep",
    "plot_trade_off",
    "sweep",
    "target",
    "verify",
    *kinds.__all__,
]
