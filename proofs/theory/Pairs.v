(** * Finite mechanisms: tests, hockey-stick divergence, composition, swapping

A mechanism with finitely many outcomes xs is a pair of functions p, q: the probability of each outcome without and with the record. Here the abstract
calculus of laws meets what (eps, delta)-DP means:
- the hockey-stick divergence is the largest advantage of any test (Neyman and Pearson);
- the profile of the privacy loss is the hockey-stick divergence;
- the n-fold product of the mechanism, with outcomes in lists, has the composed law;
- exchanging p and q turns delta u into 1 - u + u delta (1 / u). *)
From Coq Require Import Reals Lra List.
From Dpcmp Require Import Losses.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {X : Type} (xs : list X) (f : X -> R) : R := match xs with [] => 0 | x :: xs => f x + sum xs f end.

Section Sums.
Variable X : Type.
Implicit Types (xs : list X) (f g : X -> R).

Lemma sum_app xs ys f : sum (xs ++ ys) f = sum xs f + sum ys f.
Proof. induction xs as [|x xs IH]; simpl; [lra|rewrite IH; lra]. Qed.
Lemma sum_le xs f g : (forall x, In x xs -> f x <= g x) -> sum xs f <= sum xs g.
Proof.
  induction xs as [|x xs IH]; simpl; intros H; [lra|]. apply Rplus_le_compat; [apply H; auto|apply IH; auto].
Qed.
Lemma sum_ext xs f g : (forall x, In x xs -> f x = g x) -> sum xs f = sum xs g.
Proof. intros H. apply Rle_antisym; apply sum_le; intros x Hx; rewrite H; auto; lra. Qed.
Lemma sum_scale xs c f : sum xs (fun x => c * f x) = c * sum xs f.
Proof. induction xs as [|x xs IH]; simpl; [lra|rewrite IH; lra]. Qed.
Lemma sum_plus xs f g : sum xs (fun x => f x + g x) = sum xs f + sum xs g.
Proof. induction xs as [|x xs IH]; simpl; [lra|rewrite IH; lra]. Qed.
Lemma sum_minus xs f g : sum xs (fun x => f x - g x) = sum xs f - sum xs g.
Proof. induction xs as [|x xs IH]; simpl; [lra|rewrite IH; lra]. Qed.
Lemma sum_flat_map {Y : Type} (ys : list Y) (h : Y -> list X) f : sum (flat_map h ys) f = sum ys (fun y => sum (h y) f).
Proof. induction ys as [|y ys IH]; simpl; [reflexivity|]. rewrite sum_app, IH. reflexivity. Qed.
Lemma sum_map {Y : Type} (ys : list Y) (h : Y -> X) f : sum (map h ys) f = sum ys (fun y => f (h y)).
Proof. induction ys as [|y ys IH]; simpl; [reflexivity|rewrite IH; reflexivity]. Qed.
End Sums.

(** ** Tests and the hockey-stick divergence *)
Section Mechanism.
Variable X : Type.
Variables (xs : list X) (p q : X -> R).

Definition hockey_stick (u : R) : R := sum xs (fun x => pos (q x - u * p x)).
Definition is_test (t : X -> R) := forall x, In x xs -> 0 <= t x <= 1.
Definition chance (m t : X -> R) := sum xs (fun x => m x * t x).

