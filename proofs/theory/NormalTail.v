(** * Computed enclosures of the tail of the normal law

The mass of exp (- s^2 / 2) between 0 and x, by the series of NormalSeries.v; the total mass, from where what is left is small; and so the tail. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import FixedPoint FixedSeries GaussianTail NormalLaw NormalSeries Numbers.
Open Scope R_scope.

(** ** The mass from 0 to x / 2^w >= 0: the sum over exp (x^2 / 2), less at most the next term *)
Definition mass_Z (w : positive) (x : Z) : option (Z * Z) :=
  let y := down w (x * x) in
  match exp_Z w (half_Z (y, y + 1)%Z) with
  | Some (c, d) =>
      if (0 <? c)%Z then
        let '(t, e, s, f) := series (Pos.to_nat (3 * w) + 16) w y 3 2 x 0 0 0 in Some (left w s / d, divide_up (left w (s + f)) c + t + e)%Z
      else None
  | None => None
  end.

Lemma odd_term_nonneg n x : 0 <= x -> 0 <= odd_term n x.
Proof. intros H. apply Rmult_le_pos; [apply pow_le, H|left; apply Rinv_0_lt_compat, odds_pos]. Qed.
Lemma odd_sum_nonneg n x : 0 <= x -> 0 <= odd_sum n x.
Proof. intros H. induction n as [|n IH]; cbn [odd_sum]; [lra|]. pose proof (odd_term_nonneg n x H). lra. Qed.
Lemma phi_inv x : phi x = / exp (x * x / 2).
Proof. unfold phi. rewrite <- exp_Ropp. f_equal. field. Qed.

Lemma mass_sound w n j : (0 <= n)%Z -> mass_Z w n = Some j -> encl w j (RInt phi 0 (IZR n / unit w)).
Proof.
  intros Hn. unfold mass_Z. set (y := down w (n * n)). destruct (exp_Z w (half_Z (y, y + 1)%Z)) as [[c d]|] eqn:E; [|discriminate].
  destruct (0 <? c)%Z eqn:C; [|discriminate]. apply Z.ltb_lt in C. assert (C' := C). apply IZR_lt in C'.
  pose proof (unit_pos w) as U. set (x := IZR n / unit w). assert (X : unit w * x = IZR n) by (unfold x; field; lra). assert (Hn' := Hn). apply IZR_le in Hn'.
  assert (X0 : 0 <= x) by (apply Rmult_le_reg_l with (unit w); lra).
  assert (Y0 : (0 <= y)%Z) by (apply Z.shiftr_nonneg; nia).
  assert (Y : within w y 1 (x * x)).
  { unfold within. pose proof (down_spec w (n * n)) as D. fold y in D. rewrite mult_IZR, <- X in D. split; apply Rmult_le_reg_r with (unit w); lra. }
  assert (HY : encl w (y, y + 1)%Z (x * x)) by (unfold encl, within in *; cbn [fst snd]; rewrite plus_IZR; lra).
  pose proof (exp_sound w _ _ _ (encl_half _ _ _ HY) E) as EE. unfold encl in EE; cbn [fst snd] in EE. set (ex := exp (x * x / 2)) in *. assert (Ex : 0 < ex) by apply exp_pos.
  assert (T : within w n 0 (odd_term 0 x)) by (unfold within, odd_term; simpl; rewrite Rmult_1_r, Rmult_1_l; unfold Rdiv; rewrite Rinv_1, Rmult_1_r; lra).
  assert (S : within w 0 0 0) by (unfold within; lra).
  destruct (series_sound (Pos.to_nat (3 * w) + 16) w y 3 2 n 0 0 0 (x * x) (odd_term 0 x) 0 Y0 ltac:(lia) ltac:(lia) Hn ltac:(lia) Y T S) as [k H].
  pose proof (terms_odd x k 0 0) as K. cbn [Nat.add Nat.mul] in K. change (Z.of_nat 3) with 3%Z in K. rewrite K in H. cbn [fst snd] in H. replace (0 + (odd_sum k x - odd_sum 0 x)) with (odd_sum k x) in H by (simpl; ring).
  destruct (series _ w y 3 2 n 0 0 0) as [[[t e] s] f]. destruct H as [[H1 H2] [H3 H4]]. intros J. injection J as <-.
  destruct (mass_from_0 k x X0) as [M1 M2]. rewrite phi_inv in M1, M2. fold ex in M1, M2. pose proof (odd_sum_nonneg k x X0) as O. set (o := odd_sum k x) in *.
  assert (D : 0 < IZR d) by lra. assert (D' : (0 < d)%Z) by (apply lt_IZR, D).
  split; cbn [fst snd].
  - apply Rle_trans with (unit w * (/ ex * o)); [|apply Rmult_le_compat_l; lra]. replace (unit w * (/ ex * o)) with (unit w * o / ex) by (unfold Rdiv; ring).
    pose proof (divide_down_spec (left w s) d D') as V. rewrite left_spec in V. set (q := IZR (left w s / d)) in *. apply below_quotient; [exact Ex|].
    destruct (Rle_dec 0 q) as [Q|Q].
    + apply Rmult_le_reg_l with (unit w); [exact U|]. assert (q * (unit w * ex) <= q * IZR d) by (apply Rmult_le_compat_l; lra).
      assert (unit w * IZR s <= unit w * (unit w * o)) by (apply Rmult_le_compat_l; lra). lra.
    + apply Rle_trans with (0 * ex); [apply Rmult_le_compat_r; lra|]. assert (0 <= unit w * o) by (apply Rmult_le_pos; lra). lra.
  - rewrite !plus_IZR. pose proof (divide_up_spec (left w (s + f)) c C) as V. rewrite left_spec, plus_IZR in V. set (q := IZR (divide_up (left w (s + f)) c)) in *.
    apply Rle_trans with (unit w * (/ ex * o + odd_term k x)); [apply Rmult_le_compat_l; lra|].
    assert (unit w * (/ ex * o) <= q); [|lra]. replace (unit w * (/ ex * o)) with (unit w * o / ex) by (unfold Rdiv; ring). apply above_quotient; [exact Ex|].
    apply Rmult_le_reg_l with (unit w); [exact U|]. assert (unit w * (unit w * o) <= unit w * (IZR s + IZR f)) by (apply Rmult_le_compat_l; lra).
    assert (Q0 : 0 <= q). { assert (0 <= unit w * (unit w * o)) by (repeat apply Rmult_le_pos; lra). apply Rmult_le_reg_r with (IZR c); lra. }
    assert (q * IZR c <= q * (unit w * ex)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma some_inj (A : Type) (x y : A) : Some x = Some y -> y = x.
Proof. intros H. injection H as ->. reflexivity. Qed.

(** ** The total mass: twice that from 0 to B, and less than exp (- B^2 / 2) beyond *)
Definition far (w : positive) : Z := (Z.sqrt (14 * (Zpos w + 2) / 10) + 1)%Z.
Definition total_Z (w : positive) : option (Z * Z) :=
  match mass_Z w (left w (far w)), exp_Z w (half_Z (exact_Z w (far w * far w))) with
  | Some (a, b), Some (c, d) => if (0 <? c)%Z then Some (2 * a, 2 * (b + divide_up (left w (left w 1)) c))%Z else None
  | _, _ => None
  end.
Definition inverse_total_Z (w : positive) : option (Z * Z) := match total_Z w with Some j => div_Z w (exact_Z w 1) j | None => None end.

Lemma far_at_least_1 w : (1 <= far w)%Z.
Proof. unfold far. pose proof (Z.sqrt_nonneg (14 * (Zpos w + 2) / 10)). lia. Qed.
Theorem total_sound w j : total_Z w = Some j -> encl w j total.
Proof.
  unfold total_Z. pose proof (far_at_least_1 w) as F. set (B := far w) in *. destruct (mass_Z w (left w B)) as [[a b]|] eqn:M; [|discriminate].
  destruct (exp_Z w (half_Z (exact_Z w (B * B)))) as [[c d]|] eqn:E; [|discriminate]. destruct (0 <? c)%Z eqn:C; [|discriminate]. apply Z.ltb_lt in C. assert (C' := C). apply IZR_lt in C'.
  intros H. apply some_inj in H. subst j. pose proof (unit_pos w) as U. apply mass_sound in M; [|apply Z.shiftl_nonneg; lia]. replace (IZR (left w B) / unit w) with (IZR B) in M by (rewrite left_spec; field; lra).
  pose proof (exp_sound w _ _ _ (encl_half _ _ _ (encl_exact w (B * B))) E) as X. rewrite mult_IZR in X. unfold encl in X, M. cbn [fst snd] in X, M.
  apply IZR_le in F. pose proof (mass_above_upper (IZR B) F) as L. rewrite phi_inv in L. pose proof (exp_pos (IZR B * IZR B / 2)) as P. pose proof (mass_above_pos (IZR B)).
  unfold encl, total; cbn [fst snd]. rewrite (mass_above_split 0 (IZR B)) by lra. rewrite !mult_IZR, plus_IZR. split.
  - assert (0 <= unit w * mass_above (IZR B)) by (apply Rmult_le_pos; lra). lra.
  - pose proof (divide_up_spec (left w (left w 1)) c C) as V. rewrite !left_spec in V. set (q := IZR (divide_up (left w (left w 1)) c)) in *.
    assert (unit w * / exp (IZR B * IZR B / 2) <= q).
    { change (unit w * / exp (IZR B * IZR B / 2)) with (unit w / exp (IZR B * IZR B / 2)). apply above_quotient; [exact P|].
      apply Rmult_le_reg_l with (unit w); [exact U|]. set (ex := exp (IZR B * IZR B / 2)) in *.
      assert (Q0 : 0 <= q). { assert (0 <= unit w * (unit w * 1)) by (repeat apply Rmult_le_pos; lra). apply Rmult_le_reg_r with (IZR c); lra. }
      assert (q * IZR c <= q * (unit w * ex)) by (apply Rmult_le_compat_l; lra). lra. }
    assert (unit w * mass_above (IZR B) <= unit w * / exp (IZR B * IZR B / 2)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Theorem inverse_total_sound w j : inverse_total_Z w = Some j -> encl w j (/ total).
Proof.
  unfold inverse_total_Z. destruct (total_Z w) as [k|] eqn:E; [|discriminate]. intros H. apply total_sound in E.
  destruct (encl_div w _ _ _ _ _ (encl_exact w 1) E H) as [D _]. replace (/ total) with (1 / total); [exact D|]. unfold Rdiv. ring.
Qed.

(** ** The tail; inv encloses 1 / total. Beyond far w it is no larger than there. *)
Definition tail_nonneg (w : positive) (inv : Z * Z) (x : Z) : option (Z * Z) :=
  let B := left w (far w) in
  match mass_Z w (Z.min x B) with
  | Some m => let j := sub_Z (half_Z (exact_Z w 1)) (mul_Z w m inv) in Some (if (x <=? B)%Z then Z.max 0 (fst j) else 0%Z, snd j)
  | None => None
  end.
Definition tail_point (w : positive) (inv : Z * Z) (x : Z) : option (Z * Z) :=
  if (0 <=? x)%Z then tail_nonneg w inv x else match tail_nonneg w inv (- x) with Some j => Some (sub_Z (exact_Z w 1) j) | None => None end.
(** one evaluation at the lower end; the tail falls, and changes by no more than its argument *)
Definition tail_Z (w : positive) (inv : Z * Z) (i : Z * Z) : option (Z * Z) :=
  match tail_point w inv (fst i) with Some (a, b) => Some (Z.max 0 (a - (snd i - fst i)), b)%Z | None => None end.

Lemma tail_from_0 t : 0 <= t -> tail t = 1 / 2 - RInt phi 0 t * / total.
Proof.
  intros H. unfold tail. pose proof total_pos as T. pose proof (mass_above_split 0 t H) as S. unfold total in *. replace (mass_above t) with (mass_above 0 - RInt phi 0 t) by lra. field. lra.
Qed.
Lemma max_0_below w a x : IZR a <= unit w * x -> 0 <= x -> IZR (Z.max 0 a) <= unit w * x.
Proof. intros H X. pose proof (unit_pos w). destruct (Z.max_spec 0 a) as [[_ ->]|[_ ->]]; [exact H|]. apply Rmult_le_pos; lra. Qed.

Lemma tail_nonneg_sound w inv n j : encl w inv (/ total) -> (0 <= n)%Z -> tail_nonneg w inv n = Some j -> encl w j (tail (IZR n / unit w)).
Proof.
  intros I Hn. unfold tail_nonneg. pose proof (far_at_least_1 w) as F. assert (FB : (0 <= left w (far w))%Z) by (apply Z.shiftl_nonneg; lia). set (B := left w (far w)) in *.
  destruct (mass_Z w (Z.min n B)) as [m|] eqn:M; [|discriminate]. apply mass_sound in M; [|lia]. intros H. injection H as <-. pose proof (unit_pos w) as U.
  set (x := IZR (Z.min n B) / unit w) in *. assert (X0 : 0 <= x) by (apply Rcomplements.Rdiv_le_0_compat; [apply (IZR_le 0); lia|exact U]).
  pose proof (encl_sub w _ _ _ _ (encl_half w _ _ (encl_exact w 1)) (encl_mul w _ _ _ _ M I)) as K. rewrite <- tail_from_0 in K by exact X0. destruct K as [K1 K2].
  unfold encl. cbn [fst snd]. destruct (n <=? B)%Z eqn:L.
  - apply Z.leb_le in L. replace (IZR n / unit w) with x by (unfold x; rewrite Z.min_l by exact L; reflexivity). split; [|exact K2]. apply max_0_below; [exact K1|left; apply tail_pos].
  - apply Z.leb_gt in L. pose proof (tail_pos (IZR n / unit w)). split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (2 := K2). apply Rmult_le_compat_l; [lra|]. apply tail_falls_weakly.
    unfold x, Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, U|]. apply IZR_le. lia.
Qed.
Lemma tail_point_sound w inv n j : encl w inv (/ total) -> tail_point w inv n = Some j -> encl w j (tail (IZR n / unit w)).
Proof.
  intros I. unfold tail_point. destruct (0 <=? n)%Z eqn:N; [apply tail_nonneg_sound; [exact I|apply Z.leb_le, N]|]. apply Z.leb_gt in N.
  destruct (tail_nonneg w inv (- n)) as [k|] eqn:E; [|discriminate]. intros H. injection H as <-. apply tail_nonneg_sound in E; [|exact I|lia].
  pose proof (encl_sub w _ _ _ _ (encl_exact w 1) E) as S. rewrite <- tail_opp in S. replace (- (IZR (- n) / unit w)) with (IZR n / unit w) in S; [exact S|]. rewrite opp_IZR. unfold Rdiv. ring.
Qed.

Theorem tail_sound w inv i j x : encl w inv (/ total) -> encl w i x -> tail_Z w inv i = Some j -> encl w j (tail x).
Proof.
  destruct i as [lo hi]. unfold tail_Z; cbn [fst snd]. intros I [A B] H. cbn [fst snd] in A, B. destruct (tail_point w inv lo) as [[a b]|] eqn:E; [|discriminate]. injection H as <-.
  apply tail_point_sound in E; [|exact I]. destruct E as [E1 E2]. cbn [fst snd] in E1, E2. pose proof (unit_pos w) as U. set (z := IZR lo / unit w) in *. assert (Z : unit w * z = IZR lo) by (unfold z; field; lra).
  assert (D : z <= x) by (apply Rmult_le_reg_l with (unit w); lra). pose proof (tail_falls_weakly z x D) as F. pose proof (tail_lipschitz z x) as L. apply Rabs_le_between in L.
  rewrite Rabs_minus_sym, (Rabs_pos_eq (x - z)) in L by lra. split; cbn [fst snd].
  - apply max_0_below; [|left; apply tail_pos]. rewrite !minus_IZR. assert (unit w * (tail z - tail x) <= unit w * (x - z)) by (apply Rmult_le_compat_l; lra). lra.
  - apply Rle_trans with (2 := E2). apply Rmult_le_compat_l; lra.
Qed.

(** at a fraction, with p bits: computed with 16 more *)
Definition tail_at (p : positive) (x : Q) : option (Z * Z) :=
  let w := (16 + p)%positive in
  match inverse_total_Z w with
  | Some inv => match tail_Z w inv (of_Q w x) with Some j => Some (coarser 16 j) | None => None end
  | None => None
  end.
Theorem tail_enclosed p x lo hi : tail_at p x = Some (lo, hi) -> IZR lo <= unit p * tail (Q2R x) <= IZR hi.
Proof.
  unfold tail_at. destruct (inverse_total_Z (16 + p)) as [inv|] eqn:E; [|discriminate]. destruct (tail_Z (16 + p) inv (of_Q (16 + p) x)) as [j|] eqn:T; [|discriminate].
  intros H. injection H as H1 H2. apply inverse_total_sound in E. pose proof (tail_sound _ _ _ _ _ E (encl_Q _ x) T) as S. apply encl_coarser in S. unfold encl in S. cbn [coarser fst snd] in S. rewrite H1, H2 in S. exact S.
Qed.
