(** * The Delta-divergence and its metric

Delta f g is the least shift k >= 0 with f (a + k) - k <= g a for all a: the regret of choosing g instead of f. The infimum is attained;
the triangle inequality holds; Delta f g = 0 means f <= g; the larger of both directions is a metric.
Kaissis et al. 2024, Definitions 1 to 3, Lemma 1, Lemma B.3, Corollary 2. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff.
Open Scope R_scope.

(** ** The divergence *)
Definition dom (f g : R -> R) (k : R) := 0 <= k /\ forall a, f (a + k) - k <= g a.
Definition Delta (f g : R -> R) := inf (dom f g).
Definition DeltaS (f g : R -> R) := Rmax (Delta f g) (Delta g f).

Section Two.
Variables f g : R -> R.
Hypotheses (Hf : tradeoff f) (Hg : tradeoff g).

Lemma dom_1 : dom f g 1.
Proof. split; [lra|]. intros a. pose proof (to_range f Hf (a+1)); pose proof (to_range g Hg a); lra. Qed.

(** only a in [0,1] matters *)
Lemma dom_iff01 k : 0 <= k -> (dom f g k <-> forall a, 0 <= a <= 1 -> f (a + k) - k <= g a).
Proof.
  intros Hk. split; [intros [_ H] a _; apply H|]. intros H. split; [exact Hk|]. intros a.
  pose proof (to_range f Hf (a+k)).
  destruct (Rlt_dec a 0) as [h|h]; [rewrite (to_l g Hg a h); lra|].
  destruct (Rlt_dec 1 a) as [h'|h']; [|apply H; lra].
  rewrite (to_r g Hg a h'), (to_r f Hf (a+k)); lra.
Qed.

Lemma dom_up k k' : dom f g k -> k <= k' -> dom f g k'.
Proof.
  intros [H0 H] Hk. split; [lra|]. intros a. specialize (H a).
  pose proof (to_mono f Hf (a+k) (a+k') ltac:(lra)). lra.
Qed.

Lemma Delta_spec : (forall k, dom f g k -> Delta f g <= k) /\
   (forall b, (forall k, dom f g k -> b <= k) -> b <= Delta f g).
Proof. apply (inf_correct (dom f g) 0 1); [intros k [h _]; exact h | apply dom_1]. Qed.

Lemma Delta_ge0 : 0 <= Delta f g.
Proof. apply Delta_spec. intros k [h _]; exact h. Qed.

Lemma Delta_le1 : Delta f g <= 1.
Proof. apply Delta_spec, dom_1. Qed.

Lemma dom_gt k : Delta f g < k -> dom f g k.
Proof.
  intros H. destruct (Classical_Prop.classic (dom f g k)) as [h|h]; [exact h|]. exfalso.
  assert (k <= Delta f g); [|lra]. apply Delta_spec. intros k' Hk'.
  destruct (Rle_dec k k') as [c|c]; [exact c|]. exfalso. apply h, (dom_up k'); [exact Hk'|lra].
Qed.

(** the infimum is attained *)
Lemma Delta_att : dom f g (Delta f g).
Proof.
  split; [apply Delta_ge0|]. intros a. set (D := Delta f g). pose proof Delta_ge0 as D0. fold D in D0.
  destruct (Rlt_dec (a + D) 0) as [h|h].
  { rewrite (to_l g Hg a) by lra. pose proof (to_range f Hf (a+D)). lra. }
  apply le_epsilon. intros e He.
  destruct (to_rc f Hf (a+D) (e/2) ltac:(lra) ltac:(lra)) as [d [Hd H]].
  set (h0 := Rmin (d/2) (e/2)). assert (Hh : 0 < h0) by (apply Rmin_pos; lra).
  pose proof (Rmin_l (d/2) (e/2)); pose proof (Rmin_r (d/2) (e/2)). fold h0 in H0, H1.
  destruct (dom_gt (D + h0)) as [_ K]; [unfold D; lra|]. specialize (K a).
  specialize (H (a + (D + h0)) ltac:(lra)). lra.
Qed.

Lemma Delta_le_iff k : Delta f g <= k <-> dom f g k.
Proof. split; [intros H; apply (dom_up (Delta f g)); [apply Delta_att|exact H] | apply Delta_spec]. Qed.
End Two.

(** ** Triangle inequality, metric axioms *)
Lemma dom_trans f g h k l : dom f g k -> dom g h l -> dom f h (k + l).
Proof.
  intros [Hk H] [Hl K]. split; [lra|]. intros a. specialize (H (a + l)). specialize (K a).
  replace (a + (k + l)) with (a + l + k) by ring. lra.
Qed.

Theorem Delta_triangle f g h : tradeoff f -> tradeoff g -> tradeoff h -> Delta f h <= Delta f g + Delta g h.
Proof. intros Hf Hg Hh. apply Delta_spec; auto. apply (dom_trans _ g); apply Delta_att; auto. Qed.

Theorem DeltaS_triangle f g h : tradeoff f -> tradeoff g -> tradeoff h -> DeltaS f h <= DeltaS f g + DeltaS g h.
Proof.
  intros Hf Hg Hh. unfold DeltaS. apply Rmax_lub.
  - pose proof (Delta_triangle f g h Hf Hg Hh).
    pose proof (Rmax_l (Delta f g) (Delta g f)); pose proof (Rmax_l (Delta g h) (Delta h g)); lra.
  - pose proof (Delta_triangle h g f Hh Hg Hf).
    pose proof (Rmax_r (Delta f g) (Delta g f)); pose proof (Rmax_r (Delta g h) (Delta h g)); lra.
Qed.

Theorem DeltaS_sym f g : DeltaS f g = DeltaS g f.
Proof. apply Rmax_comm. Qed.

Theorem Delta_0_iff f g : tradeoff f -> tradeoff g -> (Delta f g = 0 <-> forall a, f a <= g a).
Proof.
  intros Hf Hg. pose proof (Delta_ge0 f g Hf Hg). split.
  - intros E a. destruct (proj1 (Delta_le_iff f g Hf Hg 0) ltac:(lra)) as [_ K].
    specialize (K a). rewrite Rplus_0_r in K. lra.
  - intros K. assert (Delta f g <= 0); [|lra]. apply Delta_le_iff; auto. split; [lra|].
    intros a. rewrite Rplus_0_r. specialize (K a). lra.
Qed.

Theorem DeltaS_0_iff f g : tradeoff f -> tradeoff g -> (DeltaS f g = 0 <-> forall a, f a = g a).
Proof.
  intros Hf Hg. pose proof (Delta_ge0 f g Hf Hg); pose proof (Delta_ge0 g f Hg Hf).
  pose proof (Rmax_l (Delta f g) (Delta g f)); pose proof (Rmax_r (Delta f g) (Delta g f)).
  unfold DeltaS. split.
  - intros E a. pose proof (proj1 (Delta_0_iff f g Hf Hg) ltac:(lra) a).
    pose proof (proj1 (Delta_0_iff g f Hg Hf) ltac:(lra) a). lra.
  - intros E. rewrite (proj2 (Delta_0_iff f g Hf Hg)), (proj2 (Delta_0_iff g f Hg Hf)).
    + apply Rmax_left; lra.
    + intros a; rewrite E; lra.
    + intros a; rewrite E; lra.
Qed.

(** Lemma 1 *)
Theorem lemma_1 f g a : tradeoff f -> tradeoff g ->
  f (a + DeltaS f g) - DeltaS f g <= g a /\ g a <= f (a - DeltaS f g) + DeltaS f g.
Proof.
  intros Hf Hg.
  assert (A : dom f g (DeltaS f g)) by (apply Delta_le_iff; auto; apply Rmax_l).
  assert (B : dom g f (DeltaS f g)) by (apply Delta_le_iff; auto; apply Rmax_r).
  split; [apply A|]. destruct B as [_ B]. specialize (B (a - DeltaS f g)).
  replace (a - DeltaS f g + DeltaS f g) with a in B by ring. lra.
Qed.

(** Reporting a curve below the true one: one direction of the divergence vanishes (Gomez et al. 2025, Proposition C.2). *)
Theorem proposition_C2 f g : tradeoff f -> tradeoff g -> (forall a, g a <= f a) -> DeltaS f g = Delta f g.
Proof.
  intros Hf Hg H. unfold DeltaS. rewrite (proj2 (Delta_0_iff g f Hg Hf) H). apply Rmax_left, Delta_ge0; assumption.
Qed.

(** The divergence is monotone in both curves. *)
Theorem Delta_mono f f' g g' : tradeoff f -> tradeoff f' -> tradeoff g -> tradeoff g' ->
  (forall a, f a <= f' a) -> (forall a, g' a <= g a) -> Delta f g <= Delta f' g'.
Proof.
  intros Hf Hf' Hg Hg' A B. apply Delta_le_iff; auto. split; [apply Delta_ge0; auto|]. intros a.
  destruct (Delta_att f' g' Hf' Hg') as [_ H]. specialize (H a). specialize (A (a + Delta f' g')). specialize (B a). lra.
Qed.
