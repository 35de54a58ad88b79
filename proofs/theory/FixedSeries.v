(** * Series in fixed point, and the exponential

Terms t, t y / m, t y^2 / (m (m + d)), ... are summed in integers: each rounded down, with a bound on what rounding left out. exp_Z encloses the exponential: of a number near 0 by its
Taylor series, squared. *)
From Coq Require Import Reals Lra Lia ZArith Psatz.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Exponential FixedPoint.
Open Scope R_scope.

(** ** Sums in integers *)
(** the sum of n terms from t on, and the next one *)
Fixpoint terms (y : R) (m d : Z) (t s : R) (n : nat) : R * R :=
  match n with O => (s, t) | S n => terms y (m + d) d (t * y / IZR m) (s + t) n end.

(** the same, of what lies between t and t + e and between s and s + f; y lies between y and y + 1. Ends when no term is left or the fuel is. *)
Fixpoint series (fuel : nat) (w : positive) (y m d t e s f : Z) : Z * Z * Z * Z :=
  match fuel with
  | O => (t, e, s, f)
  | S fuel => if (t =? 0)%Z then (t, e, s, f)
    else series fuel w y (m + d) d (down w (t * y) / m) (down w (t + e * (y + 1)) / m + 2) (s + t) (f + e)
  end.

Definition within (w : positive) (t e : Z) (x : R) := IZR t <= unit w * x <= IZR t + IZR e.

Lemma term_step w y m t e eta tau : (0 <= y)%Z -> (0 < m)%Z -> (0 <= t)%Z -> (0 <= e)%Z -> within w y 1 eta -> within w t e tau ->
  within w (down w (t * y) / m) (down w (t + e * (y + 1)) / m + 2) (tau * eta / IZR m).
