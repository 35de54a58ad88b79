(** * The two extreme mechanisms, and the advantage

fPP a = 1 - a (perfect privacy) and fBNP a = 0 (blatant non-privacy). Kaissis et al. 2024, Lemmas 2 to 5, Gomez et al. 2025,
Proposition 4.1. Lemma 5 as printed needs a hypothesis: a counterexample is below. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Inverse.
Open Scope R_scope.

(** ** The two extreme mechanisms *)
Definition ext (b : R -> R) (x : R) : R :=
  if Rlt_dec x 0 then 1 else if Rlt_dec 1 x then 0 else b x.
Definition fPP := ext (fun a => 1 - a).
Definition fBNP := ext (fun _ => 0).

Lemma ext_in b x : 0 <= x <= 1 -> ext b x = b x.
Proof. intros H. unfold ext. destruct (Rlt_dec x 0); destruct (Rlt_dec 1 x); lra. Qed.

Lemma tradeoff_ext b : (forall x, 0 <= x <= 1 -> 0 <= b x <= 1 - x) ->
  (forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 -> b (t*x+(1-t)*y) <= t * b x + (1-t) * b y) ->
  (forall e, 0 < e -> exists d, 0 < d /\ forall y, 0 <= y < d -> y <= 1 -> b 0 - e <= b y) ->
  tradeoff (ext b).
Proof.
  intros H C K. constructor.
  - intros x Hx. unfold ext. destruct (Rlt_dec x 0); lra.
  - intros x Hx. unfold ext. destruct (Rlt_dec x 0); destruct (Rlt_dec 1 x); lra.
  - intros x Hx. rewrite ext_in by auto. apply H; auto.
  - intros x Hx. rewrite ext_in by auto. apply H; auto.
  - intros x y t Hx Hy Ht. rewrite !ext_in; auto. nra.
  - intros e He. destruct (K e He) as [d [Hd L]]. exists (Rmin d 1). split; [apply Rmin_pos; lra|].
    intros y Hy. pose proof (Rmin_l d 1); pose proof (Rmin_r d 1). rewrite !ext_in by lra. apply L; lra.
Qed.

Lemma tradeoff_fPP : tradeoff fPP.
Proof.
  apply tradeoff_ext; intros; try lra. exists e. split; [assumption|]. intros; lra.
Qed.
Lemma tradeoff_fBNP : tradeoff fBNP.
Proof. apply tradeoff_ext; intros; try lra. exists 1. split; [lra|]. intros; lra. Qed.

(** ** The advantage *)
Definition advantage (f : R -> R) := - inf01 (fun a => - (1 - a - f a)).   (* = max_a (1-a-f a) *)

Lemma advantage_spec f : tradeoff f ->
  (forall a, 0 <= a <= 1 -> 1 - a - f a <= advantage f) /\
  (forall b, (forall a, 0 <= a <= 1 -> 1 - a - f a <= b) -> advantage f <= b).
Proof.
  intros Hf. unfold advantage.
  destruct (inf01_spec (fun a => - (1 - a - f a)) (-1)) as [A B].
  { intros a Ha. pose proof (to_range f Hf a). lra. }
  split; [intros a Ha; specialize (A a Ha); simpl in A; lra|].
  intros b Hb. assert (- b <= inf01 (fun a => - (1 - a - f a))); [|lra].
  apply B. intros a Ha. specialize (Hb a Ha). lra.
Qed.

Lemma advantage_dom f g k : tradeoff f -> tradeoff g -> dom f g k -> advantage g <= advantage f + 2 * k.
Proof.
  intros Hf Hg [Hk H]. apply (advantage_spec g Hg). intros a Ha. specialize (H a).
  pose proof (to_range f Hf (a + k)) as Rf.
  destruct (Rle_dec (a + k) 1) as [h|h].
  - pose proof (proj1 (advantage_spec f Hf) (a + k) ltac:(lra)). lra.
  - pose proof (proj1 (advantage_spec f Hf) 1 ltac:(lra)) as A. rewrite (to_r1 f Hf 1) in A by lra.
    pose proof (to_range g Hg a). lra.
Qed.

Theorem advantage_bound f g : tradeoff f -> tradeoff g -> Rabs (advantage f - advantage g) <= 2 * DeltaS f g.
Proof.
  intros Hf Hg. unfold DeltaS.
  pose proof (advantage_dom f g _ Hf Hg (Delta_att f g Hf Hg)).
  pose proof (advantage_dom g f _ Hg Hf (Delta_att g f Hg Hf)).
  pose proof (Rmax_l (Delta f g) (Delta g f)); pose proof (Rmax_r (Delta f g) (Delta g f)).
  apply Rabs_le. lra.
Qed.

(** ** Lemmas 2 to 5 *)
Theorem lemma_3 f : tradeoff f -> Delta fPP f = advantage f / 2.
Proof.
  intros Hf. pose proof tradeoff_fPP as HP. apply Rle_antisym.
  - assert (0 <= advantage f) as A0.
    { pose proof (proj1 (advantage_spec f Hf) 1 ltac:(lra)) as A. rewrite (to_r1 f Hf 1) in A; lra. }
    apply Delta_le_iff; auto. apply dom_iff01; auto; [lra|]. intros a Ha.
    pose proof (proj1 (advantage_spec f Hf) a Ha). pose proof (to_range f Hf a).
    destruct (Rle_dec (a + advantage f / 2) 1).
    + unfold fPP. rewrite ext_in by lra. lra.
    + rewrite (to_r1 fPP HP) by lra. lra.
  - assert (advantage f <= 2 * Delta fPP f); [|lra]. apply (advantage_spec f Hf). intros a Ha.
    destruct (Delta_att fPP f HP Hf) as [D0 H]. specialize (H a). set (D := Delta fPP f) in *.
    pose proof (to_range f Hf a).
    destruct (Rle_dec (a + D) 1).
    + unfold fPP in H. rewrite ext_in in H by lra. lra.
    + rewrite (to_r1 fPP HP) in H by lra. lra.
Qed.

(** Delta(f, BNP) is the fixed point of f: no symmetry needed. *)
Theorem lemma_4 f a : tradeoff f -> 0 <= a <= 1 -> f a = a -> Delta f fBNP = a.
Proof.
  intros Hf Ha E. pose proof tradeoff_fBNP as HB. apply Rle_antisym.
  - apply Delta_le_iff; auto. apply dom_iff01; auto; [lra|]. intros x Hx. unfold fBNP. rewrite ext_in by lra.
    pose proof (to_mono f Hf a (x + a) ltac:(lra)). lra.
  - destruct (Delta_att f fBNP Hf HB) as [D0 H]. specialize (H 0). unfold fBNP in H at 3.
    rewrite ext_in in H by lra. set (D := Delta f fBNP) in *. rewrite Rplus_0_l in H.
    destruct (Rle_dec a D) as [h|h]; [exact h|]. exfalso.
    pose proof (to_mono f Hf D a ltac:(lra)). lra.
Qed.

(** existence and uniqueness of the fixed point *)
Lemma fixpoint_unique f a b : tradeoff f -> f a = a -> f b = b -> a = b.
Proof.
  intros Hf A B. destruct (Rtotal_order a b) as [h|[h|h]]; auto; exfalso.
  - pose proof (to_mono f Hf a b ltac:(lra)). lra.
  - pose proof (to_mono f Hf b a ltac:(lra)). lra.
Qed.

Lemma advantage_symm f a : tradeoff f -> symm f -> 0 <= a <= 1 -> f a = a -> advantage f = 1 - 2 * a.
Proof.
  intros Hf S Ha E. apply Rle_antisym.
  - apply (advantage_spec f Hf). intros x Hx. pose proof (to_range f Hf x) as Rx. set (y := f x) in *.
    assert (f y <= x) by (apply S; auto; unfold y; lra).
    pose proof (to_cvx f Hf x y (/2) Hx Rx ltac:(lra)) as C.
    set (m := / 2 * x + (1 - / 2) * y) in *.
    assert (f m <= m) by (fold y in C; unfold m in *; lra).
    destruct (Rle_dec a m); [unfold m in *; lra|].
    pose proof (to_mono f Hf m a ltac:(lra)). lra.
  - pose proof (proj1 (advantage_spec f Hf) a Ha). lra.
Qed.

Theorem lemma_5 f a : tradeoff f -> symm f -> 0 <= a <= 1 -> f a = a -> Delta fPP f + Delta f fBNP = 1 / 2.
Proof. intros Hf S Ha E. rewrite lemma_3, (lemma_4 f a), (advantage_symm f a) by auto. lra. Qed.

(** without symmetry only >= survives *)
Theorem lemma_5_at_least f a : tradeoff f -> 0 <= a <= 1 -> f a = a -> 1 / 2 <= Delta fPP f + Delta f fBNP.
Proof.
  intros Hf Ha E. rewrite lemma_3, (lemma_4 f a) by auto.
  pose proof (proj1 (advantage_spec f Hf) a Ha). lra.
Qed.

(** counterexample f(a) = max(0, 1 - 2a): the sum is 7/12 *)
Definition f_steep := ext (fun a => Rmax 0 (1 - 2 * a)).
Lemma tradeoff_f_steep : tradeoff f_steep.
Proof.
  apply tradeoff_ext.
  - intros x Hx. split; [apply Rmax_l|]. apply Rmax_lub; lra.
  - intros x y t Hx Hy Ht. pose proof (Rmax_l 0 (1-2*x)); pose proof (Rmax_r 0 (1-2*x)).
    pose proof (Rmax_l 0 (1-2*y)); pose proof (Rmax_r 0 (1-2*y)). apply Rmax_lub; nra.
  - intros e He. exists (e/2). split; [lra|]. intros y Hy _. rewrite (Rmax_right 0 (1-2*0)) by lra.
    pose proof (Rmax_r 0 (1-2*y)). lra.
Qed.
Theorem lemma_5_fails_without_symmetry : Delta fPP f_steep + Delta f_steep fBNP = 7 / 12.
Proof.
  rewrite lemma_3 by apply tradeoff_f_steep. rewrite (lemma_4 f_steep (1/3) tradeoff_f_steep).
  - assert (advantage f_steep = 1/2); [|lra]. apply Rle_antisym.
    + apply (advantage_spec f_steep tradeoff_f_steep). intros a Ha. unfold f_steep. rewrite ext_in by lra.
      pose proof (Rmax_l 0 (1-2*a)); pose proof (Rmax_r 0 (1-2*a)). lra.
    + pose proof (proj1 (advantage_spec f_steep tradeoff_f_steep) (1/2) ltac:(lra)) as A. unfold f_steep in A at 1.
      rewrite ext_in in A by lra. rewrite Rmax_left in A by lra. lra.
  - lra.
  - unfold f_steep. rewrite ext_in by lra. rewrite Rmax_right by lra. lra.
Qed.

(** the fixed point exists, and is Delta f fBNP *)
Theorem fixpoint_exists f : tradeoff f -> f (Delta f fBNP) = Delta f fBNP.
Proof.
  intros Hf. pose proof tradeoff_fBNP as HB. set (D := Delta f fBNP).
  pose proof (Delta_ge0 f fBNP Hf HB) as D0. pose proof (Delta_le1 f fBNP Hf HB) as D1. fold D in D0, D1.
  assert (Z : fBNP 0 = 0) by (unfold fBNP; apply ext_in; lra).
  assert (U : f D <= D).
  { destruct (Delta_att f fBNP Hf HB) as [_ H]. fold D in H. specialize (H 0).
    rewrite Rplus_0_l in H. lra. }
  destruct (Rle_lt_or_eq_dec _ _ U) as [L|L]; [exfalso|exact L].
  pose proof (to_range f Hf D). pose proof (to_range f Hf 0).
  (* at k = (1-t) D with t small, f k <= t + (1-t) f D <= (1-t) D *)
  set (t := (D - f D) / 2). assert (Ht : 0 < t <= 1/2) by (unfold t; lra).
  pose proof (to_cvx f Hf 0 D t ltac:(lra) ltac:(lra) ltac:(lra)) as C.
  set (k := t * 0 + (1 - t) * D) in *.
  assert (Hk : f k <= k) by (unfold k at 2; assert (t * f 0 <= t) by nra; assert (t * (D - f D) <= t * 1) by (apply Rmult_le_compat_l; lra); assert (D - f D = 2 * t) by (unfold t; field); nra).
  assert (0 <= k) by (unfold k; nra).
  assert (Delta f fBNP <= k).
  { apply Delta_le_iff; auto. apply dom_iff01; auto. intros x Hx. unfold fBNP. rewrite ext_in by lra.
    pose proof (to_mono f Hf k (x + k) ltac:(lra)). lra. }
  fold D in H2. unfold k in H2. nra.
Qed.

(** Lemma 2: every mechanism is between the two *)
Theorem lemma_2 f : tradeoff f -> (forall a, 0 <= a <= 1 -> f a <= fPP a) /\ (forall a, 0 <= a <= 1 -> fBNP a <= f a).
Proof.
  intros Hf. split; intros a Ha; unfold fPP, fBNP; rewrite ext_in by exact Ha; [apply (to_ub f Hf a Ha)|apply (to_nn f Hf a Ha)].
Qed.

(** The advantage is delta at eps = 0, and 1 - 2 R(1/2). *)
Theorem advantage_is_delta_0 f : tradeoff f -> advantage f = delta f 0.
Proof.
  intros Hf. apply Rle_antisym.
  - apply (advantage_spec f Hf). intros a Ha. pose proof (proj1 (delta_iff_lines f 0 (delta f 0) Hf) ltac:(lra) a Ha). rewrite exp_0 in H. lra.
  - apply (delta_iff_lines f 0 _ Hf). intros a Ha. rewrite exp_0. pose proof (proj1 (advantage_spec f Hf) a Ha). lra.
Qed.
Theorem advantage_is_bayes_half f : tradeoff f -> advantage f = 1 - 2 * bayes f (1 / 2).
Proof.
  intros Hf. rewrite advantage_is_delta_0, delta_bayes, exp_0 by exact Hf. replace (1 / (1 + 1)) with (1 / 2) by lra. lra.
Qed.

(** Lemma 4 in full: the divergence to blatant non-privacy is the fixed point of f and the largest Bayes error. *)
Lemma bayes_fBNP p : 0 <= p <= 1 -> bayes fBNP p = 0.
Proof.
  intros Hp. destruct (bayes_spec fBNP p tradeoff_fBNP Hp) as [A B]. apply Rle_antisym.
  - specialize (A 0 ltac:(lra)). unfold fBNP in A at 2. rewrite ext_in in A by lra. lra.
  - apply (bayes_at_most fBNP p tradeoff_fBNP Hp).
Qed.
Theorem lemma_4_minimax f : tradeoff f -> exists p, 0 <= p <= 1 /\ Delta f fBNP = bayes f p /\ forall r, 0 <= r <= 1 -> bayes f r <= bayes f p.
Proof.
  intros Hf. destruct (corollary_1_attained f fBNP Hf tradeoff_fBNP) as [p [Hp E]]. exists p.
  rewrite (bayes_fBNP p Hp) in E. split; [exact Hp|]. split; [lra|]. intros r Hr.
  destruct (corollary_1 f fBNP Hf tradeoff_fBNP) as [U _]. specialize (U (bayes f r - bayes fBNP r) ltac:(exists r; auto)).
  rewrite (bayes_fBNP r Hr) in U. lra.
Qed.

(** Lemma 5 holds exactly when -1 is a subgradient of f at its fixed point. *)
Theorem lemma_5_iff f a : tradeoff f -> 0 <= a <= 1 -> f a = a ->
  (Delta fPP f + Delta f fBNP = 1 / 2 <-> forall x, 0 <= x <= 1 -> a - (x - a) <= f x).
Proof.
  intros Hf Ha E. rewrite lemma_3, (lemma_4 f a) by auto. split.
  - intros H x Hx. pose proof (proj1 (advantage_spec f Hf) x Hx). lra.
  - intros H. assert (advantage f = 1 - 2 * a); [|lra]. apply Rle_antisym.
    + apply (advantage_spec f Hf). intros x Hx. specialize (H x Hx). lra.
    + pose proof (proj1 (advantage_spec f Hf) a Ha). lra.
Qed.
