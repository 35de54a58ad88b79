(** * Zero-concentrated DP

The Rényi moment of order a of a mechanism is E_P (dQ/dP)^a: the supremum of E_P h (dQ/dP) over convex polygons h below the power r^a, which are sums of hinges w (r - u)^+ less a line
b0 + b1 r; and E_P (dQ/dP - u)^+ is the privacy profile at u. So the moment is at most M if all these sums of the profile are, which is how it is defined here. rho-zCDP bounds all moments by
those of Gaussian noise with mu^2 = 2 rho. Gaussian noise, sampled or not, has it; and it gives (eps, delta)-DP (Canonne, Kamath and Steinke 2020). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve FixedSeries GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum NormalSteps.
From Dpcmp Require Import StrictMu Product ProductPairs SamplingPairs GaussianProducts Claims.
Import ListNotations.
Open Scope R_scope.

(** ** Polygons below a power *)
(** hinges (w, u) *)
Definition hinges_at (hs : list (R * R)) (r : R) : R := fold_right (fun h s => fst h * pos (r - snd h) + s) 0 hs.
Definition hinges_mean (D : R -> R) (hs : list (R * R)) : R := fold_right (fun h s => fst h * D (snd h) + s) 0 hs.
Definition below_power (a b0 b1 : R) (hs : list (R * R)) : Prop :=
  0 <= b0 /\ 0 <= b1 /\ List.Forall (fun h => 0 <= fst h /\ 0 <= snd h) hs /\ forall r, 0 < r -> hinges_at hs r <= Rpower r a + b0 + b1 * r.
Definition moment_at_most (D : R -> R) (a M : R) : Prop := forall b0 b1 hs, below_power a b0 b1 hs -> hinges_mean D hs <= M + b0 + b1.
Definition zcdp (D : R -> R) (rho : R) : Prop := forall a, 1 < a -> moment_at_most D a (exp ((a - 1) * a * rho)).

Lemma zcdp_weaker D rho rho' : rho <= rho' -> zcdp D rho -> zcdp D rho'.
Proof.
  intros L H a Ha b0 b1 hs B. specialize (H a Ha b0 b1 hs B). assert (exp ((a - 1) * a * rho) <= exp ((a - 1) * a * rho')); [|lra].
  apply exp_le_mono. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact L].
Qed.
Lemma hinges_mean_le D D' hs : List.Forall (fun h => 0 <= fst h /\ 0 <= snd h) hs -> (forall u, 0 <= u -> D u <= D' u) -> hinges_mean D hs <= hinges_mean D' hs.
Proof.
  intros F H. induction F as [|h hs [W U] F IH]; cbn [hinges_mean fold_right]; [lra|]. fold (hinges_mean D hs) (hinges_mean D' hs).
  apply Rplus_le_compat; [apply Rmult_le_compat_l; auto|exact IH].
Qed.
Lemma zcdp_below D D' rho : (forall u, 0 <= u -> D u <= D' u) -> zcdp D' rho -> zcdp D rho.
Proof. intros L H a Ha b0 b1 hs B. specialize (H a Ha b0 b1 hs B). pose proof (hinges_mean_le D D' hs (proj1 (proj2 (proj2 B))) L). lra. Qed.

(** ** Gaussian noise *)
Lemma power_of_ratio m a x : Rpower (ratio m x) a = exp ((a - 1) * a * (m * m / 2)) * ratio (a * m) x.
Proof. unfold Rpower, ratio. rewrite ln_exp, <- exp_plus. f_equal. field. Qed.
Lemma gaussian_has_zcdp m (Hq : 0 < 1 <= 1) (Hm : 0 <= m) : zcdp (divergence [gaussian_pair 1 m Hq Hm]) (m * m / 2).
Proof.
  intros a Ha b0 b1 hs (B0 & B1 & F & L). set (s := gaussian_pair 1 m Hq Hm). set (M := exp ((a - 1) * a * (m * m / 2))).
  assert (W : forall x, q s x = ratio m x) by (intros x; cbn [q s gaussian_pair]; unfold weight; ring).
  assert (Stick : forall u, 0 <= u -> integrable s (fun x => pos (ratio m x - u)) /\ integral s (fun x => pos (ratio m x - u)) = divergence [s] u).
  { intros u Hu. pose proof (of_good s stick u 1 good_stick Hu ltac:(lra)) as I. unfold divergence, hockey. cbn [product]. unfold next. fold s.
    assert (E : (fun x => stick (u * p s x) (1 * q s x)) = (fun x => pos (ratio m x - u))).
    { apply FunctionalExtensionality.functional_extensionality. intros x. rewrite W. unfold stick. cbn [p s gaussian_pair]. f_equal. ring. }
    rewrite E in I |- *. split; [exact I|reflexivity]. }
  assert (Sum : integrable s (fun x => hinges_at hs (ratio m x)) /\ integral s (fun x => hinges_at hs (ratio m x)) = hinges_mean (divergence [s]) hs).
  { clear L. induction F as [|h hs [P U] F IH]; cbn [hinges_at hinges_mean fold_right].
    - pose proof (scale_integrable s 0 (p s) ltac:(lra) (p_integrable s)) as I. pose proof (integral_scale s 0 (p s) ltac:(lra) (p_integrable s)) as J.
      assert (E : (fun x => 0 * p s x) = (fun _ => 0)) by (apply FunctionalExtensionality.functional_extensionality; intros; ring). rewrite E in I, J. split; [exact I|rewrite J; ring].
    - destruct IH as [I J]. destruct (Stick (snd h) U) as [I1 J1]. pose proof (scale_integrable s (fst h) _ P I1) as I2. pose proof (integral_scale s (fst h) _ P I1) as J2.
      split; [exact (plus_integrable s _ _ I2 I)|]. pose proof (integral_plus s _ _ I2 I) as J3. cbn beta in J3. rewrite J2, J1, J in J3. exact J3. }
  destruct Sum as [I J]. rewrite <- J.
  assert (Am : 0 <= a * m) by (apply Rmult_le_pos; lra).
  assert (Ir : integrable s (ratio (a * m))).
  { split; [apply cont_ratio|]. split; [intros x; left; apply ratio_pos|]. exists 1. intros b Hb. apply SamplingLowers.ratio_mean, Hb. }
  assert (Mp : 0 <= M) by (left; apply exp_pos).
  pose proof (scale_integrable s M _ Mp Ir) as I1. pose proof (scale_integrable s b0 _ B0 (p_integrable s)) as I2. pose proof (scale_integrable s b1 _ B1 (q_integrable s)) as I3.
  pose proof (plus_integrable s _ _ I2 I3) as I4. pose proof (plus_integrable s _ _ I1 I4) as I5.
  eapply Rle_trans; [apply (integral_le s _ _ I I5)|].
  - intros x. rewrite W. cbn [p s gaussian_pair]. specialize (L (ratio m x) (ratio_pos m x)). rewrite power_of_ratio in L. fold M in L. lra.
  - rewrite (integral_plus s _ _ I1 I4), (integral_plus s _ _ I2 I3), !integral_scale, p_total, q_total by (auto using p_integrable, q_integrable).
    cbn [integral s gaussian_pair]. rewrite (ProductPairs.E_ratio (a * m) Am). lra.
Qed.
Lemma distance_at_0 m : distance_profile m 0 = 1.
Proof.
  apply Rle_antisym.
  - apply (proj1 (proj2 (distance_spec m 0 (Rle_refl 0)))). intros t. pose proof (tail_lt_1 (t - m)). lra.
  - pose proof (proj2 (proj2 (proj2 (distance_spec m 0 (Rle_refl 0))))). lra.
Qed.
Theorem distance_zcdp m : 0 <= m -> zcdp (distance_profile m) (m * m / 2).
Proof.
  intros Hm. assert (Hq : 0 < 1 <= 1) by lra. apply (zcdp_below _ (divergence [gaussian_pair 1 m Hq Hm])); [|apply gaussian_has_zcdp]. intros u Hu.
  apply (proj1 (proj2 (distance_spec m u Hu))). intros t. pose proof (threshold_tests 1 m t Hq Hm 1 1 u ltac:(lra) Hu) as T. unfold power_of_test in T.
  change [gaussian_pair 1 m Hq Hm] with (repeat (gaussian_pair 1 m Hq Hm) 1). unfold divergence. rewrite (gaussian_after 1 m Hq Hm 1 u 1 Hu ltac:(lra)). lra.
Qed.
(** steps, sampled or not, in either order *)
Theorem gaussian_zcdp l params : sampled_pairs l params -> zcdp (divergence l) (square_sum params / 2) /\ zcdp (divergence (map swap l)) (square_sum params / 2).
Proof.
  intros H. set (m := sqrt (square_sum params)). assert (Hm : 0 <= m) by apply sqrt_pos.
  assert (E : m * m / 2 = square_sum params / 2) by (unfold m; rewrite sqrt_sqrt by apply square_sum_nonneg; reflexivity). rewrite <- E.
  assert (A : forall u, 0 < u -> divergence l u <= distance_profile m u) by (intros; apply sampled_divergence_below; assumption).
  split; (apply (zcdp_below _ (distance_profile m)); [|apply distance_zcdp, Hm]); intros u [Hu|<-]; try (rewrite distance_at_0, profile_at_0 by apply divergence_profile; lra).
  - apply A, Hu.
  - rewrite order_swap by exact Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). eapply Rle_trans; [|apply distance_swap, Hu]. specialize (A (/ u) IU).
    apply Rmult_le_compat_l with (r := u) in A; [|lra]. lra.
Qed.

(** ** From zCDP to (eps, delta)-DP, by one order *)
Lemma power_above_tangent a y : 1 < a -> 0 < y -> 1 + a * (y - 1) <= Rpower y a.
Proof.
  intros Ha Hy. unfold Rpower. set (L := ln y). assert (Ey : exp L = y) by (apply exp_ln, Hy).
  assert (A : 1 + (a - 1) * L <= exp ((a - 1) * L)) by apply exp_ineq1_le. assert (B : 1 - L <= exp (- L)) by (pose proof (exp_ineq1_le (- L)); lra).
  assert (P : exp (a * L) = exp L * exp ((a - 1) * L)) by (rewrite <- exp_plus; f_equal; ring). assert (N : exp L * exp (- L) = 1) by (rewrite <- exp_plus, Rplus_opp_r, exp_0; reflexivity).
  pose proof (exp_pos L). apply Rmult_le_compat_l with (r := exp L) in A, B; try lra. apply Rmult_le_compat_l with (r := a - 1) in B; [|lra]. rewrite N in B. rewrite P, <- Ey. lra.
Qed.
(** the line of the hinge at u touches r^a at u a / (a - 1) *)
Theorem zcdp_at_order D rho a u : zcdp D rho -> 1 < a -> 0 < u -> D u <= exp ((a - 1) * (a * rho - ln u - ln (a / (a - 1)))) / a.
Proof.
  intros H Ha Hu. set (k := a / (a - 1)). assert (K : 0 < k) by (apply Rdiv_lt_0_compat; lra). set (x := u * k). assert (X : 0 < x) by (apply Rmult_lt_0_compat; assumption).
  set (w := a * Rpower x (a - 1)). assert (P : 0 < Rpower x (a - 1)) by apply exp_pos. assert (W : 0 < w) by (apply Rmult_lt_0_compat; lra).
  assert (B : below_power a 0 0 [(w, u)]).
  { split; [lra|]. split; [lra|]. split; [repeat constructor; cbn [fst snd]; lra|]. intros r Hr. cbn [hinges_at fold_right fst snd]. assert (0 < Rpower r a) by apply exp_pos.
    assert (T : w * (r - u) <= Rpower r a).
    { assert (Y : 0 < r / x) by (apply Rdiv_lt_0_compat; assumption). pose proof (power_above_tangent a (r / x) Ha Y) as T. apply Rmult_le_compat_l with (r := Rpower x a) in T; [|left; apply exp_pos].
      assert (E : Rpower x a * Rpower (r / x) a = Rpower r a) by (rewrite Rpower_mult_distr by assumption; f_equal; field; lra). rewrite E in T.
      assert (F : Rpower x a = x * Rpower x (a - 1)) by (replace a with (1 + (a - 1)) at 1 by ring; rewrite Rpower_plus, Rpower_1 by exact X; reflexivity). rewrite F in T.
      eapply Rle_trans; [|exact T]. right. unfold w. replace (1 + a * (r / x - 1)) with ((1 - a) + a * r / x) by (field; lra). assert (G : x * (a - 1) = u * a) by (unfold x, k; field; lra).
      replace (x * Rpower x (a - 1) * (1 - a + a * r / x)) with (Rpower x (a - 1) * (a * r - x * (a - 1))) by (field; lra). rewrite G. ring. }
    unfold pos, Rmax. destruct (Rle_dec 0 (r - u)); lra. }
  specialize (H a Ha 0 0 _ B). cbn [hinges_mean fold_right fst snd] in H.
  assert (E : exp ((a - 1) * (a * rho - ln u - ln k)) * Rpower x (a - 1) = exp ((a - 1) * a * rho)).
  { unfold Rpower, x. rewrite ln_mult by assumption. rewrite <- exp_plus. f_equal. ring. }
  apply Rmult_le_reg_r with w; [exact W|]. replace (exp ((a - 1) * (a * rho - ln u - ln k)) / a * w) with (exp ((a - 1) * (a * rho - ln u - ln k)) * Rpower x (a - 1)) by (unfold w; field; lra).
  rewrite E. lra.
Qed.

(** ** Two outcomes, as of a member of the class that is as bad as the bound at one order *)
Lemma cell_hinges a b hs : 0 < b -> List.Forall (fun h => 0 <= fst h /\ 0 <= snd h) hs -> hinges_mean (fun u => pos (1 * a - u * b)) hs = b * hinges_at hs (a / b).
Proof.
  intros Hb F. induction F as [|h hs [W U] F IH]; cbn [hinges_mean hinges_at fold_right]; [ring|]. fold (hinges_mean (fun u => pos (1 * a - u * b)) hs) (hinges_at hs (a / b)). rewrite IH.
  replace (1 * a - snd h * b) with (b * (a / b - snd h)) by (field; lra). unfold pos. replace 0 with (b * 0) at 1 by ring. rewrite RmaxRmult by lra. ring.
Qed.
Lemma two_cells_moment D p q p' q' a M : 0 < p -> 0 < p' -> 0 < q -> 0 < q' -> p + p' = 1 -> q + q' = 1 -> (forall u, 0 <= u -> D u = spread [(q, p); (q', p')] u 1) ->
  p * Rpower (q / p) a + p' * Rpower (q' / p') a <= M -> moment_at_most D a M.
Proof.
  intros P P' Q Q' Sp Sq HD HM b0 b1 hs (B0 & B1 & F & L).
  assert (E : hinges_mean D hs = p * hinges_at hs (q / p) + p' * hinges_at hs (q' / p')).
  { rewrite <- (cell_hinges q p hs P F), <- (cell_hinges q' p' hs P' F). clear L. induction F as [|h hs [W U] F IH]; cbn [hinges_mean fold_right]; [ring|].
    unfold hinges_mean in IH. rewrite IH, (HD _ U). cbn [spread fst snd]. ring. }
  rewrite E. pose proof (L (q / p) ltac:(apply Rdiv_lt_0_compat; assumption)) as A. pose proof (L (q' / p') ltac:(apply Rdiv_lt_0_compat; assumption)) as A'.
  apply Rmult_le_compat_l with (r := p) in A; [|lra]. apply Rmult_le_compat_l with (r := p') in A'; [|lra].
  replace (p * (Rpower (q / p) a + b0 + b1 * (q / p))) with (p * Rpower (q / p) a + p * b0 + b1 * q) in A by (field; lra).
  replace (p' * (Rpower (q' / p') a + b0 + b1 * (q' / p'))) with (p' * Rpower (q' / p') a + p' * b0 + b1 * q') in A' by (field; lra).
  replace b0 with ((p + p') * b0) by (rewrite Sp; ring). replace b1 with (b1 * (q + q')) by (rewrite Sq; ring). lra.
Qed.
Lemma exp_less_1 x : 0 <= x -> exp x - 1 <= x * exp x.
Proof. intros H. pose proof (exp_ineq1_le (- x)) as A. assert (N : exp x * exp (- x) = 1) by (rewrite <- exp_plus, Rplus_opp_r, exp_0; reflexivity). pose proof (exp_pos x). apply Rmult_le_compat_l with (r := exp x) in A; lra. Qed.
Lemma power_split x a : 0 < x -> Rpower x a = x * Rpower x (a - 1).
Proof. intros H. replace a with (1 + (a - 1)) at 1 by ring. rewrite Rpower_plus, Rpower_1 by exact H. reflexivity. Qed.
Section TwoOutcomes.
Variables p q rho s1 : R.
Hypothesis Hp : 0 < p.
Hypothesis Hpq : p <= q.
Hypothesis Hq : q < 1.
Hypothesis Hrho : 0 < rho.
Hypothesis Hs1 : 0 < s1.
Notation loss := (ln (q / p)).
Notation missing := (exp (- (s1 * (s1 + 1) * rho))).
Hypothesis near_order_1 : q * loss * exp (s1 * loss) <= rho.
Hypothesis at_all_others : (loss - rho) * (loss - rho) <= 4 * rho * (ln (1 - missing) - ln q).
Hypothesis other_loss : ln ((1 - p) / (1 - q)) <= rho.
Lemma loss_nonneg : 0 <= loss.
Proof. rewrite <- ln_1. apply Rcomplements.ln_le; [lra|]. apply Rcomplements.Rle_div_r; lra. Qed.
Lemma remove_moment a : 1 < a -> p * Rpower (q / p) a + (1 - p) * Rpower ((1 - q) / (1 - p)) a <= exp ((a - 1) * a * rho).
Proof.
  intros Ha. set (s := a - 1). assert (Hs : 0 < s) by (unfold s; lra). assert (R : 0 < q / p) by (apply Rdiv_lt_0_compat; lra). assert (R' : 0 < (1 - q) / (1 - p)) by (apply Rdiv_lt_0_compat; lra).
  rewrite (power_split (q / p) a R), (power_split ((1 - q) / (1 - p)) a R'). fold s. replace (p * (q / p * Rpower (q / p) s)) with (q * exp (s * loss)) by (unfold Rpower; field; lra).
  replace ((1 - p) * ((1 - q) / (1 - p) * Rpower ((1 - q) / (1 - p)) s)) with ((1 - q) * Rpower ((1 - q) / (1 - p)) s) by (field; lra).
  assert (One : Rpower ((1 - q) / (1 - p)) s <= 1).
  { unfold Rpower. apply Rle_trans with (exp 0); [apply exp_le_mono|rewrite exp_0; lra]. assert (N : ln ((1 - q) / (1 - p)) <= ln 1) by (apply Rcomplements.ln_le; [exact R'|apply Rcomplements.Rle_div_l; lra]). rewrite ln_1 in N.
    revert N. generalize (ln ((1 - q) / (1 - p))). intros l N. assert (0 <= s * - l) by (apply Rmult_le_pos; lra). lra. }
  assert (K : (1 - q) * Rpower ((1 - q) / (1 - p)) s <= (1 - q) * 1) by (apply Rmult_le_compat_l; lra). pose proof loss_nonneg as L0.
  set (S := s * a * rho). assert (ES : S = s * s * rho + s * rho) by (unfold S, s; ring). destruct (Rle_dec s s1) as [h|h].
  - pose proof (exp_less_1 (s * loss) ltac:(apply Rmult_le_pos; lra)) as A. assert (B : exp (s * loss) <= exp (s1 * loss)) by (apply exp_le_mono, Rmult_le_compat_r; lra).
    assert (C : s * loss * exp (s * loss) <= s * loss * exp (s1 * loss)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact B]).
    assert (D : q * (exp (s * loss) - 1) <= q * (s * loss * exp (s1 * loss))) by (apply Rmult_le_compat_l; lra). apply Rmult_le_compat_l with (r := s) in near_order_1; [|lra].
    pose proof (exp_ineq1_le S). assert (0 <= s * s * rho) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
  - assert (T : s1 * (s1 + 1) * rho <= S). { unfold S, s in *. apply Rmult_le_compat_r; [lra|]. rewrite (Rmult_comm (a - 1)). rewrite Rmult_comm. apply Rmult_le_compat; lra. }
    assert (M0 : 0 < s1 * (s1 + 1) * rho) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
    assert (M1 : missing < 1) by (apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra|rewrite exp_0; lra]).
    assert (U : 1 <= exp S * missing) by (rewrite <- exp_plus; apply Rle_trans with (exp 0); [rewrite exp_0; lra|apply exp_le_mono; lra]). set (c := ln (1 - missing) - ln q) in *.
    assert (Sq : 0 <= s * s * rho + s * (rho - loss) + c).
    { assert (E : s * s * rho + s * (rho - loss) + c = (Rsqr (2 * rho * s + (rho - loss)) + (4 * rho * c - (loss - rho) * (loss - rho))) / (4 * rho)) by (unfold Rsqr; field; lra).
      rewrite E. apply Rcomplements.Rdiv_le_0_compat; [|lra]. pose proof (Rle_0_sqr (2 * rho * s + (rho - loss))). lra. }
    assert (V : q * exp (s * loss) <= exp S * (1 - missing)).
    { rewrite <- (exp_ln q) at 1 by lra. rewrite <- (exp_ln (1 - missing)) by lra. rewrite <- !exp_plus. apply exp_le_mono. unfold c in Sq. lra. }
    lra.
Qed.
Lemma add_moment a : 1 < a -> q * Rpower (p / q) a + (1 - q) * Rpower ((1 - p) / (1 - q)) a <= exp ((a - 1) * a * rho).
Proof.
  intros Ha. set (s := a - 1). assert (Hs : 0 < s) by (unfold s; lra). assert (R : 0 < p / q) by (apply Rdiv_lt_0_compat; lra). assert (R' : 1 <= (1 - p) / (1 - q)) by (apply Rcomplements.Rle_div_r; lra).
  rewrite (power_split (p / q) a R), (power_split ((1 - p) / (1 - q)) a ltac:(lra)). fold s. replace (q * (p / q * Rpower (p / q) s)) with (p * Rpower (p / q) s) by (field; lra).
  replace ((1 - q) * ((1 - p) / (1 - q) * Rpower ((1 - p) / (1 - q)) s)) with ((1 - p) * Rpower ((1 - p) / (1 - q)) s) by (field; lra).
  assert (N : ln (p / q) <= 0) by (rewrite <- ln_1; apply Rcomplements.ln_le; [exact R|apply Rcomplements.Rle_div_l; lra]).
  assert (N' : 0 <= ln ((1 - p) / (1 - q))) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra). pose proof other_loss as O. set (l := ln ((1 - p) / (1 - q))) in *.
  assert (A : Rpower (p / q) s <= exp (s * l)) by (unfold Rpower; apply exp_le_mono, Rmult_le_compat_l; lra). change (Rpower ((1 - p) / (1 - q)) s) with (exp (s * l)).
  assert (B : exp (s * l) <= exp (s * a * rho)).
  { apply exp_le_mono. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. assert (1 * rho <= a * rho) by (apply Rmult_le_compat_r; lra). lra. }
  apply Rmult_le_compat_l with (r := p) in A; lra.
Qed.
Theorem two_outcomes_zcdp D D' : (forall u, 0 <= u -> D u = spread [(q, p); (1 - q, 1 - p)] u 1) -> (forall u, 0 <= u -> D' u = spread [(p, q); (1 - p, 1 - q)] u 1) -> zcdp D rho /\ zcdp D' rho.
Proof.
  intros H H'. split; intros a Ha.
  - apply (two_cells_moment D p q (1 - p) (1 - q)); try lra; [exact H|apply remove_moment, Ha].
  - apply (two_cells_moment D' q p (1 - q) (1 - p)); try lra; [exact H'|apply add_moment, Ha].
Qed.
End TwoOutcomes.
