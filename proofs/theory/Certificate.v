(** * Laws on a geometric lattice, as integers

lattice_law c z r [n_0; n_1; ...] has mass c n_j at z r^j (losses on a lattice of step -log r). Composing such laws convolves the integers
(lattice_law_compose, lattice_law_power). Two ways to compute a profile: exactly, in rationals (exact_hinges), and from above, in fixed point with
outward rounding (hinge_sum), where z, r or u are not rational. Both run inside Coq, so that a claim is proved by computation. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List.
From Dpcmp Require Import Losses Convolution.
Import ListNotations.
Open Scope R_scope.

Fixpoint lattice_law (c z r : R) (l : list Z) : loss :=
  match l with [] => [] | a :: l => (c * IZR a, z) :: lattice_law c (z * r) r l end.

Lemma lattice_law_add c z r l m u : profile (lattice_law c z r (add_lists l m)) u = profile (lattice_law c z r l) u + profile (lattice_law c z r m) u.
Proof.
  revert z m. induction l as [|a l IH]; intros z [|b m]; simpl; try lra.
  rewrite IH. unfold hinge; simpl. rewrite plus_IZR. lra.
Qed.
Lemma lattice_law_scale c z r a m u : profile (lattice_law c z r (scale_list a m)) u = IZR a * profile (lattice_law c z r m) u.
Proof.
  unfold scale_list. revert z. induction m as [|b m IH]; intros z; cbn [map lattice_law profile]; [lra|]. rewrite IH. unfold hinge; simpl fst; simpl snd.
  rewrite mult_IZR. lra.
Qed.
Lemma lattice_law_shift k z c z' r m u : profile (lattice_law (k * c) (z * z') r m) u = k * profile (lattice_law c z' r m) (u * z).
Proof.
  revert z'. induction m as [|b m IH]; intros z'; simpl; [lra|]. rewrite (Rmult_assoc z z' r), IH. unfold hinge; simpl.
  rewrite <- Rmult_assoc. lra.
Qed.
(** composing the losses = convolving the integer PMFs *)
Theorem lattice_law_compose c z c' z' r l m u :
  profile (compose (lattice_law c z r l) (lattice_law c' z' r m)) u = profile (lattice_law (c * c') (z * z') r (convolve l m)) u.
Proof.
  revert z. induction l as [|a l IH]; intros z.
  - simpl. rewrite compose_nil_l. reflexivity.
  - cbn [convolve lattice_law]. rewrite profile_compose_cons_l, profile_scale, lattice_law_add, lattice_law_scale, IH. cbn [lattice_law profile]. unfold hinge; simpl fst; simpl snd.
    rewrite (lattice_law_shift c z c' z' r m). replace (z * r * z') with (z * z' * r) by ring. lra.
Qed.

(** integer upper bound of delta, 2^P fixed point, all roundings outward *)
Fixpoint hinge_sum (p w rlo : Z) (l : list Z) : Z :=
  match l with [] => 0%Z | a :: l => (a * Z.max 0 (p - w) + hinge_sum p (w * rlo / p) rlo l)%Z end.
Lemma hinge_sum_sound p rlo c r u l : (0 < p)%Z -> (0 <= rlo)%Z -> 0 <= c -> 0 <= u -> IZR rlo <= IZR p * r -> nonneg l ->
  forall w z, (0 <= w)%Z -> IZR w <= IZR p * (u * z) -> profile (lattice_law c z r l) u * IZR p <= c * IZR (hinge_sum p w rlo l).
Proof.
  intros Hp Hr Hc Hu Er Hl. assert (P : 0 < IZR p) by (apply IZR_lt; exact Hp).
  induction Hl as [|a l Ha Hl IH]; intros w z Hw Ew; cbn [lattice_law profile hinge_sum]; [lra|].
  assert (N : (0 <= w * rlo / p)%Z) by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg; assumption|exact Hp]).
  specialize (IH (w * rlo / p)%Z (z * r) N).
  rewrite plus_IZR, mult_IZR. unfold hinge; simpl fst; simpl snd.
  assert (A0 : 0 <= IZR a) by (apply IZR_le; exact Ha).
  assert (W0 : 0 <= IZR w) by (apply IZR_le; exact Hw). assert (R0 : 0 <= IZR rlo) by (apply IZR_le; exact Hr).
  assert (H1 : pos (1 - u * z) * IZR p <= IZR (Z.max 0 (p - w))).
  { unfold pos. apply (Rmax_case_strong 0 (1 - u * z)); intros.
    - rewrite Rmult_0_l. apply IZR_le. lia.
    - apply Rle_trans with (IZR (p - w)); [rewrite minus_IZR; lra|apply IZR_le; lia]. }
  assert (H2 : IZR (w * rlo / p) <= IZR p * (u * (z * r))).
  { apply Rmult_le_reg_l with (IZR p); [exact P|]. rewrite <- mult_IZR.
    apply Rle_trans with (IZR (w * rlo)); [apply IZR_le, Z.mul_div_le, Hp|]. rewrite mult_IZR.
    replace (IZR p * (IZR p * (u * (z * r)))) with ((IZR p * (u * z)) * (IZR p * r)) by ring.
    apply Rmult_le_compat; assumption. }
  specialize (IH H2).
  assert (H3 : (c * IZR a) * (pos (1 - u * z) * IZR p) <= (c * IZR a) * IZR (Z.max 0 (p - w))).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption|exact H1]. }
  lra.
