(** * Tails of the Gaussian density

mass_above x is the integral of exp (- s^2 / 2) from x to infinity (a supremum of proper integrals), with the ratio inequality and Mills-type bounds. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition phi (s : R) := exp (- (s * s) / 2).
(** unnormalised upper tail  mass_above x = int_x^oo exp(-s^2/2) ds, as a supremum of proper integrals *)
Definition mass_above (x : R) : R := real (Lub_Rbar (fun y => exists b, x <= b /\ y = RInt phi x b)).

Lemma phi_pos s : 0 < phi s. Proof. apply exp_pos. Qed.

Lemma phi_cont s : continuous phi s.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold phi. auto_derive. exact I. Qed.

Lemma ex_phi a b : ex_RInt phi a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply phi_cont. Qed.

Lemma phi_le s : phi s <= exp (1/2 - s).
Proof.
  unfold phi. destruct (Req_dec s 1) as [->|n].
  - right. f_equal. lra.
  - left. apply exp_increasing. assert (0 < (s - 1) * (s - 1)) by (apply Rsqr_pos_lt; lra). lra.
Qed.

Lemma RInt_bound x b : x <= b -> RInt phi x b <= exp (1/2 - x).
Proof.
  intros H.
  assert (D : is_RInt (fun s => exp (1/2 - s)) x b (- exp (1/2 - b) - - exp (1/2 - x))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun s => - exp (1/2 - s))).
    - intros s _. auto_derive; [exact I|]. unfold Rminus, Rdiv; ring.
    - intros s _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I. }
  assert (L : RInt phi x b <= RInt (fun s => exp (1/2 - s)) x b).
  { apply RInt_le; [exact H|apply ex_phi|eexists; exact D|]. intros; apply phi_le. }
  rewrite (is_RInt_unique _ _ _ _ D) in L. pose proof (exp_pos (1/2 - b)). lra.
Qed.

Lemma mass_above_spec x : (forall b, x <= b -> RInt phi x b <= mass_above x) /\
  (forall m, (forall b, x <= b -> RInt phi x b <= m) -> mass_above x <= m).
Proof.
  set (E := fun y => exists b, x <= b /\ y = RInt phi x b). change (mass_above x) with (real (Lub_Rbar E)).
  destruct (Lub_Rbar_correct E) as [U L].
  assert (A : Rbar_le (Lub_Rbar E) (Finite (exp (1/2 - x)))).
  { apply L. intros y [b [Hb ->]]. apply RInt_bound, Hb. }
  assert (B : Rbar_le (Finite (RInt phi x x)) (Lub_Rbar E)).
  { apply U. exists x. split; [lra|reflexivity]. }
  destruct (Lub_Rbar E) as [r| |]; simpl in *; try contradiction. split.
  - intros b Hb. apply (U (RInt phi x b)). exists b; auto.
  - intros m Hm. apply (L (Finite m)). intros y [b [Hb ->]]. simpl. auto.
Qed.

Lemma mass_above_pos x : 0 < mass_above x.
Proof.
  apply Rlt_le_trans with (RInt phi x (x + 1)).
  - apply RInt_gt_0; [lra|intros; apply phi_pos|intros; apply phi_cont].
  - apply mass_above_spec. lra.
Qed.

(** the tail-ratio inequality *)
Theorem mass_above_ratio x d : 0 <= d -> mass_above (x + d) <= exp (- (x * d)) * mass_above x.
Proof.
  intros Hd. apply mass_above_spec. intros b Hb.
  replace b with (1 * (b - d) + d) by ring. replace (x + d) with (1 * x + d) by ring.
  rewrite <- (RInt_comp_lin phi 1 d x (b - d)) by apply ex_phi.
  apply Rle_trans with (RInt (fun s => scal (exp (- (x * d))) (phi s)) x (b - d)).
  - apply RInt_le; [lra| | |].
    + apply (ex_RInt_comp_lin phi 1 d x (b - d)), ex_phi.
    + apply (ex_RInt_scal (V := R_NormedModule)), ex_phi.
    + intros s Hs. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. unfold phi.
      rewrite <- exp_plus.
      assert (K : - ((1 * s + d) * (1 * s + d)) / 2 <= - (x * d) + - (s * s) / 2).
      { assert (0 <= d * d) by (apply Rle_0_sqr). assert (x * d <= s * d) by (apply Rmult_le_compat_r; lra). nra. }
      destruct (Rle_lt_or_eq_dec _ _ K) as [h|h].
      * left. apply exp_increasing, h.
      * right. f_equal. exact h.
  - rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply ex_phi.
    unfold scal; simpl; unfold mult; simpl.
    apply Rmult_le_compat_l; [left; apply exp_pos|]. apply mass_above_spec. lra.
Qed.

(** the ratio tends to 0: beats any constant *)
Theorem mass_above_beats c d : 0 < c -> 0 < d -> exists x, mass_above (x + d) < c * mass_above x.
Proof.
  intros Hc Hd. exists ((1 - ln c) / d).
  eapply Rle_lt_trans; [apply mass_above_ratio; lra|]. apply Rmult_lt_compat_r; [apply mass_above_pos|].
  replace (- ((1 - ln c) / d * d)) with (ln c + - (1)) by (field; lra).
  rewrite exp_plus, exp_ln by exact Hc. rewrite <- (Rmult_1_r c) at 2.
  apply Rmult_lt_compat_l; [exact Hc|]. apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra|rewrite exp_0; lra].
Qed.

(** Mills-type bounds *)
Lemma mass_above_upper c : 1 <= c -> mass_above c <= phi c.
Proof.
  intros Hc. apply mass_above_spec. intros b Hb.
  assert (D : is_RInt (fun s => s * phi s) c b (- phi b - - phi c)).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun s => - phi s)).
    - intros s _. unfold phi. auto_derive; [exact I|]. unfold Rminus, Rdiv. field.
    - intros s _. apply (ex_derive_continuous (V := R_NormedModule)). unfold phi. auto_derive. exact I. }
  assert (L : RInt phi c b <= RInt (fun s => s * phi s) c b).
  { apply RInt_le; [exact Hb|apply ex_phi|eexists; exact D|]. intros s Hs.
    pose proof (phi_pos s). rewrite <- (Rmult_1_l (phi s)) at 1. apply Rmult_le_compat_r; lra. }
  rewrite (is_RInt_unique _ _ _ _ D) in L. pose proof (phi_pos b). lra.
Qed.

Lemma phi_dec x y : 0 <= x -> x <= y -> phi y <= phi x.
Proof.
  intros Hx [H| ->]; [|lra]. left. unfold phi. apply exp_increasing.
  assert (x * x < y * y) by nra. lra.
Qed.

Lemma mass_above_lower x h : 0 < h -> 0 <= x -> h * phi (x + h) <= mass_above x.
Proof.
  intros Hh Hx. apply Rle_trans with (RInt phi x (x + h)); [|apply mass_above_spec; lra].
  replace (h * phi (x + h)) with (RInt (fun _ => phi (x + h)) x (x + h)).
  2:{ rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring. }
  apply RInt_le; [lra|apply ex_RInt_const|apply ex_phi|]. intros s Hs. apply phi_dec; lra.
Qed.

Lemma pow_phi c n : phi c ^ n = exp (- (INR n * (c * c)) / 2).
Proof.
  unfold phi.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l; replace (- 0 / 2) with 0 by field; symmetry; apply exp_0|].
  rewrite <- tech_pow_Rmult, IH, <- exp_plus, S_INR. f_equal. field.
Qed.
