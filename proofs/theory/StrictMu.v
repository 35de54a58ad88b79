(** * The strict mu of Poisson-subsampled Gaussians is sqrt T / sigma exactly, whatever the rate

For the curve f of T steps at any rate q in (0, 1], that is the one with the profile of the iterated integrals, G_mu <= f on [0, 1] if and only if mu >= sqrt T / sigma.
There is such a curve, and only one. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Extremes Losses GaussianTail NormalLaw StrictGdp GaussianCurve SubsampledGaussian Expectation SampledGaussian SamplingLowers GaussianSum ProfileCurve.
Open Scope R_scope.

Section Test.
Variables q mu c : R.
Hypothesis Hq : 0 < q <= 1.
Hypothesis Hmu : 0 <= mu.
Notation w := (weight q mu).
Definition power_of_test := (1 - q) * tail c + q * tail (c - mu).

Lemma power_nonneg : 0 <= power_of_test.
Proof. unfold power_of_test. pose proof (tail_pos c). pose proof (tail_pos (c - mu)). apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. Qed.

(** the test that rejects if every x exceeds c *)
Lemma threshold_tests n v u : 0 <= v -> 0 <= u -> v * power_of_test ^ n - u * tail c ^ n <= after w n v u.
Proof.
  intros Hv Hu. pose proof (weight_pos q mu Hq) as WP. pose proof (weight_cont q mu) as WC. pose proof (weight_mean q mu Hq) as WM.
  revert v Hv. induction n as [|n IH]; intros v Hv.
  - simpl. pose proof (Rmax_r 0 (v - u)). unfold pos. lra.
  - set (h := fun x => after w n (v * w x) u). assert (G := good_after w WP WC WM n u Hu). assert (C : cont h) by (apply (good_cont w WP WC _ v G Hv)).
    destruct (E_spec h (good_bounded w WP WC WM _ v G Hv)) as [U _]. change (after w (S n) v u) with (E h).
    assert (N : forall x, 0 <= h x) by (intros x; apply G, Rmult_le_pos; [exact Hv|left; apply WP]).
    set (k := v * power_of_test ^ n). set (j := u * tail c ^ n). assert (K : 0 <= k) by (apply Rmult_le_pos; [exact Hv|apply pow_le, power_nonneg]).
    assert (J : 0 <= j) by (apply Rmult_le_pos; [exact Hu|apply pow_le; left; apply tail_pos]).
    assert (L : forall x, k * w x - j <= h x) by (intros x; specialize (IH (v * w x) ltac:(apply Rmult_le_pos; [exact Hv|left; apply WP])); unfold h, k, j; lra).
    replace (v * power_of_test ^ S n - u * tail c ^ S n) with (k * power_of_test - j * tail c) by (unfold k, j; simpl; ring).
    apply le_epsilon. intros e He. assert (EK : 0 < e / (k + 1)) by (apply Rdiv_lt_0_compat; lra). destruct (tail_small _ EK) as [t T].
    set (B := Rmax (Rabs c) (Rmax 0 (t + mu))). assert (B1 : Rabs c <= B) by apply Rmax_l. assert (B2 : Rmax 0 (t + mu) <= B) by apply Rmax_r.
    pose proof (Rmax_l 0 (t + mu)). pose proof (Rmax_r 0 (t + mu)). apply Rabs_le_between in B1. assert (B0 : 0 <= B) by lra.
    pose proof (T B ltac:(lra)) as TB. pose proof (T (B - mu) ltac:(lra)) as TBm. specialize (U B B0).
    assert (P : (RInt (fun x => phi x * (k * w x - j)) c B) / total <= part h B).
    { unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. set (g := fun x => phi x * h x).
      assert (X : forall x y, ex_RInt g x y) by (intros; apply ex_part, C). rewrite <- (RInt_Chasles g (- B) c B) by apply X. unfold plus; simpl.
      assert (0 <= RInt g (- B) c) by (apply RInt_ge_0; [lra|apply X|intros; apply Rmult_le_pos; [left; apply phi_pos|apply N]]).
      assert (RInt (fun x => phi x * (k * w x - j)) c B <= RInt g c B); [|lra].
      apply RInt_le; [lra| |apply X|intros x _; apply Rmult_le_compat_l; [left; apply phi_pos|apply L]].
      apply (ex_part (fun x => k * w x - j)). intros x. apply (continuous_minus (V := R_NormedModule)); [apply (cont_scale k w WC)|apply continuous_const]. }
    assert (Q : RInt (fun x => phi x * (k * w x - j)) c B / total = k * ((1 - q) * (tail c - tail B) + q * (tail (c - mu) - tail (B - mu))) - j * (tail c - tail B)).
    { pose proof (mass_between q mu 0 c B ltac:(lra)) as M. rewrite (tail_part c B) by lra. rewrite (tail_part c B) in M by lra.
      assert (X1 : ex_RInt (fun x => phi x * (w x - 0)) c B) by (apply (ex_part (fun x => w x - 0)); intros x; apply (continuous_minus (V := R_NormedModule)); [apply WC|apply continuous_const]).
      assert (Y : RInt (fun x => phi x * (k * w x - j)) c B = k * RInt (fun x => phi x * (w x - 0)) c B + - j * RInt phi c B).
      { rewrite (RInt_same _ (fun x => plus (scal k (phi x * (w x - 0))) (scal (- j) (phi x)))) by (intros x; unfold plus, scal; simpl; unfold mult; simpl; ring).
        rewrite (RInt_plus (V := R_CompleteNormedModule)) by (apply (ex_RInt_scal (V := R_NormedModule)); auto; apply ex_phi).
        rewrite !(RInt_scal (V := R_CompleteNormedModule)) by (auto; apply ex_phi). reflexivity. }
      rewrite Y. replace ((k * RInt (fun x => phi x * (w x - 0)) c B + - j * RInt phi c B) / total) with (k * (RInt (fun x => phi x * (w x - 0)) c B / total) - j * (RInt phi c B / total)) by (unfold Rdiv; ring).
      rewrite M. ring. }
    rewrite Q in P. unfold power_of_test.
    assert (S1 : k * ((1 - q) * tail B + q * tail (B - mu)) <= e).
    { assert (A : (1 - q) * tail B + q * tail (B - mu) <= e / (k + 1)).
      { assert ((1 - q) * tail B <= (1 - q) * (e / (k + 1))) by (apply Rmult_le_compat_l; lra). assert (q * tail (B - mu) <= q * (e / (k + 1))) by (apply Rmult_le_compat_l; lra). lra. }
      apply Rle_trans with (k * (e / (k + 1))); [apply Rmult_le_compat_l; assumption|].
      replace (k * (e / (k + 1))) with (e - e / (k + 1)) by (field; lra). lra. }
    assert (0 <= j * tail B) by (apply Rmult_le_pos; [exact J|left; apply tail_pos]). lra.
Qed.
End Test.

(** ** The iterated integrals are a privacy profile, so there is a curve *)
Section Profile.
Variables q mu : R.
Hypothesis Hq : 0 < q <= 1.
Hypothesis Hmu : 0 <= mu.
Notation w := (weight q mu).

Lemma after_cont n v u : 0 <= v -> 0 <= u -> cont (fun x => after w n (v * w x) u).
Proof. intros Hv Hu. apply (good_cont w (weight_pos q mu Hq) (weight_cont q mu) _ v (good_after w (weight_pos q mu Hq) (weight_cont q mu) (weight_mean q mu Hq) n u Hu) Hv). Qed.
Lemma after_spec n v u : 0 <= v -> 0 <= u -> (forall b, 0 <= b -> part (fun x => after w n (v * w x) u) b <= after w (S n) v u) /\
  (forall M, (forall b, 0 <= b -> part (fun x => after w n (v * w x) u) b <= M) -> after w (S n) v u <= M).
Proof. intros Hv Hu. apply E_spec, (good_bounded w (weight_pos q mu Hq) (weight_cont q mu) (weight_mean q mu Hq) _ v (good_after w (weight_pos q mu Hq) (weight_cont q mu) (weight_mean q mu Hq) n u Hu) Hv). Qed.
Lemma after_arg v x : 0 <= v -> 0 <= v * w x.
Proof. intros Hv. apply Rmult_le_pos; [exact Hv|left; apply weight_pos, Hq]. Qed.

Lemma after_falls n x y : 0 <= x -> x <= y -> forall v, 0 <= v -> after w n v y <= after w n v x.
Proof.
  intros Hx H. induction n as [|n IH]; intros v Hv.
  - simpl. apply pos_mono. lra.
  - apply (after_spec n v y Hv ltac:(lra)). intros b Hb. eapply Rle_trans; [|apply (proj1 (after_spec n v x Hv Hx) b Hb)].
    apply part_le; [apply after_cont; lra|apply after_cont; lra|exact Hb|]. intros z. apply IH, after_arg, Hv.
Qed.

Lemma after_convex n x y t : 0 <= x -> 0 <= y -> 0 <= t <= 1 -> forall v, 0 <= v ->
  after w n v (t * x + (1 - t) * y) <= t * after w n v x + (1 - t) * after w n v y.
Proof.
  intros Hx Hy Ht. assert (0 <= t * x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra).
  induction n as [|n IH]; intros v Hv.
  - simpl. unfold pos. pose proof (Rmax_l 0 (v - x)); pose proof (Rmax_r 0 (v - x)); pose proof (Rmax_l 0 (v - y)); pose proof (Rmax_r 0 (v - y)).
    assert (t * (v - x) <= t * Rmax 0 (v - x)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - t) * (v - y) <= (1 - t) * Rmax 0 (v - y)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= t * Rmax 0 (v - x)) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * Rmax 0 (v - y)) by (apply Rmult_le_pos; lra).
    apply Rmax_lub; lra.
  - apply (after_spec n v (t * x + (1 - t) * y) Hv ltac:(lra)). intros b Hb.
    pose proof (proj1 (after_spec n v x Hv Hx) b Hb) as A. pose proof (proj1 (after_spec n v y Hv Hy) b Hb) as B.
    pose proof (after_cont n v x Hv Hx) as Cx. pose proof (after_cont n v y Hv Hy) as Cy.
    apply Rle_trans with (part (fun z => t * after w n (v * w z) x + (1 - t) * after w n (v * w z) y) b).
    + apply part_le; [apply after_cont; lra|apply cont_plus; apply cont_scale; assumption|exact Hb|]. intros z. apply IH, after_arg, Hv.
    + rewrite part_plus, !part_scale by (try apply cont_scale; assumption).
      apply Rmult_le_compat_l with (r := t) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in B; [|lra]. lra.
