(** * One record replaced, under Poisson sampling

The pair on the line is P = (1 - q) N(0) + q N(-r), Q = (1 - q) N(0) + q N(r), r the record bound over sigma. By the threshold lemma it dominates, whatever the other records are; it is
symmetric; the likelihood ratio is u where e^(r x) is the root of a quadratic equation. At every u it is at most the Gaussian pair at distance 2 r, so one step is 2 r-GDP; its tails
ask for mu >= r, its middle for more as the rate grows. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Tradeoff Divergence BayesError Extremes Breakpoints Lattice GaussianTail NormalLaw StrictGdp GaussianCurve Expectation GaussianSum ProfileCurve Threshold ShiftedNormals.
Import ListNotations.
Open Scope R_scope.

Definition without (q r : R) : shifts := [(1 - q, 0); (q, - r)].
Definition with_record (q r : R) : shifts := [(1 - q, 0); (q, r)].
Definition replace_profile (q r u : R) := hockey_stick (without q r) (with_record q r) u.

Section Pair.
Variables q r : R.
Hypothesis Hq : 0 < q <= 1.
Hypothesis Hr : 0 < r.

Lemma mirrored : without q r = mirror (with_record q r).
Proof. unfold without, with_record, mirror; simpl. rewrite Ropp_0. reflexivity. Qed.
Lemma weights_without : weights_ok (without q r).
Proof. repeat (apply List.Forall_cons; [simpl; lra|]). apply List.Forall_nil. Qed.
Lemma weights_with : weights_ok (with_record q r).
Proof. repeat (apply List.Forall_cons; [simpl; lra|]). apply List.Forall_nil. Qed.
Lemma pair_apart a b : In a (without q r) -> In b (with_record q r) -> snd a <= snd b.
Proof. intros [<-|[<-|[]]] [<-|[<-|[]]]; simpl; lra. Qed.
Lemma mass_without : 0 < total_weight (without q r).
Proof. simpl. lra. Qed.

Theorem replace_symmetric u : hockey_stick (with_record q r) (without q r) u = replace_profile q r u.
Proof. unfold replace_profile. rewrite mirrored. apply mirror_pair_symmetric. Qed.

(** both errors of the threshold t *)
Definition type_1 (t : R) := (1 - q) * tail t + q * tail (t + r).
Definition test_power (t : R) := (1 - q) * tail t + q * tail (t - r).
Lemma advantage_replace u t : Threshold.advantage tail (without q r) (with_record q r) u t = test_power t - u * type_1 t.
Proof. unfold Threshold.advantage, test_power, type_1; simpl. rewrite Rminus_0_r. replace (t - - r) with (t + r) by ring. ring. Qed.

Lemma replace_spec u : 0 <= u -> (forall t, test_power t - u * type_1 t <= replace_profile q r u) /\
  (forall D, (forall t, test_power t - u * type_1 t <= D) -> replace_profile q r u <= D) /\ 0 <= replace_profile q r u /\ 1 - u <= replace_profile q r u.
Proof.
  intros Hu. unfold replace_profile.
  rewrite (hockey_stick_is_threshold_profile _ _ u weights_without weights_with Hu pair_apart mass_without).
  destruct (threshold_profile_spec tail normal_noise _ _ u weights_without weights_with Hu) as [U L].
  destruct (threshold_profile_ends tail normal_noise _ _ u weights_without weights_with Hu) as [Z1 Z2]. simpl in Z2.
  repeat split; [intros t; rewrite <- advantage_replace; apply U|intros D H; apply L; intros t; rewrite advantage_replace; apply H|exact Z1|lra].
Qed.

Theorem replace_swap u : 0 < u -> replace_profile q r u = 1 - u + u * replace_profile q r (/ u).
Proof.
  intros Hu. assert (Hi : 0 < / u) by (apply Rinv_0_lt_compat, Hu). unfold replace_profile.
  rewrite !(hockey_stick_is_threshold_profile _ _ _ weights_without weights_with) by (try apply pair_apart; try apply mass_without; lra).
  rewrite mirrored, mirror_profile_swap by (try exact Hu; apply weights_with). simpl. ring.
Qed.

(** ** The cut *)
Section Cut.
Variable u : R.
Hypothesis Hu : 0 < u.
Definition c0 := exp (- (r * r) / 2).
Definition root := sqrt (((1 - q) * (u - 1)) ^ 2 + 4 * u * (q * c0) ^ 2).
Definition cut_ratio := ((1 - q) * (u - 1) + root) / (2 * (q * c0)).
Definition cut := ln cut_ratio / r.

Lemma qc0 : 0 < q * c0.
Proof. apply Rmult_lt_0_compat; [lra|apply exp_pos]. Qed.
Lemma root_square : root * root = ((1 - q) * (u - 1)) ^ 2 + 4 * u * (q * c0) ^ 2.
Proof.
  unfold root. apply sqrt_sqrt. pose proof (pow2_ge_0 ((1 - q) * (u - 1))). pose proof (pow2_ge_0 (q * c0)). assert (0 <= u * (q * c0) ^ 2) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma root_above : Rabs ((1 - q) * (u - 1)) < root.
Proof.
  apply Rsqr_incrst_0; [|apply Rabs_pos|apply sqrt_pos]. rewrite <- Rsqr_abs. unfold Rsqr. rewrite root_square. pose proof qc0.
  assert (0 < u * (q * c0) ^ 2) by (apply Rmult_lt_0_compat; [exact Hu|apply pow_lt; assumption]). lra.
Qed.
Lemma cut_ratio_pos : 0 < cut_ratio.
Proof.
  pose proof qc0. pose proof root_above as A. pose proof (Rle_abs (- ((1 - q) * (u - 1)))) as B. rewrite Rabs_Ropp in B. apply Rdiv_lt_0_compat; lra.
Qed.
(** the same without cancellation for u < 1 *)
Lemma cut_ratio_below_1 : cut_ratio = 2 * u * (q * c0) / (root - (1 - q) * (u - 1)).
Proof.
  pose proof qc0. pose proof root_above as A. pose proof (Rle_abs ((1 - q) * (u - 1))) as B. pose proof root_square as S. assert (C : 0 < c0) by apply exp_pos. unfold cut_ratio.
  assert (N : 0 < root - (1 - q) * (u - 1)) by lra. assert (N2 : 2 * (q * c0) * (root - (1 - q) * (u - 1)) <> 0) by (apply Rgt_not_eq, Rmult_lt_0_compat; lra).
  apply (Rmult_eq_reg_r (2 * (q * c0) * (root - (1 - q) * (u - 1)))); [|exact N2].
  replace (((1 - q) * (u - 1) + root) / (2 * (q * c0)) * (2 * (q * c0) * (root - (1 - q) * (u - 1)))) with (root * root - ((1 - q) * (u - 1)) ^ 2) by (field; repeat split; lra).
  rewrite S. field. repeat split; lra.
Qed.

Theorem likelihood_ratio_at_cut : excess (without q r) (with_record q r) u cut = 0.
Proof.
  pose proof cut_ratio_pos as Z. pose proof qc0 as K. pose proof root_square as S. assert (C : 0 < c0) by apply exp_pos.
  assert (X : exp (r * cut) = cut_ratio) by (unfold cut; replace (r * (ln cut_ratio / r)) with (ln cut_ratio) by (field; lra); apply exp_ln, Z).
  assert (Rp : ratio r cut = cut_ratio * c0) by (unfold ratio, c0; rewrite <- X, <- exp_plus; f_equal; field).
  assert (Rm : ratio (- r) cut = c0 / cut_ratio).
  { unfold ratio, c0, Rdiv. rewrite <- X, <- exp_Ropp, <- exp_plus. f_equal. field. }
  assert (R0 : ratio 0 cut = 1) by (unfold ratio; rewrite <- exp_0; f_equal; field).
  unfold excess; simpl. rewrite Rp, Rm, R0.
  (* times z: the quadratic equation *)
  apply Rmult_eq_reg_r with cut_ratio; [|lra]. rewrite Rmult_0_l.
  replace (((1 - q) * 1 + (q * (cut_ratio * c0) + 0) - u * ((1 - q) * 1 + (q * (c0 / cut_ratio) + 0))) * cut_ratio)
    with ((q * c0) * cut_ratio ^ 2 - (1 - q) * (u - 1) * cut_ratio - u * (q * c0)) by (field; lra).
  unfold cut_ratio. replace (q * c0 * (((1 - q) * (u - 1) + root) / (2 * (q * c0))) ^ 2 - (1 - q) * (u - 1) * (((1 - q) * (u - 1) + root) / (2 * (q * c0))) - u * (q * c0))
    with ((root * root - ((1 - q) * (u - 1)) ^ 2 - 4 * u * (q * c0) ^ 2) / (4 * (q * c0))) by (field; repeat split; lra).
  rewrite S. field. repeat split; lra.
Qed.

Theorem replace_profile_closed : replace_profile q r u = test_power cut - u * type_1 cut.
Proof.
  rewrite <- advantage_replace.
  apply (hockey_stick_at_cut _ _ u weights_without weights_with ltac:(lra) pair_apart mass_without), likelihood_ratio_at_cut.
Qed.
End Cut.

(** ** Its curve *)
Theorem replace_is_a_profile : privacy_profile (replace_profile q r).
Proof.
  assert (P : forall t, 0 <= type_1 t /\ 0 <= test_power t <= 1).
  { intros t. unfold type_1, test_power. pose proof (tail_range t). pose proof (tail_range (t + r)). pose proof (tail_range (t - r)).
    assert (0 <= (1 - q) * tail t) by (apply Rmult_le_pos; lra). assert (0 <= q * tail (t + r)) by (apply Rmult_le_pos; lra). assert (0 <= q * tail (t - r)) by (apply Rmult_le_pos; lra).
    assert ((1 - q) * tail t <= (1 - q) * 1) by (apply Rmult_le_compat_l; lra). assert (q * tail (t - r) <= q * 1) by (apply Rmult_le_compat_l; lra). lra. }
  constructor.
  - intros hi x y t Hx Hy Ht. assert (0 <= t * x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra).
    destruct (replace_spec x ltac:(lra)) as (A & _). destruct (replace_spec y ltac:(lra)) as (B & _). apply (replace_spec (t * x + (1 - t) * y)); [lra|]. intros s.
    specialize (A s). specialize (B s). apply Rmult_le_compat_l with (r := t) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in B; [|lra]. lra.
  - intros x y Hx H. apply (replace_spec y); [lra|]. intros t. eapply Rle_trans; [|apply (proj1 (replace_spec x Hx) t)]. destruct (P t) as [P1 _].
    assert (x * type_1 t <= y * type_1 t) by (apply Rmult_le_compat_r; assumption). lra.
  - apply replace_spec; [lra|]. intros t. specialize (P t). lra.
  - intros u Hu. apply replace_spec, Hu.
  - intros u Hu. apply replace_spec, Hu.
Qed.

Definition replace_curve (f : R -> R) := tradeoff f /\ forall eps, delta f eps = replace_profile q r (exp eps).
Theorem replace_curve_exists : exists f, replace_curve f.
Proof. exists (curve_of_profile (replace_profile q r)). split; [apply tradeoff_of_profile, replace_is_a_profile|apply profile_of_curve, replace_is_a_profile]. Qed.

Lemma type_1_range t : 0 <= type_1 t <= 1.
Proof.
  unfold type_1. pose proof (tail_range t). pose proof (tail_range (t + r)).
  assert (0 <= (1 - q) * tail t) by (apply Rmult_le_pos; lra). assert (0 <= q * tail (t + r)) by (apply Rmult_le_pos; lra).
  assert ((1 - q) * tail t <= (1 - q) * 1) by (apply Rmult_le_compat_l; lra). assert (q * tail (t + r) <= q * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma errors_of_thresholds f t : replace_curve f -> f (type_1 t) <= 1 - test_power t.
Proof.
  intros [Hf D]. apply (f_from_delta f _ Hf (type_1_range t)). intros x [eps ->]. rewrite D.
  destruct (replace_spec (exp eps) (Rlt_le _ _ (exp_pos eps))) as (A & _). specialize (A t). lra.
Qed.

End Pair.

(** ** The strict mu. Without sampling it is the Gaussian pair at distance 2 r. *)
Lemma unsampled_at_most r t s : 0 < r -> tail (t - r) - ratio (2 * r) s * tail (t + r) <= tail (s - 2 * r) - ratio (2 * r) s * tail s.
Proof.
  intros Hr. pose proof (lines_are_below (2 * r) s (t + r) ltac:(lra)) as L. unfold line in L. replace (t + r - 2 * r) with (t - r) in L by ring. lra.
Qed.

Theorem strict_mu_replace_at_most q r f : 0 < q <= 1 -> 0 < r -> replace_curve q r f -> forall a, 0 <= a <= 1 -> G (2 * r) a <= f a.
Proof.
  intros Hq Hr [Hf D] a Ha. unfold G. rewrite ext_in by exact Ha. apply (best_line_spec (2 * r) a ltac:(lra) Ha); [apply to_range, Hf|]. intros s.
  set (eps := 2 * r * s - 2 * r * (2 * r) / 2). pose proof (proj1 (delta_iff_lines f eps (delta f eps) Hf) ltac:(lra) a Ha) as L. rewrite D in L.
  assert (U : exp eps = ratio (2 * r) s) by reflexivity. rewrite U in L. pose proof (ratio_pos (2 * r) s) as P. set (u := ratio (2 * r) s) in *.
  assert (K : replace_profile q r u <= tail (s - 2 * r) - u * tail s); [|unfold line; fold u; lra].
  apply (replace_spec q r Hq Hr u ltac:(lra)). intros t. unfold test_power, type_1.
  pose proof (unsampled_at_most r t s Hr) as X. fold u in X.
  (* a threshold that ignores the record has an advantage of at most (1 - u)^+ *)
  assert (Z : (1 - u) * tail t <= tail (s - 2 * r) - u * tail s).
  { pose proof (line_at_0 (2 * r) s ltac:(lra)) as L0. pose proof (line_at_1 (2 * r) s ltac:(lra)) as L1. unfold line in L0, L1. fold u in L0, L1. pose proof (tail_range t).
    destruct (Rle_dec u 1) as [h|h].
    - assert ((1 - u) * tail t <= (1 - u) * 1) by (apply Rmult_le_compat_l; lra). lra.
    - assert (0 <= (u - 1) * tail t) by (apply Rmult_le_pos; lra). lra. }
  apply Rmult_le_compat_l with (r := q) in X; [|lra]. apply Rmult_le_compat_l with (r := 1 - q) in Z; [|lra]. lra.
Qed.

(** the tails. For n steps see StrictSteps.v. *)
Theorem strict_mu_replace_tails q r f mu : 0 < q <= 1 -> 0 < r -> replace_curve q r f -> 0 <= mu -> (forall a, 0 <= a <= 1 -> G mu a <= f a) -> r <= mu.
Proof.
  intros Hq Hr C Hm H. pose proof C as [Hf _]. apply (strict_gdp f r q); [lra| |apply G_below_iff; assumption].
  intros t. pose proof (errors_of_thresholds q r Hq Hr f t C) as O. pose proof (tail_range t). pose proof (tail_falls_weakly t (t + r) ltac:(lra)) as F.
  assert (A : type_1 q r t <= tail t) by (unfold type_1; assert (q * tail (t + r) <= q * tail t) by (apply Rmult_le_compat_l; lra); lra).
  pose proof (to_mono f Hf _ _ A). unfold test_power in O. assert (0 <= (1 - q) * tail t) by (apply Rmult_le_pos; lra). lra.
Qed.

(** the middle: with tail t = (1 - q) / 2 + q tail r no mu below 2 t will do; at q = 1 this is 2 r *)
Theorem strict_mu_replace_middle q r f mu t : 0 < q <= 1 -> 0 < r -> replace_curve q r f -> 0 <= mu -> (forall a, 0 <= a <= 1 -> G mu a <= f a) ->
  tail t = (1 - q) / 2 + q * tail r -> 2 * t <= mu.
Proof.
  intros Hq Hr C Hm H E. pose proof (errors_of_thresholds q r Hq Hr f 0 C) as O.
  assert (T1 : type_1 q r 0 = tail t) by (unfold type_1; rewrite tail_0, Rplus_0_l, E; field).
  assert (Pw : 1 - test_power q r 0 = tail t) by (unfold test_power; rewrite tail_0; replace (0 - r) with (- r) by ring; rewrite tail_opp, E; field).
  rewrite T1, Pw in O. pose proof (H (tail t) (tail_range t)) as K. pose proof (tail_opp t).
  pose proof (proj1 (G_at_vertex mu t (- t) Hm) ltac:(lra)). lra.
Qed.
Corollary unsampled_strict_mu r f mu : 0 < r -> replace_curve 1 r f -> 0 <= mu -> ((forall a, 0 <= a <= 1 -> G mu a <= f a) <-> 2 * r <= mu).
Proof.
  intros Hr C Hm. split.
  - intros H. apply (strict_mu_replace_middle 1 r f mu r); auto; lra.
  - intros H a Ha. eapply Rle_trans; [apply (G_falls (2 * r) mu); auto; lra|]. apply (strict_mu_replace_at_most 1 r f); auto; lra.
Qed.
