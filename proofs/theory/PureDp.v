(** * Pure and approximate DP in terms of Gaussian DP

Gomez et al. 2025, Propositions 6.1 and 6.2: an eps-DP mechanism is mu-GDP with mu = - 2 Phi^-1 (1 / (e^eps + 1)), and no smaller mu does for randomised response; an
(eps, delta) guarantee with delta > 0 gives no finite mu. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Inverse Extremes NormalLaw StrictGdp GaussianCurve.
Open Scope R_scope.

Lemma exp_at_least_1 eps : 0 <= eps -> 1 <= exp eps.
Proof. intros H. pose proof (exp_ineq1_le eps). lra. Qed.

(** t is - Phi^-1 (1 / (e^eps + 1)) *)
Theorem proposition_6_1 f eps t : tradeoff f -> 0 <= eps -> tail t = / (exp eps + 1) ->
  (forall a, 0 <= a <= 1 -> f_eps_delta eps 0 a <= f a) -> forall a, 0 <= a <= 1 -> G (2 * t) a <= f a.
Proof.
  intros Hf He E H a Ha. pose proof (exp_at_least_1 eps He) as U. set (u := exp eps) in *. set (c := tail t) in *.
  assert (cu : c * (u + 1) = 1) by (rewrite E; apply Rinv_l; lra).
  assert (c0 : 0 < c) by apply tail_pos. assert (c1 : c <= 1 / 2) by nra.
  assert (t0 : 0 <= t) by (apply tail_le_iff; rewrite tail_0; exact c1).
  assert (m0 : 0 <= 2 * t) by lra. pose proof (tradeoff_G (2 * t) m0) as T.
  assert (Gc : G (2 * t) c = c).
  { unfold c. rewrite G_tail by exact m0. replace (t - 2 * t) with (- t) by ring. rewrite tail_opp. ring. }
  specialize (H a Ha). unfold f_eps_delta in H. fold u in H.
  pose proof (Rmax_r 0 (Rmax (1 - 0 - u * a) (exp (- eps) * (1 - 0 - a)))). pose proof (Rmax_l (1 - 0 - u * a) (exp (- eps) * (1 - 0 - a))).
  pose proof (Rmax_r (1 - 0 - u * a) (exp (- eps) * (1 - 0 - a))). assert (V : exp (- eps) = / u) by apply exp_Ropp. rewrite V in *.
  destruct (Rle_dec a c) as [h|h].
  - assert (r : 0 <= a / c <= 1) by (split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
    pose proof (to_cvx _ T 0 c (1 - a / c) ltac:(lra) ltac:(lra) ltac:(lra)) as C.
    replace ((1 - a / c) * 0 + (1 - (1 - a / c)) * c) with a in C by (field; lra). rewrite G_0, Gc in C by exact m0.
    assert (K : (1 - a / c) * 1 + (1 - (1 - a / c)) * c = 1 - u * a).
    { replace u with (1 / c - 1) by (field_simplify; [|lra]; rewrite <- cu; field; lra). field. lra. }
    lra.
  - assert (r : 0 <= (1 - a) / (1 - c) <= 1) by (split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
    pose proof (to_cvx _ T c 1 ((1 - a) / (1 - c)) ltac:(lra) ltac:(lra) r) as C.
    replace ((1 - a) / (1 - c) * c + (1 - (1 - a) / (1 - c)) * 1) with a in C by (field; lra). rewrite G_1, Gc in C by exact m0.
    assert (K : (1 - a) / (1 - c) * c + (1 - (1 - a) / (1 - c)) * 0 = / u * (1 - a)).
    { assert (ucc : u * c = 1 - c) by lra. rewrite <- ucc. field. split; lra. }
    lra.
Qed.

(** It is the best mu for every curve through (c, c), such as that of randomised response. *)
Theorem proposition_6_1_tight f t mu : f (tail t) = tail t -> 0 <= mu -> (forall a, 0 <= a <= 1 -> G mu a <= f a) -> 2 * t <= mu.
Proof.
  intros E Hm H. specialize (H (tail t)). pose proof (tail_pos t); pose proof (tail_lt_1 t). specialize (H ltac:(lra)). rewrite E in H.
  assert (K : G mu (tail t) <= 1 - tail (- t)) by (rewrite tail_opp; lra). apply G_at_vertex in K; [lra|exact Hm].
Qed.

(** ** A curve that starts below 1 has no finite mu *)
Theorem no_finite_mu f mu : f 0 < 1 -> 0 <= mu -> ~ (forall a, 0 <= a <= 1 -> G mu a <= f a).
Proof. intros H Hm K. specialize (K 0 ltac:(lra)). rewrite G_0 in K by exact Hm. lra. Qed.

(** and there is such a mechanism: it shows the record with probability d, and otherwise nothing. *)
Definition leaky (d : R) := ext (fun a => (1 - d) * (1 - a)).
Lemma tradeoff_leaky d : 0 <= d <= 1 -> tradeoff (leaky d).
Proof.
  intros Hd. apply tradeoff_ext.
  - intros x Hx. split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_l (1 - x)) at 2. apply Rmult_le_compat_r; lra.
  - intros. right. ring.
  - intros e He. exists e. split; [exact He|]. intros y Hy _. assert ((1 - d) * y <= 1 * y) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem proposition_6_2 eps d : 0 <= eps -> 0 < d <= 1 ->
  exists f, tradeoff f /\ (delta f eps <= d /\ delta (finv f) eps <= d) /\ forall mu, 0 <= mu -> ~ (forall a, 0 <= a <= 1 -> G mu a <= f a).
Proof.
  intros He Hd. exists (leaky d). split; [apply tradeoff_leaky; lra|]. split.
  - apply dp_iff_curve; [apply tradeoff_leaky; lra|lra|]. intros a Ha. unfold leaky. rewrite ext_in by exact Ha.
    pose proof (exp_at_least_1 eps He) as U. assert (V : exp (- eps) <= 1) by (rewrite exp_Ropp, <- Rinv_1; apply Rinv_le_contravar; lra).
    pose proof (exp_pos (- eps)). unfold f_eps_delta. apply Rmax_lub; [apply Rmult_le_pos; lra|]. apply Rmax_lub.
    + assert (1 * a <= exp eps * a) by (apply Rmult_le_compat_r; lra). assert (0 <= d * a) by (apply Rmult_le_pos; lra). lra.
    + assert (0 <= d * a) by (apply Rmult_le_pos; lra).
      destruct (Rle_dec 0 (1 - d - a)) as [h|h].
      * assert (exp (- eps) * (1 - d - a) <= 1 * (1 - d - a)) by (apply Rmult_le_compat_r; lra). lra.
      * assert (0 <= exp (- eps) * (- (1 - d - a))) by (apply Rmult_le_pos; lra). assert (0 <= (1 - d) * (1 - a)) by (apply Rmult_le_pos; lra). lra.
  - intros mu Hm. apply no_finite_mu; [|exact Hm]. unfold leaky. rewrite ext_in by lra. lra.
Qed.
