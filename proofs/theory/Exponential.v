(** * Rational bounds on the exponential, from its Taylor polynomials *)
From Coq Require Import Reals Lra Lia QArith Qreals.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** sum of x^i / i! for i < n *)
Fixpoint taylor (n : nat) (x : R) : R := match n with O => 0 | S n => taylor n x + x ^ n / INR (fact n) end.

Lemma taylor_0 n : taylor (S n) 0 = 1.
Proof. induction n as [|n IH]; [simpl; field|]. change (taylor (S (S n)) 0) with (taylor (S n) 0 + 0 ^ S n / INR (fact (S n))). rewrite IH, pow_i by lia. unfold Rdiv. ring. Qed.

Lemma taylor_derive n x : is_derive (taylor (S n)) x (taylor n x).
Proof.
  induction n as [|n IH].
  - apply (is_derive_ext (fun _ => 1)); [intros t; simpl; field|]. simpl. apply (is_derive_const (V := R_NormedModule)).
  - apply (is_derive_ext (fun t => plus (taylor (S n) t) (t ^ S n / INR (fact (S n))))); [reflexivity|].
    apply (is_derive_plus (V := R_NormedModule)); [exact IH|].
    auto_derive; [exact I|]. change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)).
    change (fact n + n * fact n)%nat with (S n * fact n)%nat. rewrite mult_INR. pose proof (INR_fact_neq_0 n). assert (INR (S n) <> 0) by (apply not_0_INR; lia).
    field. auto.
Qed.

