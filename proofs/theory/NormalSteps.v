(** * Many steps, and many dimensions, of mixtures of shifted normal laws

A step draws from P (without the record) or Q (with it): mixtures on the line with the same weights, whose shifts differ by at most M. Which mixtures they are may depend on what was drawn
before. Then no test of all n draws is better than for one Gaussian pair at distance sqrt (M_1^2 + ... + M_n^2): steps_below. A chance is an iterated integral; a test is a function of all
draws into [0, 1] whose chances, from each step on, are continuous in the draw of that step.
- Steps as the coordinates of a vector: N(v) in n dimensions is to N(0) as N(|v|) on the line, so the threshold lemma is about mixtures of N(v_i), with the norms (vector_threshold_lemma).
- n steps under Poisson sampling are 2 sqrt n r-GDP with one record replaced (replace_steps), and sqrt n mu-GDP with one added or removed (sampled_steps). *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Tradeoff Divergence Extremes GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum Threshold ShiftedNormals ReplaceOne.
Import ListNotations.
Open Scope R_scope.

(** ** The profile of a Gaussian pair at distance m, also at 0 *)
Definition distance_profile (m u : R) := threshold_profile tail [(1, 0)] [(1, m)] u.
Lemma one_ok s : weights_ok [(1, s)].
Proof. apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]. Qed.
Lemma distance_spec m u : 0 <= u -> (forall t, tail (t - m) - u * tail t <= distance_profile m u) /\
  (forall D, (forall t, tail (t - m) - u * tail t <= D) -> distance_profile m u <= D) /\ 0 <= distance_profile m u /\ 1 - u <= distance_profile m u.
Proof.
  intros Hu. destruct (threshold_profile_spec tail normal_noise _ _ u (one_ok 0) (one_ok m) Hu) as [U L].
  destruct (threshold_profile_ends tail normal_noise _ _ u (one_ok 0) (one_ok m) Hu) as [Z1 Z2]. simpl in Z2.
  assert (V : forall t, Threshold.advantage tail [(1, 0)] [(1, m)] u t = tail (t - m) - u * tail t) by (intros t; unfold Threshold.advantage; simpl; rewrite Rminus_0_r; ring).
  unfold distance_profile. repeat split; [intros t; rewrite <- V; apply U|intros D H; apply L; intros t; rewrite V; apply H|exact Z1|lra].