Theorem tests_are_below t u : is_test t -> chance q t - u * chance p t <= hockey_stick u.
Proof.
  intros T. unfold chance, hockey_stick. rewrite <- sum_scale, <- sum_minus. apply sum_le. intros x Hx.
  specialize (T x Hx). replace (q x * t x - u * (p x * t x)) with ((q x - u * p x) * t x) by ring.
  unfold pos. apply (Rmax_case_strong 0 (q x - u * p x)); intros C.
  - assert (0 <= (- (q x - u * p x)) * t x) by (apply Rmult_le_pos; lra). lra.
  - rewrite <- (Rmult_1_r (q x - u * p x)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Definition best_test (u : R) (x : X) : R := if Rle_dec (u * p x) (q x) then 1 else 0.
Theorem best_test_attains u : is_test (best_test u) /\ chance q (best_test u) - u * chance p (best_test u) = hockey_stick u.
Proof.
  split.
  - intros x _. unfold best_test. destruct (Rle_dec (u * p x) (q x)); lra.
  - unfold chance, hockey_stick. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros x _. unfold best_test, pos.
    destruct (Rle_dec (u * p x) (q x)); [rewrite Rmax_right by lra|rewrite Rmax_left by lra]; lra.
Qed.

(** (eps, delta)-DP for this ordered pair: every randomised event *)
Definition dp (u d : R) := forall t, is_test t -> chance q t <= u * chance p t + d.

Theorem dp_iff u d : dp u d <-> hockey_stick u <= d.
Proof.
  split.
  - intros H. destruct (best_test_attains u) as [T E]. specialize (H _ T). lra.
  - intros H t T. pose proof (tests_are_below t u T). lra.
Qed.

(** ** The privacy loss *)
Definition law : loss := map (fun x => (q x, p x / q x)) xs.

Theorem profile_law u : (forall x, In x xs -> 0 <= q x /\ 0 <= p x) -> 0 <= u -> profile law u = hockey_stick u.
Proof.
  intros H Hu. unfold law, hockey_stick. induction xs as [|x l IH]; simpl; [reflexivity|].
  rewrite IH by (intros y Hy; apply H; right; exact Hy). f_equal. unfold hinge; simpl.
  destruct (H x (or_introl eq_refl)) as [[Q|Q] P].
  - unfold pos. apply (Rmax_case_strong 0 (q x - u * p x)); intros C.
    + rewrite Rmax_left; [ring|]. assert (q x <= u * p x) by lra.
      assert (1 <= u * (p x / q x)); [|lra]. unfold Rdiv. rewrite <- Rmult_assoc.
      apply Rmult_le_reg_r with (q x); [exact Q|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + rewrite Rmax_right; [field; lra|]. assert (u * p x <= q x) by lra.
      assert (u * (p x / q x) <= 1); [|lra]. unfold Rdiv. rewrite <- Rmult_assoc.
      apply Rmult_le_reg_r with (q x); [exact Q|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - rewrite <- Q. rewrite Rmult_0_l. symmetry. unfold pos. apply Rmax_left.
    assert (0 <= u * p x) by (apply Rmult_le_pos; assumption). lra.
Qed.

(** ** Products *)
Fixpoint sequences (n : nat) : list (list X) :=
  match n with O => [[]] | S n => flat_map (fun x => map (cons x) (sequences n)) xs end.
Fixpoint joint (m : X -> R) (s : list X) : R := match s with [] => 1 | x :: s => m x * joint m s end.
End Mechanism.

Arguments hockey_stick {X}. Arguments is_test {X}. Arguments chance {X}. Arguments dp {X}. Arguments law {X}.
Arguments sequences {X}. Arguments joint {X}. Arguments best_test {X}.

Section Products.
Variable X : Type.
Variables (xs : list X) (p q : X -> R).
Hypothesis positive : forall x, In x xs -> 0 <= q x /\ 0 <= p x.

Lemma in_sequences n : forall s, In s (sequences xs n) -> forall x, In x s -> In x xs.
Proof.
  induction n as [|n IH]; simpl; intros s Hs x Hx.
  - destruct Hs as [<-|[]]. destruct Hx.
  - apply in_flat_map in Hs. destruct Hs as [y [Hy Hs]]. apply in_map_iff in Hs. destruct Hs as [s' [<- Hs']].
    destruct Hx as [<-|Hx]; [exact Hy|]. apply (IH s' Hs' x Hx).
Qed.

Lemma joint_positive m s : (forall x, In x xs -> 0 <= m x) -> (forall x, In x s -> In x xs) -> 0 <= joint m s.
Proof.
  intros H. induction s as [|x s IH]; simpl; intros S; [lra|]. apply Rmult_le_pos; [apply H, S; left; reflexivity|].
  apply IH. intros y Hy. apply S. right. exact Hy.
Qed.

Lemma pos_scale c x : 0 <= c -> pos (c * x) = c * pos x.
Proof. intros H. unfold pos. rewrite <- (Rmult_0_r c) at 1. apply RmaxRmult, H. Qed.

Lemma sum_mixture (l : list X) D u : sum l (fun x => q x * D (u * (p x / q x))) = mixture D (law l p q) u.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

(** The hockey-stick divergence of the n-fold product is the profile of the composed law. *)
Theorem hockey_stick_product n u : 0 <= u ->
  hockey_stick (sequences xs n) (joint p) (joint q) u = profile (power (law xs p q) n) u.
Proof.
  revert u. induction n as [|n IH]; intros u Hu.
  - simpl. unfold hockey_stick, hinge; simpl. rewrite Rmult_1_l. reflexivity.
  - cbn [power]. rewrite profile_compose_comm, profile_compose. unfold hockey_stick at 1. cbn [sequences].
    rewrite sum_flat_map. unfold law at 2.
    transitivity (sum xs (fun x => q x * profile (power (law xs p q) n) (u * (p x / q x)))).
    + apply sum_ext. intros x Hx. rewrite sum_map. destruct (positive x Hx) as [[Q|Q] P].
      * rewrite <- IH by (apply Rmult_le_pos; [exact Hu|]; unfold Rdiv; apply Rmult_le_pos; [exact P|left; apply Rinv_0_lt_compat, Q]).
        unfold hockey_stick. rewrite <- sum_scale. apply sum_ext. intros s _. rewrite <- pos_scale by lra. f_equal. cbn [joint]. field. lra.
      * rewrite <- Q, Rmult_0_l. transitivity (sum (sequences xs n) (fun _ => 0 * 0)); [|rewrite sum_scale; ring].
        apply sum_ext. intros s Hs. cbn [joint]. rewrite <- Q. unfold pos. rewrite Rmult_0_l, Rmult_0_r. apply Rmax_left.
        assert (0 <= u * (p x * joint p s)); [|lra]. apply Rmult_le_pos; [exact Hu|]. apply Rmult_le_pos; [exact P|].
        apply joint_positive; [intros y Hy; apply positive, Hy|]. apply (in_sequences n s Hs).
    + apply sum_mixture.
Qed.
End Products.

Lemma law_ok {X : Type} (xs : list X) p q : (forall x, In x xs -> 0 <= q x /\ 0 <= p x) -> ok (law xs p q).
Proof.
  intros M. unfold law, ok. apply Forall_forall. intros a Ha. apply in_map_iff in Ha. destruct Ha as [x [<- Hx]]. destruct (M x Hx) as [[Q|Q] P']; simpl.
  - split; [lra|]. apply Rmult_le_pos; [exact P'|left; apply Rinv_0_lt_compat, Q].
  - rewrite <- Q. split; [lra|]. unfold Rdiv. apply Rmult_le_pos; [exact P'|]. rewrite Rinv_0. lra.
Qed.

(** The same for two mechanisms that differ; by repetition for any number of them. *)
Theorem hockey_stick_pair {X Y : Type} (xs : list X) (ys : list Y) p q p' q' u :
  (forall x, In x xs -> 0 <= q x /\ 0 <= p x) -> (forall y, In y ys -> 0 <= q' y /\ 0 <= p' y) -> 0 <= u ->
  hockey_stick (list_prod xs ys) (fun s => p (fst s) * p' (snd s)) (fun s => q (fst s) * q' (snd s)) u = profile (compose (law xs p q) (law ys p' q')) u.
Proof.
  intros P P' Hu. rewrite profile_compose_comm, profile_compose.
  transitivity (sum xs (fun x => q x * profile (law ys p' q') (u * (p x / q x)))); [|apply sum_mixture].
  assert (F : list_prod xs ys = flat_map (fun x => map (fun y => (x, y)) ys) xs) by (clear; induction xs as [|x l IH]; simpl; [reflexivity|rewrite IH; reflexivity]).
  unfold hockey_stick at 1. rewrite F, sum_flat_map. apply sum_ext. intros x Hx. rewrite sum_map. simpl. destruct (P x Hx) as [[Q|Q] N].
  - assert (V : 0 <= u * (p x / q x)) by (apply Rmult_le_pos; [exact Hu|]; unfold Rdiv; apply Rmult_le_pos; [exact N|left; apply Rinv_0_lt_compat, Q]).
    rewrite profile_law by assumption.
    unfold hockey_stick. rewrite <- sum_scale. apply sum_ext. intros y _. rewrite <- pos_scale by lra. f_equal. field. lra.
  - rewrite <- Q, Rmult_0_l. transitivity (sum ys (fun _ => 0 * 0)); [|rewrite sum_scale; ring].
    apply sum_ext. intros y Hy. unfold pos. rewrite Rmult_0_l, Rmult_0_r. apply Rmax_left.
    assert (0 <= u * (p x * p' y)); [|lra]. apply Rmult_le_pos; [exact Hu|]. apply Rmult_le_pos; [exact N|]. apply P', Hy.
Qed.

(** ** Exchanging the two hypotheses *)
Theorem hockey_stick_swap {X : Type} (xs : list X) p q u : 0 < u -> sum xs p = 1 -> sum xs q = 1 ->
  hockey_stick xs q p u = 1 - u + u * hockey_stick xs p q (/ u).
Proof.
  intros Hu HP HQ. unfold hockey_stick. rewrite <- sum_scale.
  replace (1 - u) with (sum xs p - u * sum xs q) by (rewrite HP, HQ; ring).
  rewrite <- sum_scale, <- sum_minus, <- sum_plus. apply sum_ext. intros x _.
  rewrite <- pos_scale by lra. replace (u * (q x - / u * p x)) with (- (p x - u * q x)) by (field; lra).
  unfold pos. apply (Rmax_case_strong 0 (p x - u * q x)); intros C; [rewrite Rmax_right by lra|rewrite Rmax_left by lra]; lra.
Qed.

(** ** Post-processing by a kernel k x y, the chance to report y on outcome x: a test of reports is a test of outcomes *)
Theorem processing_lowers {X Y : Type} (xs : list X) (ys : list Y) p q (k : X -> Y -> R) u :
  (forall x y, In x xs -> In y ys -> 0 <= k x y) -> (forall x, In x xs -> sum ys (k x) = 1) ->
  hockey_stick ys (fun y => sum xs (fun x => p x * k x y)) (fun y => sum xs (fun x => q x * k x y)) u <= hockey_stick xs p q u.
Proof.
  intros K N. set (p' := fun y => sum xs (fun x => p x * k x y)). set (q' := fun y => sum xs (fun x => q x * k x y)).
  destruct (best_test_attains Y ys p' q' u) as [T E]. rewrite <- E. set (t := best_test p' q' u) in *.
  set (t' := fun x => sum ys (fun y => k x y * t y)).
  assert (T' : is_test xs t').
  { intros x Hx. split.
    - unfold t'. replace 0 with (sum ys (fun _ => 0 * 0)) by (rewrite sum_scale; ring). apply sum_le. intros y Hy.
      destruct (T y Hy). specialize (K x y Hx Hy). rewrite Rmult_0_l. apply Rmult_le_pos; assumption.
    - rewrite <- (N x Hx). apply sum_le. intros y Hy. destruct (T y Hy). specialize (K x y Hx Hy).
      rewrite <- (Rmult_1_r (k x y)) at 2. apply Rmult_le_compat_l; assumption. }
  assert (C : forall m s, chance ys (fun y => sum xs (fun x => m x * k x y)) s = chance xs m (fun x => sum ys (fun y => k x y * s y))).
  { intros m s. unfold chance. clear. induction xs as [|x l IH]; simpl.
    - transitivity (sum ys (fun _ => 0 * 0)); [apply sum_ext; intros; ring|rewrite sum_scale; ring].
    - rewrite <- IH, <- sum_scale, <- sum_plus. apply sum_ext. intros; ring. }
  unfold p', q'. rewrite !C. apply (tests_are_below X xs p q t'), T'.
Qed.

(** ** The trade-off curve of a pair: the least type-II error at each type-I error *)
Definition is_curve {X : Type} (xs : list X) (p q : X -> R) (f : R -> R) := forall a, 0 <= a <= 1 ->
  (forall t, is_test xs t -> chance xs p t <= a -> f a <= 1 - chance xs q t) /\
  (forall b, (forall t, is_test xs t -> chance xs p t <= a -> b <= 1 - chance xs q t) -> b <= f a).

Theorem curve_above_line {X : Type} (xs : list X) p q f u d a : is_curve xs p q f -> dp xs p q u d -> 0 <= u -> 0 <= a <= 1 -> 1 - d - u * a <= f a.
Proof.
  intros C D Hu Ha. destruct (C a Ha) as [_ B]. apply B. intros t T H. specialize (D t T).
  assert (u * chance xs p t <= u * a) by (apply Rmult_le_compat_l; assumption). lra.
Qed.

(** ** Sampling: at rate r in [0, 1] the record is used, otherwise the outcome is that without it *)
Definition sampled {X : Type} (r : R) (p q : X -> R) (x : X) : R := (1 - r) * p x + r * q x.

Lemma hockey_stick_at_least {X : Type} (xs : list X) p q u : sum xs p = 1 -> sum xs q = 1 -> pos (1 - u) <= hockey_stick xs p q u.
Proof.
  intros HP HQ. unfold pos. apply Rmax_lub.
  - unfold hockey_stick. replace 0 with (sum xs (fun _ : X => 0 * 0)) by (rewrite sum_scale; ring). apply sum_le. intros x _. rewrite Rmult_0_l. apply Rmax_l.
  - replace (1 - u) with (sum xs (fun x => q x - u * p x)) by (rewrite sum_minus, sum_scale, HP, HQ; ring). apply sum_le. intros x _. apply Rmax_r.
Qed.

Theorem sampling_lowers {X : Type} (xs : list X) p q r u : sum xs p = 1 -> sum xs q = 1 -> (forall x, In x xs -> 0 <= p x) -> 0 <= r <= 1 ->
  hockey_stick xs p (sampled r p q) u <= hockey_stick xs p q u.
Proof.
  intros HP HQ P Hr.
  assert (A : hockey_stick xs p (sampled r p q) u <= (1 - r) * pos (1 - u) + r * hockey_stick xs p q u).
  { replace ((1 - r) * pos (1 - u)) with ((1 - r) * (pos (1 - u) * sum xs p)) by (rewrite HP; ring). unfold hockey_stick.
    rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros x Hx. specialize (P x Hx).
    replace (pos (1 - u) * p x) with (pos (p x * (1 - u))) by (rewrite pos_scale by exact P; ring).
    rewrite <- (pos_scale (1 - r)), <- (pos_scale r) by lra. unfold sampled, pos.
    pose proof (Rmax_l 0 ((1 - r) * (p x * (1 - u)))); pose proof (Rmax_r 0 ((1 - r) * (p x * (1 - u)))).
    pose proof (Rmax_l 0 (r * (q x - u * p x))); pose proof (Rmax_r 0 (r * (q x - u * p x))). apply Rmax_lub; lra. }
  pose proof (hockey_stick_at_least xs p q u HP HQ). assert ((1 - r) * pos (1 - u) <= (1 - r) * hockey_stick xs p q u) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** so a smaller rate is lower than a larger one *)
Lemma sampled_twice {X : Type} s r (p q : X -> R) x : sampled s p (sampled r p q) x = sampled (s * r) p q x.
Proof. unfold sampled. ring. Qed.

Theorem sampling_less {X : Type} (xs : list X) p q r' r u : sum xs p = 1 -> sum xs q = 1 -> (forall x, In x xs -> 0 <= p x) -> 0 <= r' <= r -> r <= 1 ->
  hockey_stick xs p (sampled r' p q) u <= hockey_stick xs p (sampled r p q) u.
Proof.
  intros HP HQ P Hr Hr1. destruct (Req_dec r 0) as [Z|Z]; [replace r' with r by lra; lra|].
  assert (S : sum xs (sampled r p q) = 1) by (unfold sampled; rewrite sum_plus, !sum_scale, HP, HQ; ring).
  assert (L : 0 <= r' / r <= 1).
  { split; [unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]. apply Rmult_le_reg_r with r; [lra|].
    replace (r' / r * r) with r' by (field; lra). lra. }
  apply Rle_trans with (hockey_stick xs p (sampled (r' / r) p (sampled r p q)) u); [|apply sampling_lowers; auto].
  right. apply sum_ext. intros x _. rewrite sampled_twice. replace (r' / r * r) with r' by (field; lra). reflexivity.
Qed.

(** also after composition, whatever the number of steps *)
Theorem sampling_lowers_product {X : Type} (xs : list X) p q r n u : sum xs p = 1 -> sum xs q = 1 ->
  (forall x, In x xs -> 0 <= q x /\ 0 <= p x) -> 0 <= r <= 1 -> 0 <= u ->
  hockey_stick (sequences xs n) (joint p) (joint (sampled r p q)) u <= hockey_stick (sequences xs n) (joint p) (joint q) u.
Proof.
  intros HP HQ P Hr Hu.
  assert (S : forall x, In x xs -> 0 <= sampled r p q x /\ 0 <= p x).
  { intros x Hx. destruct (P x Hx). split; [|assumption]. unfold sampled. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  assert (O : forall m : X -> R, (forall x, In x xs -> 0 <= m x /\ 0 <= p x) -> ok (law xs p m)).
  { intros m M. unfold law, ok. apply Forall_forall. intros a Ha. apply in_map_iff in Ha. destruct Ha as [x [<- Hx]]. destruct (M x Hx) as [[Q|Q] P']; simpl.
    - split; [lra|]. apply Rmult_le_pos; [exact P'|left; apply Rinv_0_lt_compat, Q].
    - rewrite <- Q. split; [lra|]. unfold Rdiv. apply Rmult_le_pos; [exact P'|]. rewrite Rinv_0. lra. }
  rewrite !hockey_stick_product by assumption. apply power_le; auto.
  intros v Hv. rewrite !profile_law by assumption. apply sampling_lowers; auto. intros x Hx. apply P, Hx.
Qed.

Theorem sampling_less_product {X : Type} (xs : list X) p q r' r n u : sum xs p = 1 -> sum xs q = 1 ->
  (forall x, In x xs -> 0 <= q x /\ 0 <= p x) -> 0 <= r' <= r -> r <= 1 -> 0 <= u ->
  hockey_stick (sequences xs n) (joint p) (joint (sampled r' p q)) u <= hockey_stick (sequences xs n) (joint p) (joint (sampled r p q)) u.
Proof.
  intros HP HQ P Hr Hr1 Hu.
  assert (S : forall t, 0 <= t <= 1 -> forall x, In x xs -> 0 <= sampled t p q x /\ 0 <= p x).
  { intros t Ht x Hx. destruct (P x Hx). split; [|assumption]. unfold sampled. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  rewrite !hockey_stick_product by (auto; apply S; lra). apply power_le; auto; try (apply law_ok, S; lra).
  intros v Hv. rewrite !profile_law by (auto; apply S; lra). apply sampling_less; auto. intros x Hx. apply P, Hx.
Qed.
