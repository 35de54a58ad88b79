"""One process, both sides: ε of De et al. beside dp_accounting, and a calibration beside riskcal; wall clock of each, median of five.

    python benches/peers/in_process.py     # where this package, dp_accounting and riskcal are installed, as `python/build drop-ins` does in target/python/drop-ins
"""

import statistics
import time

import riskcal
from dp_accounting.pld import privacy_loss_distribution as pld

import dpcmp
from dpcmp import claims
from dpcmp import riskcal as ours_as_riskcal

RATE, NOISE, STEPS, DELTA = 16384 / 50000, 9.4, 2000, 1e-5


def took(job, times=5):
    """The median of so many runs after a first one, and the answer."""
    answer, seconds = job(), []
    for _ in range(times):
        begin = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds), answer


def beside(name, ours, theirs, times=5):
    (mine, answer), (other, their_answer) = took(ours, times), took(theirs, times)
    print(f"{name}: ours {1e3 * mine:.2f} ms ({answer}), theirs {1e3 * other:.1f} ms ({their_answer}), ratio {mine / other:.4f}", flush=True)


def epsilon():
    return float(dpcmp.dp_sgd(noise_multiplier="9.4", sample_rate="16384/50000", steps=STEPS).epsilon("1e-5"))


def their_epsilon():
    return pld.from_gaussian_mechanism(NOISE, sampling_prob=RATE, value_discretization_interval=1e-4).self_compose(STEPS).get_epsilon_for_delta(DELTA)


def main():
    beside("epsilon, De et al.", epsilon, their_epsilon)
    run = {"sample_rate": 0.002, "num_steps": 10_000}
    beside(
        "noise for advantage 0.1, q = 0.002, T = 10000, the same call",
        lambda: ours_as_riskcal.calibration.dpsgd.find_noise_multiplier_for_advantage(advantage=0.1, **run),
        lambda: riskcal.calibration.dpsgd.find_noise_multiplier_for_advantage(advantage=0.1, **run),
        times=1,
    )
    beside(
        "the same through dpcmp.calibrate, width 1e-3",
        lambda: float(dpcmp.calibrate(dpcmp.dp_sgd, "noise_multiplier", claims.advantage("0.1"), sample_rate="0.002", steps=10_000, precision="1e-3")),
        lambda: riskcal.calibration.dpsgd.find_noise_multiplier_for_advantage(advantage=0.1, **run),
        times=1,
    )


if __name__ == "__main__":
    main()
