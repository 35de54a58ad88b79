(** * Upper laws in integers: products, trimming, coarsening, powers

An upper law has integer masses at the losses k s, k = first, first + 1, ..., and a mass at infinity, all in units of 2^-bits. Each operation gives a law with a profile that is no lower:
times_up (rounded products), trim_up (small masses below go up a little, those above to infinity), coarsen_up_law (a lattice of twice the step), and run_up, which squares and
multiplies to the n-th power. All run inside Coq. *)
From Coq Require Import Reals Lra Lia ZArith List Bool.
From Dpcmp Require Import Losses Convolution Kronecker Certificate Lattice.
Import ListNotations.
Open Scope R_scope.

(** ** Composition is associative, for profiles *)
Lemma mixture_app D x y u : mixture D (x ++ y) u = mixture D x u + mixture D y u.
Proof. induction x as [|a x IH]; simpl; [lra|rewrite IH; lra]. Qed.
Lemma mixture_scale D b l u : mixture D (scale b l) u = fst b * mixture D l (u * snd b).
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite IH. replace (u * (snd a * snd b)) with (u * snd b * snd a) by ring. ring. Qed.
Lemma mixture_compose D l m u : mixture D (compose l m) u = mixture (fun v => mixture D l v) m u.
Proof. induction m as [|b m IH]; simpl; [reflexivity|]. rewrite mixture_app, mixture_scale, IH. reflexivity. Qed.

Definition same (l m : loss) := forall u, profile l u = profile m u.
Lemma compose_assoc a b c : same (compose (compose a b) c) (compose a (compose b c)).
Proof. intros u. rewrite !profile_compose, mixture_compose. apply mixture_ext. intros v. apply profile_compose. Qed.
Lemma compose_same_l a b c : same a b -> same (compose a c) (compose b c).
Proof. intros H u. rewrite !profile_compose. apply mixture_ext, H. Qed.
Lemma compose_same_r a b c : same b c -> same (compose a b) (compose a c).
Proof. intros H u. rewrite (profile_compose_comm a b), (profile_compose_comm a c). apply compose_same_l, H. Qed.
Lemma compose_1_l l : same (compose [(1, 1)] l) l.
Proof. intros u. rewrite profile_compose_comm. simpl. rewrite app_nil_r, profile_scale. simpl. rewrite Rmult_1_r. ring. Qed.
Lemma power_add l m n : same (power l (m + n)) (compose (power l m) (power l n)).
Proof.
  induction m as [|m IH]; intros u; [symmetry; apply compose_1_l|].
  change (power l (S m + n)) with (compose l (power l (m + n))). rewrite (compose_same_r _ _ _ IH u). simpl. symmetry. apply compose_assoc.
Qed.
Lemma same_below l m : same l m -> below l m.
Proof. intros H u _. rewrite H. lra. Qed.
Lemma below_refl l : below l l.
Proof. intros u _. lra. Qed.

(** ** Units *)
Definition unit (bits : positive) : Z := (2 ^ Zpos bits)%Z.
Definition up (bits : positive) (n : Z) : Z := (- Z.shiftr (- n) (Zpos bits))%Z.
Definition down (bits : positive) (n : Z) : Z := Z.shiftr n (Zpos bits).
Fixpoint sum (l : list Z) : Z := match l with [] => 0%Z | a :: l => (a + sum l)%Z end.
Lemma sum_nonneg l : nonneg l -> (0 <= sum l)%Z.
Proof. induction 1; simpl; lia. Qed.
Lemma sum_app l m : sum (l ++ m) = (sum l + sum m)%Z.
Proof. induction l; simpl; lia. Qed.
Lemma nonneg_app l m : nonneg (l ++ m) <-> nonneg l /\ nonneg m.
Proof. apply Forall_app. Qed.

(** ** Upper laws *)
Record law := { first : Z; masses : list Z; top : Z }.

(** how many leading masses have a sum of at most t *)
Fixpoint small (t : Z) (l : list Z) : nat := match l with [] => O | a :: l => if Z.leb a t then S (small (t - a) l) else O end.

