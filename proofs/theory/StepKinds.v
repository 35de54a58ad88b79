(** * Kinds of steps, and their profiles computed

A step is Gaussian noise, Laplace noise, randomised response or two vectors, on a Poisson sample or not. step_point encloses, in either order, its divergence at u and the slope of a tangent
there (StepProfiles.v, OtherProfiles.v, SamplingPairs.v); where it cannot be told on which side of a kink u lies, the slope is enclosed widely. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw GaussianCurve Expectation SampledGaussian.
From Dpcmp Require Import Product ProductPairs FixedPoint FixedSeries Numbers NormalTail StepProfiles OtherProfiles SamplingPairs ReplacedPairs.
From Dpcmp Require SampledNumbers MixturePairs.
Import ListNotations.
Open Scope R_scope.

Notation order := SampledNumbers.order.
Notation Remove := SampledNumbers.Remove.
Notation Add := SampledNumbers.Add.
Definition ordered (o : order) (x : pair) : pair := match o with Remove => x | Add => swap x end.

(** ** Noise without a sample *)
(** a likelihood ratio, by its logarithm or itself *)
Inductive level := Log (e : Q) | Ratio (v : Q).
Inductive noise :=
  | Laplace (loss : Q)                          (* largest loss *)
  | Response (odds : level) (others : nat)      (* others + 2 answers *)
  | Outcomes (l : list (Q * Q)).                (* (q, p): with the record, without it *)
Definition level_R (v : level) : R := match v with Log e => exp (Q2R e) | Ratio v => Q2R v end.
Definition level_Z (w : positive) (v : level) : option (Z * Z) := match v with Log e => exp_Z w (of_Q w e) | Ratio v => Some (of_Q w v) end.
Definition noise_pair (n : noise) (x : pair) : Prop :=
  match n with
  | Laplace d => exists H, x = laplace_pair (Q2R d) H
  | Response v k => exists H, x = response_pair (level_R v) k H
  | Outcomes l => exists O Sq Sp, x = finite_pair (real_cells l) O Sq Sp
  end.
Lemma level_sound w v i : level_Z w v = Some i -> encl w i (level_R v).
Proof. destruct v as [e|v]; cbn [level_Z level_R]; [apply exp_sound, encl_Q|]. intros H. apply some_inj in H. subst i. apply encl_Q. Qed.

Definition flip (l : list (Q * Q)) : list (Q * Q) := map (fun x => (snd x, fst x)) l.
Definition in_order (o : order) (l : list (Q * Q)) := match o with Remove => l | Add => flip l end.
Definition noise_delta (w : positive) (o : order) (n : noise) (iu : Z * Z) : option (Z * Z) :=
  let one := exact_Z w 1 in
  match n with
  | Laplace d => match exp_Z w (of_Q w (- d)) with
                 | Some low => Some (max_Z (0, 0)%Z (max_Z (sub_Z one iu) (sub_Z one (sqrt_Z w (mul_Z w iu low)))))
                 | None => None
                 end
  | Response v k => match level_Z w v with Some iv => response_Z w iv iu (Z.of_nat k) | None => None end
  | Outcomes l => Some (spread_Z w iu (in_order o l))
  end.
(** 1 where x is positive, 0 where it is negative *)
Definition certain (w : positive) (i : Z * Z) : Z * Z := let one := exact_Z w 1 in if (0 <=? fst i)%Z then one else if (snd i <=? 0)%Z then (0, 0)%Z else (0%Z, snd one).
Fixpoint slope_cells (w : positive) (iu : Z * Z) (l : list (Q * Q)) : Z * Z :=
  match l with [] => (0, 0)%Z | x :: l => add_Z (mul_Z w (certain w (sub_Z (of_Q w (fst x)) (mul_Z w iu (of_Q w (snd x))))) (of_Q w (snd x))) (slope_cells w iu l) end.
Definition laplace_slope_Z (w : positive) (d : Q) (iu : Z * Z) : Z * Z :=
  let one := exact_Z w 1 in let wide := (0%Z, snd one) in
  match exp_Z w (of_Q w (- d)), exp_Z w (of_Q w d) with
  | Some low, Some high =>
      if (snd iu <=? fst low)%Z then one
      else if (snd high <=? fst iu)%Z then (0, 0)%Z
      else if (snd low <=? fst iu)%Z && (snd iu <=? fst high)%Z then match div_Z w low (sqrt_Z w (mul_Z w iu low)) with Some s => half_Z s | None => wide end
      else wide
  | _, _ => wide
  end.
Definition response_slope_Z (w : positive) (v : level) (k : nat) (iu : Z * Z) : Z * Z :=
  let one := exact_Z w 1 in let k := Z.of_nat k in
  match level_Z w v with
  | None => (0%Z, snd one)
  | Some iv =>
      let a := certain w (sub_Z iv iu) in let b := certain w (sub_Z one (mul_Z w iu iv)) in let c := certain w (sub_Z one iu) in
      match div_Z w (add_Z (add_Z a (mul_Z w b iv)) (k * fst c, k * snd c)%Z) (add_Z (add_Z iv one) (exact_Z w k)) with Some s => s | None => (0%Z, snd one) end
  end.
Definition noise_slope (w : positive) (o : order) (n : noise) (iu : Z * Z) : Z * Z :=
  match n with Laplace d => laplace_slope_Z w d iu | Response v k => response_slope_Z w v k iu | Outcomes l => slope_cells w iu (in_order o l) end.

(** ** Laplace noise *)
Definition encloses_point (w : positive) (D : R -> R) (u : R) (d : option (Z * Z)) (s : Z * Z) := (forall i, d = Some i -> encl w i (D u)) /\ exists slope, encl w s slope /\ tangent D u slope.
Section LaplaceNoise.
Variable d : R.
Hypothesis Hd : 0 <= d.
Notation D := (divergence [laplace_pair d Hd]).
Lemma laplace_root e : sqrt (exp e * exp (- d)) = exp ((e - d) / 2).
Proof.
  assert (E : exp e * exp (- d) = exp ((e - d) / 2) * exp ((e - d) / 2)) by (rewrite <- !exp_plus; f_equal; field). rewrite E. apply sqrt_square. left. apply exp_pos.
Qed.
Lemma laplace_closed u : 0 <= u -> D u = Rmax 0 (Rmax (1 - u) (1 - sqrt (u * exp (- d)))).
Proof.
  intros [Hu|<-].
  2:{ rewrite (profile_at_0 _ (divergence_profile [laplace_pair d Hd])), Rmult_0_l, sqrt_0. unfold Rmax. repeat destruct Rle_dec; lra. }
  rewrite <- (exp_ln u) by exact Hu. set (e := ln u). rewrite laplace_root. pose proof (exp_pos e) as P. destruct (Rle_dec e (- d)) as [h|h]; [|destruct (Rle_dec e d) as [k|k]].
  - rewrite (laplace_low d Hd e h). assert (exp e <= exp ((e - d) / 2)) by (apply exp_le_mono; lra). assert (exp e <= 1) by (rewrite <- exp_0; apply exp_le_mono; lra).
    rewrite (Rmax_left (1 - exp e)) by lra. rewrite Rmax_right; lra.
  - rewrite laplace_divergence by lra. assert (exp ((e - d) / 2) <= exp e) by (apply exp_le_mono; lra). assert (exp ((e - d) / 2) <= 1) by (rewrite <- exp_0; apply exp_le_mono; lra).
    rewrite (Rmax_right (1 - exp e)) by lra. rewrite Rmax_right; lra.
  - rewrite laplace_divergence_0 by lra. assert (1 <= exp e) by (rewrite <- exp_0; apply exp_le_mono; lra). assert (1 <= exp ((e - d) / 2)) by (rewrite <- exp_0; apply exp_le_mono; lra).
    rewrite Rmax_left; [reflexivity|]. apply Rmax_lub; lra.
Qed.
Lemma laplace_tangent_low u : 0 <= u -> u <= exp (- d) -> tangent D u 1.
Proof.
  intros Hu L v Hv. assert (E : D u = 1 - u).
  { destruct Hu as [Hu|<-]; [|rewrite (profile_at_0 _ (divergence_profile [laplace_pair d Hd])); ring]. rewrite <- (exp_ln u) by exact Hu. apply (laplace_low d Hd).
    rewrite <- (ln_exp (- d)). apply Rcomplements.ln_le; assumption. }
  rewrite E. pose proof (pp_line _ (divergence_profile [laplace_pair d Hd]) v Hv). lra.
Qed.
Lemma laplace_tangent_high u : exp d <= u -> tangent D u 0.
Proof.
  intros L v Hv. pose proof (exp_pos d). assert (E : D u = 0).
  { rewrite <- (exp_ln u) by lra. apply (laplace_divergence_0 d Hd). rewrite <- (ln_exp d). apply Rcomplements.ln_le; assumption. }
  rewrite E, Rmult_0_l. pose proof (pp_nonneg _ (divergence_profile [laplace_pair d Hd]) v Hv). lra.
Qed.
Lemma laplace_tangent_middle u : exp (- d) <= u -> u <= exp d -> tangent D u (exp (- d) / sqrt (u * exp (- d)) / 2) /\ 0 < sqrt (u * exp (- d)).
Proof.
  intros A B. pose proof (exp_pos (- d)) as P. assert (U : 0 < u) by lra. pose proof (exp_pos ((ln u - d) / 2)) as Q.
  assert (E : sqrt (u * exp (- d)) = exp ((ln u - d) / 2)) by (rewrite <- laplace_root, exp_ln by exact U; reflexivity). rewrite E. split; [|exact Q].
  assert (R : - d <= ln u <= d) by (split; [rewrite <- (ln_exp (- d))|rewrite <- (ln_exp d)]; apply Rcomplements.ln_le; assumption).
  pose proof (laplace_tangent d Hd (ln u) R) as T. rewrite exp_ln in T by exact U. unfold laplace_slope in T.
  replace (exp (- d) / exp ((ln u - d) / 2)) with (exp (- ((ln u + d) / 2))); [exact T|]. unfold Rdiv at 2. rewrite <- exp_Ropp, <- exp_plus. f_equal. field.
Qed.
End LaplaceNoise.
Lemma encl_wide w x : 0 <= x <= 1 -> encl w (0%Z, snd (exact_Z w 1)) x.
Proof.
  intros [A B]. pose proof (encl_exact w 1) as [_ E]. pose proof (unit_pos w) as U. unfold encl; cbn [fst snd] in *.
  assert (0 <= unit w * x) by (apply Rmult_le_pos; lra). assert (unit w * x <= unit w * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma encl_apart w i j x y : encl w i x -> encl w j y -> (snd i <=? fst j)%Z = true -> x <= y.
Proof. intros [_ A] [B _] H. apply Z.leb_le, IZR_le in H. pose proof (unit_pos w). apply Rmult_le_reg_l with (unit w); lra. Qed.
Lemma encl_0_1 w : encl w (exact_Z w 1) 1.
Proof. apply (encl_exact w 1). Qed.

Lemma laplace_point w d Hd iu u : 0 <= u -> encl w iu u -> encloses_point w (divergence [laplace_pair (Q2R d) Hd]) u (noise_delta w Remove (Laplace d) iu) (laplace_slope_Z w d iu).
Proof.
  intros Hu Eu. set (D := divergence [laplace_pair (Q2R d) Hd]). split.
  - cbn [noise_delta]. destruct (exp_Z w (of_Q w (- d))) as [low|] eqn:X; [|discriminate]. intros i H. apply some_inj in H. subst i.
    pose proof (exp_sound w _ _ _ (encl_Q w _) X) as EL. rewrite Q2R_opp in EL. unfold D. rewrite laplace_closed by exact Hu. pose proof (exp_pos (- Q2R d)).
    apply encl_max; [apply encl_zero|]. apply encl_max; apply encl_sub; auto using encl_0_1. apply encl_sqrt; [apply Rmult_le_pos; lra|]. apply encl_mul; assumption.
  - (* whatever u is, there is a slope between 0 and 1 *)
    assert (W : exists slope, encl w (0%Z, snd (exact_Z w 1)) slope /\ tangent D u slope).
    { destruct (Rle_dec u (exp (- Q2R d))) as [h|h]; [exists 1; split; [apply encl_wide; lra|apply laplace_tangent_low; assumption]|].
      destruct (Rle_dec (exp (Q2R d)) u) as [k|k]; [exists 0; split; [apply encl_wide; lra|apply laplace_tangent_high; assumption]|].
      pose proof (exp_pos (- Q2R d)) as P. destruct (laplace_tangent_middle (Q2R d) Hd u ltac:(lra) ltac:(lra)) as [T S]. eexists. split; [|exact T]. apply encl_wide. split.
      - apply (tangent_nonneg _ _ _ (divergence_profile _) Hu T).
      - apply (tangent_at_most_1 _ u _ (divergence_profile _) ltac:(lra) T). }
    unfold laplace_slope_Z. destruct (exp_Z w (of_Q w (- d))) as [low|] eqn:X; [|exact W]. destruct (exp_Z w (of_Q w d)) as [high|] eqn:Y; [|exact W].
    pose proof (exp_sound w _ _ _ (encl_Q w _) X) as EL. rewrite Q2R_opp in EL. pose proof (exp_sound w _ _ _ (encl_Q w _) Y) as EH.
    destruct (snd iu <=? fst low)%Z eqn:A; [exists 1; split; [apply encl_0_1|apply laplace_tangent_low; [exact Hu|exact (encl_apart _ _ _ _ _ Eu EL A)]]|].
    destruct (snd high <=? fst iu)%Z eqn:B; [exists 0; split; [apply encl_zero|apply laplace_tangent_high; exact (encl_apart _ _ _ _ _ EH Eu B)]|].
    destruct ((snd low <=? fst iu)%Z && (snd iu <=? fst high)%Z)%bool eqn:C; [|exact W]. apply andb_prop in C. destruct C as [C1 C2].
    destruct (div_Z w low (sqrt_Z w (mul_Z w iu low))) as [s|] eqn:S; [|exact W]. pose proof (exp_pos (- Q2R d)) as P.
    destruct (laplace_tangent_middle (Q2R d) Hd u (encl_apart _ _ _ _ _ EL Eu C1) (encl_apart _ _ _ _ _ Eu EH C2)) as [T _]. eexists. split; [|exact T]. apply encl_half.
    assert (P0 : 0 <= u * exp (- Q2R d)) by (apply Rmult_le_pos; lra). exact (proj1 (encl_div w _ _ _ _ _ EL (encl_sqrt w _ _ P0 (encl_mul w _ _ _ _ Eu EL)) S)).
Qed.

(** ** Randomised response, and two vectors *)
Lemma certain_sound w i x : encl w i x -> exists a, 0 <= a <= 1 /\ a * x = pos x /\ encl w (certain w i) a.
Proof.
  intros E. unfold certain, pos. destruct (0 <=? fst i)%Z eqn:A; [|destruct (snd i <=? 0)%Z eqn:B].
  - apply Z.leb_le, IZR_le in A. destruct E as [E _]. pose proof (unit_pos w) as U. assert (0 <= x) by (apply Rmult_le_reg_l with (unit w); lra).
    exists 1. split; [lra|]. split; [rewrite Rmax_right by assumption; ring|apply encl_0_1].
  - apply (encl_not_positive w i x E) in B. exists 0. split; [lra|]. split; [rewrite Rmax_left by exact B; ring|apply encl_zero].
  - destruct (Rle_dec 0 x) as [h|h].
    + exists 1. split; [lra|]. split; [rewrite Rmax_right by assumption; ring|apply encl_wide; lra].
    + exists 0. split; [lra|]. split; [rewrite Rmax_left by lra; ring|apply encl_wide; lra].
Qed.
Lemma slope_cells_sound w iu u l : encl w iu u -> exists s, encl w (slope_cells w iu l) s /\ forall v, spread (real_cells l) u 1 - s * (v - u) <= spread (real_cells l) v 1.
Proof.
  intros Eu. induction l as [|x l [s [Es T]]]; cbn [slope_cells real_cells map spread]; [exists 0; split; [apply encl_zero|intros; lra]|]. cbn [fst snd].
  set (qx := Q2R (fst x)). set (px := Q2R (snd x)).
  destruct (certain_sound w (sub_Z (of_Q w (fst x)) (mul_Z w iu (of_Q w (snd x)))) (qx - u * px)) as (a & A & Ea & Ca); [apply encl_sub; [apply encl_Q|apply encl_mul; [exact Eu|apply encl_Q]]|].
  exists (a * px + s). split; [apply encl_add; [apply encl_mul; [exact Ca|apply encl_Q]|exact Es]|]. intros v. rewrite !Rmult_1_l, <- Ea. specialize (T v).
  assert (L : a * (qx - v * px) <= pos (qx - v * px)).
  { unfold pos. destruct (Rle_dec 0 (qx - v * px)) as [h|h]; [assert (a * (qx - v * px) <= 1 * (qx - v * px)) by (apply Rmult_le_compat_r; lra); pose proof (Rmax_r 0 (qx - v * px)); lra|].
    assert (0 <= a * - (qx - v * px)) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 (qx - v * px)). lra. }
  fold (real_cells l). lra.
Qed.
Lemma finite_swapped l O Sq Sp u : divergence [swap (finite_pair (real_cells l) O Sq Sp)] u = spread (real_cells (flip l)) u 1.
Proof.
  transitivity (fold_right (fun x s => stick (u * fst x) (1 * snd x) + s) 0 (real_cells l)); [exact (sum_over_cells (real_cells l) (fun x => stick (u * fst x) (1 * snd x)))|].
  clear. induction l as [|x m IH]; cbn [real_cells flip map fold_right spread]; [reflexivity|]. cbn [fst snd]. fold (real_cells m). rewrite IH. reflexivity.
Qed.
Lemma finite_point w o l O Sq Sp iu u : encl w iu u ->
  encloses_point w (divergence [ordered o (finite_pair (real_cells l) O Sq Sp)]) u (noise_delta w o (Outcomes l) iu) (noise_slope w o (Outcomes l) iu).
Proof.
  intros Eu. assert (E : forall v, divergence [ordered o (finite_pair (real_cells l) O Sq Sp)] v = spread (real_cells (in_order o l)) v 1) by (intros v; destruct o; [apply finite_divergence|apply finite_swapped]).
  split.
  - cbn [noise_delta]. intros i H. apply some_inj in H. subst i. rewrite E. apply spread_sound, Eu.
  - destruct (slope_cells_sound w iu u (in_order o l) Eu) as (s & Es & T). exists s. split; [exact Es|]. intros v _. rewrite !E. apply T.
Qed.
Lemma response_point w v k H iu u : 0 <= u -> encl w iu u -> encloses_point w (divergence [response_pair (level_R v) k H]) u (noise_delta w Remove (Response v k) iu) (response_slope_Z w v k iu).
Proof.
  intros Hu Eu. split.
  - cbn [noise_delta]. destruct (level_Z w v) as [iv|] eqn:V; [|discriminate]. intros i R. apply (response_sound w iv iu (level_R v) u k i H (level_sound w v iv V) Eu R).
  - set (D := divergence [response_pair (level_R v) k H]).
    assert (W : exists slope, encl w (0%Z, snd (exact_Z w 1)) slope /\ tangent D u slope).
    { destruct (Req_dec u 0) as [->|N].
      - exists 1. split; [apply encl_wide; lra|]. intros y Hy. unfold D. rewrite (profile_at_0 _ (divergence_profile [response_pair (level_R v) k H])). pose proof (pp_line _ (divergence_profile [response_pair (level_R v) k H]) y Hy). lra.
      - destruct (profile_support D (divergence_profile _) u ltac:(lra)) as [s [S T]]. exists s. split; [|intros y Hy; specialize (T y Hy); lra].
        apply encl_wide. split; [lra|]. apply (tangent_at_most_1 D u s (divergence_profile _) ltac:(lra)). intros y Hy. specialize (T y Hy). lra. }
    unfold response_slope_Z. destruct (level_Z w v) as [iv|] eqn:V; [|exact W]. apply level_sound in V. set (one := exact_Z w 1) in *. assert (E1 : encl w one 1) by apply encl_0_1.
    destruct (certain_sound w (sub_Z iv iu) (level_R v - u)) as (a & A & Ea & Ca); [apply encl_sub; assumption|].
    destruct (certain_sound w (sub_Z one (mul_Z w iu iv)) (1 - u * level_R v)) as (b & B & Eb & Cb); [apply encl_sub; [exact E1|apply encl_mul; assumption]|].
    destruct (certain_sound w (sub_Z one iu) (1 - u)) as (c & C & Ec & Cc); [apply encl_sub; assumption|]. cbv zeta.
    set (num := add_Z (add_Z (certain w (sub_Z iv iu)) (mul_Z w (certain w (sub_Z one (mul_Z w iu iv))) iv)) (Z.of_nat k * fst (certain w (sub_Z one iu)), Z.of_nat k * snd (certain w (sub_Z one iu)))%Z).
    destruct (div_Z w num (add_Z (add_Z iv one) (exact_Z w (Z.of_nat k)))) as [s|] eqn:S; [|exact W].
    exists ((a + b * level_R v + INR k * c) / answers (level_R v) k). split; [|apply response_tangent; assumption].
    assert (EN : encl w (add_Z (add_Z iv one) (exact_Z w (Z.of_nat k))) (answers (level_R v) k)) by (unfold answers; apply encl_add; [apply encl_add; assumption|rewrite INR_IZR_INZ; apply encl_exact]).
    refine (proj1 (encl_div w _ _ _ _ _ _ EN S)). apply encl_add; [apply encl_add; [exact Ca|apply encl_mul; assumption]|].
    unfold encl in Cc |- *; cbn [fst snd]. rewrite !mult_IZR, <- INR_IZR_INZ. pose proof (pos_INR k). replace (unit w * (INR k * c)) with (INR k * (unit w * c)) by ring. split; apply Rmult_le_compat_l; lra.
Qed.
Lemma same_point w D D' u d s : (forall v, 0 <= v -> D v = D' v) -> 0 <= u -> encloses_point w D' u d s -> encloses_point w D u d s.
Proof.
  intros E Hu [A [t [B T]]]. split; [intros i H; rewrite E by exact Hu; apply A, H|]. exists t. split; [exact B|]. intros v Hv. rewrite !E by assumption. apply T, Hv.