Qed.

(** ** Powers *)
Lemma mixture_ext D D' m u : (forall v, D v = D' v) -> mixture D m u = mixture D' m u.
Proof. intros H. induction m as [|b m IH]; simpl; [reflexivity|]. rewrite H, IH. reflexivity. Qed.

Theorem lattice_law_power c z r l n u :
  profile (power (lattice_law c z r l) n) u = profile (lattice_law (c ^ n) (z ^ n) r (convolve_power l n)) u.
Proof.
  revert u. induction n as [|n IH]; intros u.
  - simpl. rewrite Rmult_1_l. reflexivity.
  - cbn [power convolve_power pow]. rewrite profile_compose_comm, profile_compose, (mixture_ext _ _ _ u IH), <- profile_compose.
    rewrite profile_compose_comm. apply lattice_law_compose.
Qed.

(** ** From above, in fixed point *)
Theorem power_bound p w rlo s l c z r n u : (0 < p)%Z -> (0 <= rlo)%Z -> (0 <= w)%Z -> nonneg l ->
  (hinge_sum p w rlo (convolve_power l n) <=? s)%Z = true ->
  0 <= c -> 0 <= u -> IZR rlo <= IZR p * r -> IZR w <= IZR p * (u * z ^ n) ->
  profile (power (lattice_law c z r l) n) u * IZR p <= c ^ n * IZR s.
Proof.
  intros Hp Hrlo Hw Hl H Hc Hu Hr Hz. rewrite lattice_law_power. apply Z.leb_le in H.
  apply Rle_trans with (c ^ n * IZR (hinge_sum p w rlo (convolve_power l n))).
  - apply (hinge_sum_sound p rlo (c ^ n) r u); auto; [apply pow_le; exact Hc|apply nonneg_power, Hl].
  - apply Rmult_le_compat_l; [apply pow_le; exact Hc|apply IZR_le; exact H].
Qed.

(** ** Exactly, in rationals: w is u times the z of the first atom *)
Fixpoint exact_hinges (w r : Q) (l : list Z) : Q :=
  match l with
  | [] => 0%Q
  | a :: l => Qred (inject_Z a * (if Qle_bool 1 w then 0 else 1 - w) + exact_hinges (Qred (w * r)) r l)
  end.

Theorem exact_hinges_spec l : forall c z r w u, Q2R w = u * z ->
  profile (lattice_law c z (Q2R r) l) u = c * Q2R (exact_hinges w r l).
Proof.
  induction l as [|a l IH]; intros c z r w u E; cbn [lattice_law profile exact_hinges].
  - unfold Q2R; simpl. lra.
  - rewrite (IH c (z * Q2R r) r (Qred (w * r)) u).
    2:{ rewrite (Qeq_eqR _ _ (Qred_correct (w * r))), Q2R_mult, E. ring. }
    rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, Q2R_mult. unfold hinge, pos; simpl fst; simpl snd. rewrite <- E.
    replace (Q2R (inject_Z a)) with (IZR a) by (unfold Q2R, inject_Z; simpl; field).
    destruct (Qle_bool 1 w) eqn:B.
    + apply Qle_bool_iff, Qle_Rle in B. replace (Q2R 1) with 1 in B by (unfold Q2R; simpl; field).
      rewrite Rmax_left by lra. replace (Q2R 0) with 0 by (unfold Q2R; simpl; field). ring.
    + assert (Q2R w <= 1).
      { apply Rnot_lt_le. intros C. assert (Qle_bool 1 w = true); [|congruence].
        apply Qle_bool_iff, Rle_Qle. replace (Q2R 1) with 1 by (unfold Q2R; simpl; field). lra. }
      rewrite Rmax_right by lra. rewrite Q2R_minus. replace (Q2R 1) with 1 by (unfold Q2R; simpl; field). ring.
Qed.
