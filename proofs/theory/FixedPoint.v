(** * Fixed point: enclosures of real numbers by two integers

encl w i x: the number x, times 2^w, lies between the integers of i. Each operation on enclosures encloses its result; w is the number of fractional bits. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals Qround.
Open Scope R_scope.

Definition unit (w : positive) : R := IZR (2 ^ Zpos w).
Definition encl (w : positive) (i : Z * Z) (x : R) := IZR (fst i) <= unit w * x <= IZR (snd i).

Lemma unit_pos w : 0 < unit w.
Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.
Lemma unit_plus v w : unit (v + w) = unit v * unit w.
Proof. unfold unit. rewrite Pos2Z.inj_add, Z.pow_add_r by lia. apply mult_IZR. Qed.

(** ** Shifts *)
Definition left (w : positive) (a : Z) : Z := Z.shiftl a (Zpos w).
Definition down (w : positive) (a : Z) : Z := Z.shiftr a (Zpos w).
Definition up (w : positive) (a : Z) : Z := (- Z.shiftr (- a) (Zpos w))%Z.
Definition divide_up (a b : Z) : Z := (- ((- a) / b))%Z.

Lemma left_spec w a : IZR (left w a) = unit w * IZR a.
Proof. unfold left, unit. rewrite Z.shiftl_mul_pow2, mult_IZR by lia. ring. Qed.
Lemma divide_down_spec a b : (0 < b)%Z -> IZR (a / b) * IZR b <= IZR a < (IZR (a / b) + 1) * IZR b.
Proof.
  intros H. pose proof (Z.mul_div_le a b H). pose proof (Z.mul_succ_div_gt a b H). rewrite <- (plus_IZR _ 1), <- !mult_IZR. split; [apply IZR_le|apply IZR_lt]; lia.
Qed.
Lemma divide_up_spec a b : (0 < b)%Z -> IZR a <= IZR (divide_up a b) * IZR b < IZR a + IZR b.
Proof. intros H. unfold divide_up. pose proof (divide_down_spec (- a) b H) as D. rewrite opp_IZR in *. lra. Qed.
Lemma down_spec w a : IZR (down w a) * unit w <= IZR a < (IZR (down w a) + 1) * unit w.
Proof. unfold down, unit. rewrite Z.shiftr_div_pow2 by lia. apply divide_down_spec, Z.pow_pos_nonneg; lia. Qed.
Lemma up_spec w a : IZR a <= IZR (up w a) * unit w < IZR a + unit w.
Proof. unfold up. pose proof (down_spec w (- a)) as D. unfold down in D. rewrite opp_IZR in *. lra. Qed.

(** a quotient of reals against integers *)
Lemma below_quotient a b x : 0 < b -> a * b <= x -> a <= x / b.
Proof. intros H K. apply Rmult_le_reg_r with b; [exact H|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. Qed.
Lemma above_quotient a b x : 0 < b -> x <= a * b -> x / b <= a.
Proof. intros H K. apply Rmult_le_reg_r with b; [exact H|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. Qed.

(** ** Enclosures *)
Definition add_Z (i j : Z * Z) : Z * Z := (fst i + fst j, snd i + snd j)%Z.
Definition neg_Z (i : Z * Z) : Z * Z := (- snd i, - fst i)%Z.
Definition sub_Z (i j : Z * Z) : Z * Z := (fst i - snd j, snd i - fst j)%Z.
Definition exact_Z (w : positive) (n : Z) : Z * Z := (left w n, left w n).
Definition half_Z (i : Z * Z) : Z * Z := (Z.div2 (fst i), - Z.div2 (- snd i))%Z.
Definition mul_Z (w : positive) (i j : Z * Z) : Z * Z :=
  let (a, b) := i in let (c, d) := j in
  if (0 <=? a)%Z && (0 <=? c)%Z then (down w (a * c), up w (b * d))
  else (down w (Z.min (Z.min (a * c) (a * d)) (Z.min (b * c) (b * d))), up w (Z.max (Z.max (a * c) (a * d)) (Z.max (b * c) (b * d)))).
Definition div_Z (w : positive) (i j : Z * Z) : option (Z * Z) :=
  let (a, b) := i in let (c, d) := j in
  if (0 <? c)%Z then Some ((left w a / (if 0 <=? a then d else c))%Z, divide_up (left w b) (if (0 <=? b)%Z then c else d)) else None.
Definition of_Q (w : positive) (q : Q) : Z * Z := (left w (Qnum q) / Zpos (Qden q), divide_up (left w (Qnum q)) (Zpos (Qden q)))%Z.
Definition sqrt_Z (w : positive) (i : Z * Z) : Z * Z := (Z.sqrt (left w (fst i)), Z.sqrt (left w (snd i)) + 1)%Z.
Definition max_Z (i j : Z * Z) : Z * Z := (Z.max (fst i) (fst j), Z.max (snd i) (snd j)).
(** from v more fractional bits to fewer *)
Definition coarser (v : positive) (i : Z * Z) : Z * Z := (down v (fst i), up v (snd i)).

Lemma encl_add w i j x y : encl w i x -> encl w j y -> encl w (add_Z i j) (x + y).
Proof. unfold encl, add_Z; simpl. rewrite !plus_IZR. lra. Qed.
Lemma encl_neg w i x : encl w i x -> encl w (neg_Z i) (- x).
Proof. unfold encl, neg_Z; simpl. rewrite !opp_IZR. lra. Qed.
Lemma encl_sub w i j x y : encl w i x -> encl w j y -> encl w (sub_Z i j) (x - y).
Proof. unfold encl, sub_Z; simpl. rewrite !minus_IZR. lra. Qed.
Lemma encl_exact w n : encl w (exact_Z w n) (IZR n).
Proof. unfold encl, exact_Z; simpl. rewrite left_spec. lra. Qed.
Lemma encl_max w i j x y : encl w i x -> encl w j y -> encl w (max_Z i j) (Rmax x y).
Proof.
  unfold encl, max_Z; simpl. intros H K. pose proof (unit_pos w). unfold Rmax. destruct (Rle_dec x y) as [h|h].
  - assert (unit w * x <= unit w * y) by (apply Rmult_le_compat_l; lra).
    split; [destruct (Z.max_spec (fst i) (fst j)) as [[_ ->]|[_ ->]]; lra|apply Rle_trans with (IZR (snd j)); [lra|apply IZR_le; lia]].
  - assert (unit w * y <= unit w * x) by (apply Rmult_le_compat_l; lra).
    split; [destruct (Z.max_spec (fst i) (fst j)) as [[_ ->]|[_ ->]]; lra|apply Rle_trans with (IZR (snd i)); [lra|apply IZR_le; lia]].
Qed.
Lemma encl_half w i x : encl w i x -> encl w (half_Z i) (x / 2).
Proof.
  unfold encl, half_Z; simpl. rewrite !Z.div2_div. pose proof (divide_down_spec (fst i) 2 eq_refl). pose proof (divide_down_spec (- snd i) 2 eq_refl). rewrite opp_IZR in *. lra.
Qed.
Lemma encl_Q w q : encl w (of_Q w q) (Q2R q).
Proof.
  unfold encl, of_Q, Q2R; cbn [fst snd]. pose proof (divide_down_spec (left w (Qnum q)) (Zpos (Qden q)) eq_refl) as D. pose proof (divide_up_spec (left w (Qnum q)) (Zpos (Qden q)) eq_refl) as U.
  rewrite left_spec in *. assert (P : 0 < IZR (Zpos (Qden q))) by (apply IZR_lt; lia).
  replace (unit w * (IZR (Qnum q) * / IZR (Zpos (Qden q)))) with (unit w * IZR (Qnum q) / IZR (Zpos (Qden q))) by (unfold Rdiv; ring).
  split; [apply below_quotient; lra|apply above_quotient; lra].
Qed.
Lemma encl_coarser v w i x : encl (v + w) i x -> encl w (coarser v i) x.
Proof.
  unfold encl, coarser; cbn [fst snd]. rewrite unit_plus. pose proof (down_spec v (fst i)). pose proof (up_spec v (snd i)). pose proof (unit_pos v). intros K.
  split; apply Rmult_le_reg_l with (unit v); lra.
Qed.
Lemma encl_wider w i j x : encl w i x -> (fst j <= fst i)%Z -> (snd i <= snd j)%Z -> encl w j x.
Proof. unfold encl. intros H A B. apply IZR_le in A, B. lra. Qed.

(** a product lies between those of the ends *)
Lemma product_between a b c d x y : a <= x <= b -> c <= y <= d ->
  Rmin (Rmin (a * c) (a * d)) (Rmin (b * c) (b * d)) <= x * y <= Rmax (Rmax (a * c) (a * d)) (Rmax (b * c) (b * d)).
Proof.
  intros X Y.
  assert (L : forall z, Rmin (z * c) (z * d) <= z * y <= Rmax (z * c) (z * d)).
  { intros z. pose proof (Rmin_l (z * c) (z * d)). pose proof (Rmin_r (z * c) (z * d)). pose proof (Rmax_l (z * c) (z * d)). pose proof (Rmax_r (z * c) (z * d)).
    destruct (Rle_dec 0 z) as [h|h].
    - assert (z * c <= z * y) by (apply Rmult_le_compat_l; lra). assert (z * y <= z * d) by (apply Rmult_le_compat_l; lra). lra.
    - assert (- z * c <= - z * y) by (apply Rmult_le_compat_l; lra). assert (- z * y <= - z * d) by (apply Rmult_le_compat_l; lra). lra. }
  pose proof (L a) as A. pose proof (L b) as B.
  pose proof (Rmin_l (Rmin (a * c) (a * d)) (Rmin (b * c) (b * d))). pose proof (Rmin_r (Rmin (a * c) (a * d)) (Rmin (b * c) (b * d))).
  pose proof (Rmax_l (Rmax (a * c) (a * d)) (Rmax (b * c) (b * d))). pose proof (Rmax_r (Rmax (a * c) (a * d)) (Rmax (b * c) (b * d))).
  destruct (Rle_dec 0 y) as [h|h].
  - assert (a * y <= x * y) by (apply Rmult_le_compat_r; lra). assert (x * y <= b * y) by (apply Rmult_le_compat_r; lra). lra.
  - assert (a * - y <= x * - y) by (apply Rmult_le_compat_r; lra). assert (x * - y <= b * - y) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Lemma min_IZR a b : IZR (Z.min a b) = Rmin (IZR a) (IZR b).
Proof.
  destruct (Z.min_spec a b) as [[H ->]|[H ->]]; symmetry; [apply Rmin_left|apply Rmin_right]; apply IZR_le; lia.
Qed.
Lemma max_IZR a b : IZR (Z.max a b) = Rmax (IZR a) (IZR b).
Proof.
  destruct (Z.max_spec a b) as [[H ->]|[H ->]]; symmetry; [apply Rmax_right|apply Rmax_left]; apply IZR_le; lia.
Qed.
Lemma encl_mul w i j x y : encl w i x -> encl w j y -> encl w (mul_Z w i j) (x * y).
Proof.
  destruct i as [a b], j as [c d]. unfold encl, mul_Z; cbn [fst snd]. intros H K. pose proof (unit_pos w) as U. pose proof (product_between _ _ _ _ _ _ H K) as P.
  replace (unit w * x * (unit w * y)) with (unit w * (x * y) * unit w) in P by ring.
  destruct ((0 <=? a)%Z && (0 <=? c)%Z)%bool eqn:S; cbn [fst snd].
  - apply andb_prop in S. destruct S as [S1 S2]. apply Z.leb_le, IZR_le in S1, S2. pose proof (down_spec w (a * c)) as D. pose proof (up_spec w (b * d)) as V. rewrite mult_IZR in D, V.
    assert (IZR a * IZR c <= unit w * x * (unit w * y)) by (apply Rmult_le_compat; lra).
    assert (unit w * x * (unit w * y) <= IZR b * IZR d) by (apply Rmult_le_compat; lra).
    replace (unit w * x * (unit w * y)) with (unit w * (x * y) * unit w) in * by ring.
    split; apply Rmult_le_reg_r with (unit w); lra.
  - pose proof (down_spec w (Z.min (Z.min (a * c) (a * d)) (Z.min (b * c) (b * d)))) as D. pose proof (up_spec w (Z.max (Z.max (a * c) (a * d)) (Z.max (b * c) (b * d)))) as V.
    rewrite !min_IZR, !mult_IZR in D. rewrite !max_IZR, !mult_IZR in V. split; apply Rmult_le_reg_r with (unit w); lra.
Qed.

Lemma encl_div w i j k x y : encl w i x -> encl w j y -> div_Z w i j = Some k -> encl w k (x / y) /\ 0 < y.
Proof.
  destruct i as [a b], j as [c d]. unfold encl, div_Z; cbn [fst snd]. intros H K E. destruct (0 <? c)%Z eqn:C; [|discriminate]. injection E as <-. cbn [fst snd].
  apply Z.ltb_lt in C. assert (C' := C). apply IZR_lt in C'. pose proof (unit_pos w) as U. set (y' := unit w * y) in *. set (x' := unit w * x) in *.
  assert (D : 0 < IZR d) by lra. assert (D' : (0 < d)%Z) by (apply lt_IZR; exact D).
  assert (Y : 0 < y) by (apply Rmult_lt_reg_l with (unit w); [exact U|]; rewrite Rmult_0_r; unfold y' in *; lra). split; [|exact Y].
  replace (unit w * (x / y)) with (unit w * x' / y') by (unfold x', y'; field; lra). split.
  - apply below_quotient; [lra|]. apply Rle_trans with (unit w * IZR a); [|apply Rmult_le_compat_l; lra]. rewrite <- left_spec. destruct (0 <=? a)%Z eqn:A.
    + apply Z.leb_le in A. assert (Q : (0 <= left w a / d)%Z) by (apply Z.div_pos; [apply Z.shiftl_nonneg, A|exact D']). apply IZR_le in Q.
      pose proof (divide_down_spec (left w a) d D'). assert (IZR (left w a / d) * y' <= IZR (left w a / d) * IZR d) by (apply Rmult_le_compat_l; lra). lra.
    + apply Z.leb_gt in A. pose proof (divide_down_spec (left w a) c C) as S.
      assert (Q : IZR (left w a / c) <= 0).
      { apply (IZR_le _ 0). assert (left w a <= 0)%Z by (apply Z.lt_le_incl, Z.shiftl_neg, A). apply Z.div_le_upper_bound; lia. }
      assert (- IZR (left w a / c) * IZR c <= - IZR (left w a / c) * y') by (apply Rmult_le_compat_l; lra). lra.
  - apply above_quotient; [lra|]. apply Rle_trans with (unit w * IZR b); [apply Rmult_le_compat_l; lra|]. rewrite <- left_spec. destruct (0 <=? b)%Z eqn:B.
    + apply Z.leb_le in B. pose proof (divide_up_spec (left w b) c C) as S.
      assert (Q : (0 <= divide_up (left w b) c)%Z).
      { unfold divide_up. assert ((- left w b) / c <= 0)%Z; [|lia]. assert (0 <= left w b)%Z by (apply Z.shiftl_nonneg, B). apply Z.div_le_upper_bound; lia. }
      apply IZR_le in Q. assert (IZR (divide_up (left w b) c) * IZR c <= IZR (divide_up (left w b) c) * y') by (apply Rmult_le_compat_l; lra). lra.
    + apply Z.leb_gt in B. pose proof (divide_up_spec (left w b) d D') as S.
      assert (Q : IZR (divide_up (left w b) d) <= 0).
      { apply (IZR_le _ 0). unfold divide_up. assert (0 <= (- left w b) / d)%Z; [|lia]. apply Z.div_pos; [|exact D']. assert (left w b < 0)%Z by (apply Z.shiftl_neg, B). lia. }
      assert (- IZR (divide_up (left w b) d) * y' <= - IZR (divide_up (left w b) d) * IZR d) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma encl_sqrt w i x : 0 <= x -> encl w i x -> encl w (sqrt_Z w i) (sqrt x).
Proof.
  intros X. unfold encl, sqrt_Z; cbn [fst snd]. intros H. pose proof (unit_pos w) as U. pose proof (sqrt_pos x) as S. pose proof (sqrt_sqrt x X) as SS.
  assert (E : unit w * sqrt x = sqrt (unit w * (unit w * x))).
  { rewrite <- Rmult_assoc, sqrt_mult_alt by nra. rewrite sqrt_square by lra. reflexivity. }
  rewrite E. split.
  - destruct (Z_lt_le_dec (fst i) 0) as [N|N].
    + rewrite Z.sqrt_neg by (apply Z.shiftl_neg, N). apply sqrt_pos.
    + assert (P : (0 <= left w (fst i))%Z) by (apply Z.shiftl_nonneg, N). pose proof (Z.sqrt_spec _ P) as [A _]. pose proof (Z.sqrt_nonneg (left w (fst i))) as B.
      apply IZR_le in A, B. rewrite mult_IZR, left_spec in A. rewrite <- (sqrt_square (IZR (Z.sqrt _))) by exact B. apply sqrt_le_1_alt.
      apply Rle_trans with (1 := A). apply Rmult_le_compat_l; lra.
  - assert (P : (0 <= snd i)%Z). { apply le_IZR. assert (0 <= unit w * x) by (apply Rmult_le_pos; lra). lra. }
    assert (Q : (0 <= left w (snd i))%Z) by (apply Z.shiftl_nonneg, P). pose proof (Z.sqrt_spec _ Q) as [_ A]. pose proof (Z.sqrt_nonneg (left w (snd i))) as B.
    apply IZR_lt in A. rewrite mult_IZR, left_spec in A. unfold Z.succ in A. apply IZR_le in B. set (s := IZR (Z.sqrt (left w (snd i)) + 1)) in *.
    assert (0 <= s) by (unfold s; rewrite plus_IZR; lra). rewrite <- (sqrt_square s) by assumption. apply sqrt_le_1_alt.
    apply Rle_trans with (unit w * IZR (snd i)); [apply Rmult_le_compat_l; lra|lra].
Qed.