Qed.
Theorem noise_sound w o n x iu u : noise_pair n x -> 0 <= u -> encl w iu u -> encloses_point w (divergence [ordered o x]) u (noise_delta w o n iu) (noise_slope w o n iu).
Proof.
  intros N Hu Eu. destruct n as [d|v k|l]; cbn [noise_pair] in N.
  - destruct N as [Hd ->]. apply (same_point w _ (divergence [laplace_pair (Q2R d) Hd])); [|exact Hu|exact (laplace_point w d Hd iu u Hu Eu)].
    intros y Hy. destruct o; [reflexivity|]. exact (laplace_orders (Q2R d) Hd y Hy).
  - destruct N as [H ->]. apply (same_point w _ (divergence [response_pair (level_R v) k H])); [|exact Hu|exact (response_point w v k H iu u Hu Eu)].
    intros y Hy. destruct o; [reflexivity|]. destruct Hy as [Hy|<-]; [exact (response_orders (level_R v) k H y Hy)|]. rewrite !profile_at_0 by apply divergence_profile. reflexivity.
  - destruct N as (O & Sq & Sp & ->). apply finite_point, Eu.
Qed.

(** ** Steps *)
(** square is mu^2; in Replaced a record that moves the sum by mu one way is replaced by one that moves it by mu the other way; a Mixture has chances and distances in units of sigma *)
Inductive step := Gaussian (rate square : Q) | Replaced (rate square : Q) | Mixture (l : list (Q * Q)) | Sampled (rate : Q) (n : noise).
Definition step_pair (s : step) (x : pair) : Prop :=
  match s with
  | Gaussian r m => exists Hr Hm, x = remove_pair (Q2R r) (sqrt (Q2R m)) Hr Hm
  | Replaced r m => exists Hr, 0 < sqrt (Q2R m) /\ x = replaced_pair (Q2R r) (sqrt (Q2R m)) Hr
  | Mixture l => exists W T, (forall a, In a (MixturePairs.shifts_R l) -> 0 <= snd a) /\ x = MixturePairs.mixed_pair (MixturePairs.shifts_R l) W T
  | Sampled r n => exists Hr y, noise_pair n y /\ x = sampled_pair (Q2R r) Hr y
  end.
