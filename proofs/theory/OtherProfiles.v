(** * The profiles of Laplace noise, of randomised response and of finite pairs, computed

Points of Laplace noise and of randomised response are given by fractions for log u and for the largest loss, so that they can be compared exactly; those of finite pairs by enclosures. The
two orders of Laplace noise and of randomised response have the same divergence. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian GaussianSum StrictMu.
From Dpcmp Require Import Product ProductPairs FixedPoint FixedSeries Numbers NormalTail StepProfiles.
Import ListNotations.
Open Scope R_scope.

(** ** Laplace noise *)
Section Laplace.
Variable d : R.
Hypothesis Hd : 0 <= d.
Notation D := (divergence [laplace_pair d Hd]).

Lemma laplace_low e : e <= - d -> D (exp e) = 1 - exp e.
Proof.
  intros He. apply Rle_antisym; [|apply (pp_line _ (divergence_profile _)); left; apply exp_pos].
  (* convex, 1 at 0 and 1 - u at e^(-d) *)
  assert (U : D (exp (- d)) = 1 - exp (- d)) by (rewrite laplace_divergence by lra; do 2 f_equal; lra).
  pose proof (exp_pos e) as Pe. pose proof (exp_pos (- d)) as Pd. assert (L : exp e <= exp (- d)) by (apply exp_le_mono, He).
  set (t := exp e / exp (- d)). assert (T : 0 <= t <= 1) by (unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
  pose proof (pp_convex _ (divergence_profile [laplace_pair d Hd]) (exp (- d)) (exp (- d)) 0 t ltac:(lra) ltac:(lra) T) as C.
  replace (t * exp (- d) + (1 - t) * 0) with (exp e) in C by (unfold t; field; lra). rewrite U in C. pose proof (pp_0 _ (divergence_profile [laplace_pair d Hd])) as Z.
  assert ((1 - t) * D 0 <= (1 - t) * 1) by (apply Rmult_le_compat_l; lra). assert (t * exp (- d) = exp e) by (unfold t; field; lra). lra.
Qed.

Definition laplace_slope (e : R) : R := exp (- ((e + d) / 2)) / 2.
Lemma laplace_tangent e : - d <= e <= d -> tangent D (exp e) (laplace_slope e).
Proof.
  intros He v Hv. rewrite laplace_divergence by exact He. set (s := laplace_slope e).
  (* s e^e = e^((e - d) / 2) / 2; in x = log v the tangent is below 1 - e^((x - d) / 2), as (a - b)^2 >= 0 *)
  assert (SE : s * exp e = exp ((e - d) / 2) / 2).
  { unfold s, laplace_slope. replace (exp (- ((e + d) / 2)) / 2 * exp e) with (exp (- ((e + d) / 2)) * exp e / 2) by field. rewrite <- exp_plus. do 2 f_equal. field. }
  assert (M : forall x, 1 - exp ((e - d) / 2) - s * (exp x - exp e) <= 1 - exp ((x - d) / 2)).
  { intros x. set (r := exp ((x - e) / 2)). assert (R1 : exp ((x - d) / 2) = exp ((e - d) / 2) * r) by (unfold r; rewrite <- exp_plus; f_equal; field).
    assert (R2 : exp x = exp e * (r * r)) by (unfold r; rewrite <- !exp_plus; f_equal; field). rewrite R1, R2.
    replace (s * (exp e * (r * r) - exp e)) with (s * exp e * (r * r - 1)) by ring. rewrite SE. pose proof (exp_pos ((e - d) / 2)) as P.
    assert (0 <= exp ((e - d) / 2) * ((r - 1) * (r - 1))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]). lra. }
  assert (S01 : 0 < s <= 1 / 2).
  { unfold s, laplace_slope. pose proof (exp_pos (- ((e + d) / 2))). assert (exp (- ((e + d) / 2)) <= 1); [|lra]. rewrite <- exp_0. apply exp_le_mono. lra. }
  assert (Low : forall v, 0 <= v -> v <= exp (- d) -> 1 - exp ((e - d) / 2) - s * (v - exp e) <= 1 - v).
  { intros y Hy L. specialize (M (- d)). replace ((- d - d) / 2) with (- d) in M by field.
    assert (s * (exp (- d) - y) <= 1 * (exp (- d) - y)) by (apply Rmult_le_compat_r; lra). lra. }
  destruct Hv as [Hv|<-].
  - rewrite <- (exp_ln v) by exact Hv. set (x := ln v). destruct (Rle_dec x (- d)) as [h|h].
    + rewrite (laplace_low x h). apply Low; [left; apply exp_pos|apply exp_le_mono, h].
    + destruct (Rle_dec x d) as [k|k]; [rewrite laplace_divergence by lra; apply M|].
      rewrite laplace_divergence_0 by lra. specialize (M d). replace ((d - d) / 2) with 0 in M by field. rewrite exp_0 in M.
      assert (exp d <= exp x) by (apply exp_le_mono; lra). assert (s * exp d <= s * exp x) by (apply Rmult_le_compat_l; lra). lra.
  - pose proof (pp_line _ (divergence_profile [laplace_pair d Hd]) 0 ltac:(lra)). specialize (Low 0 ltac:(lra) ltac:(left; apply exp_pos)). lra.
Qed.

Lemma half_and_middle e : - d <= e -> divergence (map swap [laplace_pair d Hd]) (exp e) = D (exp e).
Proof.
  intros He. pose proof (exp_pos e) as P. rewrite order_swap by exact P. rewrite <- exp_Ropp. destruct (Rle_dec e d) as [h|h].
  - rewrite !laplace_divergence by lra. rewrite Rmult_minus_distr_l, <- exp_plus. replace (e + (- e - d) / 2) with ((e - d) / 2) by field. ring.
  - rewrite (laplace_divergence_0 d Hd e), (laplace_low (- e)) by lra. rewrite exp_Ropp. field. lra.
Qed.
(** the orders are alike *)
Theorem laplace_orders u : 0 <= u -> divergence (map swap [laplace_pair d Hd]) u = D u.
Proof.
  assert (G : forall e, divergence (map swap [laplace_pair d Hd]) (exp e) = D (exp e)).
  { intros e. destruct (Rle_dec (- d) e) as [h|h]; [apply half_and_middle, h|]. rewrite order_swap by apply exp_pos. rewrite <- exp_Ropp, (laplace_divergence_0 d Hd (- e)), (laplace_low e) by lra. ring. }
  intros [Hu|<-]; [rewrite <- (exp_ln u) by exact Hu; apply G|].
  pose proof (pp_line _ (divergence_profile [laplace_pair d Hd]) 0 ltac:(lra)). pose proof (pp_line _ (divergence_profile (map swap [laplace_pair d Hd])) 0 ltac:(lra)).
  pose proof (pp_0 _ (divergence_profile [laplace_pair d Hd])). pose proof (pp_0 _ (divergence_profile (map swap [laplace_pair d Hd]))). lra.
Qed.
End Laplace.

Definition laplace_Z (w : positive) (d e : Q) : option ((Z * Z) * (Z * Z)) :=
  let one := exact_Z w 1 in
  if Qle_bool d e then Some ((0, 0)%Z, (0, 0)%Z)
  else if Qle_bool e (- d) then match exp_Z w (of_Q w e) with Some u => Some (clamp_0 (sub_Z one u), one) | None => None end
  else match exp_Z w (of_Q w ((e - d) / 2)), exp_Z w (of_Q w (- ((e + d) / 2))) with
       | Some a, Some b => Some (clamp_0 (sub_Z one a), half_Z b)
       | _, _ => None
       end.
Lemma Qle_real a b : Qle_bool a b = true -> Q2R a <= Q2R b.
Proof. intros H. apply Qle_Rle, Qle_bool_iff, H. Qed.
Lemma Qlt_real a b : Qle_bool a b = false -> Q2R b < Q2R a.
Proof. intros H. apply Qlt_Rlt, Qnot_le_lt. intros C. apply Qle_bool_iff in C. congruence. Qed.
Lemma half_real x : Q2R (x / 2) = Q2R x / 2.
Proof. rewrite Q2R_div by discriminate. f_equal. unfold Q2R; simpl. field. Qed.

Theorem laplace_sound w d e dd s (Hd : 0 <= Q2R d) : laplace_Z w d e = Some (dd, s) ->
  encl w dd (divergence [laplace_pair (Q2R d) Hd] (exp (Q2R e))) /\ exists slope, encl w s slope /\ tangent (divergence [laplace_pair (Q2R d) Hd]) (exp (Q2R e)) slope.
Proof.
  unfold laplace_Z. set (D := divergence [laplace_pair (Q2R d) Hd]). assert (N : forall v, 0 <= v -> 0 <= D v) by apply (pp_nonneg _ (divergence_profile _)).
  pose proof (exp_pos (Q2R e)) as P. destruct (Qle_bool d e) eqn:A; [|destruct (Qle_bool e (- d)) eqn:B].
  - intros H. apply pair_inj in H. destruct H as [-> ->]. apply Qle_real in A. pose proof (laplace_divergence_0 (Q2R d) Hd (Q2R e) A) as E. fold D in E. split; [rewrite E; apply encl_zero|].
    exists 0. split; [apply encl_zero|]. intros v Hv. rewrite E, Rmult_0_l. specialize (N v Hv). lra.
  - destruct (exp_Z w (of_Q w e)) as [u|] eqn:X; [|discriminate]. intros H. apply pair_inj in H. destruct H as [-> ->]. apply Qle_real in B. rewrite Q2R_opp in B.
    pose proof (laplace_low (Q2R d) Hd (Q2R e) B) as E. fold D in E. split.
    + apply encl_clamp; [|apply N; lra]. rewrite E. apply encl_sub; [apply (encl_exact w 1)|apply (exp_sound w _ _ _ (encl_Q w e) X)].
    + exists 1. split; [apply (encl_exact w 1)|]. intros v Hv. rewrite E. pose proof (pp_line _ (divergence_profile [laplace_pair (Q2R d) Hd]) v Hv) as L. fold D in L. lra.
  - destruct (exp_Z w (of_Q w ((e - d) / 2))) as [a|] eqn:X; [|discriminate]. destruct (exp_Z w (of_Q w (- ((e + d) / 2)))) as [b|] eqn:Y; [|discriminate].
    intros H. apply pair_inj in H. destruct H as [-> ->]. apply Qlt_real in A, B. rewrite Q2R_opp in B. assert (R : - Q2R d <= Q2R e <= Q2R d) by lra.
    pose proof (exp_sound w _ _ _ (encl_Q w _) X) as EX. pose proof (exp_sound w _ _ _ (encl_Q w _) Y) as EY. rewrite half_real, Q2R_minus in EX. rewrite Q2R_opp, half_real, Q2R_plus in EY. split.
    + apply encl_clamp; [|apply N; lra]. unfold D. rewrite laplace_divergence by exact R. apply encl_sub; [apply (encl_exact w 1)|exact EX].
    + exists (laplace_slope (Q2R d) (Q2R e)). split; [apply encl_half, EY|apply laplace_tangent, R].
Qed.

(** ** Finite pairs, at u given by an enclosure; randomised response is one *)
Definition real_cells (l : list (Q * Q)) : cells := map (fun x => (Q2R (fst x), Q2R (snd x))) l.
Fixpoint spread_Z (w : positive) (iu : Z * Z) (l : list (Q * Q)) : Z * Z :=
  match l with [] => (0, 0)%Z | x :: l => add_Z (max_Z (0, 0)%Z (sub_Z (of_Q w (fst x)) (mul_Z w iu (of_Q w (snd x))))) (spread_Z w iu l) end.
Theorem spread_sound w iu u l : encl w iu u -> encl w (spread_Z w iu l) (spread (real_cells l) u 1).
Proof.
  intros Eu. induction l as [|x l IH]; cbn [spread_Z real_cells map spread]; [apply encl_zero|]. apply encl_add; [|exact IH]. cbn [fst snd]. rewrite Rmult_1_l.
  apply encl_max; [apply encl_zero|]. apply encl_sub; [apply encl_Q|apply encl_mul; [exact Eu|apply encl_Q]].
Qed.

Definition response_Z (w : positive) (iv iu : Z * Z) (k : Z) : option (Z * Z) :=
  let one := exact_Z w 1 in
  let part := fun i => max_Z (0, 0)%Z i in
  let ties := part (sub_Z one iu) in
  div_Z w (add_Z (add_Z (part (sub_Z iv iu)) (part (sub_Z one (mul_Z w iu iv)))) (k * fst ties, k * snd ties)%Z) (add_Z (add_Z iv one) (exact_Z w k)).
Theorem response_sound w iv iu v u k j (Hv : 1 <= v) : encl w iv v -> encl w iu u -> response_Z w iv iu (Z.of_nat k) = Some j ->
  encl w j (divergence [response_pair v k Hv] u).
Proof.
  intros Ev Eu. unfold response_Z. set (one := exact_Z w 1). assert (E1 : encl w one 1) by apply (encl_exact w 1). set (ties := max_Z (0, 0)%Z (sub_Z one iu)).
  assert (Et : encl w ties (pos (1 - u))) by (apply encl_max; [apply encl_zero|apply encl_sub; assumption]).
  assert (Ek : encl w (Z.of_nat k * fst ties, Z.of_nat k * snd ties)%Z (INR k * pos (1 - u))).
  { unfold encl in *; cbn [fst snd]. rewrite !mult_IZR, <- INR_IZR_INZ. pose proof (pos_INR k).
    replace (unit w * (INR k * pos (1 - u))) with (INR k * (unit w * pos (1 - u))) by ring. split; apply Rmult_le_compat_l; lra. }
  assert (EN : encl w (add_Z (add_Z iv one) (exact_Z w (Z.of_nat k))) (answers v k)).
  { unfold answers. apply encl_add; [apply encl_add; assumption|]. rewrite INR_IZR_INZ. apply encl_exact. }
  intros H. rewrite response_divergence. refine (proj1 (encl_div w _ _ _ _ _ _ EN H)).
  apply encl_add; [apply encl_add|exact Ek]; (apply encl_max; [apply encl_zero|]); apply encl_sub; auto. apply encl_mul; assumption.
Qed.
Theorem response_orders v k (Hv : 1 <= v) u : 0 < u -> divergence (map swap [response_pair v k Hv]) u = divergence [response_pair v k Hv] u.
Proof.
  intros Hu. rewrite order_swap by exact Hu. rewrite !response_divergence. pose proof (answers_pos v k Hv) as A. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu).
  assert (S : forall x, u * pos x = pos (u * x)) by (intros x; symmetry; apply pos_times, Hu).
  assert (F : forall x, pos x = x + pos (- x)) by (intros x; unfold pos, Rmax; repeat destruct Rle_dec; lra).
  assert (E1 : u * pos (v - / u) = u * v - 1 + pos (1 - u * v)).
  { rewrite S, (F (u * (v - / u))). replace (u * (v - / u)) with (u * v - 1) by (field; lra). do 2 f_equal. ring. }
  assert (E2 : u * pos (1 - / u * v) = u - v + pos (v - u)).
  { rewrite S, (F (u * (1 - / u * v))). replace (u * (1 - / u * v)) with (u - v) by (field; lra). do 2 f_equal. ring. }
  assert (E3 : u * pos (1 - / u) = u - 1 + pos (1 - u)).
  { rewrite S, (F (u * (1 - / u))). replace (u * (1 - / u)) with (u - 1) by (field; lra). do 2 f_equal. ring. }
  replace (u * ((pos (v - / u) + pos (1 - / u * v) + INR k * pos (1 - / u)) / answers v k)) with ((u * pos (v - / u) + u * pos (1 - / u * v) + INR k * (u * pos (1 - / u))) / answers v k) by (field; lra).
  rewrite E1, E2, E3. unfold answers in *. field. lra.
