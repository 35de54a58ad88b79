(** * Poisson-subsampled Gaussians: what their strict mu is, whatever the rate

A step draws x from N(0, 1) without the record, and from (1 - q) N(0, 1) + q N(1/s, 1) with it. A test that rejects if all of N such draws exceed c has the
errors tail c ^ N and 1 - ((1 - q) tail c + q tail (c - 1/s)) ^ N. From these tests alone no mu below sqrt N / s will do, for any rate q > 0. For one step the curve is known and
mu = 1/s will do; for N steps see StrictMu. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Extremes Breakpoints GaussianTail NormalLaw StrictGdp GaussianCurve.
Open Scope R_scope.

Definition obeys_threshold_tests (f : R -> R) (q s : R) (N : nat) :=
  forall c, f (tail c ^ N) <= 1 - ((1 - q) * tail c + q * tail (c - / s)) ^ N.

Theorem strict_mu_at_least f q s N mu : tradeoff f -> 0 < q <= 1 -> 0 < s -> (1 <= N)%nat -> obeys_threshold_tests f q s N ->
  0 <= mu -> (forall a, 0 <= a <= 1 -> G mu a <= f a) -> sqrt (INR N) / s <= mu.
Proof.
  intros Hf Hq Hs HN O Hm H. apply (strict_gdp_product f q s N); auto; try lra.
  - intros x y. apply to_mono, Hf.
  - intros c. eapply Rle_trans; [apply O|]. assert ((q * tail (c - / s)) ^ N <= ((1 - q) * tail c + q * tail (c - / s)) ^ N); [|lra].
    pose proof (tail_pos c). pose proof (tail_pos (c - / s)). assert (0 <= q * tail (c - / s)) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - q) * tail c) by (apply Rmult_le_pos; lra). apply pow_incr. lra.
  - apply G_below_iff; assumption.
Qed.

(** ** One step: the curve, and its strict mu exactly *)
Definition one_step (q m : R) := ext (fun a => (1 - q) * (1 - a) + q * G m a).

Theorem tradeoff_one_step q m : 0 <= q <= 1 -> 0 <= m -> tradeoff (one_step q m).
Proof.
  intros Hq Hm. pose proof (tradeoff_G m Hm) as T. apply tradeoff_ext.
  - intros x Hx. pose proof (to_range _ T x). pose proof (to_ub _ T x Hx).
    assert (0 <= (1 - q) * (1 - x)) by (apply Rmult_le_pos; lra). assert (0 <= q * G m x) by (apply Rmult_le_pos; lra).
    assert (q * G m x <= q * (1 - x)) by (apply Rmult_le_compat_l; lra). lra.
  - intros x y t Hx Hy Ht. pose proof (to_cvx _ T x y t Hx Hy Ht) as C.
    apply Rmult_le_compat_l with (r := q) in C; [|lra]. lra.
  - intros e He. destruct (to_rc0 _ T (e / 2) ltac:(lra)) as [d [Hd H]]. exists (Rmin d (e / 2)). split; [apply Rmin_pos; lra|].
    intros y [y0 y1] _. pose proof (Rmin_l d (e / 2)). pose proof (Rmin_r d (e / 2)). specialize (H y ltac:(lra)).
    assert (q * (G m 0 - e / 2) <= q * G m y) by (apply Rmult_le_compat_l; lra). assert ((1 - q) * y <= 1 * y) by (apply Rmult_le_compat_r; lra).
    assert (q * (e / 2) <= 1 * (e / 2)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** its errors are those of the threshold tests *)
Lemma one_step_tail q m t : 0 <= m -> one_step q m (tail t) = 1 - ((1 - q) * tail t + q * tail (t - m)).
Proof.
  intros Hm. pose proof (tail_pos t); pose proof (tail_lt_1 t). unfold one_step. rewrite ext_in, G_tail by lra. ring.
Qed.

Theorem strict_mu_one_step q m mu : 0 < q <= 1 -> 0 <= m -> 0 <= mu ->
  ((forall a, 0 <= a <= 1 -> G mu a <= one_step q m a) <-> m <= mu).
Proof.
  intros Hq Hm Hmu. split.
  - intros H. apply (strict_gdp (one_step q m) m q); [lra| |apply G_below_iff; [exact Hmu|apply tradeoff_one_step; lra|exact H]].
    intros t. rewrite one_step_tail by exact Hm. pose proof (tail_pos t). assert (0 <= (1 - q) * tail t) by (apply Rmult_le_pos; lra). lra.
  - intros H a Ha. pose proof (G_falls m mu Hm H a Ha). unfold one_step. rewrite ext_in by exact Ha.
    pose proof (to_ub _ (tradeoff_G m Hm) a Ha). assert ((1 - q) * G m a <= (1 - q) * (1 - a)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
