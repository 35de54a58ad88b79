(** * Trade-off functions

A trade-off function gives the least type-II error of a test at each type-I error. On [0, 1] it is convex, non-negative, at most
1 - a, and lower semicontinuous at 0; left of 0 it is 1, right of 1 it is 0. Monotonicity, supporting lines and right-continuity are proved
from that. Kaissis et al. 2024 (section 2), Dong et al. 2022 (Proposition 2.2). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** Infimum of a non-empty, bounded-below set *)
Definition inf (E : R -> Prop) : R := real (Glb_Rbar E).

Lemma inf_correct (E : R -> Prop) m x0 : (forall x, E x -> m <= x) -> E x0 ->
  (forall x, E x -> inf E <= x) /\ (forall b, (forall x, E x -> b <= x) -> b <= inf E).
Proof.
  intros Hm H0. unfold inf.
  destruct (Glb_Rbar_correct E) as [H1 H2].
  assert (A : Rbar_le (Finite m) (Glb_Rbar E)) by (apply H2; intros x Hx; apply Hm, Hx).
  assert (B : Rbar_le (Glb_Rbar E) (Finite x0)) by (apply H1, H0).
  destruct (Glb_Rbar E) as [r| |]; simpl in *; try contradiction.
  split; [intros x Hx; exact (H1 x Hx) |].
  intros b Hb. apply (H2 (Finite b)). intros x Hx. apply Hb, Hx.
Qed.

(** ** Trade-off functions, extended to R by 1 on the left, 0 on the right.
    Monotonicity and continuity on (0,1] are consequences. *)
Record tradeoff (f : R -> R) : Prop := mk_tradeoff {
  to_l : forall x, x < 0 -> f x = 1;
  to_r : forall x, 1 < x -> f x = 0;
  to_nn : forall x, 0 <= x <= 1 -> 0 <= f x;
  to_ub : forall x, 0 <= x <= 1 -> f x <= 1 - x;
  to_cvx : forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 ->
     f (t * x + (1 - t) * y) <= t * f x + (1 - t) * f y;
  to_rc0 : forall e, 0 < e -> exists d, 0 < d /\ forall y, 0 <= y < d -> f 0 - e <= f y }.

Section One.
Variable f : R -> R.
Hypothesis Hf : tradeoff f.

Lemma to_r1 x : 1 <= x -> f x = 0.
Proof.
  intros [H|<-]; [exact (to_r f Hf x H)|].
  pose proof (to_nn f Hf 1); pose proof (to_ub f Hf 1); lra.
Qed.

Lemma to_range x : 0 <= f x <= 1.
Proof.
  destruct (Rlt_dec x 0) as [h|h]; [rewrite (to_l f Hf x h); lra|].
  destruct (Rlt_dec 1 x) as [k|k]; [rewrite (to_r f Hf x k); lra|].
  pose proof (to_nn f Hf x); pose proof (to_ub f Hf x); lra.
Qed.

(** Monotonicity is implied by convexity and f 1 = 0 <= f. *)
Lemma to_mono x y : x <= y -> f y <= f x.
Proof.
  intros xy. pose proof (to_range x) as Rx; pose proof (to_range y) as Ry.
  destruct (Rlt_dec x 0) as [h|h]; [rewrite (to_l f Hf x h); lra|].
  destruct (Rle_dec 1 y) as [k|k]; [rewrite (to_r1 y k); lra|].
  pose proof (to_cvx f Hf x 1 ((1-y)/(1-x))) as C.
  assert (T : 0 <= (1-y)/(1-x) <= 1).
  { split; [apply Rcomplements.Rdiv_le_0_compat; lra|].
    apply Rcomplements.Rle_div_l; lra. }
  replace ((1 - y) / (1 - x) * x + (1 - (1 - y) / (1 - x)) * 1) with y in C by (field; lra).
  rewrite (to_r1 1) in C by lra. specialize (C ltac:(lra) ltac:(lra) T).
  assert ((1 - y) / (1 - x) * f x <= 1 * f x) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** three-chord inequality *)
