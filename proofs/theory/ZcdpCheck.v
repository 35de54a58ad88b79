(** * The proved checker and zero-concentrated DP

check_about adds to check (ProvedCheck.v) claims of rho-zCDP, and mechanisms of which rho-zCDP is all that is known: a claim about these is verified if it holds of all of them, and refuted if it
fails for one, which is Gaussian noise with mu^2 = 2 rho or has two outcomes. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve FixedPoint FixedSeries Numbers StepProfiles Product ProductPairs GaussianProducts OtherProfiles Claims StepKinds StepLaws CheckParts ProvedCheck Zcdp.
From Dpcmp Require GdpCheck SampledNumbers SampledCheck.
Import ListNotations.
Open Scope R_scope.

Definition has_zcdp (l : list pair) (adj : adjacency) (rho : R) : Prop := forall o, about adj o = true -> zcdp (divergence (in_direction o l)) rho.
Inductive subject :=
  | Steps (m : mechanism)
  | AllWithZcdp (rho : Q).
Inductive statement :=
  | Says (c : claim)
  | SaysZcdp (rho : Q).
Definition states (l : list pair) (adj : adjacency) (c : statement) : Prop :=
  match c with Says c => satisfies l adj (meaning c) | SaysZcdp rho => has_zcdp l adj (Q2R rho) end.
Definition true_about (s : subject) (adj : adjacency) (c : statement) (said : verdict) : Prop :=
  match s, said with
  | Steps m, Verified => (exists l, pairs_of m l) /\ forall l, pairs_of m l -> states l adj c
  | Steps m, Refuted => (exists l, pairs_of m l) /\ forall l, pairs_of m l -> ~ states l adj c
  | AllWithZcdp rho, Verified => forall l, has_zcdp l adj (Q2R rho) -> states l adj c
  | AllWithZcdp rho, Refuted => exists l, has_zcdp l adj (Q2R rho) /\ ~ states l adj c
  end.

Inductive argument :=
  | As (p : proof)                                  (* ProvedCheck.v, or of the member if refuted *)
  | ByRho                                           (* rho itself: of the class, or mu^2 / 2 of Gaussian noise *)
  | AtOrder (w : positive) (a : Q)                  (* (eps, delta)-DP from one order *)
  | Beaten (w : positive) (a e d : Q) (p : proof)   (* no zCDP: the divergence at e is above d, which it would be at most *)
  | AsOutcomes (w : positive) (p q s : Q) (x : proof).   (* of the member with these chances of one of two outcomes; its order s + 1 tells two parts of a proof apart *)

(** zcdp_at_order: exp ((a - 1) (a rho - e - ln (a / (a - 1)))) <= a d *)
Definition order_fits (w : positive) (a rho e d : Q) : bool :=
  negb (Qle_bool a 1) &&
  match ln_Z w (of_Q w (a / (a - 1))) with
  | Some l => match exp_Z w (mul_Z w (of_Q w (a - 1)) (sub_Z (of_Q w (a * rho - e)) l)) with Some i => (snd i <=? fst (of_Q w (a * d)))%Z | None => false end
  | None => false
  end.
Definition member (rho : Q) : mechanism := [(Gaussian 1 (2 * rho), 1%positive)].
Definition gaussian_rho (m : mechanism) (rho : Q) : bool := all_gaussian m && Qle_bool (gaussian_square m) (2 * rho).
Definition check_steps (m : mechanism) (adj : adjacency) (c : statement) (said : verdict) (x : argument) : bool :=
  match c, said, x with
  | Says c, _, As p => check m adj c said p
  | SaysZcdp rho, Verified, ByRho => all_proper m && gaussian_rho m rho
  | SaysZcdp rho, Refuted, Beaten w a e d p => order_fits w a rho e d && check m adj (ApproxDp (Log e) d) Refuted p
  | _, _, _ => false
  end.
Definition two_outcomes (p q : Q) : mechanism := [(Sampled 1 (Outcomes [(q, p); (1 - q, 1 - p)]), 1%positive)]%Q.
(** the hypotheses of two_outcomes_zcdp *)
Definition member_fits (w : positive) (rho p q s : Q) : bool :=
  let one := exact_Z w 1 in let r := of_Q w rho in
  positive_Q p && Qle_bool p q && negb (Qle_bool 1 q) && positive_Q rho && positive_Q s &&
  match ln_Z w (of_Q w (q / p)), ln_Z w (of_Q w q), ln_Z w (of_Q w ((1 - p) / (1 - q))), exp_Z w (of_Q w (- (s * (s + 1) * rho))) with
  | Some l, Some lq, Some other, Some missing =>
      match exp_Z w (mul_Z w (of_Q w s) l), ln_Z w (sub_Z one missing) with
      | Some high, Some rest =>
          let over := sub_Z l r in
          (snd (mul_Z w (mul_Z w (of_Q w q) l) high) <=? fst r)%Z && (snd (mul_Z w over over) <=? fst (mul_Z w (of_Q w (4 * rho)) (sub_Z rest lq)))%Z && (snd other <=? fst r)%Z
      | _, _ => false
      end
  | _, _, _, _ => false
  end.
Definition check_about (s : subject) (adj : adjacency) (c : statement) (said : verdict) (x : argument) : bool :=
  match s, said with
  | Steps m, _ => check_steps m adj c said x
  | AllWithZcdp rho, Refuted =>
      match c, x with
      | Says c, AsOutcomes w p q s x => member_fits w rho p q s && check (two_outcomes p q) adj c Refuted x
      | _, _ => check_steps (member rho) adj c said x
      end
  | AllWithZcdp rho, Verified =>
      match c, x with
      | SaysZcdp rho', ByRho => Qle_bool rho rho'
      | Says (ApproxDp (Log e) d), AtOrder w a => order_fits w a rho e d
      | _, _ => false
      end
  end.

Lemma order_fits_sound w a rho e d D : order_fits w a rho e d = true -> zcdp D (Q2R rho) -> D (exp (Q2R e)) <= Q2R d.
Proof.
  unfold order_fits. intros H Z. apply andb_prop in H. destruct H as [A H]. apply negb_true_iff in A. apply Qlt_real in A. rewrite GdpCheck.Q1 in A.
  destruct (ln_Z w (of_Q w (a / (a - 1)))) as [l|] eqn:L; [|discriminate]. destruct (exp_Z w _) as [i|] eqn:X; [|discriminate].
  destruct (ln_sound w _ _ _ (encl_Q w _) L) as [EL _].
  apply (exp_sound w _ _ _ (encl_mul w _ _ _ _ (encl_Q w (a - 1)) (encl_sub w _ _ _ _ (encl_Q w (a * rho - e)) EL))) in X. pose proof (encl_apart w _ _ _ _ X (encl_Q w (a * d)) H) as K.
  pose proof (zcdp_at_order D (Q2R rho) (Q2R a) (exp (Q2R e)) Z A (exp_pos _)) as B. rewrite ln_exp in B.
  assert (N : ~ (a - 1 == 0)%Q) by (intros N; apply Qeq_eqR in N; rewrite Q2R_minus, GdpCheck.Q1, GdpCheck.Q0 in N; lra).
  rewrite (Q2R_div a (a - 1) N), !Q2R_minus, !Q2R_mult, GdpCheck.Q1 in K. eapply Rle_trans; [exact B|]. apply Rcomplements.Rle_div_l; [lra|]. rewrite (Rmult_comm (Q2R d)). exact K.
Qed.
Lemma gaussian_rho_sound m l rho adj : pairs_of m l -> gaussian_rho m rho = true -> has_zcdp l adj (Q2R rho).
Proof.
  intros Hl H. unfold gaussian_rho in H. apply andb_prop in H. destruct H as [A H]. apply Qle_real in H. rewrite Q2R_mult in H. replace (Q2R 2) with 2 in H by (unfold Q2R; simpl; field).
  destruct (gaussian_prefix m l Hl) as (l1 & l2 & params & -> & [S _] & E & N). rewrite (N A), app_nil_r. destruct (gaussian_zcdp l1 params S) as [Zr Za].
  intros o _. destruct o; cbn [in_direction]; (eapply zcdp_weaker; [|eassumption]); lra.
Qed.
Lemma check_steps_sound m adj c said x : check_steps m adj c said x = true -> true_about (Steps m) adj c said.
Proof.
  unfold check_steps. destruct c as [c|rho], said, x as [p| |w a|w a e d p|w p q s x]; try discriminate; cbn [true_about states]; intros H.
  - exact (check_sound m adj c Verified p H).
  - exact (check_sound m adj c Refuted p H).
  - apply andb_prop in H. destruct H as [A H]. split; [apply pairs_exist, A|]. intros l Hl. exact (gaussian_rho_sound m l rho adj Hl H).
  - apply andb_prop in H. destruct H as [F H]. destruct (check_sound m adj _ Refuted p H) as [Ex K]. split; [exact Ex|]. intros l Hl Z. apply (K l Hl).
    unfold satisfies. cbn [meaning level_log holds]. apply every_order. intros o A. exact (order_fits_sound w a rho e d _ F (Z o A)).
Qed.
Lemma member_in_class rho l adj : pairs_of (member rho) l -> has_zcdp l adj (Q2R rho).
Proof.
  intros Hl. apply (gaussian_rho_sound (member rho) l rho adj Hl). unfold gaussian_rho, member, all_gaussian. cbn [forallb fst gaussian_square andb].
  apply Qle_bool_iff. rewrite Qred_correct. unfold inject_Z. ring_simplify. apply Qle_refl.
Qed.
Lemma outcomes_in_class w rho p q s l adj : member_fits w rho p q s = true -> pairs_of (two_outcomes p q) l -> has_zcdp l adj (Q2R rho).
Proof.
  unfold member_fits. intros H Hl.
  destruct (ln_Z w (of_Q w (q / p))) as [il|] eqn:L1; [|rewrite andb_false_r in H; discriminate]. destruct (ln_Z w (of_Q w q)) as [iq|] eqn:L2; [|rewrite andb_false_r in H; discriminate].
  destruct (ln_Z w (of_Q w ((1 - p) / (1 - q)))) as [io|] eqn:L3; [|rewrite andb_false_r in H; discriminate]. destruct (exp_Z w (of_Q w (- (s * (s + 1) * rho)))) as [im|] eqn:X1; [|rewrite andb_false_r in H; discriminate].
  destruct (exp_Z w (mul_Z w (of_Q w s) il)) as [ih|] eqn:X2; [|rewrite andb_false_r in H; discriminate]. destruct (ln_Z w (sub_Z (exact_Z w 1) im)) as [ir|] eqn:L4; [|rewrite andb_false_r in H; discriminate].
  repeat match goal with K : (_ && _)%bool = true |- _ => apply andb_prop in K; destruct K end.
  repeat match goal with K : positive_Q _ = true |- _ => apply positive_Q_sound in K end. repeat match goal with K : Qle_bool _ _ = true |- _ => apply Qle_real in K end.
  match goal with K : negb _ = true |- _ => apply negb_true_iff, Qlt_real in K; rewrite GdpCheck.Q1 in K end.
  assert (Np : ~ (p == 0)%Q) by (intros N; apply Qeq_eqR in N; rewrite GdpCheck.Q0 in N; lra).
  assert (Nq : ~ (1 - q == 0)%Q) by (intros N; apply Qeq_eqR in N; rewrite Q2R_minus, GdpCheck.Q1, GdpCheck.Q0 in N; lra).
  destruct (ln_sound w _ _ _ (encl_Q w _) L1) as [E1 _]. destruct (ln_sound w _ _ _ (encl_Q w _) L2) as [E2 _]. destruct (ln_sound w _ _ _ (encl_Q w _) L3) as [E3 _].
  apply (exp_sound w _ _ _ (encl_Q w _)) in X1. apply (exp_sound w _ _ _ (encl_mul w _ _ _ _ (encl_Q w s) E1)) in X2. destruct (ln_sound w _ _ _ (encl_sub w _ _ _ _ (encl_0_1 w) X1) L4) as [E4 _].
  match goal with K : (snd (mul_Z w (mul_Z w _ _) _) <=? _)%Z = true |- _ => apply (encl_apart w _ _ _ _ (encl_mul w _ _ _ _ (encl_mul w _ _ _ _ (encl_Q w q) E1) X2) (encl_Q w rho)) in K; rename K into C1 end.
  match goal with K : (snd (mul_Z w (sub_Z _ _) _) <=? _)%Z = true |- _ =>
    apply (encl_apart w _ _ _ _ (encl_mul w _ _ _ _ (encl_sub w _ _ _ _ E1 (encl_Q w rho)) (encl_sub w _ _ _ _ E1 (encl_Q w rho))) (encl_mul w _ _ _ _ (encl_Q w (4 * rho)) (encl_sub w _ _ _ _ E4 E2))) in K; rename K into C2 end.
  match goal with K : (snd io <=? _)%Z = true |- _ => apply (encl_apart w _ _ _ _ E3 (encl_Q w rho)) in K; rename K into C3 end.
  rewrite (Q2R_div q p Np) in C1, C2. rewrite (Q2R_div (1 - p) (1 - q) Nq), !Q2R_minus, GdpCheck.Q1 in C3.
  rewrite Q2R_opp, !Q2R_mult, Q2R_plus, GdpCheck.Q1 in C2. replace (Q2R 4) with 4 in C2 by (unfold Q2R; simpl; field).
  assert (Pr : forall o u, 0 <= u -> divergence (in_direction o l) u = spread (real_cells (in_order o [(q, p); (1 - q, 1 - p)]%Q)) u 1) by (intros o u Hu; apply (outcomes_divergence (two_outcomes p q) l o _ u Hl eq_refl Hu)).
  destruct (two_outcomes_zcdp (Q2R p) (Q2R q) (Q2R rho) (Q2R s) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) C1 C2 C3 (divergence (in_direction Remove l)) (divergence (in_direction Add l))) as [Zr Za].
  - intros u Hu. rewrite (Pr Remove u Hu). cbn [in_order real_cells map spread fst snd]. rewrite !Q2R_minus, GdpCheck.Q1. reflexivity.
  - intros u Hu. rewrite (Pr Add u Hu). cbn [in_order flip real_cells map spread fst snd]. rewrite !Q2R_minus, GdpCheck.Q1. reflexivity.
  - intros o _. destruct o; assumption.
