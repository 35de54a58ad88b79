(** * Strict Gaussian DP of Laplace noise (T3 of proofs/FORMAT.md)

With the largest loss d the curve is above G_mu if and only if P(Z > mu / 2) is at most the point a = f(a) = e^(-d/2) / 2: elsewhere on the middle part alpha beta is the same, and the logarithm of the
normal tail is concave. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Breakpoints Losses Lattice ProfileCurve FixedSeries GaussianTail NormalLaw StrictGdp GaussianCurve StepProfiles OtherProfiles Product ProductPairs SamplingPairs Claims GdpClaims.
Import ListNotations.
Open Scope R_scope.

(** the chance of a larger shift grows, as a part of that of a smaller one, along the line *)
Lemma tail_ratio_rises mu s t : 0 <= mu -> s <= t -> tail (s - mu) * tail t <= tail (t - mu) * tail s.
Proof.
  intros Hm H. pose proof (tradeoff_G mu Hm) as T. pose proof (tail_pos s) as Ps. pose proof (tail_pos t) as Pt. pose proof (tail_lt_1 s). pose proof (tail_falls_weakly s t H) as F.
  set (k := tail t / tail s). assert (K : 0 <= k <= 1) by (unfold k; split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
  pose proof (to_cvx _ T (tail s) 0 k ltac:(lra) ltac:(lra) K) as C. replace (k * tail s + (1 - k) * 0) with (tail t) in C by (unfold k; field; lra). rewrite !G_tail in C by exact Hm.
  pose proof (to_range _ T 0) as R0. assert ((1 - k) * G mu 0 <= (1 - k) * 1) by (apply Rmult_le_compat_l; lra).
  assert (L : k * tail (s - mu) <= tail (t - mu)) by lra. apply Rmult_le_compat_r with (r := tail s) in L; [|lra].
  replace (k * tail (s - mu) * tail s) with (tail (s - mu) * tail t) in L by (unfold k; field; lra). exact L.
Qed.
Lemma tail_log_concave x y : tail x * tail y <= tail ((x + y) / 2) * tail ((x + y) / 2).
Proof.
  assert (W : forall x y, x <= y -> tail x * tail y <= tail ((x + y) / 2) * tail ((x + y) / 2)).
  { clear. intros x y H. pose proof (tail_ratio_rises ((y - x) / 2) ((x + y) / 2) y ltac:(lra) ltac:(lra)) as K.
    replace ((x + y) / 2 - (y - x) / 2) with x in K by field. replace (y - (y - x) / 2) with ((x + y) / 2) in K by field. exact K. }
  destruct (Rle_dec x y) as [h|h]; [apply W, h|]. pose proof (W y x ltac:(lra)) as K. replace ((y + x) / 2) with ((x + y) / 2) in K by field. lra.
Qed.

Section Laplace.
Variable d : R.
Hypothesis Hd : 0 <= d.
Variable D : R -> R.
Hypothesis HD : privacy_profile D.
Hypothesis of_laplace : forall u, 0 <= u -> D u = divergence [laplace_pair d Hd] u.
Notation point := (exp (- (d / 2)) / 2).
Lemma laplace_own_order : orders D D.
Proof.
  intros u Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). rewrite !of_laplace by lra. rewrite (orders_of [laplace_pair d Hd] u Hu), laplace_orders by lra. reflexivity.
Qed.
Lemma point_range : 0 < point <= 1 / 2.
Proof. pose proof (exp_pos (- (d / 2))). assert (exp (- (d / 2)) <= exp 0) by (apply exp_le_mono; lra). rewrite exp_0 in *. lra. Qed.
Theorem laplace_gdp mu : 0 <= mu -> (holds D (Gdp mu 0) <-> tail (mu / 2) <= point).
Proof.
  intros Hm. pose proof point_range as P. split.
  - apply (gdp_fixed_point D point mu HD); [lra|exact Hm|]. intros u Hu. rewrite (of_laplace u Hu).
    pose proof (laplace_tangent d Hd 0 ltac:(lra) u Hu) as T. rewrite laplace_divergence in T by lra. rewrite exp_0 in T. unfold laplace_slope in T.
    replace ((0 - d) / 2) with (- (d / 2)) in T by field. replace ((0 + d) / 2) with (d / 2) in T by field. lra.
  - intros Ht. assert (G : forall u, 1 <= u -> under_line D (above_curve mu 0) u).
    { intros u Hu. rewrite <- (exp_ln u) by lra. set (e := ln u). assert (E0 : 0 <= e) by (unfold e; rewrite <- ln_1; apply Rcomplements.ln_le; lra).
      destruct (Rle_dec e d) as [h|h].
      - set (a := exp (- ((e + d) / 2)) / 2). set (b := exp ((e - d) / 2) / 2). exists a, b.
        assert (A : 0 < a <= 1 / 2) by (unfold a; pose proof (exp_pos (- ((e + d) / 2))); assert (exp (- ((e + d) / 2)) <= exp 0) by (apply exp_le_mono; lra); rewrite exp_0 in *; lra).
        assert (B : 0 < b <= 1 / 2) by (unfold b; pose proof (exp_pos ((e - d) / 2)); assert (exp ((e - d) / 2) <= exp 0) by (apply exp_le_mono; lra); rewrite exp_0 in *; lra).
        assert (AB : a * b = point * point) by (unfold a, b; replace (exp (- ((e + d) / 2)) / 2 * (exp ((e - d) / 2) / 2)) with (exp (- ((e + d) / 2)) * exp ((e - d) / 2) / 4) by field;
          replace (point * point) with (exp (- (d / 2)) * exp (- (d / 2)) / 4) by field; rewrite <- !exp_plus; do 2 f_equal; field).
        split.
        + left. destruct (tail_onto a ltac:(lra)) as [x Ex]. destruct (tail_onto b ltac:(lra)) as [y Ey]. exists x. split; [lra|]. pose proof (tail_log_concave x y) as K. rewrite Ex, Ey, AB in K.
          pose proof (tail_pos ((x + y) / 2)) as T. assert (L : point <= tail ((x + y) / 2)).
          { apply Rnot_lt_le. intros C. assert (tail ((x + y) / 2) * tail ((x + y) / 2) < point * point) by (apply Rmult_le_0_lt_compat; lra). lra. }
          assert (M : (x + y) / 2 <= mu / 2) by (apply (proj1 (tail_le_iff (mu / 2) ((x + y) / 2))); lra). rewrite Rplus_0_r, <- Ey. apply tail_falls_weakly. lra.
        + rewrite of_laplace by (left; apply exp_pos). rewrite laplace_divergence by lra. assert (U : exp e * a = b) by (unfold a, b; replace (exp e * (exp (- ((e + d) / 2)) / 2)) with (exp e * exp (- ((e + d) / 2)) / 2) by field; rewrite <- exp_plus; do 2 f_equal; field).
          rewrite U. unfold b. lra.
      - exists 0, 1. split; [right; left; lra|]. rewrite of_laplace by (left; apply exp_pos). rewrite laplace_divergence_0 by lra. lra. }
    apply (gdp_holds mu 0 Hm D D HD laplace_own_order ltac:(lra) G G).
Qed.
End Laplace.
