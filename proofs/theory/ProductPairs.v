(** * The pairs of Product.v: finite ones, randomised response, Gaussian noise with Poisson sampling, Laplace noise

Gaussian noise is on the line, with its normal density; a product of n equal sampled Gaussian steps is that of SampledGaussian.v. Laplace noise is seen through the answer cut off at 0 and at
the distance of the datasets: beyond these points the likelihood ratio does not change, so nothing is lost. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum StrictMu Product.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over outcomes *)
Section Finite.
Variable l : cells.          (* (q, p) of each outcome *)
Hypothesis l_ok : cells_ok l.
Hypothesis q_sum : fold_right (fun x s => fst x + s) 0 l = 1.
Hypothesis p_sum : fold_right (fun x s => snd x + s) 0 l = 1.
Definition at_index (i : nat) : R * R := nth i l (0, 0).
Definition sum_over (f : nat -> R) : R := fold_right (fun i s => f i + s) 0 (seq 0 (length l)).

Lemma at_index_nonneg i : 0 <= fst (at_index i) /\ 0 <= snd (at_index i).
Proof.
  unfold at_index. destruct (nth_in_or_default i l (0, 0)) as [H|E]; [|rewrite E; simpl; lra]. exact (proj1 (Forall_forall _ _) l_ok _ H).
