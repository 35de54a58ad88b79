(** * A bounded loss never dominates a Gaussian: Lemma 6 of Kaissis et al. 2024 fails

If f (a) >= 1 - e^E a for all a, as for every mechanism of total loss at most E, then f is above any G_mu, mu > 0, at some level in (0, 1). N-fold randomised response
with eps = c / sqrt N converges to G_c, and c may be as large as one likes compared with mu; for no N at all is its curve below G_mu. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Losses Pairs GaussianTail NormalLaw GaussianCurve.
Import ListNotations.
Open Scope R_scope.

Theorem bounded_loss_never_dominates f E mu : 0 < mu -> (forall a, 0 <= a <= 1 -> 1 - exp E * a <= f a) ->
  exists a, 0 < a < 1 /\ G mu a < f a.
Proof.
  intros Hm H. destruct (mass_above_beats (exp (- E)) mu (exp_pos _) Hm) as [x Hx]. exists (tail (x + mu)).
  pose proof (tail_pos (x + mu)); pose proof (tail_lt_1 (x + mu)). split; [lra|]. rewrite G_tail by lra. replace (x + mu - mu) with x by ring.
  specialize (H (tail (x + mu)) ltac:(lra)). assert (exp E * tail (x + mu) < tail x); [|lra].
  unfold tail. pose proof total_pos. apply Rmult_lt_reg_r with total; [exact H2|].
  replace (exp E * (mass_above (x + mu) / total) * total) with (exp E * mass_above (x + mu)) by (field; lra).
  replace (mass_above x / total * total) with (mass_above x) by (field; lra).
  apply Rmult_lt_compat_l with (r := exp E) in Hx; [|apply exp_pos]. rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_l in Hx. exact Hx.
Qed.

(** ** Randomised response of any eps *)
Definition randomised (eps : R) (x : bool) : R := if x then exp eps / (1 + exp eps) else 1 / (1 + exp eps).

Lemma joint_bounded eps n s : 0 <= eps -> In s (sequences [true; false] n) ->
  0 <= joint (randomised (- eps)) s /\ joint (randomised eps) s <= exp (INR n * eps) * joint (randomised (- eps)) s.
Proof.
  intros He. pose proof (exp_pos eps) as P. pose proof (exp_ineq1_le eps) as P1. assert (V : exp (- eps) = / exp eps) by apply exp_Ropp.
  assert (R : forall x, 0 <= randomised eps x /\ 0 <= randomised (- eps) x /\ randomised eps x <= exp eps * randomised (- eps) x).
  { assert (0 < 1 + exp eps) by lra. assert (0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
    assert (A : randomised (- eps) true = / (1 + exp eps)) by (unfold randomised; rewrite V; field; lra).
    assert (B : randomised (- eps) false = exp eps * / (1 + exp eps)) by (unfold randomised; rewrite V; field; lra).
    intros [|]; rewrite ?A, ?B; unfold randomised, Rdiv.
    - split; [apply Rmult_le_pos; lra|]. split; lra.
    - split; [lra|]. split; [apply Rmult_le_pos; lra|]. rewrite Rmult_1_l, <- Rmult_assoc. rewrite <- (Rmult_1_l (/ (1 + exp eps))) at 1.
      apply Rmult_le_compat_r; [lra|]. assert (1 * 1 <= exp eps * exp eps) by (apply Rmult_le_compat; lra). lra. }
  revert s. induction n as [|n IH]; intros s Hs; cbn [sequences] in Hs.
  - destruct Hs as [<-|[]]. simpl. rewrite Rmult_0_l, exp_0. lra.
  - apply in_flat_map in Hs. destruct Hs as [x [_ Hs]]. apply in_map_iff in Hs. destruct Hs as [s' [<- Hs]]. destruct (IH s' Hs) as [A B].
    destruct (R x) as (C & D & F). cbn [joint]. split; [apply Rmult_le_pos; assumption|].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus.
    assert (N : 0 <= joint (randomised eps) s').
    { clear - R. induction s' as [|y s IHs]; simpl; [lra|]. apply Rmult_le_pos; [apply R|exact IHs]. }
    replace (exp (INR n * eps) * exp eps * (randomised (- eps) x * joint (randomised (- eps)) s'))
      with ((exp eps * randomised (- eps) x) * (exp (INR n * eps) * joint (randomised (- eps)) s')) by ring.
    apply Rmult_le_compat; assumption.
Qed.

Lemma randomised_dp eps n : 0 <= eps ->
  dp (sequences [true; false] n) (joint (randomised (- eps))) (joint (randomised eps)) (exp (INR n * eps)) 0.
Proof.
  intros He. apply dp_iff. unfold hockey_stick.
  replace 0 with (sum (sequences [true; false] n) (fun _ => 0 * 0)) by (rewrite sum_scale; ring). apply sum_le. intros s Hs. rewrite Rmult_0_l.
  destruct (joint_bounded eps n s He Hs) as [_ B]. unfold pos. rewrite Rmax_left; lra.
Qed.

(** Lemma 6 fails: whatever c and mu, also mu < c, no N-fold randomised response with eps = c / sqrt N dominates the Gaussian curve. *)
Theorem lemma_6_fails c mu N f : 0 <= c -> 0 < mu ->
  is_curve (sequences [true; false] N) (joint (randomised (- (c / sqrt (INR N))))) (joint (randomised (c / sqrt (INR N)))) f ->
  ~ (forall a, 0 <= a <= 1 -> f a <= G mu a).
Proof.
  intros Hc Hm C H. set (eps := c / sqrt (INR N)) in *.
  assert (He : 0 <= eps).
  { unfold eps, Rdiv. apply Rmult_le_pos; [exact Hc|]. destruct (sqrt_pos (INR N)) as [S|S]; [left; apply Rinv_0_lt_compat, S|rewrite <- S, Rinv_0; lra]. }
  destruct (bounded_loss_never_dominates f (INR N * eps) mu Hm) as [a [Ha L]].
  - intros a Ha. pose proof (curve_above_line _ _ _ f _ 0 a C (randomised_dp eps N He) (Rlt_le _ _ (exp_pos _)) Ha). lra.
  - specialize (H a ltac:(lra)). lra.
Qed.