Qed.
Theorem check_about_sound s adj c said x : check_about s adj c said x = true -> true_about s adj c said.
Proof.
  assert (Member : forall rho, check_steps (member rho) adj c Refuted x = true -> true_about (AllWithZcdp rho) adj c Refuted).
  { intros rho H. apply check_steps_sound in H. destruct H as [[l Hl] N]. exists l. split; [exact (member_in_class rho l adj Hl)|exact (N l Hl)]. }
  destruct s as [m|rho]; [apply check_steps_sound|]. destruct said; cbn [check_about].
  - destruct c as [[[e|v] d|eps|v|alpha beta|mu tau|mu e]|rho'], x as [p| |w a|w a e' d' p|w p q s x]; try discriminate; cbn [true_about states meaning]; intros H l Z.
    + unfold satisfies. cbn [level_log holds]. apply every_order. intros o A. exact (order_fits_sound w a rho e d _ H (Z o A)).
    + intros o A. apply Qle_real in H. exact (zcdp_weaker _ _ _ H (Z o A)).
  - destruct c as [c|rho'], x as [p| |w a|w a e d p|w p q s x]; try (apply Member). intros H. apply andb_prop in H. destruct H as [F H].
    apply check_sound in H. destruct H as [[l Hl] N]. exists l. split; [exact (outcomes_in_class w rho p q s l adj F Hl)|exact (N l Hl)].
Qed.