Qed.
Lemma fold_le (f g : nat -> R) m : (forall x, f x <= g x) -> fold_right (fun i s => f i + s) 0 m <= fold_right (fun i s => g i + s) 0 m.
Proof. intros H. induction m as [|i m IH]; cbn [fold_right]; [lra|]. specialize (H i). lra. Qed.
Lemma fold_plus (f g : nat -> R) m : fold_right (fun i s => f i + g i + s) 0 m = fold_right (fun i s => f i + s) 0 m + fold_right (fun i s => g i + s) 0 m.
Proof. induction m as [|i m IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. Qed.
Lemma fold_times c (f : nat -> R) m : fold_right (fun i s => c * f i + s) 0 m = c * fold_right (fun i s => f i + s) 0 m.
Proof. induction m as [|i m IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. Qed.
Lemma sum_over_cells (F : R * R -> R) : sum_over (fun i => F (at_index i)) = fold_right (fun x s => F x + s) 0 l.
Proof.
  unfold sum_over, at_index. clear. induction l as [|x m IH]; [reflexivity|]. cbn [length seq fold_right nth]. rewrite <- IH. f_equal.
  rewrite <- seq_shift. clear IH. induction (seq 0 (length m)) as [|i s IH]; cbn [map fold_right]; [reflexivity|]. rewrite IH. reflexivity.
Qed.
Definition finite_pair : pair.
Proof.
  refine {| outcome := nat; p := fun i => snd (at_index i); q := fun i => fst (at_index i); integral := sum_over; integrable := fun _ => True |}; auto.
  - intros i. apply at_index_nonneg.
  - intros i. apply at_index_nonneg.
  - intros f g _ _ H. apply fold_le, H.
  - intros f g _ _. apply fold_plus.
  - intros c f _ _. apply fold_times.
  - rewrite (sum_over_cells snd). exact p_sum.
  - rewrite (sum_over_cells fst). exact q_sum.
Defined.
Theorem finite_divergence u : divergence [finite_pair] u = spread l u 1.
Proof.
  transitivity (fold_right (fun x s => stick (u * snd x) (1 * fst x) + s) 0 l); [exact (sum_over_cells (fun x => stick (u * snd x) (1 * fst x)))|].
  clear. induction l as [|x m IH]; cbn [fold_right spread]; [reflexivity|]. rewrite IH. reflexivity.
Qed.
End Finite.

(** ** Gaussian noise, sampled at a rate: without the record N(0, 1), with it (1 - rate) N(0, 1) + rate N(mu, 1) *)
Section Gaussian.
Variables rate mu : R.
Hypothesis Hq : 0 < rate <= 1.
Hypothesis Hmu : 0 <= mu.
Notation w := (weight rate mu).
Definition normal_integrable (f : R -> R) := cont f /\ (forall x, 0 <= f x) /\ bounded f.

Lemma E_ratio : E (ratio mu) = 1.
Proof.
  assert (B : bounded (ratio mu)) by (exists 1; apply SamplingLowers.ratio_mean).
  destruct (E_spec _ B) as [U L]. apply Rle_antisym; [apply L, SamplingLowers.ratio_mean|]. apply le_epsilon. intros e He.
  destruct (SamplingLowers.ratio_mean_near mu Hmu e He) as [b [Hb N]]. specialize (U b Hb). lra.
Qed.
Lemma E_weight : E w = 1.
Proof.
  assert (C1 : cont (fun _ : R => 1)) by apply cont_const.
  assert (B1 : bounded (fun _ : R => 1)) by (apply (bounded_const _ 1 C1); intros; lra).
  assert (Br : bounded (ratio mu)) by (exists 1; apply SamplingLowers.ratio_mean).
  rewrite (E_ext w (fun x => (1 - rate) * 1 + rate * ratio mu x)) by (intros; unfold weight; ring).
  rewrite (E_plus (fun x => (1 - rate) * 1) (fun x => rate * ratio mu x)), (E_scale (1 - rate) (fun _ => 1)), (E_scale rate (ratio mu)), E_1, E_ratio;
    auto using cont_ratio, cont_scale; try lra; try ring.
  - intros; lra.
  - intros x. pose proof (ratio_pos mu x). apply Rmult_le_pos; lra.
  - exists (1 - rate). intros b Hb. rewrite part_scale by exact C1. pose proof (SamplingLowers.part_1_le b Hb). assert ((1 - rate) * part (fun _ => 1) b <= (1 - rate) * 1) by (apply Rmult_le_compat_l; lra). lra.
  - exists rate. intros b Hb. rewrite part_scale by apply cont_ratio. pose proof (SamplingLowers.ratio_mean mu b Hb). assert (rate * part (ratio mu) b <= rate * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Lipschitz functions of continuous ones are continuous *)
Lemma lipschitz_cont F g h D : 0 <= D -> (forall x, 0 <= g x) -> (forall x, 0 <= h x) -> cont g -> cont h ->
  (forall a b a' b', 0 <= a -> 0 <= b -> 0 <= a' -> 0 <= b' -> F a b <= F a' b' + D * (Rabs (a - a') + Rabs (b - b'))) -> cont (fun x => F (g x) (h x)).
Proof.
  intros HD Pg Ph Cg Ch L x. apply filterlim_locally. intros eps. assert (K : 0 < eps / (2 * (D + 1))) by (apply Rdiv_lt_0_compat; [apply cond_pos|lra]).
  pose proof (proj1 (filterlim_locally (F := locally x) g (g x)) (Cg x) (mkposreal _ K)) as A.
  pose proof (proj1 (filterlim_locally (F := locally x) h (h x)) (Ch x) (mkposreal _ K)) as B.
  pose proof (filter_and _ _ A B) as AB. revert AB. apply filter_imp. intros y [Ay By]. unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
  pose proof (L (g y) (h y) (g x) (h x) (Pg y) (Ph y) (Pg x) (Ph x)) as U. pose proof (L (g x) (h x) (g y) (h y) (Pg x) (Ph x) (Pg y) (Ph y)) as V.
  rewrite (Rabs_minus_sym (g x)), (Rabs_minus_sym (h x)) in V. unfold Rminus in U, V.
  assert (S : D * (Rabs (g y + - g x) + Rabs (h y + - h x)) <= D * (eps / (D + 1))).
  { apply Rmult_le_compat_l; [exact HD|]. replace (eps / (D + 1)) with (eps / (2 * (D + 1)) + eps / (2 * (D + 1))) by (field; lra). lra. }
  assert (T : D * (eps / (D + 1)) < eps).
  { pose proof (cond_pos eps). replace (D * (eps / (D + 1))) with (eps - eps / (D + 1)) by (field; lra). assert (0 < eps / (D + 1)) by (apply Rdiv_lt_0_compat; lra). lra. }
  apply Rabs_def1; lra.
Qed.

Lemma normal_of_good F a b : good F -> 0 <= a -> 0 <= b -> normal_integrable (fun x => F (a * 1) (b * w x)).
Proof.
  intros G Ha Hb. pose proof (weight_pos rate mu Hq) as WP. pose proof (weight_cont rate mu) as WC.
  assert (PW : forall x, 0 <= b * w x) by (intros x; apply Rmult_le_pos; [exact Hb|left; apply WP]). destruct G as [A1 [C [C0 A2]] [D [D0 A3]] A4].
  assert (CF : cont (fun x => F (a * 1) (b * w x))).
  { apply (lipschitz_cont F (fun _ => a * 1) (fun x => b * w x) D); auto; [intros; lra|apply cont_const|apply cont_scale, WC]. }
  split; [exact CF|]. split; [intros x; apply A1; [lra|apply PW]|]. exists (C * (a + b)). intros B HB.
  apply Rle_trans with (part (fun x => C * (a * 1 + b * w x)) B).
  - apply part_le; [exact CF|apply cont_scale, (cont_plus (fun _ => a * 1) (fun x => b * w x)); [apply cont_const|apply cont_scale, WC]|exact HB|]. intros x. apply A2; [lra|apply PW].
  - rewrite part_scale by (apply (cont_plus (fun _ => a * 1) (fun x => b * w x)); [apply cont_const|apply cont_scale, WC]).
    rewrite (part_plus (fun _ => a * 1) (fun x => b * w x)) by (try apply cont_const; apply cont_scale, WC).
    rewrite (part_scale a (fun _ => 1)), (part_scale b w) by (try apply cont_const; apply WC). apply Rmult_le_compat_l; [exact C0|].
    pose proof (SamplingLowers.part_1_le B HB). pose proof (weight_mean rate mu Hq B HB).
    assert (a * part (fun _ => 1) B <= a * 1) by (apply Rmult_le_compat_l; lra). assert (b * part w B <= b * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Definition gaussian_pair : pair.
Proof.
  refine {| outcome := R; p := fun _ => 1; q := w; integral := E; integrable := normal_integrable |}.
  - intros _. lra.
  - intros x. left. apply weight_pos, Hq.
  - exact normal_of_good.
  - intros f g [Cf [Pf [M Bf]]] [Cg [Pg [N Bg]]]. split; [apply cont_plus; assumption|]. split; [intros x; specialize (Pf x); specialize (Pg x); lra|].
    exists (M + N). intros b Hb. rewrite part_plus by assumption. specialize (Bf b Hb). specialize (Bg b Hb). lra.
  - intros c f Hc [Cf [Pf [M Bf]]]. split; [apply cont_scale, Cf|]. split; [intros x; apply Rmult_le_pos; auto|].
    exists (c * M). intros b Hb. rewrite part_scale by exact Cf. apply Rmult_le_compat_l; auto.
  - intros f g [Cf [_ _]] [Cg [_ Bg]] H. apply E_le; assumption.
  - intros f g [Cf [Pf Bf]] [Cg [Pg Bg]]. apply E_plus; assumption.
  - intros c f Hc [Cf [Pf Bf]]. apply E_scale; assumption.
  - apply E_1.
  - apply E_weight.
Defined.

(** n equal steps are those of SampledGaussian.v *)
Lemma gaussian_after n : forall a b, 0 <= a -> 0 <= b -> hockey (repeat gaussian_pair n) a b = after w n b a.
Proof.
  induction n as [|n IH]; intros a b Ha Hb; cbn [repeat]; [reflexivity|]. unfold hockey in *. cbn [product after]. unfold next. cbn [integral p q gaussian_pair]. apply E_ext.
  intros x. rewrite Rmult_1_r. apply IH; [exact Ha|]. apply Rmult_le_pos; [exact Hb|left; apply weight_pos, Hq].
Qed.
Theorem gaussian_divergence n u : 0 <= u -> divergence (repeat gaussian_pair n) u = steps rate mu n u.
Proof. intros Hu. apply gaussian_after; lra. Qed.
Lemma gaussian_one u : 0 <= u -> divergence [gaussian_pair] u = step rate mu u.
Proof.
  intros Hu. change [gaussian_pair] with (repeat gaussian_pair 1). rewrite (gaussian_divergence 1 u Hu). unfold steps, composed, step, one. cbn [after]. apply E_ext. intros x. rewrite Rmult_1_l. reflexivity.
Qed.

(** ** One step in closed form: at the threshold t where the likelihood ratio is u *)
Theorem step_closed t u : 0 <= u -> w t = u -> step rate mu u = rate * tail (t - mu) - (u - (1 - rate)) * tail t.
Proof.
  intros Hu Ht. assert (K : 1 - rate <= u) by (rewrite <- Ht; unfold weight; pose proof (ratio_pos mu t); assert (0 <= rate * ratio mu t) by (apply Rmult_le_pos; lra); lra).
  apply Rle_antisym.
  - pose proof (step_at rate mu Hq Hmu t t u K ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - pose proof (threshold_tests rate mu t Hq Hmu 1 1 u ltac:(lra) Hu) as T. unfold power_of_test in T. cbn [after] in T.
    rewrite (E_ext _ (fun x => pos (w x - u))) in T by (intros; rewrite Rmult_1_l; reflexivity). unfold step, one. simpl in T. lra.
Qed.
(** where the likelihood ratio is everywhere above u *)
Theorem step_low u : 0 <= u <= 1 - rate -> step rate mu u = 1 - u.
Proof.
  intros Hu. rewrite <- gaussian_one by lra. apply Rle_antisym; [|apply (pp_line _ (divergence_profile _)); lra].
  unfold divergence, hockey. cbn [product]. unfold next. cbn [integral p q gaussian_pair].
  assert (P : forall x, stick (u * 1) (1 * w x) = 1 * w x - u * 1).
  { intros x. unfold stick, pos. apply Rmax_right. unfold weight. pose proof (ratio_pos mu x). assert (0 <= rate * ratio mu x) by (apply Rmult_le_pos; lra). lra. }
  assert (K : E (fun x => stick (u * 1) (1 * w x)) + u * E (fun _ => 1) = E w).
  { rewrite <- (E_scale u (fun _ => 1)) by (try apply cont_const; try lra; apply (bounded_const _ 1 (cont_const 1)); intros; lra).
    rewrite <- E_plus.
    - apply E_ext. intros x. rewrite P. ring.
    - apply (normal_of_good stick u 1 good_stick); lra.
    - apply cont_scale, cont_const.
    - intros x. apply Rmax_l.
    - intros x. lra.
    - apply (normal_of_good stick u 1 good_stick); lra.
    - apply (bounded_const _ u (cont_scale u _ (cont_const 1))); intros; lra. }
  rewrite E_weight, E_1 in K. change (E (fun x => stick (u * 1) (1 * w x)) <= 1 - u). lra.
Qed.
End Gaussian.

(** ** Laplace noise of scale 1, datasets at distance d: without the record centred at 0, with it at d; the answer cut off at 0 and d *)
Inductive cut_answer := Low | Between (x : R) | High.
Section Laplace.
Variable d : R.
Hypothesis Hd : 0 <= d.
Definition laplace_p (x : cut_answer) : R := match x with Low => 1 | Between x => exp (- x) | High => exp (- d) end.
Definition laplace_q (x : cut_answer) : R := match x with Low => exp (- d) | Between x => exp (x - d) | High => 1 end.
Definition laplace_integral (f : cut_answer -> R) : R := / 2 * (f Low + f High + RInt (fun x => f (Between x)) 0 d).
Definition laplace_integrable (f : cut_answer -> R) := cont (fun x => f (Between x)).

Lemma ex_between f : laplace_integrable f -> ex_RInt (fun x => f (Between x)) 0 d.
Proof. intros C. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply C. Qed.
Lemma cont_falling : cont (fun x => exp (- x)).
Proof. intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I. Qed.
Lemma cont_rising : cont (fun x => exp (x - d)).
Proof. intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I. Qed.
Lemma falling_integral a b : is_RInt (fun x => exp (- x)) a b (exp (- a) - exp (- b)).
Proof.
  replace (exp (- a) - exp (- b)) with (minus (- exp (- b)) (- exp (- a))) by (unfold minus, plus, opp; simpl; ring).
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - exp (- x))); intros x _; [auto_derive; [exact I|ring]|apply cont_falling].
Qed.
Lemma rising_integral a b : is_RInt (fun x => exp (x - d)) a b (exp (b - d) - exp (a - d)).
Proof.
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => exp (x - d))); intros x _; [auto_derive; [exact I|unfold Rminus; ring]|apply cont_rising].
Qed.

