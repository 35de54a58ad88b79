(** * The Gaussian trade-off curve G_mu

The supremum of its Neyman-Pearson lines: at the threshold t the line through (tail t, 1 - tail (t - mu)) with slope - exp (mu t - mu^2 / 2). It is a
trade-off function, and G_mu (tail t) = 1 - tail (t - mu), that is G_mu (a) = Phi (Phi^-1 (1 - a) - mu) (Dong et al. 2022, equation 6). It falls with mu
(Kaissis et al. 2024, Lemma B.2). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Extremes GaussianTail NormalLaw StrictGdp.
Open Scope R_scope.

(** ** Likelihood ratios *)
Definition ratio (mu t : R) := exp (mu * t - mu * mu / 2).
Lemma phi_shift mu x : phi (x - mu) = ratio mu x * phi x.
Proof. unfold phi, ratio. rewrite <- exp_plus. f_equal. field. Qed.
Lemma ratio_rises mu s t : 0 <= mu -> s <= t -> ratio mu s <= ratio mu t.
Proof.
  intros Hm H. unfold ratio. assert (K : mu * s - mu * mu / 2 <= mu * t - mu * mu / 2) by (assert (mu * s <= mu * t) by (apply Rmult_le_compat_l; lra); lra).
  destruct K as [K|K]; [left; apply exp_increasing, K|right; rewrite K; reflexivity].
Qed.

Lemma tail_shift mu s t : s <= t -> tail (s - mu) - tail (t - mu) = RInt (fun x => ratio mu x * phi x) s t / total /\ ex_RInt (fun x => ratio mu x * phi x) s t.
Proof.
  intros H. assert (E : RInt (fun x => phi (x - mu)) s t = RInt phi (s - mu) (t - mu)).
  { pose proof (RInt_comp_lin phi 1 (- mu) s t (ex_phi _ _)) as E. replace (1 * s + - mu) with (s - mu) in E by ring. replace (1 * t + - mu) with (t - mu) in E by ring.
    rewrite <- E. apply RInt_ext. intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring. }
  split.
  - rewrite (RInt_ext (fun x => ratio mu x * phi x) (fun x => phi (x - mu))) by (intros; symmetry; apply phi_shift).
    rewrite E. unfold tail. rewrite (mass_above_split (s - mu) (t - mu)) by lra. pose proof total_pos. field. lra.
  - apply (ex_RInt_ext (fun x => phi (x - mu))); [intros; apply phi_shift|].
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply (ex_derive_continuous (V := R_NormedModule)). unfold phi. auto_derive. exact I.
Qed.

Lemma tail_part s t : s <= t -> tail s - tail t = RInt phi s t / total.
Proof. intros H. unfold tail. rewrite (mass_above_split s t H). pose proof total_pos. field. lra. Qed.

Lemma power_gain_upper mu s t : 0 <= mu -> s <= t -> tail (s - mu) - tail (t - mu) <= ratio mu t * (tail s - tail t).
Proof.
  intros Hm H. destruct (tail_shift mu s t H) as [E X]. rewrite E, (tail_part s t H). unfold Rdiv. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|].
  replace (ratio mu t * RInt phi s t) with (RInt (fun x => scal (ratio mu t) (phi x)) s t) by (rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply ex_phi; reflexivity).
  apply RInt_le; [exact H|exact X|apply (ex_RInt_scal (V := R_NormedModule)), ex_phi|]. intros x Hx.
  unfold scal; simpl; unfold mult; simpl. apply Rmult_le_compat_r; [left; apply phi_pos|apply ratio_rises; lra].
Qed.
Lemma power_gain_lower mu s t : 0 <= mu -> s <= t -> ratio mu s * (tail s - tail t) <= tail (s - mu) - tail (t - mu).
Proof.
  intros Hm H. destruct (tail_shift mu s t H) as [E X]. rewrite E, (tail_part s t H). unfold Rdiv. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|].
  replace (ratio mu s * RInt phi s t) with (RInt (fun x => scal (ratio mu s) (phi x)) s t) by (rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply ex_phi; reflexivity).
  apply RInt_le; [exact H|apply (ex_RInt_scal (V := R_NormedModule)), ex_phi|exact X|]. intros x Hx.
  unfold scal; simpl; unfold mult; simpl. apply Rmult_le_compat_r; [left; apply phi_pos|apply ratio_rises; lra].
Qed.

(** ** Lines *)
Definition line (mu t a : R) := 1 - tail (t - mu) - ratio mu t * (a - tail t).

Lemma ratio_pos mu t : 0 < ratio mu t.
Proof. apply exp_pos. Qed.

Theorem lines_are_below mu t s : 0 <= mu -> line mu t (tail s) <= 1 - tail (s - mu).
Proof.
  intros Hm. unfold line. destruct (Rle_dec s t) as [h|h].
  - pose proof (power_gain_upper mu s t Hm h). lra.
  - pose proof (power_gain_lower mu t s Hm ltac:(lra)). lra.
