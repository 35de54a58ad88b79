(** * Computed enclosures: the exponential, the logarithm, and the tail of the normal law

Each function works on enclosures in fixed point (FixedPoint.v) and encloses its result; it answers None for what is out of its range: an exponential beyond e^(+-4096), the logarithm of what
is not certainly positive. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import FixedPoint FixedSeries GaussianTail NormalLaw NormalSeries.
Open Scope R_scope.

Lemma within_encl w t e x : within w t e x -> encl w (t, t + e)%Z x.
Proof. unfold within, encl; cbn [fst snd]. rewrite plus_IZR. auto. Qed.

(** ** The exponential of x / 2^w >= 0: of x / 2^(w+k), squared k times, in k + 8 more bits *)
Definition exp_nonneg (w : positive) (x : Z) : option (Z * Z) :=
  let k := Z.to_nat (Z.log2 x - Zpos w + 8) in
  let more := Pos.of_nat (k + 8) in
  let v := (more + w)%positive in
  let x' := left 8 x in
  if (k <=? 20)%nat && (0 <=? x)%Z && (x' <=? left v 1)%Z then
    let '(t, e) := exp_small v x' in let '(t, e) := square_times k v t e in Some (coarser more (t, t + e)%Z)
  else None.
Definition exp_point (w : positive) (x : Z) : option (Z * Z) :=
  if (0 <=? x)%Z then exp_nonneg w x else
  match exp_nonneg w (- x) with Some j => div_Z w (exact_Z w 1) j | None => None end.
(** one evaluation at the lower end; e^d <= 1 + 3 d for 0 <= d <= 1 *)
Definition exp_Z (w : positive) (i : Z * Z) : option (Z * Z) :=
  let d := (snd i - fst i)%Z in
  if (d <=? left w 1)%Z then
    match exp_point w (fst i) with Some (a, b) => Some (a, up w (b * (left w 1 + 3 * d))) | None => None end
  else None.

Lemma exp_small_nonneg w y : (0 <= y)%Z -> (0 <= fst (exp_small w y))%Z /\ (0 <= snd (exp_small w y))%Z.
Proof.
  intros Hy. unfold exp_small.
  assert (G : forall fuel m t e s f, (0 < m)%Z -> (0 <= t)%Z -> (0 <= e)%Z -> (0 <= s)%Z -> (0 <= f)%Z ->
    let '(t', e', s', f') := series fuel w y m 1 t e s f in (0 <= t' /\ 0 <= e' /\ 0 <= s' /\ 0 <= f')%Z).
  { induction fuel as [|fuel IH]; intros m t e s f Hm Ht He Hs Hf; cbn [series]; [auto|]. destruct (t =? 0)%Z; [auto|].
    apply IH; try lia.
    - apply Z.div_pos; [apply Z.shiftr_nonneg; nia|exact Hm].
    - assert (0 <= down w (t + e * (y + 1)) / m)%Z; [|lia]. apply Z.div_pos; [apply Z.shiftr_nonneg; nia|exact Hm]. }
  specialize (G (Pos.to_nat w + 4)%nat 1%Z (left w 1) 0%Z 0%Z 0%Z ltac:(lia) ltac:(apply Z.shiftl_nonneg; lia) ltac:(lia) ltac:(lia) ltac:(lia)).
  destruct (series _ w y 1 1 (left w 1) 0 0 0) as [[[t e] s] f]. cbn [fst snd]. lia.
Qed.

Lemma unit_nat k : unit (Pos.of_nat (k + 8)) = 2 ^ k * 256.
Proof.
  unfold unit. replace (Zpos (Pos.of_nat (k + 8))) with (Z.of_nat (k + 8)) by lia. rewrite <- pow_IZR, pow_add. f_equal. simpl. ring.
Qed.

Lemma exp_nonneg_sound w x j : exp_nonneg w x = Some j -> encl w j (exp (IZR x / unit w)).
Proof.
  unfold exp_nonneg. set (k := Z.to_nat (Z.log2 x - Zpos w + 8)). set (more := Pos.of_nat (k + 8)). set (v := (more + w)%positive).
  destruct ((k <=? 20)%nat && (0 <=? x)%Z && (left 8 x <=? left v 1)%Z)%bool eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [C C3]. apply andb_prop in C. destruct C as [_ C2].
  apply Z.leb_le in C2, C3. pose proof (unit_pos w) as U.
  assert (V : unit v = 2 ^ k * 256 * unit w) by (unfold v; rewrite unit_plus; unfold more; rewrite unit_nat; reflexivity).
  assert (P2 : 0 < 2 ^ k) by (apply pow_lt; lra). set (z := IZR x / unit w / 2 ^ k).
  assert (E8 : IZR (left 8 x) = 256 * IZR x) by (rewrite left_spec; unfold unit; simpl; reflexivity).
  assert (Ez : unit v * z = IZR (left 8 x)) by (rewrite V, E8; unfold z; field; split; lra).
  assert (N : (0 <= left 8 x)%Z) by (apply Z.shiftl_nonneg, C2).
  assert (Z01 : 0 <= z <= 1).
  { pose proof (unit_pos v) as Uv. apply IZR_le in C3, N. rewrite <- Ez in C3, N. rewrite (left_spec v 1) in C3.
    split; apply Rmult_le_reg_l with (unit v); lra. }
  pose proof (exp_small_sound v _ z N Ez Z01) as A. pose proof (exp_small_nonneg v _ N) as [B1 B2]. destruct (exp_small v (left 8 x)) as [t e]. cbn [fst snd] in *.
  pose proof (square_times_sound k v t e z B1 B2 A) as S. destruct (square_times k v t e) as [t' e']. cbn [fst snd] in S. intros H. injection H as <-.
  apply encl_coarser. apply within_encl in S. replace (z * 2 ^ k) with (IZR x / unit w) in S by (unfold z; field; split; lra). exact S.
Qed.

Lemma exp_point_sound w x j : exp_point w x = Some j -> encl w j (exp (IZR x / unit w)).
Proof.
  unfold exp_point. destruct (0 <=? x)%Z; [apply exp_nonneg_sound|]. destruct (exp_nonneg w (- x)) as [k|] eqn:E; [|discriminate]. intros H.
  apply exp_nonneg_sound in E. destruct (encl_div w _ _ _ _ _ (encl_exact w 1) E H) as [D _].
  replace (exp (IZR x / unit w)) with (1 / exp (IZR (- x) / unit w)); [exact D|]. unfold Rdiv at 1. rewrite Rmult_1_l, <- exp_Ropp. f_equal. rewrite opp_IZR. unfold Rdiv. ring.
Qed.

Lemma exp_short d : 0 <= d <= 1 -> exp d <= 1 + 3 * d.
Proof.
  intros H. pose proof (taylor_rest 1 d ltac:(lra)) as T. simpl in T. assert (exp d <= 3) by (apply Rle_trans with (exp 1); [apply exp_le_mono; lra|apply exp_1_le]).
  assert (exp d * d <= 3 * d) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem exp_sound w i j x : encl w i x -> exp_Z w i = Some j -> encl w j (exp x).
Proof.
  destruct i as [lo hi]. unfold exp_Z; cbn [fst snd]. intros [A B] H. cbn [fst snd] in A, B. destruct (hi - lo <=? left w 1)%Z eqn:D; [|discriminate]. apply Z.leb_le, IZR_le in D.
  rewrite minus_IZR, left_spec in D. destruct (exp_point w lo) as [[a b]|] eqn:E; [|discriminate]. injection H as <-. apply exp_point_sound in E. destruct E as [E1 E2]. cbn [fst snd] in E1, E2.
  pose proof (unit_pos w) as U. set (z := IZR lo / unit w) in *. assert (Z : unit w * z = IZR lo) by (unfold z; field; lra).
  assert (D0 : 0 <= x - z) by (apply Rmult_le_reg_l with (unit w); lra).
  assert (D1 : unit w * (x - z) <= IZR (hi - lo)) by (rewrite minus_IZR; lra).
  assert (D2 : x - z <= 1) by (apply Rmult_le_reg_l with (unit w); rewrite minus_IZR in D1; lra).
  split; cbn [fst snd].
  - apply Rle_trans with (1 := E1). apply Rmult_le_compat_l; [lra|]. apply exp_le_mono. lra.
  - pose proof (up_spec w (b * (left w 1 + 3 * (hi - lo)))) as V. rewrite mult_IZR, plus_IZR, mult_IZR, left_spec in V.
    replace x with (z + (x - z)) by ring. rewrite exp_plus. pose proof (exp_short (x - z) ltac:(lra)) as S. pose proof (exp_pos z). pose proof (exp_pos (x - z)).
    apply Rmult_le_reg_r with (unit w); [exact U|].
    apply Rle_trans with (IZR b * (unit w * 1 + 3 * IZR (hi - lo))); [|apply V].
    replace (unit w * (exp z * exp (x - z)) * unit w) with (unit w * exp z * (unit w * exp (x - z))) by ring.
    apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|lra|].
    apply Rle_trans with (unit w * (1 + 3 * (x - z))); [apply Rmult_le_compat_l; lra|lra].
Qed.

(** ** The logarithm: any guess g is corrected by 1 - e^g / x <= ln x - g <= x / e^g - 1 *)

(** ** The logarithm: a guess g, from where it does not matter, corrected by 1 - e^g / x <= ln x - g <= x / e^g - 1 *)
Definition ln_2 : Z := 1789879222497203190815761498240779176894896805856420935579692301363062920687047601279850318367644315849030039181347319086.   (* in 2^-400 *)
Fixpoint atanh_sum (fuel : nat) (w : positive) (z2 t m s : Z) : Z :=
  match fuel with O => s | S fuel => if (t =? 0)%Z then s else atanh_sum fuel w z2 (down w (t * z2)) (m + 2) (s + t / m) end.
Definition ln_guess (w : positive) (a : Z) : Z :=
  let h := (Pos.div2_up w + 24)%positive in
  let k := Z.log2 a in
  let m := Z.shiftl a (Zpos h - k) in
  let big := (3 * left h 1 <? 2 * m)%Z in
  let m := if big then Z.div2 m else m in let k := (if big then k + 1 else k)%Z in
  let z := (left h (m - left h 1) / (m + left h 1))%Z in
  let s := (2 * atanh_sum (Pos.to_nat h) h (down h (z * z)) z 1 0 + Z.shiftr ((k - Zpos w) * ln_2) (400 - Zpos h))%Z in
  Z.shiftl s (Zpos w - Zpos h).
Definition ln_Z (w : positive) (i : Z * Z) : option (Z * Z) :=
  let (a, b) := i in
  if (0 <? a)%Z then
    let g := ln_guess w a in
    if (0 <=? g)%Z then
      match exp_Z w (g, g) with
      | Some (c, d) => if (0 <? c)%Z then Some (g + left w 1 - divide_up (left w d) a, g + divide_up (left w b) c - left w 1)%Z else None
      | None => None
      end
    else
      match exp_Z w (- g, - g)%Z with
      | Some (c, d) => if (0 <? c)%Z then Some (g + left w 1 - divide_up (left w (left w (left w 1))) (a * c), g + up w (b * d) - left w 1)%Z else None
      | None => None
      end
  else None.

Lemma ln_near x g : 0 < x -> 1 - exp g / x <= ln x - g <= x / exp g - 1.
Proof.
  intros Hx. pose proof (exp_pos g) as G.
  assert (K : forall y, 0 < y -> ln y <= y - 1).
  { intros y Hy. pose proof (exp_ineq1_le (ln y)) as E. rewrite exp_ln in E by exact Hy. lra. }
  assert (D : forall a b, 0 < a -> 0 < b -> ln (a / b) = ln a - ln b) by (intros a b A B; apply ln_div; assumption).
  pose proof (K (x / exp g) ltac:(apply Rdiv_lt_0_compat; assumption)) as A. pose proof (K (exp g / x) ltac:(apply Rdiv_lt_0_compat; assumption)) as B.
  rewrite D, ln_exp in A, B by assumption. lra.
Qed.

Theorem ln_sound w i j x : encl w i x -> ln_Z w i = Some j -> encl w j (ln x) /\ 0 < x.
Proof.
  destruct i as [a b]. unfold ln_Z. intros [A B] H. cbn [fst snd] in A, B. destruct (0 <? a)%Z eqn:P; [|discriminate]. apply Z.ltb_lt in P. assert (P' := P). apply IZR_lt in P'.
  pose proof (unit_pos w) as U. assert (X : 0 < x) by (apply Rmult_lt_reg_l with (unit w); lra). split; [|exact X]. revert H. generalize (ln_guess w a). intros g.
  set (z := IZR g / unit w). assert (Z : unit w * z = IZR g) by (unfold z; field; lra). destruct (ln_near x z X) as [L1 L2].
  assert (L3 : IZR g + unit w - unit w * exp z / x <= unit w * ln x).
  { apply Rmult_le_compat_l with (r := unit w) in L1; [|lra]. unfold Rdiv in *. lra. }
  assert (L4 : unit w * ln x <= IZR g + unit w * x / exp z - unit w).
  { apply Rmult_le_compat_l with (r := unit w) in L2; [|lra]. unfold Rdiv in *. lra. }
  pose proof (exp_pos z) as Ez. destruct (0 <=? g)%Z.
  - destruct (exp_Z w (g, g)) as [[c d]|] eqn:E; [|discriminate]. destruct (0 <? c)%Z eqn:Q; [|discriminate]. apply Z.ltb_lt in Q. assert (Q' := Q). apply IZR_lt in Q'.
    intros H. injection H as <-. destruct (exp_sound w (g, g) (c, d) z ltac:(split; cbn [fst snd]; lra) E) as [E1 E2]. cbn [fst snd] in E1, E2. split; cbn [fst snd].
    + rewrite minus_IZR, plus_IZR, left_spec. pose proof (divide_up_spec (left w d) a P) as V. rewrite left_spec in V. set (q := IZR (divide_up (left w d) a)) in *.
      assert (unit w * exp z / x <= q); [|lra]. apply above_quotient; [exact X|]. apply Rmult_le_reg_l with (unit w); [exact U|].
      assert (unit w * (unit w * exp z) <= unit w * IZR d) by (apply Rmult_le_compat_l; lra).
      assert (Q0 : 0 <= q). { assert (0 <= unit w * IZR d) by (apply Rmult_le_pos; [lra|apply Rle_trans with (2 := E2); apply Rmult_le_pos; lra]). apply Rmult_le_reg_r with (IZR a); lra. }
      assert (q * IZR a <= q * (unit w * x)) by (apply Rmult_le_compat_l; lra). lra.
    + rewrite minus_IZR, plus_IZR, left_spec. pose proof (divide_up_spec (left w b) c Q) as V. rewrite left_spec in V. set (q := IZR (divide_up (left w b) c)) in *.
      assert (unit w * x / exp z <= q); [|lra]. apply above_quotient; [exact Ez|]. apply Rmult_le_reg_l with (unit w); [exact U|].
      assert (unit w * (unit w * x) <= unit w * IZR b) by (apply Rmult_le_compat_l; lra).
      assert (Q0 : 0 <= q). { assert (0 <= unit w * IZR b) by (apply Rmult_le_pos; lra). apply Rmult_le_reg_r with (IZR c); lra. }
      assert (q * IZR c <= q * (unit w * exp z)) by (apply Rmult_le_compat_l; lra). lra.
  - destruct (exp_Z w (- g, - g)%Z) as [[c d]|] eqn:E; [|discriminate]. destruct (0 <? c)%Z eqn:Q; [|discriminate]. apply Z.ltb_lt in Q. assert (Q' := Q). apply IZR_lt in Q'.
    intros H. injection H as <-. destruct (exp_sound w (- g, - g)%Z (c, d) (- z) ltac:(split; cbn [fst snd]; rewrite opp_IZR; lra) E) as [E1 E2]. cbn [fst snd] in E1, E2.
    pose proof (exp_pos (- z)) as En. assert (EE : exp z = / exp (- z)) by (rewrite exp_Ropp, Rinv_inv; reflexivity).
    assert (AC : (0 < a * c)%Z) by lia. split; cbn [fst snd].
    + rewrite minus_IZR, plus_IZR, left_spec. pose proof (divide_up_spec (left w (left w (left w 1))) (a * c) AC) as V. rewrite mult_IZR, !left_spec in V.
      set (q := IZR (divide_up _ (a * c))) in *. assert (unit w * exp z / x <= q); [|lra].
      replace (unit w * exp z / x) with (unit w / (exp (- z) * x)) by (rewrite EE; field; split; lra). apply above_quotient; [apply Rmult_lt_0_compat; assumption|].
      apply Rmult_le_reg_l with (unit w * unit w); [apply Rmult_lt_0_compat; assumption|].
      assert (Q0 : 0 <= q). { assert (0 <= unit w * (unit w * unit w)) by (repeat apply Rmult_le_pos; lra). assert (0 < IZR a * IZR c) by (apply Rmult_lt_0_compat; assumption). apply Rmult_le_reg_r with (IZR a * IZR c); lra. }
      assert (IZR a * IZR c <= unit w * x * (unit w * exp (- z))) by (apply Rmult_le_compat; lra).
      assert (q * (IZR a * IZR c) <= q * (unit w * x * (unit w * exp (- z)))) by (apply Rmult_le_compat_l; assumption). lra.
    + rewrite minus_IZR, plus_IZR, left_spec. pose proof (up_spec w (b * d)) as V. rewrite mult_IZR in V. set (q := IZR (up w (b * d))) in *.
      assert (unit w * x / exp z <= q); [|lra]. replace (unit w * x / exp z) with (unit w * x * exp (- z)) by (rewrite EE; field; lra).
      apply Rmult_le_reg_r with (unit w); [exact U|].
      assert (unit w * x * (unit w * exp (- z)) <= IZR b * IZR d) by (apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|lra|lra]). lra.
Qed.
