(** * Every privacy profile belongs to a trade-off function

A function of u >= 0 that is convex, falls, is at most 1 and at least 1 - u and 0 is the profile of a trade-off function: of the supremum of the lines
1 - D u - u a. With f_from_delta it is the only one. *)
From Coq Require Import Reals Lra Classical.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Extremes Breakpoints Lattice.
Open Scope R_scope.

Record privacy_profile (D : R -> R) : Prop := {
  pp_convex : convex_from_0 D;
  pp_falls : forall x y, 0 <= x -> x <= y -> D y <= D x;
  pp_0 : D 0 <= 1;
  pp_line : forall u, 0 <= u -> 1 - u <= D u;
  pp_nonneg : forall u, 0 <= u -> 0 <= D u }.

Section Profile.
Variable D : R -> R.
Hypothesis HD : privacy_profile D.

Definition least_error (a : R) := inf (fun y => exists u, 0 <= u /\ y = D u + u * a).
Definition curve_of_profile := ext (fun a => 1 - least_error a).

Lemma least_error_spec a : 0 <= a -> (forall u, 0 <= u -> least_error a <= D u + u * a) /\
  (forall b, (forall u, 0 <= u -> b <= D u + u * a) -> b <= least_error a).
Proof.
  intros Ha. destruct (inf_correct (fun y => exists u, 0 <= u /\ y = D u + u * a) 0 (D 0 + 0 * a)) as [A B].
  - intros y [u [Hu ->]]. pose proof (pp_nonneg D HD u Hu). assert (0 <= u * a) by (apply Rmult_le_pos; assumption). lra.
  - exists 0. split; [lra|reflexivity].
  - split; [intros u Hu; apply A; exists u; auto|]. intros b Hb. apply B. intros y [u [Hu ->]]. auto.
Qed.