Qed.

Lemma line_at_0 mu t : 0 <= mu -> line mu t 0 <= 1.
Proof.
  intros Hm. apply le_epsilon. intros e He. pose proof (ratio_pos mu t) as R.
  destruct (tail_small (e / ratio mu t) ltac:(apply Rdiv_lt_0_compat; lra)) as [s H]. specialize (H s ltac:(lra)).
  pose proof (lines_are_below mu t s Hm). pose proof (tail_pos (s - mu)). unfold line in *.
  assert (ratio mu t * tail s <= ratio mu t * (e / ratio mu t)) by (apply Rmult_le_compat_l; lra).
  replace (ratio mu t * (e / ratio mu t)) with e in H2 by (field; lra). lra.
Qed.

Lemma line_at_1 mu t : 0 <= mu -> line mu t 1 <= 0.
Proof.
  intros Hm. apply le_epsilon. intros e He. pose proof (ratio_pos mu t) as R.
  destruct (tail_large e He) as [s H]. pose proof (lines_are_below mu t (s + mu) Hm). specialize (H s ltac:(lra)).
  replace (s + mu - mu) with s in H0 by ring. pose proof (tail_lt_1 (s + mu)).
  assert (0 <= ratio mu t * (1 - tail (s + mu))) by (apply Rmult_le_pos; lra). unfold line in *. lra.
Qed.

Lemma line_below_PP mu t a : 0 <= mu -> 0 <= a <= 1 -> line mu t a <= 1 - a.
Proof.
  intros Hm Ha. pose proof (line_at_0 mu t Hm) as A. pose proof (line_at_1 mu t Hm) as B.
  assert (E : line mu t a = (1 - a) * line mu t 0 + a * line mu t 1) by (unfold line; ring). rewrite E.
  assert ((1 - a) * line mu t 0 <= (1 - a) * 1) by (apply Rmult_le_compat_l; lra). assert (a * line mu t 1 <= a * 0) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Their supremum *)
Definition best_line (mu a : R) := - inf (fun y => exists t, y = - Rmax 0 (line mu t a)).
Definition G (mu : R) := ext (best_line mu).

Lemma best_line_spec mu a : 0 <= mu -> 0 <= a <= 1 ->
  0 <= best_line mu a /\ (forall t, line mu t a <= best_line mu a) /\ (forall b, 0 <= b -> (forall t, line mu t a <= b) -> best_line mu a <= b).
Proof.
  intros Hm Ha. destruct (inf_correct (fun y => exists t, y = - Rmax 0 (line mu t a)) (- 1) (- Rmax 0 (line mu 0 a))) as [A B].
  - intros x [t ->]. pose proof (line_below_PP mu t a Hm Ha). assert (Rmax 0 (line mu t a) <= 1) by (apply Rmax_lub; lra). lra.
  - exists 0. reflexivity.
  - unfold best_line. split; [|split].
    + specialize (A (- Rmax 0 (line mu 0 a)) ltac:(exists 0; reflexivity)). pose proof (Rmax_l 0 (line mu 0 a)). lra.
    + intros t. specialize (A (- Rmax 0 (line mu t a)) ltac:(exists t; reflexivity)). pose proof (Rmax_r 0 (line mu t a)). lra.
    + intros b Hb H. assert (- b <= inf (fun y => exists t, y = - Rmax 0 (line mu t a))); [|lra]. apply B. intros x [t ->].
      assert (Rmax 0 (line mu t a) <= b) by (apply Rmax_lub; auto). lra.
Qed.

