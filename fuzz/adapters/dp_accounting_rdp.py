"""dp_accounting: Rényi differential privacy, with every option as it comes."""

import math

import dp_accounting
from dpcmp_adapter import Unsupported, number, parts, relation_of, serve
from dp_accounting import dp_event
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.rdp import RdpAccountant

RELATIONS = {
    "add-remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace-one": NeighboringRelation.REPLACE_ONE,
    "replace-special": NeighboringRelation.REPLACE_SPECIAL,
}
# The shape of the negative binomial that each law is.
SHAPES = {"geometric": 1, "logarithmic": 0, "poisson": math.inf}


def one(step, relation):
    """A step that is not sampled. Noise is counted in what the relation moves the sum by: twice the bound where a record is replaced."""
    kind = step["kind"]
    moved = 2 if relation == "replace-one" else 1
    if kind == "gaussian":
        return dp_event.GaussianDpEvent(number(step.get("sigma", step.get("noise-multiplier"))) / moved)
    if kind == "laplace":
        return dp_event.LaplaceDpEvent(number(step["scale"]) / moved)
    if kind == "subsampled" and step["sampling"] == "without-replacement":
        return dp_event.SampledWithoutReplacementDpEvent(int(step["dataset-size"]), int(step["batch-size"]), one(step["of"], relation))
    if kind == "tree-aggregation" and int(step["participations"]) == 1:
        # A record occurs once in each tree: a list of steps would mean once in all of them.
        tree = dp_event.SingleEpochTreeAggregationDpEvent(number(step["noise-multiplier"]), int(step["steps"]))
        return dp_event.SelfComposedDpEvent(tree, int(step["restarts"]))
    if kind == "private-selection":
        runs = step["runs"]
        return dp_event.RepeatAndSelectDpEvent(one(step["of"], relation), number(runs["mean"]), SHAPES[runs["kind"]])
    raise Unsupported(kind)


def event(step, rate, times, relation):
    if rate < 1 and step["kind"] != "gaussian":
        raise Unsupported(f"{step['kind']} at rate {rate}")
    found = one(step, relation)
    sampled = found if rate == 1 else dp_event.PoissonSampledDpEvent(rate, found)
    return dp_event.SelfComposedDpEvent(sampled, times)


def answer(mechanism, query):
    relation = relation_of(mechanism)
    accountant = RdpAccountant(neighboring_relation=RELATIONS[relation])
    for part in parts(mechanism):
        try:
            accountant.compose(event(*part, relation))
        except dp_accounting.UnsupportedEventError as error:
            raise Unsupported(str(error)) from error
    if query["kind"] == "epsilon":
        return accountant.get_epsilon(number(query["delta"]))
    return accountant.get_delta(number(query.get("epsilon", 0)))


MECHANISMS = ["dp-sgd", "phases", "compose", "mixed", "gaussian", "laplace", "without-replacement", "tree-aggregation"]
MECHANISMS += ["private-selection"]
serve("dp_accounting RDP", ["dp-accounting"], answer, MECHANISMS, ["epsilon", "delta", "advantage"], relations=tuple(RELATIONS))