Definition sampled_point (w : positive) (o : order) (r : Q) (n : noise) (iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  let one := exact_Z w 1 in let ir := of_Q w r in let left := of_Q w (1 - r) in
  match o with
  | Remove =>
      let ig := sub_Z iu left in
      if (0 <? fst ig)%Z then
        match div_Z w ig ir with
        | Some iv => match noise_delta w o n iv with Some d => Some (clamp_0 (mul_Z w ir d), noise_slope w o n iv) | None => None end
        | None => None
        end
      else if (snd ig <=? 0)%Z then Some (clamp_0 (sub_Z one iu), one) else None
  | Add =>
      let ih := sub_Z one (mul_Z w iu left) in
      if (0 <? fst ih)%Z then
        match div_Z w (mul_Z w iu ir) ih with
        | Some iv => match noise_delta w o n iv with
                     | Some d => let t := noise_slope w o n iv in Some (clamp_0 (mul_Z w ih d), add_Z (mul_Z w left (add_Z d (mul_Z w iv t))) (mul_Z w ir t))
                     | None => None
                     end
        | None => None
        end
      else if (snd ih <=? 0)%Z then Some ((0, 0)%Z, (0, 0)%Z) else None
  end.
Definition step_point (w : positive) (inv : Z * Z) (o : order) (s : step) (iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  match s with
  | Gaussian r m => let im := sqrt_Z w (of_Q w m) in match o with Remove => sampled_remove_Z w inv (of_Q w r) im iu | Add => sampled_add_Z w inv (of_Q w r) im iu end
  | Replaced r m => replaced_Z w inv (of_Q w r) (sqrt_Z w (of_Q w m)) iu
  | Mixture l => match o with Remove => MixturePairs.mixed_Z w inv l iu | Add => MixturePairs.mixed_swapped_Z w inv l iu end
  | Sampled r n => sampled_point w o r n iu
  end.

Lemma left_over r : Q2R (1 - r) = 1 - Q2R r.
Proof. rewrite Q2R_minus. f_equal. unfold Q2R; simpl. field. Qed.
Lemma sampled_sound w o r Hr n y iu u d s : noise_pair n y -> 0 <= u -> encl w iu u -> sampled_point w o r n iu = Some (d, s) ->
  encl w d (divergence [ordered o (sampled_pair (Q2R r) Hr y)] u) /\ exists slope, encl w s slope /\ tangent (divergence [ordered o (sampled_pair (Q2R r) Hr y)]) u slope.
Proof.
  intros N Hu Eu. pose proof (encl_0_1 w) as E1. pose proof (encl_Q w r) as Er. pose proof (encl_Q w (1 - r)) as El. rewrite left_over in El.
  assert (P : 0 <= divergence [ordered o (sampled_pair (Q2R r) Hr y)] u) by (apply (pp_nonneg _ (divergence_profile _)), Hu). unfold sampled_point. destruct o; cbn [ordered] in *.
  - set (ig := sub_Z iu (of_Q w (1 - r))). assert (Eg : encl w ig (u - (1 - Q2R r))) by (apply encl_sub; assumption). destruct (0 <? fst ig)%Z eqn:G.
    + apply (encl_positive w _ _ Eg) in G. destruct (div_Z w ig (of_Q w r)) as [iv|] eqn:V; [|discriminate]. destruct (encl_div w _ _ _ _ _ Eg Er V) as [Ev _].
      assert (V0 : 0 <= (u - (1 - Q2R r)) / Q2R r) by (apply Rcomplements.Rdiv_le_0_compat; lra). destruct (noise_sound w Remove n y iv _ N V0 Ev) as [Dl [t [Et T]]]. cbn [ordered] in *. destruct (noise_delta w Remove n iv) as [dv|]; [|discriminate].
      specialize (Dl dv eq_refl). intros H. apply pair_inj in H. destruct H as [-> ->]. split.
      * apply encl_clamp; [|exact P]. rewrite (sampled_above (Q2R r) Hr y u) by lra. apply encl_mul; assumption.
      * exists t. split; [exact Et|]. apply sampled_tangent_above; [lra|exact T].
    + destruct (snd ig <=? 0)%Z eqn:G'; [|discriminate]. apply (encl_not_positive w _ _ Eg) in G'. intros H. apply pair_inj in H. destruct H as [-> ->]. split.
      * apply encl_clamp; [|exact P]. rewrite (sampled_low (Q2R r) Hr y u) by lra. apply encl_sub; assumption.
      * exists 1. split; [exact E1|]. apply sampled_tangent_low. lra.
  - set (ih := sub_Z (exact_Z w 1) (mul_Z w iu (of_Q w (1 - r)))). assert (Eh : encl w ih (rest (Q2R r) u)) by (apply encl_sub; [exact E1|apply encl_mul; assumption]). destruct (0 <? fst ih)%Z eqn:G.
    + apply (encl_positive w _ _ Eh) in G. destruct (div_Z w (mul_Z w iu (of_Q w r)) ih) as [iv|] eqn:V; [|discriminate]. destruct (encl_div w _ _ _ _ _ (encl_mul w _ _ _ _ Eu Er) Eh V) as [Ev _].
      assert (V0 : 0 <= u * Q2R r / rest (Q2R r) u) by (apply Rcomplements.Rdiv_le_0_compat; [apply Rmult_le_pos; lra|exact G]). destruct (noise_sound w Add n y iv _ N V0 Ev) as [Dl [t [Et T]]]. cbn [ordered] in *.
      destruct (noise_delta w Add n iv) as [dv|]; [|discriminate]. specialize (Dl dv eq_refl). intros H. apply pair_inj in H. destruct H as [-> ->]. split.
      * apply encl_clamp; [|exact P]. rewrite (add_above (Q2R r) Hr y u Hu G). apply encl_mul; assumption.
      * eexists. split; [|apply (add_tangent_above (Q2R r) Hr y u t Hu G T)]. unfold add_slope. apply encl_add; apply encl_mul; auto. apply encl_add; [exact Dl|apply encl_mul; assumption].
    + destruct (snd ih <=? 0)%Z eqn:G'; [|discriminate]. apply (encl_not_positive w _ _ Eh) in G'. intros H. apply pair_inj in H. destruct H as [-> ->]. split.
      * rewrite (add_low (Q2R r) Hr y u Hu G'). apply encl_zero.
      * exists 0. split; [apply encl_zero|]. apply add_tangent_low; assumption.
Qed.
Theorem step_point_sound w inv o s x iu u d t : encl w inv (/ total) -> step_pair s x -> 0 <= u -> encl w iu u -> step_point w inv o s iu = Some (d, t) ->
  encl w d (divergence [ordered o x] u) /\ exists slope, encl w t slope /\ tangent (divergence [ordered o x]) u slope.
Proof.
  intros I S Hu Eu. destruct s as [r m|r m|l|r n]; cbn [step_pair step_point] in *.
  - destruct S as (Hr & Hm & ->). assert (M : 0 <= Q2R m) by (apply Rnot_lt_le; intros C; rewrite sqrt_neg_0 in Hm by lra; lra). pose proof (encl_sqrt w _ _ M (encl_Q w m)) as Em. destruct o; cbn [ordered].
    + apply (sampled_remove_sound w inv _ _ iu _ _ u Hr Hm Hu I (encl_Q w r) Em Eu).
    + apply (sampled_add_sound w inv _ _ iu _ _ u Hr Hm Hu I (encl_Q w r) Em Eu).
  - destruct S as (Hr & Hm & ->). assert (M : 0 <= Q2R m) by (apply Rnot_lt_le; intros C; rewrite sqrt_neg_0 in Hm by lra; lra). pose proof (encl_sqrt w _ _ M (encl_Q w m)) as Em.
    assert (Same : forall v, divergence [ordered o (replaced_pair (Q2R r) (sqrt (Q2R m)) Hr)] v = ReplaceOne.replace_profile (Q2R r) (sqrt (Q2R m)) v) by (intros v; destruct o; [exact (proj1 (replaced_divergence _ _ Hr v))|exact (proj2 (replaced_divergence _ _ Hr v))]).
    intros H. destruct (replaced_sound w inv _ _ iu _ _ u Hr Hm I (encl_Q w r) Em Eu d t H) as (_ & Ed & slope & Es & T). rewrite Same. split; [exact Ed|]. exists slope. split; [exact Es|]. intros v Hv. rewrite !Same. apply T, Hv.
  - destruct S as (W & T & up & ->). destruct o; cbn [ordered]; intros H.
    + exact (MixturePairs.mixed_sound w inv l I W T up iu u d t Hu Eu H).
    + exact (MixturePairs.mixed_swapped_sound w inv l I W T up iu u d t Hu Eu H).
  - destruct S as (Hr & y & N & ->). apply sampled_sound; assumption.
Qed.

(** ** Which parameters are in range *)
Definition nonneg_cells (l : list (Q * Q)) : bool := forallb (fun x => Qle_bool 0 (fst x) && Qle_bool 0 (snd x)) l.
Definition total_of (f : Q * Q -> Q) (l : list (Q * Q)) : Q := fold_right (fun x s => Qred (f x + s)) 0%Q l.
Definition proper_noise (n : noise) : bool :=
  match n with
  | Laplace d => Qle_bool 0 d
  | Response (Log e) _ => Qle_bool 0 e
  | Response (Ratio v) _ => Qle_bool 1 v
  | Outcomes l => nonneg_cells l && Qeq_bool (total_of fst l) 1 && Qeq_bool (total_of snd l) 1
  end.
Definition positive_Q (x : Q) : bool := negb (Qle_bool x 0).
Definition proper (s : step) : bool :=
  match s with
  | Gaussian r m | Replaced r m => positive_Q r && Qle_bool r 1 && positive_Q m
  | Mixture l => nonneg_cells l && Qeq_bool (total_of fst l) 1
  | Sampled r n => positive_Q r && Qle_bool r 1 && proper_noise n
  end.
Lemma Q0 : Q2R 0 = 0. Proof. unfold Q2R; simpl. field. Qed.
Lemma Q1 : Q2R 1 = 1. Proof. unfold Q2R; simpl. field. Qed.
Lemma positive_Q_sound x : positive_Q x = true -> 0 < Q2R x.
Proof. intros H. apply negb_true_iff in H. apply Qlt_real in H. rewrite Q0 in H. exact H. Qed.
Lemma total_of_sound (f : Q * Q -> Q) (g : R * R -> R) l : (forall x, g (Q2R (fst x), Q2R (snd x)) = Q2R (f x)) -> fold_right (fun x s => g x + s) 0 (real_cells l) = Q2R (total_of f l).
Proof.
  intros E. induction l as [|x l IH]; cbn [real_cells map fold_right total_of]; [symmetry; apply Q0|]. fold (real_cells l). fold (total_of f l).
  rewrite IH, E. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus. reflexivity.
Qed.
Lemma noise_exists n : proper_noise n = true -> exists x, noise_pair n x.
Proof.
  destruct n as [d|[e|v] k|l]; cbn [proper_noise noise_pair]; intros H.
  - apply Qle_real in H. rewrite Q0 in H. exists (laplace_pair (Q2R d) H), H. reflexivity.
  - apply Qle_real in H. rewrite Q0 in H. assert (K : 1 <= level_R (Log e)) by (cbn [level_R]; rewrite <- exp_0; apply exp_le_mono, H). exists (response_pair (level_R (Log e)) k K), K. reflexivity.
  - apply Qle_real in H. rewrite Q1 in H. exists (response_pair (level_R (Ratio v)) k H), H. reflexivity.
  - apply andb_prop in H. destruct H as [H Sp]. apply andb_prop in H. destruct H as [N Sq]. apply Qeq_bool_iff, Qeq_eqR in Sq, Sp. rewrite Q1 in Sq, Sp.
    assert (O : cells_ok (real_cells l)).
    { apply List.Forall_forall. intros y Hy. apply in_map_iff in Hy. destruct Hy as [x [<- Hx]]. unfold nonneg_cells in N. rewrite forallb_forall in N. specialize (N x Hx). apply andb_prop in N. destruct N as [A B].
      apply Qle_real in A, B. rewrite Q0 in A, B. auto. }
    rewrite <- (total_of_sound fst fst) in Sq by reflexivity. rewrite <- (total_of_sound snd snd) in Sp by reflexivity. exists (finite_pair (real_cells l) O Sq Sp), O, Sq, Sp. reflexivity.
Qed.
Lemma mixture_exists l : nonneg_cells l && Qeq_bool (total_of fst l) 1 = true -> exists x, step_pair (Mixture l) x.
Proof.
  intros H. apply andb_prop in H. destruct H as [N S]. apply Qeq_bool_iff, Qeq_eqR in S. rewrite Q1 in S. unfold nonneg_cells in N. rewrite forallb_forall in N.
  assert (P : forall a, In a (MixturePairs.shifts_R l) -> 0 <= fst a /\ 0 <= snd a).
  { intros a Ha. apply in_map_iff in Ha. destruct Ha as [x [<- Hx]]. specialize (N x Hx). apply andb_prop in N. destruct N as [A B]. apply Qle_real in A, B. rewrite Q0 in A, B. auto. }
  assert (W : Threshold.weights_ok (MixturePairs.shifts_R l)) by (apply List.Forall_forall; intros a Ha; apply P, Ha).
  assert (T : Threshold.total_weight (MixturePairs.shifts_R l) = 1).
  { rewrite <- S. clear. induction l as [|x l IH]; cbn [MixturePairs.shifts_R map Threshold.total_weight total_of fold_right fst]; [symmetry; apply Q0|].
    fold (MixturePairs.shifts_R l). fold (total_of fst l). rewrite IH, (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus. reflexivity. }
  exists (MixturePairs.mixed_pair _ W T), W, T. split; [|reflexivity]. intros a Ha. apply P, Ha.
Qed.
Theorem step_exists s : proper s = true -> exists x, step_pair s x.
Proof.
  destruct s as [r m|r m|l|r n]; [| |exact (mixture_exists l)|]; cbn [proper step_pair]; intros H; apply andb_prop in H; destruct H as [H K]; apply andb_prop in H; destruct H as [A B]; apply positive_Q_sound in A; apply Qle_real in B; rewrite Q1 in B.
  - apply positive_Q_sound, sqrt_lt_R0 in K. exists (remove_pair (Q2R r) (sqrt (Q2R m)) (conj A B) K), (conj A B), K. reflexivity.
  - apply positive_Q_sound, sqrt_lt_R0 in K. exists (replaced_pair (Q2R r) (sqrt (Q2R m)) (conj A B)), (conj A B). auto.
  - destruct (noise_exists n K) as [y N]. exists (sampled_pair (Q2R r) (conj A B) y), (conj A B), y. auto.
Qed.
