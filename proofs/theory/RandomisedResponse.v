(** * Claims about k-fold randomised response, decided by computation

One bit is answered truthfully with probability a / (a + b), k times independently. dp_by_computation proves (eps, delta)-DP of the whole, for every
randomised test of the k answers, from a check that Coq runs on exact rationals; not_dp_by_computation refutes it. The files in claims/ are
instances. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals Qround List.
From Dpcmp Require Import Losses Convolution Certificate Pairs Exponential.
Import ListNotations.
Open Scope R_scope.

(** The chance of each answer when the bit is true; answer b a is that when it is false. *)
Definition answer (a b : positive) (x : bool) : R := IZR (Zpos (if x then a else b)) / IZR (Zpos (a + b)).
Definition answers (k : nat) := sequences [true; false] k.

(** (eps, delta)-DP of the k answers, whichever of the two the bit is *)
Definition response_dp (a b : positive) (k : nat) (eps d : R) : Prop :=
  dp (answers k) (joint (answer b a)) (joint (answer a b)) (exp eps) d /\
  dp (answers k) (joint (answer a b)) (joint (answer b a)) (exp eps) d.

Fixpoint power_q (q : Q) (n : nat) : Q := match n with O => 1%Q | S n => Qred (q * power_q q n) end.

(** delta of the ordered pair at u, as a rational *)
Definition delta_at (a b : positive) (k : nat) (u : Q) : Q :=
  (exact_hinges (Qred (u * power_q (Zpos b # a) k)) (Zpos (a * a) # (b * b)) (convolve_power [Zpos a; Zpos b] k) * power_q (1 # (a + b)) k)%Q.

(** rational bounds on e^eps, n terms, 2^(-64) apart from that *)
Definition grid : positive := (2 ^ 64)%positive.
Definition exp_lower (n : nat) (eps : Q) : Q := Qfloor (taylor_value n eps * (Zpos grid # 1)) # grid.
Definition exp_upper (n : nat) (eps : Q) : Q := Qceiling (/ taylor_value (2 * n) (- eps) * (Zpos grid # 1)) # grid.

Definition check_dp (n : nat) (a b : positive) (k : nat) (eps d : Q) : bool :=
  let u := exp_lower n eps in
  Qle_bool 0 eps && Qle_bool 0 u && Qle_bool (delta_at a b k u) d && Qle_bool (delta_at b a k u) d.
Definition check_not_dp (n : nat) (a b : positive) (k : nat) (eps d : Q) : bool :=
  let u := exp_upper n eps in
  Qle_bool 0 eps && negb (Qle_bool u 0) && Qle_bool 1 (u * taylor_value (2 * n) (- eps)) && negb (Qle_bool (delta_at a b k u) d).

(** ** What the checks prove *)
Lemma Q2R_pos_ratio a b : Q2R (Zpos a # b) = IZR (Zpos a) / IZR (Zpos b).
Proof. reflexivity. Qed.

Lemma Q2R_power q n : Q2R (power_q q n) = Q2R q ^ n.
Proof.
  induction n as [|n IH]; cbn [power_q pow]; [unfold Q2R; simpl; field|]. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult, IH. reflexivity.
Qed.

Lemma law_is_lattice a b : law [true; false] (answer b a) (answer a b) =
  lattice_law (/ IZR (Zpos (a + b))) (IZR (Zpos b) / IZR (Zpos a)) (Q2R (Zpos (a * a) # (b * b))) [Zpos a; Zpos b].
Proof.
  assert (A : 0 < IZR (Zpos a)) by (apply IZR_lt; lia). assert (B : 0 < IZR (Zpos b)) by (apply IZR_lt; lia).
  assert (C : 0 < IZR (Zpos (a + b))) by (apply IZR_lt; lia).
  assert (E : forall w w' z z' v v' y y' : R, w = w' -> z = z' -> v = v' -> y = y' -> [(w, z); (v, y)] = [(w', z'); (v', y')]) by congruence.
  unfold law, answer; cbn [map lattice_law]. rewrite (Pos.add_comm b a), Q2R_pos_ratio, !Pos2Z.inj_mul, !mult_IZR.
  apply E; field; lra.
Qed.

Theorem hockey_stick_answers a b k u : (0 <= u)%Q ->
  hockey_stick (answers k) (joint (answer b a)) (joint (answer a b)) (Q2R u) = Q2R (delta_at a b k u).
Proof.
  intros Hu. apply Qle_Rle in Hu. replace (Q2R 0) with 0 in Hu by (unfold Q2R; simpl; field). unfold answers.
  rewrite hockey_stick_product; [|intros x _; unfold answer; split; (apply Rmult_le_pos; [apply IZR_le; lia|left; apply Rinv_0_lt_compat, IZR_lt; lia])|exact Hu].
  rewrite law_is_lattice, lattice_law_power. unfold delta_at.
  rewrite (exact_hinges_spec _ _ _ _ (Qred (u * power_q (Zpos b # a) k))).
  - rewrite Q2R_mult, Q2R_power. replace (Q2R (1 # (a + b))) with (/ IZR (Zpos (a + b))) by (unfold Q2R; simpl; ring). ring.
  - rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult, Q2R_power, Q2R_pos_ratio. reflexivity.
Qed.

Lemma hockey_stick_falls {X : Type} (xs : list X) p q u v : (forall x, In x xs -> 0 <= p x) -> u <= v -> hockey_stick xs p q v <= hockey_stick xs p q u.
Proof.
  intros P H. apply sum_le. intros x Hx. apply pos_mono. specialize (P x Hx).
  assert (u * p x <= v * p x) by (apply Rmult_le_compat_r; assumption). lra.
Qed.

Lemma joint_answer_positive a b k s : In s (answers k) -> 0 <= joint (answer a b) s.
Proof.
  intros H. apply (joint_positive bool [true; false]).
  - intros x _. unfold answer. apply Rmult_le_pos; [apply IZR_le; lia|left; apply Rinv_0_lt_compat, IZR_lt; lia].
  - apply (in_sequences bool [true; false] k s H).
Qed.

Lemma exp_lower_sound n eps : (0 <= eps)%Q -> Q2R (exp_lower n eps) <= exp (Q2R eps).
Proof.
  intros H. apply (exp_above_q n); [exact H|]. apply Qle_bool_iff. unfold exp_lower.
  pose proof (Qfloor_le (taylor_value n eps * (Zpos grid # 1))) as F.
  set (m := Qfloor _) in *. clearbody m. unfold Qle in *. simpl in *. nia.
Qed.

Lemma one_direction a b k u e d : (0 <= u)%Q -> Q2R u <= e -> Qle_bool (delta_at a b k u) d = true ->
  dp (answers k) (joint (answer b a)) (joint (answer a b)) e (Q2R d).
Proof.
  intros Hu He H. apply dp_iff. apply Rle_trans with (hockey_stick (answers k) (joint (answer b a)) (joint (answer a b)) (Q2R u)).
  - apply hockey_stick_falls; [intros s Hs; apply (joint_answer_positive b a k s Hs)|exact He].
  - rewrite hockey_stick_answers by exact Hu. apply Qle_Rle, Qle_bool_iff, H.
Qed.

Theorem dp_by_computation n a b k eps d : check_dp n a b k eps d = true -> response_dp a b k (Q2R eps) (Q2R d).
Proof.
  unfold check_dp. intros H. repeat rewrite Bool.andb_true_iff in H. destruct H as [[[E U] A] B].
  apply Qle_bool_iff in E, U. pose proof (exp_lower_sound n eps E). split; apply (one_direction _ _ k (exp_lower n eps)); assumption.
Qed.

Theorem not_dp_by_computation n a b k eps d : check_not_dp n a b k eps d = true -> ~ response_dp a b k (Q2R eps) (Q2R d).
Proof.
  unfold check_not_dp. intros H. repeat rewrite Bool.andb_true_iff in H. destruct H as [[[E U] T] D].
  apply Qle_bool_iff in E. apply Bool.negb_true_iff in U, D. set (u := exp_upper n eps) in *.
  assert (U' : (0 < u)%Q) by (apply Qnot_le_lt; intros C; apply Qle_bool_iff in C; congruence).
  assert (D' : (d < delta_at a b k u)%Q) by (apply Qnot_le_lt; intros C; apply Qle_bool_iff in C; congruence).
  intros [C _]. apply dp_iff in C. pose proof (exp_below_q n eps u E T U') as X.
  assert (L : hockey_stick (answers k) (joint (answer b a)) (joint (answer a b)) (Q2R u) <= Q2R d).
  { eapply Rle_trans; [|exact C]. apply hockey_stick_falls; [intros s Hs; apply (joint_answer_positive b a k s Hs)|exact X]. }
  rewrite hockey_stick_answers in L by (apply Qlt_le_weak, U'). apply Qlt_Rlt in D'. lra.
Qed.