Definition laplace_pair : pair.
Proof.
  refine {| outcome := cut_answer; p := laplace_p; q := laplace_q; integral := laplace_integral; integrable := laplace_integrable |}.
  - intros [|x|]; simpl; try (left; apply exp_pos); lra.
  - intros [|x|]; simpl; try (left; apply exp_pos); lra.
  - intros F a b [A1 A2 [D [D0 A3]] A4] Ha Hb. unfold laplace_integrable. cbn [laplace_p laplace_q].
    apply (lipschitz_cont F (fun x => a * exp (- x)) (fun x => b * exp (x - d)) D); auto.
    + intros x. apply Rmult_le_pos; [exact Ha|left; apply exp_pos].
    + intros x. apply Rmult_le_pos; [exact Hb|left; apply exp_pos].
    + apply cont_scale, cont_falling.
    + apply cont_scale, cont_rising.
  - intros f g Hf Hg. exact (cont_plus _ _ Hf Hg).
  - intros c f Hc Hf. exact (cont_scale c _ Hf).
  - intros f g Hf Hg H. unfold laplace_integral. apply Rmult_le_compat_l; [lra|]. pose proof (H Low). pose proof (H High).
    assert (RInt (fun x => f (Between x)) 0 d <= RInt (fun x => g (Between x)) 0 d); [|lra].
    apply RInt_le; [exact Hd|apply ex_between, Hf|apply ex_between, Hg|intros; apply H].
  - intros f g Hf Hg. unfold laplace_integral.
    assert (S : RInt (fun x => f (Between x) + g (Between x)) 0 d = RInt (fun x => f (Between x)) 0 d + RInt (fun x => g (Between x)) 0 d)
      by (exact (RInt_plus (V := R_CompleteNormedModule) (fun x => f (Between x)) (fun x => g (Between x)) 0 d (ex_between f Hf) (ex_between g Hg))).
    rewrite S. ring.
  - intros c f Hc Hf. unfold laplace_integral.
    assert (S : RInt (fun x => c * f (Between x)) 0 d = c * RInt (fun x => f (Between x)) 0 d)
      by (exact (RInt_scal (V := R_CompleteNormedModule) (fun x => f (Between x)) 0 d c (ex_between f Hf))).
    rewrite S. ring.
  - unfold laplace_integral. cbn [laplace_p]. rewrite (is_RInt_unique _ _ _ _ (falling_integral 0 d)). rewrite Ropp_0, exp_0. lra.
  - unfold laplace_integral. cbn [laplace_q]. rewrite (is_RInt_unique _ _ _ _ (rising_integral 0 d)). rewrite Rminus_eq_0, exp_0. replace (0 - d) with (- d) by ring. lra.
