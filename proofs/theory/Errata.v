(** * Statements of the papers that fail as printed, by counterexample *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Inverse Extremes Losses NormalLaw GaussianCurve SubsampledGaussian.
Import ListNotations.
Open Scope R_scope.

(** "TV = min_a (1 - a - f a)" is identically 0; it must be max. *)
Theorem TV_min_is_zero f : tradeoff f -> inf01 (fun a => 1 - a - f a) = 0.
Proof.
  intros Hf. destruct (inf01_spec (fun a => 1 - a - f a) 0) as [A B].
  { intros a Ha. pose proof (to_ub f Hf a Ha). lra. }
  apply Rle_antisym.
  - specialize (A 1 ltac:(lra)). rewrite (to_r1 f Hf 1) in A; lra.
  - apply B. intros a Ha. pose proof (to_ub f Hf a Ha). lra.
Qed.

(** In the (eps,delta) form, eps must range over all of R: with eps >= 0 only it fails for f(a)=(1-a)/2. *)
Definition f_low := ext (fun a => (1 - a) / 2).
Lemma tradeoff_f_low : tradeoff f_low.
Proof.
  apply tradeoff_ext; intros; try lra. exists e. split; [assumption|]. intros; lra.
Qed.
Theorem eps_nonneg_insufficient :
  (forall eps, 0 <= eps -> delta fBNP eps <= delta f_low eps + 1/4 * (1 + exp eps)) /\ Delta f_low fBNP = 1/3.
Proof.
  split.
  - intros eps He.
    assert (E1 : 1 <= exp eps).
    { destruct He as [H|<-]; [|rewrite exp_0; lra]. left. rewrite <- exp_0. apply exp_increasing, H. }
    unfold delta.
    destruct (inf01_spec (fun a => exp eps * a + f_low a) 0) as [A _].
    { intros a Ha. pose proof (to_range f_low tradeoff_f_low a). assert (0 <= exp eps * a) by (apply Rmult_le_pos; lra). lra. }
    destruct (inf01_spec (fun a => exp eps * a + fBNP a) 0) as [_ B].
    { intros a Ha. unfold fBNP. rewrite ext_in by lra. assert (0 <= exp eps * a) by (apply Rmult_le_pos; lra). lra. }
    assert (0 <= inf01 (fun a => exp eps * a + fBNP a)).
    { apply B. intros a Ha. unfold fBNP. rewrite ext_in by lra. assert (0 <= exp eps * a) by (apply Rmult_le_pos; lra). lra. }
    specialize (A 0 ltac:(lra)). simpl in A. unfold f_low in A at 2. rewrite ext_in in A by lra. lra.
  - apply lemma_4; [apply tradeoff_f_low|lra|]. unfold f_low. rewrite ext_in by lra. lra.
Qed.

(** Composition does not preserve dominance known only for eps >= 0 (u >= 1). *)
Theorem compose_needs_all_eps :
  let l := [(1/2, 0); (1/2, 1)] in let l' := [(1/2, 0); (1/2, 2)] in let m := [(1, 1/4)] in
  (forall u, 1 <= u -> profile l u <= profile l' u) /\ profile (compose l' m) 1 < profile (compose l m) 1.
Proof.
  cbv zeta. split.
  - intros u Hu. simpl. unfold hinge, pos; simpl. rewrite (Rmax_left 0 (1 - u * 1)) by lra.
    pose proof (Rmax_l 0 (1 - u * 2)). lra.
  - simpl. unfold hinge, pos; simpl. rewrite !Rmax_right by lra. lra.
Qed.

(** Theorem 3 scaling: with mu = sqrt N * eta, sqrt N eta >= sqrt N~ eta~ iff N/N~ >= eta~^2/eta^2. *)
Theorem thm3_scaling N N' eta eta' : 0 < N -> 0 < N' -> 0 < eta -> 0 < eta' ->
  (sqrt N' * eta' <= sqrt N * eta <-> eta' * eta' / (eta * eta) <= N / N').
Proof.
  intros h1 h2 h3 h4. pose proof (sqrt_lt_R0 N h1). pose proof (sqrt_lt_R0 N' h2).
  assert (S : sqrt N * sqrt N = N) by (apply sqrt_sqrt; lra).
  assert (S' : sqrt N' * sqrt N' = N') by (apply sqrt_sqrt; lra).
  set (r := sqrt N) in *. set (r' := sqrt N') in *. rewrite <- S, <- S'.
  assert (K : eta' * eta' / (eta * eta) <= r * r / (r' * r') <-> (r' * eta') * (r' * eta') <= (r * eta) * (r * eta)).
  { assert (0 < eta * eta) by nra. assert (0 < r' * r') by nra.
    rewrite (Rcomplements.Rle_div_l (eta' * eta')) by lra.
    replace (r * r / (r' * r') * (eta * eta)) with ((r * eta) * (r * eta) / (r' * r')) by (field; lra).
    rewrite <- (Rcomplements.Rle_div_r (eta' * eta')) by lra. split; intros; lra. }
  rewrite K. assert (0 < r * eta) by nra. assert (0 < r' * eta') by nra. split; intros L.
  - apply Rmult_le_compat; lra.
  - destruct (Rle_dec (r' * eta') (r * eta)) as [c|c]; [exact c|]. exfalso.
    assert ((r * eta) * (r * eta) < (r' * eta') * (r' * eta')) by (apply Rmult_le_0_lt_compat; lra). lra.
Qed.

(** Without (semi)continuity at 0, Delta = 0 does not give f <= g: every k > 0 works but k = 0 does not. *)
Definition fj (x : R) := if Rlt_dec x 0 then 1 else if Rlt_dec 0 x then 0 else 1.   (* f 0 = 1, f = 0 on (0,1] *)
Theorem continuity_needed : (forall k, 0 < k -> dom fj fBNP k) /\ ~ dom fj fBNP 0.
Proof.
  split.
  - intros k Hk. split; [lra|]. intros a. unfold fj, fBNP, ext.
    destruct (Rlt_dec a 0); destruct (Rlt_dec (a + k) 0); destruct (Rlt_dec 0 (a + k)); destruct (Rlt_dec 1 a); lra.
  - intros [_ H]. specialize (H 0). rewrite Rplus_0_r in H. unfold fj, fBNP, ext in H.
    destruct (Rlt_dec 0 0); destruct (Rlt_dec 1 0); lra.
Qed.

(** The largest Bayes error need not be at prior 1/2 (Kaissis et al. 2024, proofs of Lemmas 3 and 4): for max (0, 1 - 2a) it is 1/4 there, and 1/3 at its largest.
    The lemmas themselves hold (Extremes.lemma_3, Extremes.lemma_4). *)
Lemma advantage_f_steep : advantage f_steep = 1 / 2.
Proof.
  pose proof lemma_5_fails_without_symmetry as E. rewrite lemma_3, (lemma_4 f_steep (1 / 3)) in E by (try apply tradeoff_f_steep; try lra; unfold f_steep; rewrite ext_in by lra; rewrite Rmax_right by lra; lra). lra.
Qed.
Lemma f_steep_fixed : f_steep (1 / 3) = 1 / 3.
Proof. unfold f_steep. rewrite ext_in by lra. rewrite Rmax_right by lra. lra. Qed.

Theorem maximum_not_at_one_half : bayes f_steep (1 / 2) = 1 / 4 /\ exists p, 0 <= p <= 1 /\ bayes f_steep p = 1 / 3.
Proof.
  split.
  - pose proof (advantage_is_bayes_half f_steep tradeoff_f_steep). rewrite advantage_f_steep in H. lra.
  - destruct (lemma_4_minimax f_steep tradeoff_f_steep) as [p [Hp [E _]]]. exists p. split; [exact Hp|]. rewrite <- E.
    apply lemma_4; [apply tradeoff_f_steep|lra|apply f_steep_fixed].
Qed.

(** The advantage is not 1 - 2 a* in general, a* the fixed point (Kulynych et al. 2024, section 2.2): 1/2 against 1/3. *)
Theorem advantage_needs_symmetry : f_steep (1 / 3) = 1 / 3 /\ advantage f_steep <> 1 - 2 * (1 / 3).
Proof. split; [apply f_steep_fixed|]. rewrite advantage_f_steep. lra. Qed.

(** The profile tends to 1 on the left, not to 0 (Kulynych et al. 2024, Appendix E). *)
Theorem profile_on_the_left f eps : tradeoff f -> 1 - exp eps <= delta f eps <= 1.
Proof.
  intros Hf. split.
  - pose proof (proj1 (delta_iff_lines f eps (delta f eps) Hf) ltac:(lra) 1 ltac:(lra)) as H. rewrite (to_r1 f Hf 1) in H by lra. lra.
  - apply delta_iff_lines; [exact Hf|]. intros a Ha. pose proof (to_range f Hf a). pose proof (exp_pos eps). assert (0 <= exp eps * a) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Kulynych et al. 2024, Table 1: what a bound on accuracy or precision says about b at level a. The printed 2 (a - acc) is below 0 whenever acc > a, and the printed quotient for
    precision is a - 1. *)
Theorem accuracy_conversion a b acc : acc = ((1 - a) + (1 - b)) / 2 <-> b = 2 * (1 - acc) - a.
Proof. split; intros; lra. Qed.
Theorem precision_conversion a b v : 0 < a -> b < 1 -> v < 1 -> (v = (1 - b) / (1 - b + a) <-> b = 1 - a * v / (1 - v)).
Proof.
  intros Ha Hb Hv. split; intros H.
  - assert (E : v * (1 - b + a) = 1 - b) by (rewrite H; field; lra).
    assert (F : a * v = (1 - b) * (1 - v)) by lra.
    rewrite F. field. lra.
  - assert (F : a * v = (1 - b) * (1 - v)) by (rewrite H; field; lra). assert (E : v * (1 - b + a) = 1 - b) by lra.
    unfold Rdiv. rewrite <- E at 1. field. lra.
Qed.

(** Several guarantees together give the larger of their lower bounds on the type-II error, not the smaller (Gomez et al. 2025, Appendix A.6). *)
Theorem guarantees_combine_by_maximum (f g h : R -> R) :
  ((forall a, g a <= f a) /\ (forall a, h a <= f a)) <-> forall a, Rmax (g a) (h a) <= f a.
Proof.
  split.
  - intros [A B] a. apply Rmax_lub; auto.
  - intros H. split; intros a; specialize (H a); pose proof (Rmax_l (g a) (h a)); pose proof (Rmax_r (g a) (h a)); lra.
Qed.

(** Gomez et al. 2025, section 5: "mu = 1.57" for noise 9.4, rate 0.328, 2000 steps is false at some level (it holds up to a tiny tolerance). *)
Theorem dp_sgd_claim_fails f : tradeoff f -> obeys_threshold_tests f (328 / 1000) (94 / 10) 2000 ->
  ~ (forall a, 0 <= a <= 1 -> G (157 / 100) a <= f a).
Proof.
  intros Hf O H. apply (strict_mu_at_least f (328 / 1000) (94 / 10) 2000) in H; auto; try lra.
  - apply Rcomplements.Rle_div_l in H; [|lra]. assert (44 <= sqrt (INR 2000)); [|lra].
    rewrite <- (sqrt_square 44) by lra. apply sqrt_le_1_alt. rewrite INR_IZR_INZ. simpl Z.of_nat. lra.
  - do 1 apply le_n_S. apply Nat.le_0_l.
Qed.