Section Units.
Variable bits : positive.
Notation P := (unit bits).
Definition c : R := / IZR P.
Lemma unit_pos : (0 < P)%Z. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma IZR_unit_pos : 0 < IZR P. Proof. apply IZR_lt, unit_pos. Qed.
Lemma c_pos : 0 < c. Proof. apply Rinv_0_lt_compat, IZR_unit_pos. Qed.
Lemma c_unit : c * IZR P = 1. Proof. apply Rinv_l. pose proof IZR_unit_pos. lra. Qed.
Lemma c_nonneg n : (0 <= n)%Z -> 0 <= c * IZR n.
Proof. intros H. apply Rmult_le_pos; [left; apply c_pos|apply IZR_le, H]. Qed.

Lemma up_div n : (n <= up bits n * P)%Z.
Proof.
  unfold up. rewrite Z.shiftr_div_pow2 by lia. fold P. pose proof unit_pos as U.
  pose proof (Z.div_mod (- n) P ltac:(lia)) as D. pose proof (Z.mod_pos_bound (- n) P U). nia.
Qed.
Lemma down_div n : (down bits n * P <= n)%Z.
Proof. unfold down. rewrite Z.shiftr_div_pow2 by lia. fold P. rewrite Z.mul_comm. apply Z.mul_div_le, unit_pos. Qed.
Lemma up_spec n : c * c * IZR n <= c * IZR (up bits n).
Proof.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply c_pos|]. apply Rmult_le_reg_r with (IZR P); [apply IZR_unit_pos|].
  rewrite (Rmult_comm c), Rmult_assoc, c_unit, Rmult_1_r, <- mult_IZR. apply IZR_le, up_div.
Qed.
Lemma down_spec n : c * IZR (down bits n) <= c * c * IZR n.
Proof.
  rewrite (Rmult_assoc c c). apply Rmult_le_compat_l; [left; apply c_pos|]. apply Rmult_le_reg_r with (IZR P); [apply IZR_unit_pos|].
  rewrite (Rmult_comm c), Rmult_assoc, c_unit, Rmult_1_r, <- mult_IZR. apply IZR_le, down_div.
Qed.
Lemma up_nonneg n : (0 <= n)%Z -> (0 <= up bits n)%Z.
Proof. intros H. pose proof (up_div n). pose proof unit_pos. nia. Qed.
Lemma down_nonneg n : (0 <= n)%Z -> (0 <= down bits n)%Z.
Proof. intros H. unfold down. apply Z.shiftr_nonneg, H. Qed.

Lemma lattice_ok z r l : 0 <= z -> 0 <= r -> nonneg l -> ok (lattice_law c z r l).
Proof.
  intros Hz Hr H. revert z Hz. induction H as [|a l Ha H IH]; intros z Hz; simpl; [constructor|]. constructor.
  - simpl. split; [apply c_nonneg, Ha|exact Hz].
  - apply IH, Rmult_le_pos; assumption.
Qed.
Lemma exp_nonneg x : 0 <= exp x. Proof. left. apply exp_pos. Qed.
Lemma profile_0 d z r l : profile (lattice_law d z r l) 0 = d * IZR (sum l).
Proof.
  revert z. induction l as [|a l IH]; intros z; simpl; [lra|]. rewrite IH, plus_IZR. unfold hinge, pos; simpl. rewrite Rmult_0_l, Rmax_right by lra. lra.
Qed.
Lemma lattice_up z r l u : profile (lattice_law (c * c) z r l) u <= profile (lattice_law c z r (map (up bits) l)) u.
Proof.
  revert z. induction l as [|a l IH]; intros z; simpl; [lra|]. apply Rplus_le_compat; [|apply IH]. unfold hinge; simpl.
  apply Rmult_le_compat_r; [apply Rmax_l|apply up_spec].