Proof.
  intros Hy Hm Ht He [Y1 Y2] [T1 T2]. unfold within in *. apply IZR_le in Hy, Ht, He. pose proof (unit_pos w) as U.
  pose proof (divide_down_spec (down w (t * y)) m Hm) as A. pose proof (down_spec w (t * y)) as B.
  pose proof (divide_down_spec (down w (t + e * (y + 1))) m Hm) as C. pose proof (down_spec w (t + e * (y + 1))) as D.
  assert (Hm' := Hm). apply IZR_lt in Hm'. rewrite plus_IZR. rewrite !mult_IZR in B. rewrite plus_IZR, mult_IZR, plus_IZR in D.
  set (a := IZR (down w (t * y) / m)) in *. set (c := IZR (down w (t + e * (y + 1)) / m)) in *.
  set (b := IZR (down w (t * y))) in *. set (g := IZR (down w (t + e * (y + 1)))) in *.
  set (X := unit w * tau) in *. set (Z0 := unit w * eta) in *.
  assert (E : unit w * (tau * eta / IZR m) = X * Z0 / (IZR m * unit w)) by (unfold X, Z0; field; split; lra). rewrite E.
  assert (MU : 0 < IZR m * unit w) by (apply Rmult_lt_0_compat; lra).
  assert (P1 : IZR t * IZR y <= X * Z0) by (apply Rmult_le_compat; lra).
  assert (P2 : X * Z0 <= (IZR t + IZR e) * (IZR y + 1)) by (apply Rmult_le_compat; lra).
  (* integers: b < (a + 1) m gives b + 1 <= (a + 1) m *)
  assert (K1 : b + 1 <= (a + 1) * IZR m).
  { unfold a, b. rewrite <- !plus_IZR, <- mult_IZR. apply IZR_le. apply Zlt_le_succ. apply lt_IZR. rewrite mult_IZR, plus_IZR. apply A. }
  assert (K2 : g + 1 <= (c + 1) * IZR m).
  { unfold c, g. rewrite <- !plus_IZR, <- mult_IZR. apply IZR_le. apply Zlt_le_succ. apply lt_IZR. rewrite mult_IZR, plus_IZR. apply C. }
  split.
  - apply below_quotient; [exact MU|]. assert (a * IZR m * unit w <= b * unit w) by (apply Rmult_le_compat_r; lra). lra.
  - apply above_quotient; [exact MU|]. assert ((b + 1) * unit w <= (a + 1) * IZR m * unit w) by (apply Rmult_le_compat_r; lra).
    assert ((g + 1) * unit w <= (c + 1) * IZR m * unit w) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma series_sound fuel : forall w y m d t e s f eta tau sigma, (0 <= y)%Z -> (0 < m)%Z -> (0 <= d)%Z -> (0 <= t)%Z -> (0 <= e)%Z -> within w y 1 eta ->
  within w t e tau -> within w s f sigma -> exists n, let '(t', e', s', f') := series fuel w y m d t e s f in
  within w t' e' (snd (terms eta m d tau sigma n)) /\ within w s' f' (fst (terms eta m d tau sigma n)).
Proof.
  induction fuel as [|fuel IH]; intros w y m d t e s f eta tau sigma Hy Hm Hd Ht He Y T W; cbn [series]; [exists O; auto|].
  destruct (t =? 0)%Z; [exists O; auto|].
  assert (W' : within w (s + t) (f + e) (sigma + tau)) by (unfold within in *; rewrite !plus_IZR; lra).
  assert (D1 : (0 <= down w (t * y) / m)%Z) by (apply Z.div_pos; [apply Z.shiftr_nonneg; nia|exact Hm]).
  assert (D2 : (0 <= down w (t + e * (y + 1)) / m + 2)%Z).
  { assert (0 <= down w (t + e * (y + 1)) / m)%Z; [|lia]. apply Z.div_pos; [apply Z.shiftr_nonneg; nia|exact Hm]. }
  destruct (IH w y (m + d)%Z d _ _ _ _ eta _ _ Hy ltac:(lia) Hd D1 D2 Y (term_step w y m t e eta tau Hy Hm Ht He Y T) W') as [n H].
  exists (S n). exact H.
Qed.

(** ** The exponential of 0 <= x <= 1 *)
Lemma terms_taylor x n : forall k s, terms x (Z.of_nat (S k)) 1 (x ^ k / INR (fact k)) s n = (s + (taylor (k + n) x - taylor k x), x ^ (k + n) / INR (fact (k + n))).
Proof.
  induction n as [|n IH]; intros k s; cbn [terms].
  - rewrite Nat.add_0_r. f_equal. ring.
  - replace (Z.of_nat (S k) + 1)%Z with (Z.of_nat (S (S k))) by lia.
    replace (x ^ k / INR (fact k) * x / IZR (Z.of_nat (S k))) with (x ^ S k / INR (fact (S k))).
    2:{ rewrite <- INR_IZR_INZ, fact_simpl, mult_INR. simpl pow. pose proof (INR_fact_neq_0 k). assert (INR (S k) <> 0) by (apply not_0_INR; lia). field. auto. }
    rewrite IH, Nat.add_succ_r. cbn [Nat.add taylor]. f_equal. ring.
Qed.

(** what the series leaves out is at most e^x times its next term *)
Lemma taylor_rest n x : 0 <= x -> exp x - taylor n x <= exp x * (x ^ n / INR (fact n)).
Proof.
  intros Hx. destruct n as [|n]; [simpl; pose proof (exp_pos x); lra|].
  set (h := fun t => 1 - exp (- t) * taylor (S n) t - t ^ S n / INR (fact (S n))).
  set (h' := fun t => exp (- t) * (taylor (S n) t - taylor n t) - t ^ n / INR (fact n)).
  assert (D : forall t, is_derive h t (h' t)).
  { intros t. unfold h, h'. pose proof (INR_fact_neq_0 n) as F. assert (Sn : INR (S n) <> 0) by (apply not_0_INR; lia).
    apply (is_derive_ext (fun t => minus (minus 1 (exp (- t) * taylor (S n) t)) (t ^ S n / INR (fact (S n))))); [reflexivity|].
    replace (exp (- t) * (taylor (S n) t - taylor n t) - t ^ n / INR (fact n)) with (minus (minus 0 (- exp (- t) * taylor (S n) t + exp (- t) * taylor n t)) (t ^ n / INR (fact n))).
    2:{ unfold minus, plus, opp; simpl. ring. }
    apply (is_derive_minus (V := R_NormedModule)); [apply (is_derive_minus (V := R_NormedModule))|].
    - apply (is_derive_const (V := R_NormedModule)).
    - apply (is_derive_mult (fun t => exp (- t)) (taylor (S n))); [auto_derive; [exact I|ring]|apply taylor_derive|intros; apply Rmult_comm].
    - auto_derive; [exact I|]. change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)). change (fact n + n * fact n)%nat with (S n * fact n)%nat. rewrite mult_INR. field. auto. }
  assert (H : h x <= h 0).
  { destruct (MVT_gen h 0 x h') as [z [Hz E]].
    - intros t _. apply D.
    - intros t _. apply continuity_pt_filterlim. apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply D.
    - rewrite Rmin_left, Rmax_right in Hz by lra. assert (K : h' z <= 0).
      { unfold h'. cbn [taylor]. replace (taylor n z + z ^ n / INR (fact n) - taylor n z) with (z ^ n / INR (fact n)) by ring.
        assert (P : 0 <= z ^ n / INR (fact n)) by (apply Rmult_le_pos; [apply pow_le; lra|left; apply Rinv_0_lt_compat, INR_fact_lt_0]).
        assert (Ez : exp (- z) <= 1) by (rewrite <- exp_0; destruct (Req_dec z 0) as [->|n0]; [rewrite Ropp_0; lra|left; apply exp_increasing; lra]).
        assert (exp (- z) * (z ^ n / INR (fact n)) <= 1 * (z ^ n / INR (fact n))) by (apply Rmult_le_compat_r; assumption). lra. }
      assert (h' z * (x - 0) <= 0 * (x - 0)) by (apply Rmult_le_compat_r; lra). lra. }
  unfold h in H. rewrite Ropp_0, exp_0, taylor_0, pow_i in H by lia.
  assert (K : 1 - exp (- x) * taylor (S n) x <= x ^ S n / INR (fact (S n))) by (unfold Rdiv in *; lra).
  apply Rmult_le_compat_l with (r := exp x) in K; [|left; apply exp_pos].
  replace (exp x * (1 - exp (- x) * taylor (S n) x)) with (exp x - exp x * exp (- x) * taylor (S n) x) in K by ring.
  rewrite <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_l in K. exact K.
Qed.

Lemma exp_1_le : exp 1 <= 3.
Proof. exact exp_le_3. Qed.
Lemma exp_le_mono x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; apply exp_increasing, H|lra]. Qed.

(** y / 2^w, at most 1; the fuel decides how good it is, not whether it is right *)
Definition exp_small (w : positive) (y : Z) : Z * Z :=
  let '(t, e, s, f) := series (Pos.to_nat w + 4) w y 1 1 (left w 1) 0 0 0 in (s, f + 3 * (t + e))%Z.
Lemma exp_small_sound w y x : (0 <= y)%Z -> unit w * x = IZR y -> 0 <= x <= 1 -> within w (fst (exp_small w y)) (snd (exp_small w y)) (exp x).
Proof.
  intros Hy Y X. unfold exp_small.
  assert (T0 : within w (left w 1) 0 1) by (unfold within; rewrite left_spec; lra).
  assert (S0 : within w 0 0 0) by (unfold within; lra). assert (Y1 : within w y 1 x) by (unfold within; lra).
  destruct (series_sound (Pos.to_nat w + 4) w y 1 1 (left w 1) 0 0 0 x 1 0 Hy ltac:(lia) ltac:(lia) ltac:(apply Z.shiftl_nonneg; lia) ltac:(lia) Y1 T0 S0) as [n H].
  pose proof (terms_taylor x n 0 0) as E. cbn [Nat.add] in E. simpl (x ^ 0 / INR (fact 0)) in E. replace (1 / 1) with 1 in E by field. change (Z.of_nat 1) with 1%Z in E.
  rewrite E in H. cbn [fst snd] in H. replace (0 + (taylor n x - taylor 0 x)) with (taylor n x) in H by (simpl; ring).
  destruct (series _ w y 1 1 (left w 1) 0 0 0) as [[[t e] s] f]. destruct H as [[H1 H2] [H3 H4]]. cbn [fst snd]. unfold within. rewrite plus_IZR, mult_IZR, plus_IZR.
  pose proof (unit_pos w) as U. pose proof (exp_above n x ltac:(lra)) as A. pose proof (taylor_rest n x ltac:(lra)) as B.
  assert (P : 0 <= x ^ n / INR (fact n)) by (apply Rmult_le_pos; [apply pow_le; lra|left; apply Rinv_0_lt_compat, INR_fact_lt_0]).
  assert (C : exp x <= 3) by (apply Rle_trans with (exp 1); [apply exp_le_mono; lra|apply exp_1_le]).
  assert (exp x * (x ^ n / INR (fact n)) <= 3 * (x ^ n / INR (fact n))) by (apply Rmult_le_compat_r; assumption).
  split.
  - apply Rle_trans with (1 := H3). apply Rmult_le_compat_l; lra.
  - apply Rle_trans with (unit w * (taylor n x + 3 * (x ^ n / INR (fact n)))); [apply Rmult_le_compat_l; lra|lra].
Qed.

(** ** Squaring: from x / 2^k to x *)
Fixpoint square_times (k : nat) (w : positive) (t e : Z) : Z * Z :=
  match k with O => (t, e) | S k => square_times k w (down w (t * t)) (down w (e * (2 * t + e)) + 2) end.
Lemma square_times_sound k : forall w t e x, (0 <= t)%Z -> (0 <= e)%Z -> within w t e (exp x) -> 
  within w (fst (square_times k w t e)) (snd (square_times k w t e)) (exp (x * 2 ^ k)).
Proof.
  induction k as [|k IH]; intros w t e x Ht He W; cbn [square_times]; [simpl; rewrite Rmult_1_r; exact W|].
  replace (x * 2 ^ S k) with ((x + x) * 2 ^ k) by (rewrite <- tech_pow_Rmult; ring).
  apply IH.
  - apply Z.shiftr_nonneg. nia.
  - assert (0 <= down w (e * (2 * t + e)))%Z by (apply Z.shiftr_nonneg; nia). lia.
  - rewrite exp_plus. unfold within in *. apply IZR_le in Ht, He. pose proof (unit_pos w) as U. pose proof (down_spec w (t * t)) as A. pose proof (down_spec w (e * (2 * t + e))) as B.
    rewrite !mult_IZR in A, B. rewrite !plus_IZR, mult_IZR in *. set (X := unit w * exp x) in *.
    assert (P1 : IZR t * IZR t <= X * X) by (apply Rmult_le_compat; lra). assert (P2 : X * X <= (IZR t + IZR e) * (IZR t + IZR e)) by (apply Rmult_le_compat; lra).
    replace (X * X) with (unit w * (exp x * exp x) * unit w) in P1, P2 by (unfold X; ring).
    split; apply Rmult_le_reg_r with (unit w); lra.
Qed.
