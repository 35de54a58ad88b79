(** * The normal law, from its density alone

tail t = P(X > t) for X standard normal: the mass of exp (- s^2 / 2) above t over the total mass, whatever that is. Symmetric, strictly falling, continuous,
between 0 and 1, and every level strictly between is reached. Phi t is 1 - tail t. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import GaussianTail.
Open Scope R_scope.

Lemma mass_above_split x y : x <= y -> mass_above x = RInt phi x y + mass_above y.
Proof.
  intros H. destruct (mass_above_spec x) as [A B]. destruct (mass_above_spec y) as [C D].
  assert (E : forall b, RInt phi x b = RInt phi x y + RInt phi y b).
  { intros b. symmetry. apply (RInt_Chasles phi x y b); apply ex_phi. }
  apply Rle_antisym.
  - apply B. intros b Hb. rewrite E. destruct (Rle_dec y b) as [h|h].
    + specialize (C b h). lra.
    + rewrite <- (opp_RInt_swap phi b y) by apply ex_phi. unfold opp; simpl.
      assert (0 <= RInt phi b y). { apply RInt_ge_0; [lra|apply ex_phi|intros; left; apply phi_pos]. }
      pose proof (mass_above_pos y). lra.
  - assert (mass_above y <= mass_above x - RInt phi x y); [|lra]. apply D. intros b Hb. specialize (A b ltac:(lra)). rewrite E in A. lra.
Qed.

Lemma RInt_phi_pos x y : x < y -> 0 < RInt phi x y.
Proof. intros H. apply RInt_gt_0; [exact H|intros; apply phi_pos|intros; apply phi_cont]. Qed.

Lemma phi_at_most_1 s : phi s <= 1.
Proof.
  unfold phi. rewrite <- exp_0. assert (K : - (s * s) / 2 <= 0) by (pose proof (Rle_0_sqr s); unfold Rsqr in *; lra).
  destruct K as [K|K]; [left; apply exp_increasing, K|right; rewrite K; reflexivity].
Qed.
Lemma RInt_phi_short x y : x <= y -> RInt phi x y <= y - x.
Proof.
  intros H. replace (y - x) with (RInt (fun _ => 1) x y) by (rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; ring).
  apply RInt_le; [exact H|apply ex_phi|apply ex_RInt_const|intros; apply phi_at_most_1].
Qed.

Lemma mass_above_falls x y : x < y -> mass_above y < mass_above x.
Proof. intros H. rewrite (mass_above_split x y) by lra. pose proof (RInt_phi_pos x y H). lra. Qed.

(** ** The total mass *)
Definition total := 2 * mass_above 0.
Lemma total_pos : 0 < total.
Proof. unfold total. pose proof (mass_above_pos 0). lra. Qed.
Lemma total_at_least_1 : 1 <= total.
Proof.
  pose proof (mass_above_lower 0 1 ltac:(lra) ltac:(lra)) as H. rewrite Rplus_0_l, Rmult_1_l in H. unfold total.
  assert (1 / 2 <= phi 1); [|lra]. unfold phi. replace (- (1 * 1) / 2) with (- (1 / 2)) by field.
  pose proof (exp_ineq1_le (- (1 / 2))). lra.
Qed.

Lemma phi_even s : phi (- s) = phi s.
Proof. unfold phi. f_equal. field. Qed.
Lemma mass_above_opp t : mass_above (- t) = total - mass_above t.
Proof.
  assert (K : forall x, 0 <= x -> RInt phi (- x) 0 = RInt phi 0 x).
  { intros x Hx. pose proof (RInt_comp_lin phi (-1) 0 0 x (ex_phi _ _)) as E.
    replace (-1 * 0 + 0) with 0 in E by ring. replace (-1 * x + 0) with (- x) in E by ring.
    rewrite (RInt_ext _ (fun y => scal (-1) (phi y))) in E.
    2:{ intros y _. replace (-1 * y + 0) with (- y) by ring. rewrite phi_even. reflexivity. }
    rewrite (RInt_scal (V := R_CompleteNormedModule)) in E by apply ex_phi.
    pose proof (opp_RInt_swap phi (- x) 0 (ex_phi _ _)) as S. unfold opp in S; simpl in S. unfold scal in E; simpl in E; unfold mult in E; simpl in E. lra. }
  unfold total. destruct (Rle_dec 0 t) as [h|h].
  - rewrite (mass_above_split (- t) 0), (mass_above_split 0 t), (K t) by lra. lra.
  - pose proof (mass_above_split 0 (- t) ltac:(lra)). pose proof (mass_above_split t 0 ltac:(lra)).
    pose proof (K (- t) ltac:(lra)) as E. rewrite Ropp_involutive in E. lra.
Qed.

(** ** The tail *)
Definition tail (t : R) := mass_above t / total.
Definition Phi (t : R) := 1 - tail t.
Lemma tail_opp t : tail (- t) = 1 - tail t.
Proof. unfold tail. rewrite mass_above_opp. pose proof total_pos. field. lra. Qed.
Lemma tail_pos t : 0 < tail t.
Proof. unfold tail. apply Rdiv_lt_0_compat; [apply mass_above_pos|apply total_pos]. Qed.
Lemma tail_lt_1 t : tail t < 1.
Proof. pose proof (tail_pos (- t)). rewrite tail_opp in H. lra. Qed.
Lemma tail_0 : tail 0 = 1 / 2.
Proof. pose proof (tail_opp 0). rewrite Ropp_0 in H. lra. Qed.
Lemma tail_falls x y : x < y -> tail y < tail x.
Proof. intros H. unfold tail. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, total_pos|apply mass_above_falls, H]. Qed.
Lemma tail_falls_weakly x y : x <= y -> tail y <= tail x.
Proof. intros [H|<-]; [left; apply tail_falls, H|lra]. Qed.
Lemma tail_le_iff x y : tail x <= tail y <-> y <= x.
Proof.
  split; intros H; [|apply tail_falls_weakly, H]. apply Rnot_lt_le. intros C. pose proof (tail_falls x y C). lra.