Defined.

(** its divergence: 1 - e^((ln u - d) / 2) between the smallest and the largest likelihood ratio *)
Lemma exp_half x : exp (x / 2) * exp (x / 2) = exp x.
Proof. rewrite <- exp_plus. f_equal. lra. Qed.
Theorem laplace_divergence e : - d <= e <= d -> divergence [laplace_pair] (exp e) = 1 - exp ((e - d) / 2).
Proof.
  intros He. unfold divergence, hockey. cbn [product]. unfold next. cbn [integral p q laplace_pair]. unfold laplace_integral. cbn [laplace_p laplace_q].
  set (c := (e + d) / 2). assert (Hc : 0 <= c <= d) by (unfold c; lra). set (h := fun x => stick (exp e * exp (- x)) (1 * exp (x - d))).
  assert (X : forall a b, ex_RInt h a b).
  { intros a b. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
    apply (lipschitz_cont stick (fun x => exp e * exp (- x)) (fun x => 1 * exp (x - d)) 1).
    - lra.
    - intros x. apply Rmult_le_pos; left; apply exp_pos.
    - intros x. apply Rmult_le_pos; [lra|left; apply exp_pos].
    - apply cont_scale, cont_falling.
    - apply cont_scale, cont_rising.
    - intros a0 b0 a' b' _ _ _ _. pose proof (Rle_abs (b0 - b')). pose proof (Rle_abs (- (a0 - a'))) as K. rewrite Rabs_Ropp in K. unfold stick, pos.
      pose proof (Rmax_l 0 (b' - a')). pose proof (Rmax_r 0 (b' - a')). pose proof (Rabs_pos (a0 - a')). pose proof (Rabs_pos (b0 - b')). apply Rmax_lub; lra. }
  assert (L1 : stick (exp e * 1) (1 * exp (- d)) = 0).
  { unfold stick, pos. apply Rmax_left. assert (exp (- d) <= exp e); [|lra]. destruct (Req_dec (- d) e) as [<-|n]; [lra|left; apply exp_increasing; lra]. }
  assert (L2 : stick (exp e * exp (- d)) (1 * 1) = 1 - exp (e - d)).
  { unfold stick, pos. rewrite <- exp_plus. replace (e + - d) with (e - d) by ring. rewrite Rmax_right; [ring|]. assert (exp (e - d) <= 1); [|lra].
    rewrite <- exp_0. destruct (Req_dec (e - d) 0) as [->|n]; [lra|left; apply exp_increasing; lra]. }
  assert (I1 : RInt h 0 c = 0).
  { rewrite (RInt_ext h (fun _ => 0)); [rewrite RInt_const; apply Rmult_0_r|]. intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, stick, pos. apply Rmax_left.
    rewrite <- exp_plus. assert (exp (x - d) < exp (e + - x)) by (apply exp_increasing; unfold c in Hx; lra). lra. }
  assert (I2 : RInt h c d = 1 - exp (c - d) - exp e * (exp (- c) - exp (- d))).
  { rewrite (RInt_ext h (fun x => minus (exp (x - d)) (scal (exp e) (exp (- x))))).
    - apply is_RInt_unique. replace (1 - exp (c - d) - exp e * (exp (- c) - exp (- d))) with (minus (exp (d - d) - exp (c - d)) (scal (exp e) (exp (- c) - exp (- d)))).
      2:{ rewrite Rminus_eq_0, exp_0. unfold minus, plus, opp, scal; simpl; unfold mult; simpl. ring. }
      apply (is_RInt_minus (V := R_NormedModule)); [apply rising_integral|apply (is_RInt_scal (V := R_NormedModule)), falling_integral].
    - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, stick, pos, minus, plus, opp, scal; simpl; unfold mult; simpl. rewrite Rmax_right; [ring|].
      rewrite <- exp_plus. assert (exp (e + - x) < exp (x - d)) by (apply exp_increasing; unfold c in Hx; lra). lra. }
  fold h. rewrite L1, L2, <- (RInt_Chasles h 0 c d) by apply X. rewrite I1, I2. unfold plus; simpl.
  assert (Ec : exp (c - d) = exp ((e - d) / 2)) by (f_equal; unfold c; lra).
  assert (Ee : exp e * exp (- c) = exp ((e - d) / 2)) by (rewrite <- exp_plus; f_equal; unfold c; lra).
  assert (Ed : exp e * exp (- d) = exp (e - d)) by (rewrite <- exp_plus; f_equal; ring).
  rewrite Rmult_minus_distr_l, Ec, Ee, Ed. lra.
