(** * A lower law from tangents of a profile

Tangents at rising points (StepProfiles.v computes them) give cells below the profile, whatever the pair: between two points what the tests at them differ by. Rounding down what is gained and up
what is lost keeps them below. *)
From Coq Require Import Reals Lra List.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve Product StepProfiles.
Import ListNotations.
Open Scope R_scope.

Section Tangents.
Variable D : R -> R.
Hypothesis HD : privacy_profile D.
(** (u, s): the test has power D u + u s and size s *)
Definition power (t : R * R) : R := D (fst t) + fst t * snd t.
Fixpoint tangents (u : R) (l : list (R * R)) : Prop :=
  match l with [] => True | t :: l => u < fst t /\ 0 <= snd t /\ tangent D (fst t) (snd t) /\ tangents (fst t) l end.
Fixpoint tangent_cells (t : R * R) (l : list (R * R)) : cells :=
  match l with [] => [(power t, snd t)] | t' :: l => (power t - power t', snd t - snd t') :: tangent_cells t' l end.

Lemma cells_at_tangents t l : 0 <= fst t -> 0 <= snd t -> tangent D (fst t) (snd t) -> tangents (fst t) l ->
  (forall v, 0 <= v -> spread (tangent_cells t l) v 1 <= D v) /\ (forall v, 0 <= v <= fst t -> spread (tangent_cells t l) v 1 = power t - v * snd t).
Proof.
  revert t. induction l as [|t' l IH]; intros t U S T L; cbn [tangent_cells spread fst snd].
  - assert (N : 0 <= D (fst t)) by (apply (pp_nonneg D HD), U). split; intros v Hv; rewrite Rplus_0_r, Rmult_1_l; unfold pos.
    + apply Rmax_lub; [apply (pp_nonneg D HD), Hv|]. specialize (T v Hv). unfold power. lra.
    + apply Rmax_right. unfold power. assert (0 <= (fst t - v) * snd t) by (apply Rmult_le_pos; lra). lra.
  - cbn [tangents] in L. destruct L as (u1 & s1 & T1 & L). destruct (IH t' ltac:(lra) s1 T1 L) as [A B].
    set (q := power t - power t'). set (p := snd t - snd t').
    pose proof (T (fst t') ltac:(lra)) as X. pose proof (T1 (fst t) U) as Y.
    assert (Q1 : q <= fst t' * p) by (unfold q, p, power; lra). assert (Q0 : fst t * p <= q) by (unfold q, p, power; lra).
    assert (P : 0 <= p) by (apply Rmult_le_reg_l with (fst t' - fst t); lra).
    assert (Sum : forall v, 0 <= v <= fst t' -> 0 <= q - v * p -> pos (1 * q - v * p) + spread (tangent_cells t' l) v 1 = power t - v * snd t).
    { intros v Hv G. rewrite B by exact Hv. rewrite Rmult_1_l. unfold pos. rewrite Rmax_right by exact G. unfold q, p. ring. }
    split; intros v Hv.
    + destruct (Rle_dec 0 (q - v * p)) as [G|G].
      * destruct (Rle_dec v (fst t')) as [V|V].
        -- rewrite Sum by (try exact G; lra). specialize (T v Hv). unfold power. lra.
        -- (* beyond the next point the cell is worth nothing *)
           rewrite Rmult_1_l. unfold pos. rewrite Rmax_left; [rewrite Rplus_0_l; apply A, Hv|]. assert (0 <= (v - fst t') * p) by (apply Rmult_le_pos; lra). lra.
      * rewrite Rmult_1_l. unfold pos. rewrite Rmax_left by lra. rewrite Rplus_0_l. apply A, Hv.
    + apply Sum; [lra|]. assert (0 <= (fst t - v) * p) by (apply Rmult_le_pos; lra). lra.
Qed.

(** cells with less power and more size are below the same profile *)
Definition worse (x y : R * R) := fst x <= fst y /\ snd y <= snd x.
Lemma worse_below c d u : List.Forall2 worse c d -> 0 <= u -> spread c u 1 <= spread d u 1.
Proof.
  intros H Hu. induction H as [|x y c d [A B] H IH]; cbn [spread]; [lra|]. apply Rplus_le_compat; [|exact IH]. apply pos_mono. assert (u * snd y <= u * snd x) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
Theorem tangents_below t l c : 0 <= fst t -> 0 <= snd t -> tangent D (fst t) (snd t) -> tangents (fst t) l -> List.Forall2 worse c (tangent_cells t l) -> forall u, 0 <= u -> spread c u 1 <= D u.
Proof. intros U S T L W u Hu. eapply Rle_trans; [apply (worse_below c _ u W Hu)|]. apply (cells_at_tangents t l U S T L), Hu. Qed.
End Tangents.
