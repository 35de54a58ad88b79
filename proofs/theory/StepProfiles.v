(** * The profile of one step, computed

For each pair of ProductPairs.v, in either order: an enclosure of its divergence at u, and one of a slope s with D u - s (v - u) <= D v for every v >= 0, which is P (L > log u): a tangent of
the profile. u and the parameters are given by enclosures (FixedPoint.v), inv encloses 1 / total (NormalTail.v). None: out of range, or the threshold is not certainly there. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian GaussianSum StrictMu.
From Dpcmp Require Import Product ProductPairs FixedPoint FixedSeries Numbers NormalTail.
Import ListNotations.
Open Scope R_scope.

Definition tangent (D : R -> R) (u s : R) := forall v, 0 <= v -> D u - s * (v - u) <= D v.

(** ** Sampled Gaussian noise, remove *)
Section Gaussian.
Variables rate mu : R.
Hypothesis Hq : 0 < rate <= 1.
Hypothesis Hmu : 0 < mu.
Notation w := (weight rate mu).
Let Hmu' : 0 <= mu := Rlt_le _ _ Hmu.
Definition remove_pair := gaussian_pair rate mu Hq Hmu'.
Definition add_pair := swap remove_pair.

Definition threshold (u : R) : R := ln ((u - (1 - rate)) / rate) / mu + mu / 2.
Lemma threshold_weight u : 1 - rate < u -> w (threshold u) = u.
Proof.
  intros H. unfold weight, ratio, threshold. assert (P : 0 < (u - (1 - rate)) / rate) by (apply Rdiv_lt_0_compat; lra).
  replace (mu * (ln ((u - (1 - rate)) / rate) / mu + mu / 2) - mu * mu / 2) with (ln ((u - (1 - rate)) / rate)) by (field; lra). rewrite exp_ln by exact P. field. lra.
Qed.
(** the test that rejects above t *)
Lemma remove_test t v : 0 <= v -> (1 - rate) * tail t + rate * tail (t - mu) - v * tail t <= divergence [remove_pair] v.
Proof.
  intros Hv. pose proof (threshold_tests rate mu t Hq Hmu' 1 1 v ltac:(lra) Hv) as T. unfold power_of_test in T.
  change [remove_pair] with (repeat remove_pair 1). unfold remove_pair. rewrite gaussian_divergence by exact Hv. unfold steps, composed. lra.
Qed.
Lemma remove_at t u : 0 <= u -> w t = u -> divergence [remove_pair] u = rate * tail (t - mu) - (u - (1 - rate)) * tail t /\ tangent (divergence [remove_pair]) u (tail t).
Proof.
  intros Hu Ht. assert (E : divergence [remove_pair] u = rate * tail (t - mu) - (u - (1 - rate)) * tail t).
  { unfold remove_pair. rewrite gaussian_one by exact Hu. apply step_closed; assumption. }
  split; [exact E|]. intros v Hv. rewrite E. pose proof (remove_test t v Hv). lra.
Qed.
Lemma remove_low u : 0 <= u <= 1 - rate -> divergence [remove_pair] u = 1 - u /\ tangent (divergence [remove_pair]) u 1.
Proof.
  intros Hu. assert (E : divergence [remove_pair] u = 1 - u) by (unfold remove_pair; rewrite gaussian_one by lra; apply step_low; assumption).
  split; [exact E|]. intros v Hv. rewrite E. pose proof (pp_line _ (divergence_profile [remove_pair]) v Hv). lra.
Qed.

(** add *)
Lemma add_divergence u : 0 < u -> divergence [add_pair] u = 1 - u + u * divergence [remove_pair] (/ u).
Proof. intros Hu. exact (order_swap [remove_pair] u Hu). Qed.
Lemma add_test t v : 0 <= v -> 1 - tail t - v * (1 - ((1 - rate) * tail t + rate * tail (t - mu))) <= divergence [add_pair] v.
Proof.
  intros [Hv|<-].
  - rewrite add_divergence by exact Hv. assert (IV : 0 < / v) by (apply Rinv_0_lt_compat, Hv). pose proof (remove_test t (/ v) ltac:(lra)) as T.
    apply Rmult_le_compat_l with (r := v) in T; [|lra]. rewrite Rmult_minus_distr_l, <- (Rmult_assoc v (/ v)), Rinv_r in T by lra. lra.
  - pose proof (pp_line _ (divergence_profile [add_pair]) 0 ltac:(lra)). pose proof (tail_pos t). lra.
Qed.
Lemma add_at t u : 0 < u -> w t = / u -> divergence [add_pair] u = (1 - u * (1 - rate)) * (1 - tail t) - u * rate * (1 - tail (t - mu)) /\
  tangent (divergence [add_pair]) u ((1 - rate) * (1 - tail t) + rate * (1 - tail (t - mu))).
Proof.
  intros Hu Ht. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). destruct (remove_at t (/ u) ltac:(lra) Ht) as [E _].
  assert (A : divergence [add_pair] u = (1 - u * (1 - rate)) * (1 - tail t) - u * rate * (1 - tail (t - mu))) by (rewrite add_divergence, E by exact Hu; field; lra).
  split; [exact A|]. intros v Hv. rewrite A. pose proof (add_test t v Hv). lra.
Qed.
Lemma add_high u : 1 <= u * (1 - rate) -> 0 < u -> divergence [add_pair] u = 0 /\ tangent (divergence [add_pair]) u 0.
Proof.
  intros H Hu. assert (E : divergence [add_pair] u = 0).
  { rewrite add_divergence by exact Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu).
    destruct (remove_low (/ u)) as [E _]; [|rewrite E; field; lra]. split; [lra|]. apply Rmult_le_reg_l with u; [exact Hu|]. rewrite Rinv_r by lra. exact H. }
  split; [exact E|]. intros v Hv. rewrite E, Rmult_0_l. pose proof (pp_nonneg _ (divergence_profile [add_pair]) v Hv). lra.