Lemma line_near_0 mu e : 0 < e -> exists t, 1 - e <= line mu t 0.
Proof.
  intros He. destruct (tail_small e He) as [t H]. exists (t + mu). specialize (H t ltac:(lra)). unfold line. replace (t + mu - mu) with t by ring.
  pose proof (tail_pos (t + mu)). pose proof (ratio_pos mu (t + mu)). assert (0 <= ratio mu (t + mu) * tail (t + mu)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem tradeoff_G mu : 0 <= mu -> tradeoff (G mu).
Proof.
  intros Hm. apply tradeoff_ext.
  - intros x Hx. destruct (best_line_spec mu x Hm Hx) as (A & _ & C). split; [exact A|]. apply C; [lra|]. intros t. apply line_below_PP; assumption.
  - intros x y t Hx Hy Ht.
    assert (0 <= t * x + (1 - t) * y <= 1).
    { assert (0 <= t * x <= t * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
      assert (0 <= (1 - t) * y <= (1 - t) * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra). lra. }
    destruct (best_line_spec mu x Hm Hx) as (A & B & _). destruct (best_line_spec mu y Hm Hy) as (A' & B' & _).
    destruct (best_line_spec mu _ Hm H) as (_ & _ & C). apply C.
    + assert (0 <= t * best_line mu x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * best_line mu y) by (apply Rmult_le_pos; lra). lra.
    + intros s. specialize (B s). specialize (B' s).
      assert (E : line mu s (t * x + (1 - t) * y) = t * line mu s x + (1 - t) * line mu s y) by (unfold line; ring). rewrite E.
      assert (t * line mu s x <= t * best_line mu x) by (apply Rmult_le_compat_l; lra).
      assert ((1 - t) * line mu s y <= (1 - t) * best_line mu y) by (apply Rmult_le_compat_l; lra). lra.
  - intros e He. destruct (line_near_0 mu (e / 2) ltac:(lra)) as [t H]. pose proof (ratio_pos mu t) as R.
    exists (e / 2 / ratio mu t). split; [apply Rdiv_lt_0_compat; lra|]. intros y [y0 yd] y1.
    destruct (best_line_spec mu y Hm ltac:(lra)) as (_ & B & _). specialize (B t).
    destruct (best_line_spec mu 0 Hm ltac:(lra)) as (_ & _ & C). specialize (C 1 ltac:(lra) ltac:(intros s; apply line_at_0, Hm)).
    assert (ratio mu t * y <= ratio mu t * (e / 2 / ratio mu t)) by (apply Rmult_le_compat_l; lra).
    replace (ratio mu t * (e / 2 / ratio mu t)) with (e / 2) in H0 by (field; lra). unfold line in *. lra.
Qed.

(** G_mu (tail t) = 1 - tail (t - mu) *)
Theorem G_tail mu t : 0 <= mu -> G mu (tail t) = 1 - tail (t - mu).
Proof.
  intros Hm. pose proof (tail_pos t); pose proof (tail_lt_1 t). unfold G. rewrite ext_in by lra.
  destruct (best_line_spec mu (tail t) Hm ltac:(lra)) as (_ & B & C). apply Rle_antisym.
  - apply C; [pose proof (tail_lt_1 (t - mu)); lra|]. intros s. apply lines_are_below, Hm.
  - specialize (B t). unfold line in B. lra.
Qed.

Theorem G_0 mu : 0 <= mu -> G mu 0 = 1.
Proof.
  intros Hm. pose proof (to_range (G mu) (tradeoff_G mu Hm) 0). apply Rle_antisym; [lra|]. apply le_epsilon. intros e He.
  destruct (line_near_0 mu e He) as [t Ht]. unfold G. rewrite ext_in by lra.
  destruct (best_line_spec mu 0 Hm ltac:(lra)) as (_ & B & _). specialize (B t). lra.
Qed.
Lemma G_1 mu : 0 <= mu -> G mu 1 = 0.
Proof. intros Hm. apply (to_r1 (G mu) (tradeoff_G mu Hm)). lra. Qed.

(** A curve is above G_mu as soon as it is at every threshold. *)
Theorem G_below_iff mu f : 0 <= mu -> tradeoff f -> (G_below mu f <-> forall a, 0 <= a <= 1 -> G mu a <= f a).
Proof.
  intros Hm Hf. split.
  - intros H a Ha. destruct (Req_dec a 0) as [->|n0]; [|destruct (Req_dec a 1) as [->|n1]].
    + rewrite G_0 by exact Hm. apply le_epsilon. intros e He. destruct (tail_small e He) as [t Ht]. specialize (Ht t ltac:(lra)).
      specialize (H (t + mu)). replace (t + mu - mu) with t in H by ring. pose proof (tail_pos (t + mu)).
      pose proof (to_mono f Hf 0 (tail (t + mu)) ltac:(lra)). lra.
    + rewrite G_1 by exact Hm. apply to_range, Hf.
    + destruct (tail_onto a ltac:(lra)) as [t <-]. rewrite G_tail by exact Hm. apply H.
  - intros H t. rewrite <- G_tail by exact Hm. apply H. pose proof (tail_pos t); pose proof (tail_lt_1 t). lra.
Qed.

(** Lemma B.2 of Kaissis et al. 2024: more mu is less private *)
Theorem G_falls mu nu : 0 <= mu -> mu <= nu -> forall a, 0 <= a <= 1 -> G nu a <= G mu a.
Proof.
  intros Hm H. apply G_below_iff; [lra|apply tradeoff_G, Hm|]. intros t. rewrite G_tail by exact Hm.
  pose proof (tail_falls_weakly (t - nu) (t - mu) ltac:(lra)). lra.
Qed.

(** One vertex (a, b) of a curve, written by its quantiles: G_mu (a) <= b means mu >= Phi^-1 (1 - a) - Phi^-1 (b)
    (Gomez et al. 2025, equation 20; s is the quantile of b, t that of 1 - a). *)
Theorem G_at_vertex mu t s : 0 <= mu -> (G mu (tail t) <= 1 - tail s <-> t - s <= mu).
Proof.
  intros Hm. rewrite G_tail by exact Hm. pose proof (tail_le_iff s (t - mu)). split; intros H'.
  - assert (tail s <= tail (t - mu)) as K by lra. apply H in K. lra.
  - assert (tail s <= tail (t - mu)) by (apply H; lra). lra.
Qed.