Qed.

Lemma tail_lipschitz x y : Rabs (tail x - tail y) <= Rabs (x - y).
Proof.
  assert (K : forall a b, a <= b -> tail a - tail b <= b - a).
  { intros a b H. unfold tail. rewrite (mass_above_split a b H). pose proof total_at_least_1 as T. pose proof (RInt_phi_short a b H) as S.
    assert (0 <= RInt phi a b) by (apply RInt_ge_0; [exact H|apply ex_phi|intros; left; apply phi_pos]).
    replace ((RInt phi a b + mass_above b) / total - mass_above b / total) with (RInt phi a b / total) by (field; lra).
    apply Rcomplements.Rle_div_l; [lra|]. assert ((b - a) * 1 <= (b - a) * total) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (Rle_dec x y) as [h|h].
  - specialize (K x y h). pose proof (tail_falls_weakly x y h). rewrite (Rabs_pos_eq (tail x - tail y)), (Rabs_left1 (x - y)) by lra. lra.
  - specialize (K y x ltac:(lra)). pose proof (tail_falls_weakly y x ltac:(lra)).
    rewrite (Rabs_left1 (tail x - tail y)), (Rabs_pos_eq (x - y)) by lra. lra.
Qed.

Lemma tail_small e : 0 < e -> exists t, forall s, t <= s -> tail s < e.
Proof.
  intros He. exists (1 / 2 - ln (e / 2)). intros s Hs. unfold tail.
  assert (M : mass_above s <= exp (1 / 2 - s)) by (apply mass_above_spec; intros; apply RInt_bound; assumption).
  assert (X : exp (1 / 2 - s) <= e / 2).
  { rewrite <- (exp_ln (e / 2)) by lra. destruct (Rle_lt_or_eq_dec (1 / 2 - s) (ln (e / 2)) ltac:(lra)) as [h|h]; [left; apply exp_increasing, h|rewrite h; lra]. }
  pose proof total_at_least_1. apply Rcomplements.Rlt_div_l; [lra|]. assert (e * 1 <= e * total) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma tail_large e : 0 < e -> exists t, forall s, s <= t -> 1 - e < tail s.
Proof.
  intros He. destruct (tail_small e He) as [t H]. exists (- t). intros s Hs. specialize (H (- s) ltac:(lra)). rewrite tail_opp in H. lra.
Qed.

(** every level strictly between 0 and 1 is a tail *)
Theorem tail_onto a : 0 < a < 1 -> exists t, tail t = a.
Proof.
  intros Ha. destruct (tail_small a ltac:(lra)) as [hi H]. destruct (tail_large (1 - a) ltac:(lra)) as [lo L].
  specialize (H hi ltac:(lra)). specialize (L lo ltac:(lra)). assert (lh : lo < hi).
  { apply Rnot_le_lt. intros C. pose proof (tail_falls_weakly hi lo C). lra. }
  destruct (IVT (fun t => a - tail t) lo hi) as [t [_ E]]; [|exact lh|lra|lra|exists t; lra].
  intros x. unfold continuity_pt, continue_in, limit1_in, limit_in. simpl. intros e He. exists e. split; [exact He|].
  intros y [_ Hy]. unfold R_dist in *. pose proof (tail_lipschitz x y). rewrite (Rabs_minus_sym x y) in H0.
  replace (a - tail y - (a - tail x)) with (tail x - tail y) by ring. lra.
Qed.