Qed.
Lemma distance_at_most_1 m u : 0 <= u -> distance_profile m u <= 1.
Proof. intros Hu. apply distance_spec; [exact Hu|]. intros t. pose proof (tail_range t). pose proof (tail_range (t - m)). assert (0 <= u * tail t) by (apply Rmult_le_pos; lra). lra. Qed.
Lemma distance_grows m m' u : 0 <= u -> m <= m' -> distance_profile m u <= distance_profile m' u.
Proof.
  intros Hu H. apply distance_spec; [exact Hu|]. intros t. eapply Rle_trans; [|apply (proj1 (distance_spec m' u Hu) t)].
  pose proof (tail_falls_weakly (t - m') (t - m) ltac:(lra)). lra.
Qed.
Lemma distance_0 u : 0 <= u -> distance_profile 0 u = pos (1 - u).
Proof.
  intros Hu. destruct (distance_spec 0 u Hu) as (_ & L & Z1 & Z2). apply Rle_antisym; [|apply Rmax_lub; assumption]. apply L. intros t. rewrite Rminus_0_r. pose proof (tail_range t).
  unfold pos. destruct (Rle_dec u 1) as [h|h].
  - assert ((1 - u) * tail t <= (1 - u) * 1) by (apply Rmult_le_compat_l; lra). pose proof (Rmax_r 0 (1 - u)). lra.
  - assert (0 <= (u - 1) * tail t) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 (1 - u)). lra.
Qed.
Lemma distance_gaussian m u : 0 < m -> 0 < u -> distance_profile m u = gaussian_profile m u.
Proof.
  intros Hm Hu. destruct (distance_spec m u ltac:(lra)) as (U & L & _). unfold gaussian_profile. set (t := ln u / m + m / 2).
  assert (R : ratio m t = u) by (unfold ratio; replace (m * t - m * m / 2) with (ln u) by (unfold t; field; lra); apply exp_ln, Hu).
  replace (ln u / m - m / 2) with (t - m) by (unfold t; field; lra). apply Rle_antisym; [|apply U].
  apply L. intros s. pose proof (lines_are_below m t s ltac:(lra)) as K. unfold line in K. rewrite R in K. lra.
Qed.

(** ** One more step: at the likelihood ratio w of its draw, what follows has distance m *)
Definition next (m mu u x : R) := ratio mu x * distance_profile m (u / ratio mu x).
Section Next.
Variables m mu u : R.
Hypothesis Hm : 0 <= m.
Hypothesis Hu : 0 < u.

Lemma scaled_pos x : 0 < u / ratio mu x.
Proof. apply Rdiv_lt_0_compat; [exact Hu|apply ratio_pos]. Qed.
Lemma next_nonneg x : 0 <= next m mu u x.
Proof. apply Rmult_le_pos; [left; apply ratio_pos|]. apply distance_spec. left. apply scaled_pos. Qed.
Lemma next_0 x : m = 0 -> next m mu u x = pos (1 * ratio mu x - u).
Proof.
  intros ->. unfold next. pose proof (ratio_pos mu x) as R0. rewrite distance_0 by (left; apply scaled_pos). unfold pos. rewrite <- RmaxRmult by lra. f_equal; [ring|field; lra].
Qed.
Lemma next_gaussian x : 0 < m -> next m mu u x = ratio mu x * gaussian_profile m (u / ratio mu x).
Proof. intros H. unfold next. rewrite distance_gaussian; [reflexivity|exact H|apply scaled_pos]. Qed.
Lemma next_cont : cont (next m mu u).
Proof.
  intros x. destruct Hm as [H|H].
  - apply (continuous_ext (fun x => ratio mu x * gaussian_profile m (u / ratio mu x))); [intros y; symmetry; apply next_gaussian, H|apply profile_cont; assumption].
  - apply (continuous_ext (fun x => pos (1 * ratio mu x - u))); [intros y; symmetry; apply next_0; auto|]. apply (cont_pos (fun x => 1 * ratio mu x - u)).
    intros y. apply (continuous_minus (V := R_NormedModule)); [apply (cont_scale 1 _ (cont_ratio mu))|apply continuous_const].
Qed.
Lemma next_bounded : bounded (next m mu u).
Proof.
  exists (total_weight [(1, mu)]). intros b Hb. eapply Rle_trans; [|apply (part_density [(1, mu)] b (one_ok mu) Hb)].
  apply part_le; [apply next_cont|apply density_cont|exact Hb|]. intros x. simpl. pose proof (ratio_pos mu x) as R0.
  pose proof (distance_at_most_1 m (u / ratio mu x) (Rlt_le _ _ (scaled_pos x))). unfold next.
  assert (ratio mu x * distance_profile m (u / ratio mu x) <= ratio mu x * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Next.

Theorem next_step m mu u : 0 <= m -> 0 < u -> E (next m mu u) <= distance_profile (sqrt (m * m + mu * mu)) u.
Proof.
  intros Hm Hu.
  assert (K : forall mu, 0 < mu -> E (next m mu u) <= distance_profile (sqrt (m * m + mu * mu)) u).
  { clear mu. intros mu Hmu. assert (S : 0 < m * m + mu * mu) by (assert (0 <= m * m) by (apply Rmult_le_pos; lra); assert (0 < mu * mu) by (apply Rmult_lt_0_compat; lra); lra).
    pose proof (sqrt_lt_R0 _ S) as S0. rewrite (distance_gaussian _ u S0 Hu). destruct Hm as [H|H].
    - rewrite (E_ext _ (fun x => ratio mu x * gaussian_profile m (u / ratio mu x))) by (intros; apply next_gaussian; assumption).
      apply (next_profile mu m); [exact Hmu|exact H|exact S0|apply sqrt_sqrt; lra|exact Hu].
    - rewrite <- H. replace (0 * 0 + mu * mu) with (mu * mu) by ring. rewrite sqrt_square by lra.
      rewrite (E_ext _ (fun x => pos (1 * ratio mu x - u))) by (intros x; apply (next_0 0 mu u (Rle_refl 0) Hu); reflexivity). apply (first_profile mu u Hmu Hu). }
  destruct (Rtotal_order mu 0) as [n|[n|n]]; [|clear K|apply K, n].
  - rewrite <- (E_mirror (next m mu u)) by (apply next_cont; assumption). specialize (K (- mu) ltac:(lra)). replace (- mu * - mu) with (mu * mu) in K by ring.
    rewrite (E_ext _ (next m (- mu) u)); [exact K|]. intros x. unfold next. replace (ratio mu (- x)) with (ratio (- mu) x) by (unfold ratio; f_equal; field). reflexivity.
  - subst mu. replace (m * m + 0 * 0) with (m * m) by ring. rewrite sqrt_square by exact Hm.
    rewrite (E_ext _ (fun x => distance_profile m u * 1)).
    + rewrite (E_scale _ (fun _ => 1) (cont_const 1)), E_1; [lra|exists 1; intros; apply part_1_le; assumption|apply distance_spec; lra].
    + intros x. unfold next. replace (ratio 0 x) with 1 by (unfold ratio; rewrite <- exp_0; f_equal; field). rewrite Rdiv_1, Rmult_1_l, Rmult_1_r. reflexivity.
Qed.

(** ** Integrals against a shifted law are shifted integrals *)
Lemma shifted_part b F B : cont F -> (forall x, 0 <= F x) -> bounded F -> 0 <= B -> part (fun x => ratio b x * F (x - b)) B <= E F.
Proof.
  intros C N Bd HB. destruct (E_spec F Bd) as [U _]. set (g := fun y => phi y * F y). assert (X : forall x y, ex_RInt g x y) by (intros; apply ex_part, C).
  assert (P : forall x, 0 <= g x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply N]).
  set (c := B + Rabs b). pose proof (Rabs_pos b). pose proof (Rle_abs b). pose proof (Rle_abs (- b)) as Hb. rewrite Rabs_Ropp in Hb.
  eapply Rle_trans; [|apply (U c); unfold c; lra]. unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. fold g.
  assert (Q : RInt (fun x => phi x * (ratio b x * F (x - b))) (- B) B = RInt g (- B - b) (B - b)).
  { pose proof (RInt_comp_lin g 1 (- b) (- B) B (X _ _)) as Q. replace (1 * - B + - b) with (- B - b) in Q by ring. replace (1 * B + - b) with (B - b) in Q by ring.
    rewrite <- Q. apply RInt_same. intros x. unfold scal; simpl; unfold mult; simpl. unfold g. replace (1 * x + - b) with (x - b) by ring. rewrite phi_shift. ring. }
  rewrite Q. rewrite <- (RInt_Chasles g (- c) (- B - b) c), <- (RInt_Chasles g (- B - b) (B - b) c) by apply X. unfold plus; simpl.
  assert (0 <= RInt g (- c) (- B - b)) by (apply RInt_ge_0; auto; unfold c; lra). assert (0 <= RInt g (B - b) c) by (apply RInt_ge_0; auto; unfold c; lra). lra.
Qed.

Section OneStep.
Variables A B : R -> R.
Hypothesis CA : cont A.
Hypothesis CB : cont B.
Hypothesis A01 : forall x, 0 <= A x <= 1.
Hypothesis B01 : forall x, 0 <= B x <= 1.

Lemma shifted_bounded s F : cont F -> (forall x, 0 <= F x <= 1) -> cont (fun x => ratio s x * F x) /\ bounded (fun x => ratio s x * F x) /\ (forall x, 0 <= ratio s x * F x).
Proof.
  intros C R. set (h := {| rejects := F; rejects_cont := C; rejects_range := R |}). destruct (chance_bounded s h) as (Bd & Ct & _). repeat split; [exact Ct|exact Bd|].
  intros x. pose proof (R x). apply Rmult_le_pos; [left; apply ratio_pos|lra].
Qed.

(** what follows is at distance m, the draw at distance |a - b| *)
Lemma one_step m a b u : 0 <= m -> 0 < u -> (forall x w, 0 < w -> A x - w * B x <= distance_profile m w) ->
  E (fun x => ratio a x * A x) - u * E (fun x => ratio b x * B x) <= distance_profile (sqrt (m * m + (a - b) * (a - b))) u.
Proof.
  intros Hm Hu H. destruct (shifted_bounded a A CA A01) as (Ca & Ba & _). destruct (shifted_bounded b B CB B01) as (Cb & Bb & _).
  assert (K : E (fun x => ratio a x * A x) <= distance_profile (sqrt (m * m + (a - b) * (a - b))) u + u * E (fun x => ratio b x * B x)); [|lra].
  apply (E_spec _ Ba). intros d Hd. set (F := next m (a - b) u).
  assert (CF : cont (fun x => ratio b x * F (x - b))).
  { apply cont_times; [apply cont_ratio|]. intros x. apply (continuous_comp (fun x => x - b) F); [apply (continuous_minus (V := R_NormedModule)); [apply continuous_id|apply continuous_const]|apply next_cont; assumption]. }
  apply Rle_trans with (part (fun x => ratio b x * F (x - b) + u * (ratio b x * B x)) d).
  - apply part_le; [exact Ca|apply cont_plus; [exact CF|apply cont_scale, Cb]|exact Hd|]. intros x. pose proof (ratio_pos a x) as Ra. pose proof (ratio_pos b x) as Rb.
    specialize (H x (u * ratio b x / ratio a x)). assert (W : 0 < u * ratio b x / ratio a x) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; assumption|exact Ra]).
    specialize (H W). apply Rmult_le_compat_l with (r := ratio a x) in H; [|lra].
    replace (ratio a x * (A x - u * ratio b x / ratio a x * B x)) with (ratio a x * A x - u * (ratio b x * B x)) in H by (field; lra).
    assert (S : ratio (a - b) (x - b) * ratio b x = ratio a x) by (unfold ratio; rewrite <- exp_plus; f_equal; field).
    unfold F, next. rewrite <- Rmult_assoc. rewrite (Rmult_comm (ratio b x)), S.
    replace (u / ratio (a - b) (x - b)) with (u * ratio b x / ratio a x) by (rewrite <- S; field; split; [pose proof (ratio_pos (a - b) (x - b))|]; lra). lra.
  - rewrite part_plus, part_scale by (try exact Cb; try exact CF; apply cont_scale, Cb).
    pose proof (shifted_part b F d (next_cont m (a - b) u Hm Hu) (next_nonneg m (a - b) u Hu) (next_bounded m (a - b) u Hm Hu) Hd) as P.
    pose proof (next_step m (a - b) u Hm Hu) as N. fold F in N. pose proof (proj1 (E_spec _ Bb) d Hd) as U. apply Rmult_le_compat_l with (r := u) in U; lra.
Qed.
End OneStep.

(** mixtures *)
Fixpoint weighted (l : shifts) (F : R -> R) : R := match l with [] => 0 | a :: l => fst a * F (snd a) + weighted l F end.
Lemma E_density l A : weights_ok l -> cont A -> (forall x, 0 <= A x <= 1) -> E (fun x => density l x * A x) = weighted l (fun s => E (fun x => ratio s x * A x)).
Proof.
  intros W C R. assert (Z : E (fun _ => 0) = 0).
  { destruct (E_spec (fun _ => 0)) as [U L]; [exists 0; intros; rewrite part_0; lra|]. apply Rle_antisym; [apply L; intros; rewrite part_0; lra|]. rewrite <- (part_0 0) at 1. apply U. lra. }
  assert (K : E (fun x => density l x * A x) = weighted l (fun s => E (fun x => ratio s x * A x)) /\ bounded (fun x => density l x * A x)); [|apply K].
  induction W as [|a l Ha W [IH Bd]]; simpl.
  - split; [rewrite (E_ext _ (fun _ => 0)) by (intros; ring); exact Z|]. exists 0. intros b Hb. unfold part. rewrite (RInt_same _ (fun _ => 0)) by (intros; ring).
    rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. unfold Rdiv. lra.
  - destruct (shifted_bounded (snd a) A C R) as (C1 & B1 & N1).
    assert (C2 : cont (fun x => fst a * (ratio (snd a) x * A x))) by (apply cont_scale, C1). assert (C3 : cont (fun x => density l x * A x)) by (apply cont_times; [apply density_cont|exact C]).
    assert (B2 : bounded (fun x => fst a * (ratio (snd a) x * A x))).
    { exists (fst a * E (fun x => ratio (snd a) x * A x)). intros b Hb. rewrite part_scale by exact C1. apply Rmult_le_compat_l; [exact Ha|]. apply (E_spec _ B1), Hb. }
    assert (X : forall x, (fst a * ratio (snd a) x + density l x) * A x = fst a * (ratio (snd a) x * A x) + density l x * A x) by (intros; ring). split.
    + rewrite (E_ext _ _ X), E_plus, E_scale, IH; auto.
      * intros x. apply Rmult_le_pos; [exact Ha|apply N1].
      * intros x. specialize (R x). apply Rmult_le_pos; [apply density_nonneg, W|lra].
    + destruct B2 as [M2 H2]. destruct Bd as [M3 H3]. exists (M2 + M3). intros b Hb. specialize (H2 b Hb). specialize (H3 b Hb).
      unfold part in *. rewrite (RInt_same _ _ _ _ (fun x => f_equal (Rmult (phi x)) (X x))). fold (part (fun x => fst a * (ratio (snd a) x * A x) + density l x * A x) b).
      rewrite part_plus by assumption. unfold part. lra.
Qed.

(** ** n steps. p and q are told how many steps are left and what was drawn. *)
Definition proper (l : shifts) := weights_ok l /\ total_weight l = 1.
Definition coupled (M : R) (p q : shifts) := List.Forall2 (fun a b => fst a = fst b /\ Rabs (snd b - snd a) <= M) p q.
Definition mechanism := nat -> list R -> shifts.
Fixpoint value (h : list R -> R) (side : mechanism) (n : nat) (past : list R) : R :=
  match n with O => h past | S n => E (fun x => density (side n past) x * value h side n (x :: past)) end.
Definition value_cont h side := forall n past, cont (fun x => value h side n (x :: past)).
Fixpoint squares (M : nat -> R) (n : nat) : R := match n with O => 0 | S n => squares M n + M n * M n end.
Lemma squares_nonneg M n : 0 <= squares M n.
Proof. induction n as [|n IH]; simpl; [lra|]. pose proof (Rle_0_sqr (M n)). unfold Rsqr in *. lra. Qed.

Lemma weighted_le l F c : weights_ok l -> (forall s, F s <= c) -> weighted l F <= total_weight l * c.
Proof. intros W H. induction W as [|a l Ha W IH]; simpl; [lra|]. specialize (H (snd a)). apply Rmult_le_compat_l with (r := fst a) in H; [|exact Ha]. lra. Qed.
Lemma weighted_nonneg l F : weights_ok l -> (forall s, 0 <= F s) -> 0 <= weighted l F.
Proof. intros W H. induction W as [|a l Ha W IH]; simpl; [lra|]. assert (0 <= fst a * F (snd a)) by (apply Rmult_le_pos; auto). lra. Qed.

Lemma value_range h side : (forall l, 0 <= h l <= 1) -> (forall n past, proper (side n past)) -> value_cont h side -> forall n past, 0 <= value h side n past <= 1.
Proof.
  intros Hh Hs C n. induction n as [|n IH]; intros past; simpl; [apply Hh|]. destruct (Hs n past) as [W T]. rewrite E_density by (auto; apply C).
  assert (K : forall s, 0 <= E (fun x => ratio s x * value h side n (x :: past)) <= 1).
  { intros s. exact (chance_range s {| rejects := fun x => value h side n (x :: past); rejects_cont := C n past; rejects_range := fun x => IH (x :: past) |}). }
  split; [apply weighted_nonneg; [exact W|intros s; apply K]|]. rewrite <- (Rmult_1_r 1), <- T at 1. apply weighted_le; [exact W|]. intros s. apply K.
Qed.

Section Steps.
Variables (h : list R -> R) (p q : mechanism) (M : nat -> R).
Hypothesis h_range : forall l, 0 <= h l <= 1.
Hypothesis p_proper : forall n past, proper (p n past).
Hypothesis q_proper : forall n past, proper (q n past).
Hypothesis p_cont : value_cont h p.
Hypothesis q_cont : value_cont h q.
Hypothesis near : forall n past, coupled (M n) (p n past) (q n past).

Theorem steps_below n past u : 0 < u -> value h q n past - u * value h p n past <= distance_profile (sqrt (squares M n)) u.
Proof.
  revert past u. induction n as [|n IH]; intros past u Hu; simpl.
  - rewrite sqrt_0, distance_0 by lra. specialize (h_range past). unfold pos. destruct (Rle_dec u 1) as [k|k].
    + assert ((1 - u) * h past <= (1 - u) * 1) by (apply Rmult_le_compat_l; lra). pose proof (Rmax_r 0 (1 - u)). lra.
    + assert (0 <= (u - 1) * h past) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 (1 - u)). lra.
  - destruct (p_proper n past) as [Wp _]. destruct (q_proper n past) as [Wq Tq]. pose proof (value_range h p h_range p_proper p_cont n) as Rp. pose proof (value_range h q h_range q_proper q_cont n) as Rq.
    rewrite !E_density by (auto; try apply p_cont; apply q_cont). set (D := distance_profile (sqrt (squares M n + M n * M n)) u). pose proof (squares_nonneg M n) as S0.
    assert (Step : forall a b, Rabs (b - a) <= M n -> E (fun x => ratio b x * value h q n (x :: past)) - u * E (fun x => ratio a x * value h p n (x :: past)) <= D).
    { intros a b Hab. eapply Rle_trans; [apply (one_step _ _ (q_cont n past) (p_cont n past) (fun x => Rq (x :: past)) (fun x => Rp (x :: past)) (sqrt (squares M n)) b a u (sqrt_pos _) Hu); intros x w Hw; apply IH, Hw|].
      unfold D. apply distance_grows; [lra|]. rewrite sqrt_sqrt by exact S0. apply sqrt_le_1_alt. apply Rplus_le_compat_l.
      pose proof (Rabs_pos (b - a)). replace ((b - a) * (b - a)) with (Rabs (b - a) * Rabs (b - a)) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
      apply Rmult_le_compat; lra. }
    assert (Mix : forall lp lq, weights_ok lq -> coupled (M n) lp lq ->
      weighted lq (fun s => E (fun x => ratio s x * value h q n (x :: past))) - u * weighted lp (fun s => E (fun x => ratio s x * value h p n (x :: past))) <= total_weight lq * D).
    { intros lp lq W C. induction C as [|a b lp lq [E1 E2] C IH']; simpl; [lra|]. inversion W; subst. specialize (IH' ltac:(assumption)). rewrite E1.
      pose proof (Step _ _ E2) as S. apply Rmult_le_compat_l with (r := fst b) in S; [|assumption]. lra. }
    specialize (Mix _ _ Wq (near n past)). rewrite Tq in Mix. lra.
Qed.

(** so every such test obeys the Gaussian curve *)
Corollary steps_gdp n past : G (sqrt (squares M n)) (value h p n past) <= 1 - value h q n past.
Proof.
  pose proof (value_range h p h_range p_proper p_cont n past) as Rp. pose proof (value_range h q h_range q_proper q_cont n past) as Rq.
  set (m := sqrt (squares M n)). assert (Hm : 0 <= m) by apply sqrt_pos. unfold G. rewrite ext_in by exact Rp. apply (best_line_spec m _ Hm Rp); [lra|]. intros t.
  pose proof (steps_below n past (ratio m t) (ratio_pos m t)) as S. fold m in S. assert (K : distance_profile m (ratio m t) <= tail (t - m) - ratio m t * tail t).
  { apply distance_spec; [left; apply ratio_pos|]. intros s. pose proof (lines_are_below m t s Hm) as L. unfold line in L. lra. }
  unfold line. lra.
Qed.
End Steps.

(** ** Vectors: the steps are the coordinates, d of them *)
Definition at_vector (v : nat -> R) : mechanism := fun n _ => [(1, v n)].
Definition norm (d : nat) (v : nat -> R) := sqrt (squares v d).
Record vector_test := { decides : list R -> R; decides_range : forall l, 0 <= decides l <= 1; decides_cont : forall v, value_cont decides (at_vector v) }.
Definition chance_at (d : nat) (v : nat -> R) (h : vector_test) := value (decides h) (at_vector v) d [].
Definition origin : nat -> R := fun _ => 0.

Lemma vector_proper v n past : proper (at_vector v n past).
Proof. split; [apply one_ok|simpl; ring]. Qed.
Lemma chance_at_range d v h : 0 <= chance_at d v h <= 1.
Proof. apply value_range; [apply decides_range|intros; apply vector_proper|apply decides_cont]. Qed.
Lemma squares_origin d : squares origin d = 0.
Proof. induction d as [|d IH]; simpl; [reflexivity|]. rewrite IH. unfold origin. ring. Qed.
Lemma squares_abs v d : squares (fun n => Rabs (v n)) d = squares v d.
Proof. induction d as [|d IH]; simpl; [reflexivity|]. rewrite IH, <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr. reflexivity. Qed.

Lemma vectors_below d v w M u h : 0 < u -> (forall n, Rabs (v n - w n) <= M n) ->
  chance_at d v h - u * chance_at d w h <= distance_profile (sqrt (squares M d)) u.
Proof.
  intros Hu H. apply steps_below; [apply decides_range|intros; apply vector_proper|intros; apply vector_proper|apply decides_cont|apply decides_cont| |exact Hu].
  intros n past. apply List.Forall2_cons; [split; [reflexivity|apply H]|apply List.Forall2_nil].
Qed.
Lemma distance_line r t : 0 <= r -> distance_profile r (ratio r t) <= tail (t - r) - ratio r t * tail t.
Proof.
  intros Hr. apply distance_spec; [left; apply ratio_pos|]. intros s. pose proof (lines_are_below r t s Hr) as L. unfold line in L. lra.
Qed.

Theorem vector_at_most d v : at_most tail vector_test (chance_at d origin) (norm d v) (chance_at d v).
Proof.
  set (r := norm d v). assert (Hr : 0 <= r) by apply sqrt_pos. apply at_most_from_lines; [intros h; apply chance_at_range|]. intros t. pose proof (ratio_pos r t) as U.
  exists (ratio r t). split; [lra|]. intros h. pose proof (vectors_below d v origin (fun n => Rabs (v n)) (ratio r t) h U) as B. rewrite squares_abs in B. fold (norm d v) in B. fold r in B.
  specialize (B ltac:(intros n; unfold origin; rewrite Rminus_0_r; lra)). pose proof (distance_line r t Hr). lra.
Qed.
Theorem vector_at_least d v : at_least tail vector_test (chance_at d origin) (- norm d v) (chance_at d v).
Proof.
  set (r := norm d v). assert (Hr : 0 <= r) by apply sqrt_pos. apply at_least_from_lines; [intros h; apply chance_at_range|]. intros t. pose proof (ratio_pos r (t + r)) as U.
  exists (ratio r (t + r)). split; [exact U|]. intros h. pose proof (vectors_below d origin v (fun n => Rabs (v n)) (ratio r (t + r)) h U) as B. rewrite squares_abs in B. fold (norm d v) in B. fold r in B.
  specialize (B ltac:(intros n; unfold origin; replace (0 - v n) with (- v n) by ring; rewrite Rabs_Ropp; lra)). pose proof (distance_line r (t + r) Hr) as L.
  replace (t + r - r) with t in L by ring. replace (t - - r) with (t + r) by ring. lra.
Qed.

(** Mixtures of N(v_i) in d dimensions: the pair on the line with the norms dominates at every u. *)
Definition vectors := list (R * (nat -> R)).
Definition at_vectors (d : nat) (sign : R) (l : vectors) : members vector_test := map (fun a => ((fst a, sign * norm d (snd a)), chance_at d (snd a))) l.
Definition norms (d : nat) (sign : R) (l : vectors) : shifts := map (fun a => (fst a, sign * norm d (snd a))) l.

Theorem vector_threshold_lemma d (ps qs : vectors) u h : List.Forall (fun a => 0 <= fst a) ps -> List.Forall (fun a => 0 <= fst a) qs ->
  0 < total_weight (norms d (-1) ps) -> 0 <= u ->
  mixed vector_test (at_vectors d 1 qs) h - u * mixed vector_test (at_vectors d (-1) ps) h <= hockey_stick (norms d (-1) ps) (norms d 1 qs) u.
Proof.
  intros Wp Wq T Hu. assert (O : forall c l, List.Forall (fun a => 0 <= fst a) l -> weights_ok (norms d c l)) by (intros c l W; induction W; constructor; auto).
  rewrite hockey_stick_is_threshold_profile; auto.
  2:{ intros a b Ha Hb. apply in_map_iff in Ha. apply in_map_iff in Hb. destruct Ha as [a' [<- _]]. destruct Hb as [b' [<- _]]. simpl.
      pose proof (sqrt_pos (squares (snd a') d)). pose proof (sqrt_pos (squares (snd b') d)). unfold norm. lra. }
  assert (F : forall c l, map fst (at_vectors d c l) = norms d c l) by (intros c l; unfold at_vectors, norms; rewrite map_map; reflexivity).
  rewrite <- (F (-1) ps), <- (F 1 qs). apply (threshold_lemma tail normal_noise vector_test (chance_at d origin)); rewrite ?F; auto.
  - intros k. apply chance_at_range.
  - clear. induction ps as [|a l IH]; constructor; [|exact IH]. simpl. replace (-1 * norm d (snd a)) with (- norm d (snd a)) by ring. apply vector_at_least.
  - clear. induction qs as [|a l IH]; constructor; [|exact IH]. simpl. rewrite Rmult_1_l. apply vector_at_most.
Qed.

(** One step in d dimensions: the record x is replaced by y, both of norm at most r; the other records, which shift all three members alike, are left out. *)
Theorem replaced_record d q r x y u h : 0 < q <= 1 -> 0 < r -> norm d x <= r -> norm d y <= r -> 0 <= u ->
  ((1 - q) * chance_at d origin h + q * chance_at d x h) - u * ((1 - q) * chance_at d origin h + q * chance_at d y h) <= replace_profile q r u.
Proof.
  intros Hq Hr Hx Hy Hu. assert (O : norm d origin = 0) by (unfold norm; rewrite squares_origin; apply sqrt_0).
  assert (N : forall v, 0 <= norm d v) by (intros v; apply sqrt_pos). pose proof (N x) as Nx. pose proof (N y) as Ny.
  pose proof (vector_threshold_lemma d [(1 - q, origin); (q, y)] [(1 - q, origin); (q, x)] u h) as T. unfold norms, at_vectors in T. simpl in T. rewrite O in T.
  assert (W : forall v, List.Forall (fun a : R * (nat -> R) => 0 <= fst a) [(1 - q, origin); (q, v)]) by (intros v; repeat (apply List.Forall_cons; [simpl; lra|]); apply List.Forall_nil).
  specialize (T (W y) (W x) ltac:(lra) Hu). set (ps := [(1 - q, -1 * 0); (q, -1 * norm d y)]) in *. set (qs := [(1 - q, 1 * 0); (q, 1 * norm d x)]) in *.
  assert (Wp : weights_ok ps) by (repeat (apply List.Forall_cons; [simpl; lra|]); apply List.Forall_nil). assert (Wq : weights_ok qs) by (repeat (apply List.Forall_cons; [simpl; lra|]); apply List.Forall_nil).
  assert (K : hockey_stick ps qs u <= replace_profile q r u); [|lra]. unfold replace_profile.
  rewrite (hockey_stick_is_threshold_profile ps qs u Wp Wq Hu), (hockey_stick_is_threshold_profile _ _ u (weights_without q r Hq) (weights_with q r Hq) Hu (pair_apart q r Hr) (mass_without q r)).
  - apply (threshold_profile_grows tail normal_noise); [apply (weights_without q r Hq)|exact Wq| | |exact Hu]; (apply List.Forall2_cons; [simpl; split; lra|apply List.Forall2_cons; [simpl; split; lra|apply List.Forall2_nil]]).
  - intros a b [<-|[<-|[]]] [<-|[<-|[]]]; simpl; lra.
  - simpl. lra.
Qed.

Lemma squares_const n M : 0 <= M -> sqrt (squares (fun _ => M) n) = sqrt (INR n) * M.
Proof.
  intros HM. assert (S : squares (fun _ => M) n = INR n * (M * M)).
  { induction n as [|n IH]; [simpl; ring|]. rewrite S_INR. change (squares (fun _ => M) (S n)) with (squares (fun _ => M) n + M * M). rewrite IH. ring. }
  rewrite S, sqrt_mult, sqrt_square by (try apply pos_INR; try apply Rle_0_sqr; lra). reflexivity.
Qed.

(** ** n steps with one record replaced, under Poisson sampling: the upper half of the strict mu. For the lower half see StrictSteps.v. *)
Theorem replace_steps q r h n : 0 < q <= 1 -> 0 < r -> (forall l, 0 <= h l <= 1) ->
  value_cont h (fun _ _ => without q r) -> value_cont h (fun _ _ => with_record q r) ->
  G (sqrt (INR n) * (2 * r)) (value h (fun _ _ => without q r) n []) <= 1 - value h (fun _ _ => with_record q r) n [].
Proof.
  intros Hq Hr Hh Cp Cq. rewrite <- squares_const by lra. apply steps_gdp; auto; intros k past.
  - split; [apply (weights_without q r Hq)|simpl; ring].
  - split; [apply (weights_with q r Hq)|simpl; ring].
  - repeat apply List.Forall2_cons; try apply List.Forall2_nil; (split; [reflexivity|simpl]).
    + rewrite Rminus_0_r, Rabs_R0. lra.
    + replace (r - - r) with (2 * r) by ring. rewrite Rabs_pos_eq; lra.
Qed.

(** ** n steps with a record added or removed, under Poisson sampling, in either order *)
Definition unused (q : R) : shifts := [(1 - q, 0); (q, 0)].
Definition used (q mu : R) : shifts := [(1 - q, 0); (q, mu)].

Theorem sampled_steps q mu h n : 0 <= q <= 1 -> 0 <= mu -> (forall l, 0 <= h l <= 1) -> value_cont h (fun _ _ => unused q) -> value_cont h (fun _ _ => used q mu) ->
  G (sqrt (INR n) * mu) (value h (fun _ _ => unused q) n []) <= 1 - value h (fun _ _ => used q mu) n [] /\
  G (sqrt (INR n) * mu) (value h (fun _ _ => used q mu) n []) <= 1 - value h (fun _ _ => unused q) n [].
Proof.
  intros Hq Hmu Hh Cu Cw. rewrite <- squares_const by exact Hmu.
  assert (P : forall m, proper (used q m)) by (intros m; split; [repeat (apply List.Forall_cons; [simpl; lra|]); apply List.Forall_nil|simpl; ring]).
  split; apply steps_gdp; auto; try (intros; apply P); intros k past; repeat apply List.Forall2_cons; try apply List.Forall2_nil; (split; [reflexivity|simpl]);
    rewrite ?Rminus_0_r, ?Rabs_R0; try lra; [rewrite Rabs_pos_eq; lra|rewrite Rminus_0_l, Rabs_Ropp, Rabs_pos_eq; lra].
Qed.

(** ** Mixtures against N(0), such as a group of records: n steps are sqrt n M-GDP, M the largest shift. That they are no less is in StrictSteps.v. *)
Definition unshifted (l : shifts) : shifts := map (fun a => (fst a, 0)) l.
Theorem mixture_steps l M h n : proper l -> 0 <= M -> List.Forall (fun a => Rabs (snd a) <= M) l -> (forall l, 0 <= h l <= 1) ->
  value_cont h (fun _ _ => unshifted l) -> value_cont h (fun _ _ => l) ->
  G (sqrt (INR n) * M) (value h (fun _ _ => unshifted l) n []) <= 1 - value h (fun _ _ => l) n [] /\
  G (sqrt (INR n) * M) (value h (fun _ _ => l) n []) <= 1 - value h (fun _ _ => unshifted l) n [].
Proof.
  intros [W T] HM B Hh Cu Cl. rewrite <- squares_const by exact HM.
  assert (P : proper (unshifted l)).
  { split; [clear - W; unfold unshifted; induction W; constructor; auto|]. rewrite <- T. clear. unfold unshifted. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. }
  split; apply steps_gdp; auto; try (intros; exact P); try (intros; split; assumption); intros k past; clear - B; unfold unshifted; induction B as [|a l Ha B IH]; simpl; constructor; auto;
    (split; [reflexivity|simpl]); rewrite ?Rminus_0_r, ?Rminus_0_l, ?Rabs_Ropp; exact Ha.
Qed.