Qed.
End Gaussian.

Definition clamp_0 (i : Z * Z) : Z * Z := (Z.max 0 (fst i), snd i).
Lemma encl_clamp w i x : encl w i x -> 0 <= x -> encl w (clamp_0 i) x.
Proof. intros [A B] X. split; cbn [clamp_0 fst snd]; [apply max_0_below; assumption|exact B]. Qed.

(** the threshold from (u - (1 - rate)) / rate *)
Definition threshold_Z (w : positive) (im ig iq : Z * Z) : option (Z * Z) :=
  match div_Z w ig iq with
  | Some r => match ln_Z w r with
              | Some l => match div_Z w l im with Some t => Some (add_Z t (half_Z im)) | None => None end
              | None => None
              end
  | None => None
  end.
Definition two_tails_Z (w : positive) (inv im it : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  match tail_Z w inv (sub_Z it im), tail_Z w inv it with Some a, Some b => Some (a, b) | _, _ => None end.
Definition sampled_remove_Z (w : positive) (inv iq im iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  let one := exact_Z w 1 in
  let ig := sub_Z iu (sub_Z one iq) in
  if (0 <? fst ig)%Z then
    match threshold_Z w im ig iq with
    | Some it => match two_tails_Z w inv im it with
                 | Some (a, b) => Some (clamp_0 (sub_Z (mul_Z w iq a) (mul_Z w ig b)), b)
                 | None => None
                 end
    | None => None
    end
  else if (snd ig <=? 0)%Z then Some (clamp_0 (sub_Z one iu), one) else None.
Definition sampled_add_Z (w : positive) (inv iq im iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  let one := exact_Z w 1 in
  let rest := sub_Z one iq in
  let ih := sub_Z one (mul_Z w iu rest) in
  if (0 <? fst iu)%Z then
    if (0 <? fst ih)%Z then
      match threshold_Z w im ih (mul_Z w iu iq) with
      | Some it => match two_tails_Z w inv im it with
                   | Some (a, b) => let a' := sub_Z one a in let b' := sub_Z one b in
                       Some (clamp_0 (sub_Z (mul_Z w ih b') (mul_Z w (mul_Z w iu iq) a')), add_Z (mul_Z w rest b') (mul_Z w iq a'))
                   | None => None
                   end
      | None => None
      end
    else if (snd ih <=? 0)%Z then Some ((0, 0)%Z, (0, 0)%Z) else None
  else None.

Lemma threshold_sound w im ig iq it mu g q : 0 < mu -> encl w im mu -> encl w ig g -> encl w iq q -> threshold_Z w im ig iq = Some it ->
  encl w it (ln (g / q) / mu + mu / 2) /\ 0 < g / q.
Proof.
  intros Hm Em Eg Eq. unfold threshold_Z. destruct (div_Z w ig iq) as [r|] eqn:R; [|discriminate]. destruct (ln_Z w r) as [l|] eqn:L; [|discriminate].
  destruct (div_Z w l im) as [t|] eqn:T; [|discriminate]. intros H. injection H as <-. destruct (encl_div w _ _ _ _ _ Eg Eq R) as [A _]. destruct (ln_sound w _ _ _ A L) as [B P].
  destruct (encl_div w _ _ _ _ _ B Em T) as [C _]. split; [|exact P]. apply encl_add; [exact C|apply encl_half, Em].
Qed.
Lemma two_tails_sound w inv im it a b mu t : encl w inv (/ total) -> encl w im mu -> encl w it t -> two_tails_Z w inv im it = Some (a, b) -> encl w a (tail (t - mu)) /\ encl w b (tail t).
Proof.
  intros I Em Et. unfold two_tails_Z. destruct (tail_Z w inv (sub_Z it im)) as [a'|] eqn:A; [|discriminate]. destruct (tail_Z w inv it) as [b'|] eqn:B; [|discriminate].
  intros H. injection H as <- <-. split; [apply (tail_sound w inv _ _ _ I (encl_sub w _ _ _ _ Et Em) A)|apply (tail_sound w inv _ _ _ I Et B)].
Qed.
Lemma encl_positive w i x : encl w i x -> (0 <? fst i)%Z = true -> 0 < x.
Proof. intros [A _] H. apply Z.ltb_lt, IZR_lt in H. pose proof (unit_pos w). apply Rmult_lt_reg_l with (unit w); lra. Qed.
Lemma encl_not_positive w i x : encl w i x -> (snd i <=? 0)%Z = true -> x <= 0.
Proof. intros [_ A] H. apply Z.leb_le, IZR_le in H. pose proof (unit_pos w). apply Rmult_le_reg_l with (unit w); lra. Qed.
Lemma encl_zero w : encl w (0, 0)%Z 0.
Proof. unfold encl; cbn [fst snd]. rewrite Rmult_0_r. lra. Qed.
Lemma pair_inj (A B : Type) (x x' : A) (y y' : B) : Some (x, y) = Some (x', y') -> x' = x /\ y' = y.
Proof. intros H. injection H as -> ->. auto. Qed.

Section Sound.
Variables (w : positive) (inv iq im iu : Z * Z) (rate mu u : R).
Hypothesis Hq : 0 < rate <= 1.
Hypothesis Hmu : 0 < mu.
Hypothesis Hu : 0 <= u.
Hypothesis I : encl w inv (/ total).
Hypothesis Eq : encl w iq rate.
Hypothesis Em : encl w im mu.
Hypothesis Eu : encl w iu u.

Theorem sampled_remove_sound d s : sampled_remove_Z w inv iq im iu = Some (d, s) ->
  encl w d (divergence [remove_pair rate mu Hq Hmu] u) /\ exists slope, encl w s slope /\ tangent (divergence [remove_pair rate mu Hq Hmu]) u slope.
Proof.
  unfold sampled_remove_Z. set (ig := sub_Z iu (sub_Z (exact_Z w 1) iq)). assert (Eg : encl w ig (u - (1 - rate))) by (apply encl_sub, encl_sub; auto; apply (encl_exact w 1)).
  assert (N : 0 <= divergence [remove_pair rate mu Hq Hmu] u) by (apply (pp_nonneg _ (divergence_profile _)), Hu).
  destruct (0 <? fst ig)%Z eqn:G.
  - apply (encl_positive w _ _ Eg) in G. destruct (threshold_Z w im ig iq) as [it|] eqn:T; [|discriminate]. destruct (threshold_sound w _ _ _ _ _ _ _ Hmu Em Eg Eq T) as [Et _].
    fold (threshold rate mu u) in Et. destruct (two_tails_Z w inv im it) as [[a b]|] eqn:TT; [|discriminate]. destruct (two_tails_sound w _ _ _ _ _ _ _ I Em Et TT) as [Ea Eb].
    intros H. apply pair_inj in H. destruct H as [-> ->]. destruct (remove_at rate mu Hq Hmu (threshold rate mu u) u Hu (threshold_weight rate mu Hq Hmu u ltac:(lra))) as [E S]. split.
    + apply encl_clamp; [|exact N]. rewrite E. apply encl_sub; apply encl_mul; assumption.
    + exists (tail (threshold rate mu u)). auto.
  - destruct (snd ig <=? 0)%Z eqn:G'; [|discriminate]. apply (encl_not_positive w _ _ Eg) in G'. intros H. apply pair_inj in H. destruct H as [-> ->].
    destruct (remove_low rate mu Hq Hmu u ltac:(lra)) as [E S]. split.
    + apply encl_clamp; [|exact N]. rewrite E. apply encl_sub; [apply (encl_exact w 1)|exact Eu].
    + exists 1. split; [apply (encl_exact w 1)|exact S].
Qed.

Theorem sampled_add_sound d s : sampled_add_Z w inv iq im iu = Some (d, s) ->
  encl w d (divergence [add_pair rate mu Hq Hmu] u) /\ exists slope, encl w s slope /\ tangent (divergence [add_pair rate mu Hq Hmu]) u slope.
Proof.
  unfold sampled_add_Z. set (one := exact_Z w 1). assert (E1 : encl w one 1) by apply (encl_exact w 1). set (rest := sub_Z one iq). assert (Er : encl w rest (1 - rate)) by (apply encl_sub; assumption).
  set (ih := sub_Z one (mul_Z w iu rest)). assert (Eh : encl w ih (1 - u * (1 - rate))) by (apply encl_sub; [exact E1|apply encl_mul; assumption]).
  assert (N : 0 <= divergence [add_pair rate mu Hq Hmu] u) by (apply (pp_nonneg _ (divergence_profile _)), Hu).
  destruct (0 <? fst iu)%Z eqn:U; [|discriminate]. apply (encl_positive w _ _ Eu) in U. assert (Euq : encl w (mul_Z w iu iq) (u * rate)) by (apply encl_mul; assumption).
  destruct (0 <? fst ih)%Z eqn:G.
  - apply (encl_positive w _ _ Eh) in G. destruct (threshold_Z w im ih (mul_Z w iu iq)) as [it|] eqn:T; [|discriminate].
    destruct (threshold_sound w _ _ _ _ _ _ _ Hmu Em Eh Euq T) as [Et _]. set (t := ln ((1 - u * (1 - rate)) / (u * rate)) / mu + mu / 2) in *.
    assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, U).
    assert (K : 1 - rate < / u) by (apply Rmult_lt_reg_l with u; [exact U|]; rewrite Rinv_r by lra; lra).
    assert (Wt : weight rate mu t = / u).
    { rewrite <- (threshold_weight rate mu Hq Hmu (/ u) K). f_equal. unfold t, threshold. do 3 f_equal. field. lra. }
    destruct (two_tails_Z w inv im it) as [[a b]|] eqn:TT; [|discriminate]. destruct (two_tails_sound w _ _ _ _ _ _ _ I Em Et TT) as [Ea Eb].
    intros H. apply pair_inj in H. destruct H as [-> ->]. destruct (add_at rate mu Hq Hmu t u U Wt) as [E S]. split.
    + apply encl_clamp; [|exact N]. rewrite E. apply encl_sub; apply encl_mul; auto; apply encl_sub; assumption.
    + exists ((1 - rate) * (1 - tail t) + rate * (1 - tail (t - mu))). split; [|exact S]. apply encl_add; apply encl_mul; auto; apply encl_sub; assumption.
  - destruct (snd ih <=? 0)%Z eqn:G'; [|discriminate]. apply (encl_not_positive w _ _ Eh) in G'. intros H. apply pair_inj in H. destruct H as [-> ->].
    destruct (add_high rate mu Hq Hmu u ltac:(lra) U) as [E S]. split; [rewrite E; apply encl_zero|]. exists 0. split; [apply encl_zero|exact S].
Qed.
End Sound.