Qed.
(** above the largest nothing is left *)
Theorem laplace_divergence_0 e : d <= e -> divergence [laplace_pair] (exp e) = 0.
Proof.
  intros He. apply Rle_antisym; [|apply (pp_nonneg _ (divergence_profile _)); left; apply exp_pos].
  apply Rle_trans with (divergence [laplace_pair] (exp d)).
  - apply (pp_falls _ (divergence_profile _)); [left; apply exp_pos|]. destruct He as [He|<-]; [left; apply exp_increasing, He|lra].
  - rewrite laplace_divergence by lra. replace ((d - d) / 2) with 0 by lra. rewrite exp_0. lra.
Qed.
End Laplace.

(** ** Randomised response with k + 2 answers and largest likelihood ratio v: q and p of the two answers in question, and of the others *)
Section Response.
Variables (v : R) (k : nat).
Hypothesis Hv : 1 <= v.
Definition answers := v + 1 + INR k.
Definition response : cells := (v / answers, 1 / answers) :: (1 / answers, v / answers) :: repeat (1 / answers, 1 / answers) k.
Lemma answers_pos : 0 < answers.
Proof. unfold answers. pose proof (pos_INR k). lra. Qed.
Lemma response_ok : cells_ok response.
Proof.
  pose proof answers_pos as A. assert (0 < / answers) by (apply Rinv_0_lt_compat, A). unfold response, Rdiv. repeat apply Forall_cons; cbn [fst snd]; try (split; apply Rmult_le_pos; lra).
  apply Forall_forall. intros x Hx. apply repeat_spec in Hx. subst x. cbn [fst snd]. lra.