Lemma chords y x z : 0 <= y -> y < x -> x < z -> z <= 1 ->
  (f x - f y) / (x - y) <= (f z - f x) / (z - x).
Proof.
  intros Hy yx xz Hz.
  pose proof (to_cvx f Hf y z ((z-x)/(z-y))) as C.
  assert (T : 0 <= (z-x)/(z-y) <= 1).
  { split; [apply Rcomplements.Rdiv_le_0_compat; lra|].
    apply Rcomplements.Rle_div_l; lra. }
  replace ((z - x) / (z - y) * y + (1 - (z - x) / (z - y)) * z) with x in C by (field; lra).
  specialize (C ltac:(lra) ltac:(lra) T).
  assert (C2 : (z-y) * f x <= (z-x) * f y + (x-y) * f z).
  { apply Rmult_le_compat_l with (r := z-y) in C; [|lra].
    replace ((z - y) * ((z - x) / (z - y) * f y + (1 - (z - x) / (z - y)) * f z))
      with ((z-x) * f y + (x-y) * f z) in C by (field; lra). exact C. }
  apply Rcomplements.Rle_div_l; [lra|].
  replace ((f z - f x) / (z - x) * (x - y)) with (((f z - f x) * (x - y)) / (z - x)) by (field; lra).
  apply Rcomplements.Rle_div_r; [lra|]. nra.
Qed.

(** supporting line at an interior point, slope -s with s >= 0 *)
Lemma support x : 0 < x < 1 ->
  exists s, 0 <= s /\ forall y, 0 <= y <= 1 -> f x - s * (y - x) <= f y.
Proof.
  intros Hx.
  destruct (completeness (fun m => exists y, 0 <= y < x /\ m = (f x - f y) / (x - y))) as [m [U L]].
  - exists ((f 1 - f x) / (1 - x)). intros m [y [Hy ->]]. apply chords; lra.
  - exists ((f x - f 0) / (x - 0)). exists 0. split; lra.
  - exists (- m). split.
    + assert (m <= 0); [|lra]. apply L. intros u [y [Hy ->]].
      pose proof (to_mono y x ltac:(lra)).
      apply Rcomplements.Rle_div_l; lra.
    + intros y Hy. destruct (Rtotal_order y x) as [h|[->|h]]; [| lra |].
      * assert (A : (f x - f y) / (x - y) <= m) by (apply U; exists y; split; [lra|reflexivity]).
        apply Rcomplements.Rle_div_l in A; lra.
      * assert (A : m <= (f y - f x) / (y - x)).
        { apply L. intros u [z [Hz ->]]. apply chords; lra. }
        apply Rcomplements.Rle_div_r in A; lra.
Qed.

(** right-continuity everywhere on [0,oo) *)
Lemma to_rc x e : 0 <= x -> 0 < e -> exists d, 0 < d /\ forall y, x <= y < x + d -> f x - e <= f y.
Proof.
  intros Hx He. destruct (Rle_dec 1 x) as [h|h].
  - exists 1. split; [lra|]. intros y Hy. rewrite (to_r1 x), (to_r1 y); lra.
  - destruct (Req_dec x 0) as [->|hx].
    + destruct (to_rc0 f Hf e He) as [d [Hd H]]. exists d. split; [lra|]. intros y Hy. apply H; lra.
    + destruct (support x ltac:(lra)) as [s [Hs H]].
      exists (Rmin (1 - x) (e / (s + 1))). split.
      { apply Rmin_pos; [lra|]. apply Rdiv_lt_0_compat; lra. }
      intros y [h1 h2]. pose proof (Rmin_l (1 - x) (e / (s + 1))).
      pose proof (Rmin_r (1 - x) (e / (s + 1))).
      specialize (H y ltac:(lra)).
      assert (K : y - x <= e / (s+1)) by lra. apply Rcomplements.Rle_div_r in K; [|lra]. nra.
Qed.
End One.