Qed.
Lemma profile_top t l u : profile ((t, 0) :: l) u = t + profile l u.
Proof. cbn [profile]. unfold hinge, pos; cbn [fst snd]. rewrite Rmult_0_r, Rminus_0_r, Rmax_right by lra. lra. Qed.
Lemma compose_tops s t A B u : profile (compose ((s, 0) :: A) ((t, 0) :: B)) u = s * (t + profile B 0) + t * profile A 0 + profile (compose A B) u.
Proof.
  rewrite profile_compose_cons_l, profile_scale. cbn [fst snd]. rewrite Rmult_0_r, profile_top. cbn [compose]. rewrite profile_app, profile_scale. cbn [fst snd].
  rewrite Rmult_0_r. ring.
Qed.
Lemma lattice_app z r l m u : profile (lattice_law c z r (l ++ m)) u = profile (lattice_law c z r l) u + profile (lattice_law c (z * r ^ length l) r m) u.
Proof.
  revert z. induction l as [|a l IH]; intros z; simpl; [rewrite Rmult_1_r; lra|]. rewrite IH. rewrite <- Rmult_assoc. lra.
Qed.
Lemma profile_at_most z r l u : 0 <= u -> 0 <= z -> 0 <= r -> nonneg l -> profile (lattice_law c z r l) u <= c * IZR (sum l).
Proof.
  intros Hu Hz Hr H. revert z Hz. induction H as [|a l Ha H IH]; intros z Hz; simpl; [lra|]. rewrite plus_IZR.
  specialize (IH (z * r) ltac:(apply Rmult_le_pos; assumption)). unfold hinge, pos; simpl. assert (0 <= u * z) by (apply Rmult_le_pos; assumption).
  assert (Rmax 0 (1 - u * z) <= 1) by (apply Rmax_lub; lra). pose proof (c_nonneg a Ha).
  assert (c * IZR a * Rmax 0 (1 - u * z) <= c * IZR a * 1) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
Lemma moved z r l u : 0 <= u -> 0 <= z -> 0 <= r <= 1 -> nonneg l ->
  profile (lattice_law c z r l) u <= c * IZR (sum l) * pos (1 - u * (z * r ^ length l)).
Proof.
  intros Hu Hz Hr H. revert z Hz. induction H as [|a l Ha H IH]; intros z Hz; simpl; [unfold pos; lra|].
  specialize (IH (z * r) ltac:(apply Rmult_le_pos; lra)). rewrite plus_IZR. rewrite (Rmult_assoc z r) in IH. set (w := z * (r * r ^ length l)) in *.
  assert (W : w <= z). { unfold w. rewrite <- (Rmult_1_r z) at 2. apply Rmult_le_compat_l; [exact Hz|]. rewrite tech_pow_Rmult. rewrite <- (pow1 (S (length l))). apply pow_incr. exact Hr. }
  assert (pos (1 - u * z) <= pos (1 - u * w)) by (apply pos_mono; assert (u * w <= u * z) by (apply Rmult_le_compat_l; assumption); lra).
  pose proof (c_nonneg a Ha). unfold hinge; simpl.
  assert (c * IZR a * pos (1 - u * z) <= c * IZR a * pos (1 - u * w)) by (apply Rmult_le_compat_l; assumption). lra.
Qed.

(** ** The law of the integers, on a lattice of step s *)
Definition real (s : R) (x : law) : loss := (c * IZR (top x), 0) :: lattice_law c (exp (- (s * IZR (first x)))) (exp (- s)) (masses x).
Definition good (x : law) := nonneg (masses x) /\ (0 <= top x)%Z.
Lemma real_ok s x : good x -> ok (real s x).
Proof.
  intros [A B]. constructor; [simpl; split; [apply c_nonneg, B|lra]|]. apply lattice_ok; auto using exp_nonneg.