Qed.
Lemma response_sum (f : R * R -> R) : fold_right (fun x s => f x + s) 0 (repeat (1 / answers, 1 / answers) k) = INR k * f (1 / answers, 1 / answers).
Proof. generalize (1 / answers). intros z. induction k as [|n IH]; [simpl; ring|]. cbn [repeat fold_right]. rewrite IH, S_INR. ring. Qed.
Lemma response_q : fold_right (fun x s => fst x + s) 0 response = 1.
Proof. pose proof answers_pos. unfold response. cbn [fold_right fst snd]. rewrite (response_sum fst). cbn [fst]. unfold answers in *. field. lra. Qed.
Lemma response_p : fold_right (fun x s => snd x + s) 0 response = 1.
Proof. pose proof answers_pos. unfold response. cbn [fold_right fst snd]. rewrite (response_sum snd). cbn [snd]. unfold answers in *. field. lra. Qed.
Definition response_pair : pair := finite_pair response response_ok response_q response_p.
Theorem response_divergence u : divergence [response_pair] u = (pos (v - u) + pos (1 - u * v) + INR k * pos (1 - u)) / answers.
Proof.
  unfold response_pair. rewrite finite_divergence. unfold response. cbn [spread fst snd]. pose proof answers_pos as A.
  assert (P : forall x y, pos (1 * (x / answers) - u * (y / answers)) = pos (x - u * y) / answers).
  { intros x y. replace (1 * (x / answers) - u * (y / answers)) with (/ answers * (x - u * y)) by (unfold Rdiv; ring).
    rewrite (pos_times (/ answers)) by (apply Rinv_0_lt_compat, A). unfold Rdiv. apply Rmult_comm. }
  assert (R : forall n, spread (repeat (1 / answers, 1 / answers) n) u 1 = INR n * (pos (1 - u * 1) / answers)).
  { intros n. induction n as [|n IH]; [simpl; ring|]. cbn [repeat spread fst snd]. rewrite IH, P, S_INR. ring. }
  rewrite !P, R, !Rmult_1_r. unfold Rdiv. ring.
Qed.
End Response.
