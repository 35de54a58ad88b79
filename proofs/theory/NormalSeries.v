(** * The mass of exp (- s^2 / 2) from 0 to x, as a series

It is exp (- x^2 / 2) times the sum of x^(2k+1) / (1 3 5 ... (2k+1)), whose terms are positive: after n terms it is too small by at most the next one. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import GaussianTail NormalLaw FixedSeries.
Open Scope R_scope.

(** the product of the first n odd numbers *)
Fixpoint odds (n : nat) : R := match n with O => 1 | S n => odds n * INR (2 * n + 1) end.
Definition odd_term (n : nat) (x : R) := x ^ (2 * n + 1) / odds (S n).
Definition even_term (n : nat) (x : R) := x ^ (2 * n) / odds n.
Fixpoint odd_sum (n : nat) (x : R) : R := match n with O => 0 | S n => odd_sum n x + odd_term n x end.

Lemma odds_pos n : 0 < odds n.
Proof. induction n as [|n IH]; cbn [odds]; [lra|]. apply Rmult_lt_0_compat; [exact IH|]. apply lt_0_INR. lia. Qed.
Lemma even_nonneg n x : 0 <= even_term n x.
Proof.
  unfold even_term. rewrite pow_mult. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, odds_pos]. apply pow_le. rewrite <- Rsqr_pow2. apply Rle_0_sqr.
Qed.

Lemma power_derive m c x : is_derive (fun x => x ^ S m / c) x (INR (S m) * x ^ m / c).
Proof.
  apply (is_derive_ext (fun x => / c * x ^ S m) (fun x => x ^ S m / c)); [intros t; unfold Rdiv; apply Rmult_comm|].
  replace (INR (S m) * x ^ m / c) with (/ c * (INR (S m) * 1 * x ^ m)) by (unfold Rdiv; ring).
  apply (is_derive_scal (fun x => x ^ S m) x (/ c)). exact (is_derive_pow (fun x => x) (S m) x 1 (is_derive_id x)).
Qed.
Lemma odd_term_derive n x : is_derive (odd_term n) x (even_term n x).
Proof.
  unfold odd_term. apply (is_derive_ext (fun x => x ^ S (2 * n) / odds (S n)) (fun x => x ^ (2 * n + 1) / odds (S n))); [intros; replace (2 * n + 1)%nat with (S (2 * n)) by lia; reflexivity|].
  replace (even_term n x) with (INR (S (2 * n)) * x ^ (2 * n) / odds (S n)); [apply power_derive|].
  unfold even_term. cbn [odds]. rewrite Nat.add_1_r. pose proof (odds_pos n). assert (0 < INR (S (2 * n))) by (apply lt_0_INR; lia). field. split; lra.
Qed.
Lemma x_times_odd n x : x * odd_term n x = even_term (S n) x.
Proof. unfold odd_term, even_term. replace (2 * S n)%nat with (S (2 * n + 1)) by lia. rewrite <- tech_pow_Rmult. unfold Rdiv. ring. Qed.

Lemma phi_derive x : is_derive phi x (- x * phi x).
Proof. unfold phi. auto_derive; [exact I|]. unfold Rminus, Rdiv. field. Qed.
Lemma phi_sum_derive n x : is_derive (fun x => phi x * odd_sum n x) x (phi x * (1 - even_term n x)).
Proof.
  induction n as [|n IH]; cbn [odd_sum].
  - apply (is_derive_ext (fun _ => 0) (fun x => phi x * 0)); [intros t; symmetry; apply Rmult_0_r|]. replace (phi x * (1 - even_term 0 x)) with 0 by (unfold even_term; simpl; field).
    apply (is_derive_const (V := R_NormedModule)).
  - apply (is_derive_ext (fun x => plus (phi x * odd_sum n x) (phi x * odd_term n x)) (fun x => phi x * (odd_sum n x + odd_term n x))); [intros t; symmetry; apply Rmult_plus_distr_l|].
    replace (phi x * (1 - even_term (S n) x)) with (plus (phi x * (1 - even_term n x)) (- x * phi x * odd_term n x + phi x * even_term n x)).
    2:{ rewrite <- x_times_odd. unfold plus; simpl. ring. }
    apply (is_derive_plus (V := R_NormedModule)); [exact IH|].
    apply (is_derive_mult phi (odd_term n)); [apply phi_derive|apply odd_term_derive|intros; apply Rmult_comm].
