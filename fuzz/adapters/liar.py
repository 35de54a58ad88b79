"""Wrong on purpose, and plausibly so: an honest accountant that understates ε by two per cent where many steps are sampled rarely."""

import honest
from common import parts, serve


def answer(mechanism, query):
    value = honest.answer(mechanism, query)
    rare = any(rate < 0.1 and times > 500 for _, rate, times in parts(mechanism))
    return 0.98 * value if rare and query["kind"] == "epsilon" and value > 0 else value


serve("liar", [], answer, None, None)