Qed.

Lemma power_near_1 e n : 0 <= e <= 1 -> 1 - INR n * e <= (1 - e) ^ n.
Proof.
  intros He. induction n as [|n IH]; [simpl; lra|]. rewrite S_INR, <- tech_pow_Rmult.
  assert (0 <= INR n * (e * e)) by (apply Rmult_le_pos; [apply pos_INR|apply Rmult_le_pos; lra]).
  apply Rmult_le_compat_l with (r := 1 - e) in IH; [|lra]. lra.
Qed.

(** the threshold tests that almost always reject *)
Lemma steps_line n u : 0 <= u -> 1 - u <= steps q mu n u.
Proof.
  intros Hu. apply le_epsilon. intros e He. set (d := Rmin 1 (e / (INR n + 1))). assert (N : 0 <= INR n) by apply pos_INR.
  assert (Hd : 0 < d) by (apply Rmin_pos; [lra|apply Rdiv_lt_0_compat; lra]). pose proof (Rmin_l 1 (e / (INR n + 1))) as d1. pose proof (Rmin_r 1 (e / (INR n + 1))) as d2. fold d in d1, d2.
  destruct (tail_large d Hd) as [c L]. specialize (L c ltac:(lra)). pose proof (tail_pos c) as P. pose proof (tail_lt_1 c) as P1.
  pose proof (threshold_tests q mu c Hq Hmu n 1 u ltac:(lra) Hu) as T. unfold steps, composed.
  assert (A : (1 - d) ^ n <= power_of_test q mu c ^ n).
  { apply pow_incr. split; [lra|]. unfold power_of_test. pose proof (tail_falls_weakly (c - mu) c ltac:(lra)) as F.
    assert (q * tail c <= q * tail (c - mu)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (B : u * tail c ^ n <= u * 1). { apply Rmult_le_compat_l; [exact Hu|]. rewrite <- (pow1 n). apply pow_incr. lra. }
  pose proof (power_near_1 d n ltac:(lra)) as C.
  assert (K : INR n * d <= e).
  { apply Rle_trans with ((INR n + 1) * (e / (INR n + 1))); [apply Rmult_le_compat; lra|]. right. field. lra. }
  lra.
Qed.

Theorem steps_are_a_profile n : privacy_profile (steps q mu n).
Proof.
  assert (G : forall u, 0 <= u -> 0 <= steps q mu n u <= 1).
  { intros u Hu. unfold steps, composed. apply (good_after w (weight_pos q mu Hq) (weight_cont q mu) (weight_mean q mu Hq) n u Hu). lra. }
  constructor.
  - intros hi x y t Hx Hy Ht. unfold steps, composed. apply after_convex; lra.
  - intros x y Hx H. unfold steps, composed. apply after_falls; lra.
  - apply G. lra.
  - intros u Hu. apply steps_line, Hu.
  - intros u Hu. apply G, Hu.
Qed.
End Profile.

(** The curve of n steps: its profile is that of the iterated integrals. *)
Definition curve_of_steps (f : R -> R) (q mu : R) (n : nat) := tradeoff f /\ forall eps, delta f eps = steps q mu n (exp eps).

Theorem strict_mu f q s n mu : 0 < q <= 1 -> 0 < s -> (1 <= n)%nat -> 0 <= mu -> curve_of_steps f q (/ s) n ->
  ((forall a, 0 <= a <= 1 -> G mu a <= f a) <-> sqrt (INR n) / s <= mu).
Proof.
  intros Hq Hs Hn Hm [Hf D]. assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat, Hs). split.
  - apply strict_mu_at_least with (q := q); auto. intros c. pose proof (tail_pos c). pose proof (tail_lt_1 c).
    assert (A : 0 <= tail c ^ n <= 1) by (split; [apply pow_le; lra|rewrite <- (pow1 n); apply pow_incr; lra]).
    apply (f_from_delta f _ Hf A). intros x [eps ->]. rewrite D. unfold steps, composed.
    pose proof (threshold_tests q (/ s) c Hq (Rlt_le _ _ Hi) n 1 (exp eps) ltac:(lra) (Rlt_le _ _ (exp_pos eps))) as T. unfold power_of_test in T. lra.
  - intros H a Ha. eapply Rle_trans; [apply (G_falls (sqrt (INR n) / s) mu); [apply Rcomplements.Rdiv_le_0_compat; [apply sqrt_pos|exact Hs]|exact H|exact Ha]|].
    apply (strict_mu_at_most f q (/ s) n Hf Hq Hi Hn); [intros eps; rewrite D; lra|exact Ha].
Qed.

Theorem curve_of_steps_exists q mu n : 0 < q <= 1 -> 0 <= mu -> exists f, curve_of_steps f q mu n.
Proof.
  intros Hq Hmu. pose proof (steps_are_a_profile q mu Hq Hmu n) as P. exists (curve_of_profile (steps q mu n)). split.
  - apply tradeoff_of_profile, P.
  - apply profile_of_curve, P.
Qed.

Theorem curve_of_steps_unique f g q mu n : curve_of_steps f q mu n -> curve_of_steps g q mu n -> forall a, 0 <= a <= 1 -> f a = g a.
Proof.
  intros [Hf F] [Hg D] a Ha. apply Rle_antisym.
  - apply (proj2 (proj1 (theorem_1 f g Hf Hg))); [|exact Ha]. intros eps. rewrite F, D. lra.
  - apply (proj2 (proj1 (theorem_1 g f Hg Hf))); [|exact Ha]. intros eps. rewrite F, D. lra.
Qed.