Qed.
Lemma exp_index s k k' : exp (- (s * IZR k)) * exp (- (s * IZR k')) = exp (- (s * IZR (k + k'))).
Proof. rewrite <- exp_plus, plus_IZR. f_equal. ring. Qed.
Lemma exp_steps s k n : exp (- (s * IZR (k + Z.of_nat n))) = exp (- (s * IZR k)) * exp (- s) ^ n.
Proof.
  rewrite plus_IZR, <- INR_IZR_INZ. induction n as [|n IH]; [simpl; rewrite Rmult_1_r, Rplus_0_r; reflexivity|].
  rewrite S_INR. simpl. rewrite <- Rmult_assoc, (Rmult_comm _ (exp (- s))), Rmult_assoc, <- IH, <- exp_plus. f_equal. ring.
Qed.

(** ** Products *)
Definition times (x y : law) : law :=
  {| first := first x + first y; masses := map (up bits) (multiply (masses x) (masses y));
     top := up bits (top x * (top y + sum (masses y)) + top y * sum (masses x)) |}.
Lemma times_good x y : good x -> good y -> good (times x y).
Proof.
  intros [A B] [A' B']. split; simpl.
  - rewrite multiply_is_convolve by assumption. pose proof (nonneg_convolve _ _ A A') as N. apply Forall_forall. intros n Hn. apply in_map_iff in Hn. destruct Hn as [m [<- Hm]].
    apply up_nonneg. apply (proj1 (Forall_forall _ _) N m Hm).
  - apply up_nonneg. pose proof (sum_nonneg _ A). pose proof (sum_nonneg _ A'). nia.
Qed.
Theorem times_up s x y : good x -> good y -> below (compose (real s x) (real s y)) (real s (times x y)).
Proof.
  intros Gx Gy u Hu. unfold real. rewrite compose_tops, profile_top. rewrite !profile_0, lattice_law_compose, exp_index.
  pose proof (lattice_up (exp (- (s * IZR (first x + first y)))) (exp (- s)) (convolve (masses x) (masses y)) u) as C.
  pose proof (up_spec (top x * (top y + sum (masses y)) + top y * sum (masses x))) as T. rewrite plus_IZR, !mult_IZR, plus_IZR in T.
  unfold times. cbn [first masses top]. rewrite multiply_is_convolve by (apply Gx || apply Gy). lra.
Qed.

(** ** Trimming: the first i masses go to the next one, the last j to infinity *)
Definition trim (i j : nat) (x : law) : law :=
  let n := (length (masses x) - j)%nat in
  let kept := firstn n (masses x) in let gone := skipn n (masses x) in
  match skipn i kept with
  | [] => {| first := first x; masses := kept; top := (top x + sum gone)%Z |}
  | b :: l => {| first := (first x + Z.of_nat (length (firstn i kept)))%Z; masses := ((b + sum (firstn i kept))%Z :: l); top := (top x + sum gone)%Z |}
  end.
Lemma exp_below_1 s : 0 <= s -> 0 <= exp (- s) <= 1.
Proof. intros H. split; [apply exp_nonneg|]. rewrite <- exp_0. destruct (Rle_lt_or_eq_dec _ _ H) as [K|K]; [left; apply exp_increasing; lra|rewrite <- K, Ropp_0; lra]. Qed.
Theorem trim_up s i j x : 0 <= s -> good x -> good (trim i j x) /\ below (real s x) (real s (trim i j x)).
Proof.
  intros Hs [A B]. unfold trim. set (n := (length (masses x) - j)%nat). set (kept := firstn n (masses x)). set (gone := skipn n (masses x)).
  assert (E : masses x = kept ++ gone) by (symmetry; apply firstn_skipn). rewrite E in A. apply nonneg_app in A. destruct A as [A1 A2].
  pose proof (sum_nonneg _ A2) as G0. pose proof (exp_below_1 s Hs) as R.
  set (z := exp (- (s * IZR (first x)))). assert (Z0 : 0 <= z) by apply exp_nonneg.
  assert (Right : below (real s x) ((c * IZR (top x + sum gone), 0) :: lattice_law c z (exp (- s)) kept)).
  { intros u Hu. unfold real. rewrite E.
    pose proof (profile_at_most (z * exp (- s) ^ length kept) (exp (- s)) gone u Hu ltac:(apply Rmult_le_pos; [exact Z0|apply pow_le, exp_nonneg]) ltac:(lra) A2) as K.
    rewrite !profile_top, lattice_app, plus_IZR. fold z. lra. }
  destruct (skipn i kept) as [|b l] eqn:S.
  - split; [split; simpl; [exact A1|lia]|exact Right].
  - assert (E' : kept = firstn i kept ++ b :: l) by (rewrite <- S; symmetry; apply firstn_skipn).
    set (d := firstn i kept) in *. rewrite E' in A1. apply nonneg_app in A1. destruct A1 as [D1 D2]. inversion D2 as [|? ? Hb Hl]; subst.
    pose proof (sum_nonneg _ D1). split.
    + split; simpl; [constructor; [lia|exact Hl]|lia].
    + apply below_trans with (1 := Right). intros u Hu. unfold real. cbn [first masses top]. rewrite E', !profile_top, lattice_app, exp_steps. fold z. cbn [lattice_law profile].
      pose proof (moved z (exp (- s)) d u Hu Z0 R D1) as M. unfold hinge; cbn [fst snd]. rewrite (plus_IZR b). lra.
Qed.
(** as much as has a mass of at most t on either side *)
Definition trim_small (t : Z) (x : law) : law := trim (small t (masses x)) (small t (rev' (masses x))) x.

(** ** Coarsening: masses between the knots of a lattice of twice the step go to their neighbours, the share w or more upwards *)
Fixpoint coarse (w carry : Z) (l : list Z) : list Z :=
  match l with
  | [] => [carry]
  | [a] => [(a + carry)%Z]
  | a :: b :: l => let above := Z.min b (up bits (b * w)) in (a + carry + (b - above))%Z :: coarse w above l
  end.
Definition coarsen (w : Z) (x : law) : law :=
  {| first := Z.div2 (first x); masses := coarse w 0 (if Z.odd (first x) then 0%Z :: masses x else masses x); top := top x |}.
Definition enough (w : Z) (s : R) := IZR P <= IZR w * (1 + exp (- s)).

Lemma two_steps (Q : list Z -> Prop) : Q [] -> (forall a, Q [a]) -> (forall a b l, Q l -> Q (a :: b :: l)) -> forall l, Q l.
Proof. intros Q0 Q1 Q2. assert (H : forall l, Q l /\ forall a, Q (a :: l)) by (induction l as [|b l [H1 H2]]; split; auto). intros l. apply H. Qed.
Lemma above_share w s b : (0 <= b)%Z -> enough w s -> (0 <= Z.min b (up bits (b * w)) <= b)%Z /\ IZR b <= IZR (Z.min b (up bits (b * w))) * (1 + exp (- s)).
Proof.
  intros Hb Hw. pose proof (exp_pos (- s)) as E. pose proof IZR_unit_pos as U.
  assert (w0 : 0 <= IZR w). { unfold enough in Hw. apply Rnot_lt_le. intros C. assert (IZR w * (1 + exp (- s)) < 0) by nra. lra. }
  assert (W0 : (0 <= w)%Z) by (apply le_IZR; exact w0). pose proof (up_nonneg (b * w) ltac:(nia)) as N. split; [lia|].
  destruct (Z.min_spec b (up bits (b * w))) as [[_ ->]|[_ ->]].
  - assert (0 <= IZR b) by (apply IZR_le, Hb). nra.
  - pose proof (up_div (b * w)) as D. apply IZR_le in D. rewrite !mult_IZR in D. apply Rmult_le_reg_r with (IZR P); [exact U|]. unfold enough in Hw.
    assert (0 <= IZR b) by (apply IZR_le, Hb). assert (IZR b * IZR P <= IZR b * (IZR w * (1 + exp (- s)))) by (apply Rmult_le_compat_l; assumption).
    assert (IZR b * IZR w * (1 + exp (- s)) <= IZR (up bits (b * w)) * IZR P * (1 + exp (- s))) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Lemma split_atom s z a b u : 0 <= s -> 0 <= z -> 0 <= u -> (0 <= a <= b)%Z -> IZR b <= IZR a * (1 + exp (- s)) ->
  hinge u (c * IZR b, z * exp (- s)) <= hinge u (c * IZR (b - a), z) + hinge u (c * IZR a, z * exp (- s) * exp (- s)).
Proof.
  intros Hs Hz Hu Ha Hw. destruct (Z.eq_dec b 0) as [->|Nb].
  - assert (a = 0%Z) by lia. subst. unfold hinge; simpl. lra.
  - assert (B : 0 < IZR b) by (apply IZR_lt; lia). pose proof (exp_pos (- s)) as E. assert (A0 : 0 <= IZR a) by (apply IZR_le; lia). assert (A1 : IZR a <= IZR b) by (apply IZR_le; lia).
    pose proof (coarsen_up (c * IZR b) (z * exp (- s)) s (IZR a / IZR b) [] ltac:(apply c_nonneg; lia) ltac:(apply Rmult_le_pos; lra) Hs) as K.
    assert (I : exp (- s) * exp s = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    specialize (K ltac:(split; [apply Rmult_le_reg_r with (1 + exp (- s)); [lra|]; rewrite Rinv_l by lra; replace (IZR a / IZR b * (1 + exp (- s))) with (IZR a * (1 + exp (- s)) / IZR b) by (field; lra); apply Rcomplements.Rle_div_r; lra|apply Rcomplements.Rle_div_l; lra]) u Hu).
    cbn [profile] in K. replace (c * IZR b * (IZR a / IZR b)) with (c * IZR a) in K by (field; lra). replace (c * IZR b * (1 - IZR a / IZR b)) with (c * IZR (b - a)) in K by (rewrite minus_IZR; field; lra).
    rewrite (Rmult_assoc z (exp (- s)) (exp s)), I, Rmult_1_r in K. lra.
Qed.
Lemma coarse_up s w u : 0 <= s -> 0 <= u -> enough w s -> forall l, nonneg l -> forall carry z, (0 <= carry)%Z -> 0 <= z ->
  nonneg (coarse w carry l) /\
  hinge u (c * IZR carry, z) + profile (lattice_law c z (exp (- s)) l) u <= profile (lattice_law c z (exp (- s) * exp (- s)) (coarse w carry l)) u.
Proof.
  intros Hs Hu Hw. apply (two_steps (fun l => nonneg l -> forall carry z, (0 <= carry)%Z -> 0 <= z -> nonneg (coarse w carry l) /\ hinge u (c * IZR carry, z) + profile (lattice_law c z (exp (- s)) l) u <= profile (lattice_law c z (exp (- s) * exp (- s)) (coarse w carry l)) u)).
  - intros _ carry z Hc Hz. split; [constructor; [exact Hc|constructor]|]. simpl. lra.
  - intros a N carry z Hc Hz. inversion N; subst. split; [constructor; [lia|constructor]|]. simpl. unfold hinge; simpl. rewrite plus_IZR. lra.
  - intros a b l IH N carry z Hc Hz. inversion N as [|? ? Ha N1]; subst. inversion N1 as [|? ? Hb Nl]; subst.
    destruct (above_share w s b Hb Hw) as [R E]. pose proof (exp_pos (- s)) as X. cbn [coarse]. set (n := Z.min b (up bits (b * w))) in *.
    destruct (IH Nl n (z * (exp (- s) * exp (- s))) ltac:(lia) ltac:(apply Rmult_le_pos; nra)) as [N2 I]. split; [constructor; [lia|exact N2]|].
    cbn [lattice_law profile] in *. pose proof (split_atom s z n b u Hs Hz Hu R E) as S. rewrite <- !(Rmult_assoc z) in *.
    assert (Q : hinge u (c * IZR (a + carry + (b - n)), z) = hinge u (c * IZR carry, z) + hinge u (c * IZR a, z) + hinge u (c * IZR (b - n), z)) by (unfold hinge; cbn [fst snd]; rewrite !plus_IZR; ring).
    rewrite Q. lra.
Qed.
Theorem coarsen_law_up s w x : 0 <= s -> enough w s -> good x -> good (coarsen w x) /\ below (real s x) (real (2 * s) (coarsen w x)).
Proof.
  intros Hs Hw [A B]. unfold coarsen. set (l := if Z.odd (first x) then 0%Z :: masses x else masses x).
  assert (N : nonneg l) by (unfold l; destruct (Z.odd (first x)); [constructor; [lia|exact A]|exact A]). set (z := exp (- (2 * s * IZR (Z.div2 (first x))))).
  assert (D : exp (- (2 * s)) = exp (- s) * exp (- s)) by (rewrite <- exp_plus; f_equal; ring).
  assert (F : exp (- (s * IZR (first x))) = z * (if Z.odd (first x) then exp (- s) else 1)).
  { unfold z. rewrite (Z.div2_odd (first x)) at 1. rewrite plus_IZR, mult_IZR. destruct (Z.odd (first x)); cbn [Z.b2z].
    - rewrite <- exp_plus. f_equal. ring.
    - rewrite Rmult_1_r. f_equal. ring. }
  assert (L : forall u, profile (lattice_law c (exp (- (s * IZR (first x)))) (exp (- s)) (masses x)) u = profile (lattice_law c z (exp (- s)) l) u).
  { intros u. rewrite F. unfold l. destruct (Z.odd (first x)); [|rewrite Rmult_1_r; reflexivity]. cbn [lattice_law profile]. unfold hinge; cbn [fst snd]. ring. }
  split.
  - split; [exact (proj1 (coarse_up s w 0 Hs (Rle_refl 0) Hw l N 0%Z z ltac:(lia) (exp_nonneg _)))|exact B].
  - intros u Hu. unfold real. cbn [first masses top]. rewrite !profile_top, L, D. fold z. destruct (coarse_up s w u Hs Hu Hw l N 0%Z z ltac:(lia) (exp_nonneg _)) as [_ K].
    unfold hinge in K at 1; cbn [fst snd] in K. lra.
Qed.

(** ** Powers. weights are enough for the steps s, 2 s, 4 s, ...; each coarsening uses one up. *)
Fixpoint all_enough (weights : list Z) (s : R) : Prop := match weights with [] => True | w :: weights => enough w s /\ all_enough weights (2 * s) end.
(** coarsen both laws while the first has more than limit masses *)
Fixpoint settle (limit : Z) (weights : list Z) (x y : law) : list Z * law * law :=
  match weights with
  | [] => ([], x, y)
  | w :: rest => if (limit <? Z.of_nat (length (masses x)))%Z then settle limit rest (coarsen w x) (coarsen w y) else (weights, x, y)
  end.
(** the step after those coarsenings: 2^(n - m) s, where n weights were there and m are unused *)
Definition step_left (all unused : nat) (s : R) := 2 ^ (all - unused) * s.
Lemma settle_up limit weights : forall s x y, 0 <= s -> all_enough weights s -> good x -> good y ->
  let '(unused, x', y') := settle limit weights x y in
  exists s', 0 <= s' /\ s' = step_left (length weights) (length unused) s /\ (length unused <= length weights)%nat /\ all_enough unused s' /\ good x' /\ good y' /\ below (real s x) (real s' x') /\ below (real s y) (real s' y').
Proof.
  induction weights as [|w weights IH]; intros s x y Hs A Gx Gy; cbn [settle].
  - exists s. unfold step_left. simpl. repeat split; auto using below_refl; try apply Gx; try apply Gy. ring.
  - destruct A as [W A]. destruct (limit <? Z.of_nat (length (masses x)))%Z.
    + destruct (coarsen_law_up s w x Hs W Gx) as [Gx' Bx]. destruct (coarsen_law_up s w y Hs W Gy) as [Gy' By].
      specialize (IH (2 * s) _ _ ltac:(lra) A Gx' Gy'). destruct (settle limit weights (coarsen w x) (coarsen w y)) as [[unused x'] y'].
      destruct IH as [s' [S0 [S1 [S2 [S3 [S4 [S5 [S6 S7]]]]]]]]. exists s'. repeat split; auto; try apply S4; try apply S5; try (eapply below_trans; eassumption).
      * rewrite S1. unfold step_left. cbn [length]. rewrite Nat.sub_succ_l by exact S2. simpl. ring.
      * simpl. lia.
    + exists s. unfold step_left. rewrite Nat.sub_diag. simpl. repeat split; auto using below_refl; try apply Gx; try apply Gy; try apply A; try exact W. ring.
Qed.

(** The bits of n after the leading one, from the largest; once is the law of one step. *)
Fixpoint run (t limit : Z) (digits : list bool) (weights : list Z) (once cur : law) : list Z * law * law :=
  match digits with
  | [] => (weights, once, cur)
  | b :: digits =>
      let '(weights, square, once) := settle limit weights (trim_small t (times cur cur)) once in
      run t limit digits weights once (if b then trim_small t (times square once) else square)
  end.
Fixpoint exponent (digits : list bool) (n : nat) : nat := match digits with [] => n | b :: digits => exponent digits (if b then S (n + n) else n + n)%nat end.

Theorem run_up t limit l : ok l -> forall digits weights s once cur n, 0 <= s -> all_enough weights s -> good once -> good cur -> below l (real s once) -> below (power l n) (real s cur) ->
  let '(unused, _, last) := run t limit digits weights once cur in
  exists s', 0 <= s' /\ s' = step_left (length weights) (length unused) s /\ (length unused <= length weights)%nat /\ all_enough unused s' /\ good last /\ below (power l (exponent digits n)) (real s' last).
Proof.
  intros Hl. induction digits as [|b digits IH]; intros weights s once cur n Hs A Go Gc Bo Bc; cbn [run exponent].
  - exists s. unfold step_left. rewrite Nat.sub_diag. simpl. repeat split; auto; try apply Gc. ring.
  - pose proof (power_ok l n Hl) as Hc. pose proof (times_good _ _ Gc Gc) as Gt. unfold trim_small at 1.
    destruct (trim_up s (small t (masses (times cur cur))) (small t (rev' (masses (times cur cur)))) _ Hs Gt) as [Gs Bs]. set (x := trim _ _ (times cur cur)) in *.
    assert (B2 : below (power l (n + n)) (real s x)).
    { apply below_trans with (2 := Bs). apply below_trans with (2 := times_up s _ _ Gc Gc). apply below_trans with (1 := same_below _ _ (power_add l n n)).
      apply compose_le; auto. apply real_ok, Gc. }
    pose proof (settle_up limit weights s x once Hs A Gs Go) as S. destruct (settle limit weights x once) as [[w2 square] once2].
    destruct S as [s2 [S0 [S1 [S2 [S3 [G4 [G5 [B6 B7]]]]]]]].
    assert (B8 : below (power l (n + n)) (real s2 square)) by (eapply below_trans; eassumption). assert (B9 : below l (real s2 once2)) by (eapply below_trans; eassumption).
    assert (R : forall cur2 m, good cur2 -> below (power l m) (real s2 cur2) -> let '(unused, _, last) := run t limit digits w2 once2 cur2 in
      exists s', 0 <= s' /\ s' = step_left (length weights) (length unused) s /\ (length unused <= length weights)%nat /\ all_enough unused s' /\ good last /\ below (power l (exponent digits m)) (real s' last)).
    { intros cur2 m G B. specialize (IH w2 s2 once2 cur2 m S0 S3 G5 G B9 B). destruct (run t limit digits w2 once2 cur2) as [[unused o] last].
      destruct IH as [s' [T0 [T1 [T2 [T3 [T4 T5]]]]]]. exists s'. repeat split; auto; try apply T4; [|lia].
      rewrite T1, S1. unfold step_left. rewrite <- Rmult_assoc, <- pow_add. f_equal. f_equal. lia. }
    destruct b; [|apply R; assumption].
    pose proof (times_good _ _ G4 G5) as G3. unfold trim_small.
    destruct (trim_up s2 (small t (masses (times square once2))) (small t (rev' (masses (times square once2)))) _ S0 G3) as [G8 B10]. apply R; [exact G8|].
    apply below_trans with (2 := B10). apply below_trans with (2 := times_up s2 _ _ G4 G5).
    intros u Hu. change (power l (S (n + n))) with (compose l (power l (n + n))). rewrite profile_compose_comm.
    revert u Hu. apply compose_le; auto. apply real_ok, G4.
Qed.
End Units.
