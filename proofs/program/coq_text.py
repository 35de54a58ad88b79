"""Coq files that state a claim about Gaussian steps, with a plan that the proved checker accepts."""


def coq_claim(mechanism, claim, plan, order):
    """Definitions and theorems of a claim, given a plan that the checker accepts."""
    verdict, orders, epsilon, delta = claim
    q_of = lambda x: f"({x.numerator}) # {x.denominator}" if x < 0 else f"{x.numerator} # {x.denominator}"
    r_of = lambda x: f"({x.numerator} / {x.denominator})"
    phase = lambda f: f"{{| rate := {q_of(f[0])}; inverse_noise := {q_of(f[1])}; steps_done := {f[2]} |}}"
    names = {"remove": "Remove", "add": "Add"}
    about = "Both" if orders == "both" else f"One {names[orders]}"
    sides = ["remove", "add"] if orders == "both" and verdict == "verified" else [order if orders == "both" else orders]
    lines = [
        f"Definition mechanism : list phase := [{'; '.join(map(phase, mechanism))}]%Q.",
        f"Definition epsilon_delta : claim := {{| epsilon := {q_of(epsilon)}; delta := {q_of(delta)}; about := {about}; says := {verdict.capitalize()} |}}.\n",
    ]
    check, plan_type, write = ("check_upper", "upper_plan", coq_upper) if verdict == "verified" else ("check_lower", "lower_plan", coq_lower)
    for side in sides:
        lines += [
            f"Definition plan_{side} : {plan_type} :=\n  {write(plan, side)}.",
            f"Lemma accepted_{side} : {check} mechanism {names[side]} ({q_of(epsilon)}) ({q_of(delta)}) plan_{side} = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.\n",
        ]
    by = " ".join(f"accepted_{side}" for side in sides)
    negated = "" if verdict == "verified" else "~ "
    lemma = f"{verdict}_{'both' if orders == 'both' else 'one'}"
    lines += [f"Theorem claim : {negated}private mechanism epsilon_delta.", f"Proof. exact ({lemma} _ _ _ _ _ {by}). Qed."]
    if len(mechanism) == 1:
        q, mu, n = mechanism[0]
        value = {
            "remove": f"steps {r_of(q)} {r_of(mu)} (Pos.to_nat {n}) (exp {r_of(epsilon)})",
            "add": f"add_profile (repeat (weight {r_of(q)} {r_of(mu)}) (Pos.to_nat {n})) (exp {r_of(epsilon)})",
        }
        says = [f"{value[side]} <= {r_of(delta)}" if verdict == "verified" else f"{r_of(delta)} < {value[side]}" for side in sides]
        sound = "check_upper_sound" if verdict == "verified" else "check_lower_sound"
        proofs = [f"pose proof ({sound} _ _ _ _ _ accepted_{side}) as {side}. unfold mechanism in {side}. rewrite one_phase_{side} in {side}. exact {side}." for side in sides]
        body = f"Proof. {proofs[0]} Qed." if len(sides) == 1 else "Proof.\n  split.\n" + "".join(f"  - {proof}\n" for proof in proofs) + "Qed."
        both = " /\\ ".join(says)
        lines += ["\n(** in numbers *)", f"Theorem in_numbers : {both}.", body]
    return "\n".join(lines)


def coq_upper(plan, order):
    ranges = "; ".join(f"({first}, {count}%nat)" for first, count in plan.knots(order))
    return f"{{| bits := {plan.bits}; lattice := 1 # {2 ** plan.halvings}; levels := {plan.levels}; small_mass := {plan.small}; most_masses := {plan.most}; knot_ranges := [{ranges}]%Z |}}"


def coq_lower(plan, _):
    lists = ";\n   ".join("[" + "; ".join(f"({p}) # {2 ** 24}" for p in points) + "]" for points in plan.thresholds())
    return f"{{| low_bits := {plan.bits}; low_levels := {plan.levels}; low_small := {plan.small}; most_cells := {plan.most}; thresholds := [{lists}]%Q |}}"