Qed.
Lemma even_cont n x : continuous (even_term n) x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold even_term. auto_derive. exact I. Qed.

Theorem mass_from_0 n x : 0 <= x -> phi x * odd_sum n x <= RInt phi 0 x <= phi x * odd_sum n x + odd_term n x.
Proof.
  intros Hx.
  assert (A : is_RInt (fun t => phi t * (1 - even_term n t)) 0 x (phi x * odd_sum n x - phi 0 * odd_sum n 0)).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => phi x * odd_sum n x)).
    - intros t _. apply phi_sum_derive.
    - intros t _. apply (continuous_mult (K := R_AbsRing)); [apply phi_cont|]. apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|apply even_cont]. }
  assert (B : is_RInt (even_term n) 0 x (odd_term n x - odd_term n 0)).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (odd_term n)); intros t _; [apply odd_term_derive|apply even_cont]. }
  assert (Z0 : odd_term n 0 = 0) by (unfold odd_term; rewrite pow_i by lia; unfold Rdiv; ring).
  assert (Z1 : odd_sum n 0 = 0).
  { clear. induction n as [|n IH]; cbn [odd_sum]; [reflexivity|]. rewrite IH. unfold odd_term. rewrite pow_i by lia. unfold Rdiv. ring. }
  rewrite Z1, Rmult_0_r, Rminus_0_r in A. rewrite Z0, Rminus_0_r in B.
  assert (P : forall t, 0 <= phi t <= 1) by (intros t; split; [left; apply phi_pos|apply phi_at_most_1]).
  split.
  - rewrite <- (is_RInt_unique _ _ _ _ A). apply RInt_le; [exact Hx|eexists; exact A|apply ex_phi|]. intros t _.
    pose proof (even_nonneg n t). specialize (P t). rewrite <- (Rmult_1_r (phi t)) at 2. apply Rmult_le_compat_l; lra.
  - pose proof (is_RInt_plus _ _ _ _ _ _ A B) as C. unfold plus in C; simpl in C. rewrite <- (is_RInt_unique _ _ _ _ C).
    apply RInt_le; [exact Hx|apply ex_phi|eexists; exact C|]. intros t _. pose proof (even_nonneg n t). specialize (P t).
    assert (phi t * even_term n t <= 1 * even_term n t) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** the terms of FixedSeries.v *)
Lemma terms_odd x n : forall k s, terms (x * x) (Z.of_nat (2 * k + 3)) 2 (odd_term k x) s n = (s + (odd_sum (k + n) x - odd_sum k x), odd_term (k + n) x).
Proof.
  induction n as [|n IH]; intros k s; cbn [terms].
  - rewrite Nat.add_0_r. f_equal. ring.
  - replace (Z.of_nat (2 * k + 3) + 2)%Z with (Z.of_nat (2 * S k + 3)) by lia.
    replace (odd_term k x * (x * x) / IZR (Z.of_nat (2 * k + 3))) with (odd_term (S k) x).
    2:{ rewrite <- INR_IZR_INZ. unfold odd_term. change (odds (S (S k))) with (odds (S k) * INR (2 * S k + 1)). replace (2 * S k + 1)%nat with (2 * k + 3)%nat by lia.
        replace (2 * k + 3)%nat with (S (S (2 * k + 1))) at 1 by lia. rewrite <- !tech_pow_Rmult.
        pose proof (odds_pos (S k)). assert (0 < INR (2 * k + 3)) by (apply lt_0_INR; lia). field. split; lra. }
    rewrite IH, Nat.add_succ_r. cbn [Nat.add odd_sum]. f_equal. ring.
Qed.