Qed.
(** the test of the answers whose likelihood ratio is above u *)
Theorem response_tangent v k (Hv : 1 <= v) u a b c : 0 <= u -> 0 <= a <= 1 -> 0 <= b <= 1 -> 0 <= c <= 1 ->
  a * (v - u) = pos (v - u) -> b * (1 - u * v) = pos (1 - u * v) -> c * (1 - u) = pos (1 - u) ->
  tangent (divergence [response_pair v k Hv]) u ((a + b * v + INR k * c) / answers v k).
Proof.
  intros Hu Ha Hb Hc E1 E2 E3 y Hy. rewrite !response_divergence. pose proof (answers_pos v k Hv) as A. pose proof (pos_INR k) as K.
  assert (L : forall z x, 0 <= z <= 1 -> z * x <= pos x).
  { intros z x Hz. unfold pos. destruct (Rle_dec 0 x) as [h|h]; [assert (z * x <= 1 * x) by (apply Rmult_le_compat_r; lra); pose proof (Rmax_r 0 x); lra|].
    assert (0 <= z * - x) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 x). lra. }
  pose proof (L a (v - y) Ha). pose proof (L b (1 - y * v) Hb). pose proof (L c (1 - y) Hc). assert (INR k * (c * (1 - y)) <= INR k * pos (1 - y)) by (apply Rmult_le_compat_l; lra).
  rewrite <- E1, <- E2, <- E3.
  replace ((a * (v - u) + b * (1 - u * v) + INR k * (c * (1 - u))) / answers v k - (a + b * v + INR k * c) / answers v k * (y - u))
    with ((a * (v - y) + b * (1 - y * v) + INR k * (c * (1 - y))) / answers v k) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, A|]. lra.
Qed.