Theorem tradeoff_of_profile : tradeoff curve_of_profile.
Proof.
  apply tradeoff_ext.
  - intros a Ha. destruct (least_error_spec a ltac:(lra)) as [A B]. split.
    + specialize (A 0 ltac:(lra)). pose proof (pp_0 D HD). lra.
    + assert (a <= least_error a); [|lra]. apply B. intros u Hu. pose proof (pp_nonneg D HD u Hu). pose proof (pp_line D HD u Hu).
      destruct (Rle_dec 1 u) as [h|h].
      * assert (1 * a <= u * a) by (apply Rmult_le_compat_r; lra). lra.
      * assert ((1 - u) * a <= (1 - u) * 1) by (apply Rmult_le_compat_l; lra). lra.
  - intros x y t Hx Hy Ht. assert (0 <= t * x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra).
    destruct (least_error_spec x ltac:(lra)) as [A _]. destruct (least_error_spec y ltac:(lra)) as [A' _].
    destruct (least_error_spec (t * x + (1 - t) * y) ltac:(lra)) as [_ B].
    assert (t * least_error x + (1 - t) * least_error y <= least_error (t * x + (1 - t) * y)); [|lra]. apply B. intros u Hu.
    specialize (A u Hu). specialize (A' u Hu).
    apply Rmult_le_compat_l with (r := t) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in A'; [|lra]. lra.
  - intros e He. destruct (least_error_spec 0 ltac:(lra)) as [_ B].
    destruct (classic (exists u, 0 <= u /\ D u < least_error 0 + e / 2)) as [[u [Hu L]]|N].
    + exists (e / (2 * (u + 1))). split; [apply Rdiv_lt_0_compat; lra|]. intros y [y0 y1] _.
      destruct (least_error_spec y y0) as [A _]. specialize (A u Hu).
      assert (u * y <= e / 2); [|lra]. assert (u * y <= (u + 1) * (e / (2 * (u + 1)))) by (apply Rmult_le_compat; lra).
      replace ((u + 1) * (e / (2 * (u + 1)))) with (e / 2) in * by (field; lra). assumption.
    + exfalso. assert (least_error 0 + e / 2 <= least_error 0); [|lra]. apply B. intros u Hu. apply Rnot_lt_le. intros L. apply N. exists u. split; [exact Hu|lra].
Qed.

(** three-chord inequality *)
Lemma profile_chords y x z : 0 <= y -> y < x -> x < z -> (D x - D y) / (x - y) <= (D z - D x) / (z - x).
Proof.
  intros Hy yx xz. pose proof (pp_convex D HD z y z ((z - x) / (z - y))) as C.
  assert (T : 0 <= (z - x) / (z - y) <= 1) by (split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
  replace ((z - x) / (z - y) * y + (1 - (z - x) / (z - y)) * z) with x in C by (field; lra). specialize (C ltac:(lra) ltac:(lra) T).
  assert (C2 : (z - y) * D x <= (z - x) * D y + (x - y) * D z).
  { apply Rmult_le_compat_l with (r := z - y) in C; [|lra].
    replace ((z - y) * ((z - x) / (z - y) * D y + (1 - (z - x) / (z - y)) * D z)) with ((z - x) * D y + (x - y) * D z) in C by (field; lra). exact C. }
  apply Rcomplements.Rle_div_l; [lra|]. replace ((D z - D x) / (z - x) * (x - y)) with (((D z - D x) * (x - y)) / (z - x)) by (field; lra).
  apply Rcomplements.Rle_div_r; [lra|]. lra.
Qed.

(** the type-I error of a test that attains D u: minus the slope of a supporting line *)
Lemma profile_support u : 0 < u -> exists a, 0 <= a <= 1 /\ forall v, 0 <= v -> D u - a * (v - u) <= D v.
Proof.
  intros Hu. destruct (completeness (fun m => exists y, 0 <= y < u /\ m = (D u - D y) / (u - y))) as [m [U L]].
  - exists ((D (u + 1) - D u) / (u + 1 - u)). intros m [y [Hy ->]]. apply profile_chords; lra.
  - exists ((D u - D 0) / (u - 0)). exists 0. split; lra.
  - exists (- m). split.
    + split.
      * assert (m <= 0); [|lra]. apply L. intros x [y [Hy ->]]. pose proof (pp_falls D HD y u ltac:(lra) ltac:(lra)). apply Rcomplements.Rle_div_l; lra.
      * assert (- (1) <= m); [|lra]. eapply Rle_trans; [|apply U; exists 0; split; [lra|reflexivity]].
        pose proof (pp_0 D HD). pose proof (pp_line D HD u ltac:(lra)). apply Rcomplements.Rle_div_r; lra.
    + intros v Hv. destruct (Rtotal_order v u) as [h|[->|h]]; [|lra|].
      * assert (A : (D u - D v) / (u - v) <= m) by (apply U; exists v; split; [lra|reflexivity]). apply Rcomplements.Rle_div_l in A; lra.
      * assert (A : m <= (D v - D u) / (v - u)) by (apply L; intros x [z [Hz ->]]; apply profile_chords; lra). apply Rcomplements.Rle_div_r in A; lra.
Qed.

Theorem profile_of_curve eps : delta curve_of_profile eps = D (exp eps).
Proof.
  pose proof (exp_pos eps) as U. apply Rle_antisym.
  - apply delta_iff_lines; [exact tradeoff_of_profile|]. intros a Ha. unfold curve_of_profile. rewrite ext_in by exact Ha.
    destruct (least_error_spec a ltac:(lra)) as [A _]. specialize (A (exp eps) ltac:(lra)). lra.
  - destruct (profile_support (exp eps) U) as [a [Ha S]].
    pose proof (proj1 (delta_iff_lines curve_of_profile eps (delta curve_of_profile eps) tradeoff_of_profile) ltac:(lra) a Ha) as L.
    unfold curve_of_profile in L at 2. rewrite ext_in in L by exact Ha. destruct (least_error_spec a ltac:(lra)) as [_ B].
    assert (D (exp eps) + exp eps * a <= least_error a); [|lra]. apply B. intros v Hv. specialize (S v Hv). lra.
Qed.
End Profile.