(** the sign of exp (c x) - taylor n (c x) for c = 1 and c = -1 *)
Lemma taylor_sign c n x : c * c = 1 -> 0 <= x -> 0 <= c ^ n * (exp (c * x) - taylor n (c * x)).
Proof.
  intros Hc. revert x. induction n as [|n IH]; intros x Hx.
  - simpl. pose proof (exp_pos (c * x)). lra.
  - set (h := fun t => c ^ S n * (exp (c * t) - taylor (S n) (c * t))).
    set (h' := fun t => c ^ n * (exp (c * t) - taylor n (c * t))).
    assert (D : forall t, is_derive h t (h' t)).
    { intros t. unfold h, h'.
      replace (c ^ n * (exp (c * t) - taylor n (c * t))) with (c ^ S n * (c * (exp (c * t) - taylor n (c * t)))).
      2:{ simpl. replace (c * c ^ n * (c * (exp (c * t) - taylor n (c * t)))) with (c * c * (c ^ n * (exp (c * t) - taylor n (c * t)))) by ring. rewrite Hc. ring. }
      apply (is_derive_scal (fun s => exp (c * s) - taylor (S n) (c * s))).
      apply (is_derive_comp (fun s => exp s - taylor (S n) s) (fun s => c * s)).
      - apply (is_derive_minus (V := R_NormedModule)); [apply is_derive_exp|apply taylor_derive].
      - auto_derive; [exact I|ring]. }
    destruct (MVT_gen h 0 x h') as [z [Hz E]].
    + intros t _. apply D.
    + intros t _. apply continuity_pt_filterlim. apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply D.
    + rewrite Rmin_left, Rmax_right in Hz by lra. unfold h in E at 2.
      rewrite Rmult_0_r, exp_0, taylor_0 in E. replace (c ^ S n * (1 - 1)) with 0 in E by ring.
      specialize (IH z ltac:(lra)). fold (h' z) in IH. assert (0 <= h' z * (x - 0)) by (apply Rmult_le_pos; lra).
      change (0 <= h x). lra.
Qed.

Theorem exp_above n x : 0 <= x -> taylor n x <= exp x.
Proof. intros H. pose proof (taylor_sign 1 n x ltac:(lra) H) as T. rewrite pow1, !Rmult_1_l in T. lra. Qed.

Theorem exp_below n x : 0 <= x -> 0 < taylor (2 * n) (- x) -> exp x <= / taylor (2 * n) (- x).
Proof.
  intros H P. pose proof (taylor_sign (-1) (2 * n) x ltac:(lra) H) as T.
  rewrite pow_mult in T. replace ((-1) ^ 2) with 1 in T by (simpl; lra). rewrite pow1, Rmult_1_l in T.
  replace (-1 * x) with (- x) in T by ring. rewrite <- (Rinv_inv (exp x)). apply Rinv_le_contravar; [exact P|].
  rewrite <- exp_Ropp. lra.
Qed.

(** ** The same in rationals, by computation *)
Fixpoint taylor_q (n : nat) (x : Q) : Q * Q * Q :=   (* the sum, the next power over its factorial, the next index *)
  match n with
  | O => (0, 1, 1)%Q
  | S n => let '(s, t, i) := taylor_q n x in (Qred (s + t), Qred (t * x / i), Qred (i + 1))%Q
  end.
Definition taylor_value n x := fst (fst (taylor_q n x)).

Lemma taylor_q_spec n x : Q2R (fst (fst (taylor_q n x))) = taylor n (Q2R x) /\
  Q2R (snd (fst (taylor_q n x))) = Q2R x ^ n / INR (fact n) /\ Q2R (snd (taylor_q n x)) = INR (S n).
Proof.
  induction n as [|n (A & B & C)].
  - simpl. unfold Q2R; simpl. repeat split; field.
  - cbn [taylor_q taylor]. destruct (taylor_q n x) as [[s t] i]. cbn [fst snd] in *.
    assert (N : INR (S n) <> 0) by (apply not_0_INR; lia).
    assert (I : ~ (i == 0)%Q) by (intros E; apply Qeq_eqR in E; rewrite C in E; apply N; rewrite E; unfold Q2R; simpl; field).
    rewrite !(Qeq_eqR _ _ (Qred_correct _)), !Q2R_plus, Q2R_div, Q2R_mult, A, B, C by exact I.
    repeat split.
    + rewrite fact_simpl, mult_INR. pose proof (INR_fact_neq_0 n). rewrite <- tech_pow_Rmult. field. auto.
    + rewrite (S_INR (S n)). replace (Q2R 1) with 1 by (unfold Q2R; simpl; field). reflexivity.
Qed.

Corollary exp_above_q n x a : (0 <= x)%Q -> Qle_bool a (taylor_value n x) = true -> Q2R a <= exp (Q2R x).
Proof.
  intros H L. apply Qle_bool_iff, Qle_Rle in L. unfold taylor_value in L. rewrite (proj1 (taylor_q_spec n x)) in L.
  apply Qle_Rle in H. replace (Q2R 0) with 0 in H by (unfold Q2R; simpl; field). pose proof (exp_above n _ H). lra.
Qed.

Corollary exp_below_q n x b : (0 <= x)%Q -> Qle_bool 1 (b * taylor_value (2 * n) (- x)) = true -> (0 < b)%Q -> exp (Q2R x) <= Q2R b.
Proof.
  intros H L P. apply Qle_bool_iff, Qle_Rle in L. unfold taylor_value in L.
  rewrite Q2R_mult, (proj1 (taylor_q_spec (2 * n) (- x))), Q2R_opp in L.
  apply Qle_Rle in H. replace (Q2R 0) with 0 in H by (unfold Q2R; simpl; field). replace (Q2R 1) with 1 in L by (unfold Q2R; simpl; field).
  apply Qlt_Rlt in P. replace (Q2R 0) with 0 in P by (unfold Q2R; simpl; field).
  set (t := taylor (2 * n) (- Q2R x)) in *.
  assert (T : 0 < t). { apply Rnot_le_lt. intros C. assert (Q2R b * t <= Q2R b * 0) by (apply Rmult_le_compat_l; lra). lra. }
  apply Rle_trans with (/ t); [apply exp_below; assumption|].
  apply Rmult_le_reg_r with t; [exact T|]. rewrite Rinv_l by lra. lra.
Qed.
