(** * Strict Gaussian DP of Poisson-subsampled Gaussians: the lower bound

For N steps of noise s and any rate q > 0, no mu below sqrt N / s satisfies G_mu <= f everywhere, by the product tests {x_i > c for all i}:
no convolution of Gaussians and no measure theory is needed. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import GaussianTail NormalLaw.
Open Scope R_scope.

(** G_mu <= f at every level strictly between 0 and 1, written by thresholds: the level tail t has G_mu (tail t) = 1 - tail (t - mu) *)
Definition G_below (mu : R) (f : R -> R) := forall t, 1 - tail (t - mu) <= f (tail t).

Theorem strict_gdp f mu0 c : 0 < c ->
  (forall t, c * tail (t - mu0) <= 1 - f (tail t)) ->      (* 1 - f >= q^T (1 - G_mu0) *)
  forall mu, G_below mu f -> mu0 <= mu.
Proof.
  intros Hc H mu G. destruct (Rle_dec mu0 mu) as [h|h]; [exact h|]. exfalso.
  pose proof total_pos as T. destruct (mass_above_beats c (mu0 - mu) Hc ltac:(lra)) as [x Hx].
  specialize (H (x + mu0)). specialize (G (x + mu0)).
  replace (x + mu0 - mu0) with x in H by ring. replace (x + mu0 - mu) with (x + (mu0 - mu)) in G by ring.
  unfold tail in *.
  assert (K : c * (mass_above x / total) <= mass_above (x + (mu0 - mu)) / total) by lra.
  apply Rmult_le_compat_r with (r := total) in K; [|lra].
  replace (c * (mass_above x / total) * total) with (c * mass_above x) in K by (field; lra).
  replace (mass_above (x + (mu0 - mu)) / total * total) with (mass_above (x + (mu0 - mu))) in K by (field; lra). lra.
Qed.

(** Product domination: for M = (1 - q) P + q P1 the expectation of a test under n draws from M is at least q^n times that under n draws from P1.
    Expectations are positively homogeneous, monotone functionals here. *)
Section Product.
Variable X : Type.
Definition func := (X -> R) -> R.
Definition monotone (E : func) := forall u v, (forall x, u x <= v x) -> E u <= E v.
Definition homog (E : func) := forall c u, E (fun x => c * u x) = c * E u.
Fixpoint powE (E : func) (n : nat) (test : list X -> R) : R :=
  match n with O => test nil | S n => E (fun x => powE E n (fun xs => test (x :: xs))) end.

Variables (P P1 : func) (q : R).
Hypotheses (MP : monotone P) (HP : homog P) (MP1 : monotone P1) (HP1 : homog P1) (Hq : 0 <= q <= 1).
Definition Mx : func := fun u => (1 - q) * P u + q * P1 u.

Lemma pos_E E u : monotone E -> homog E -> (forall x, 0 <= u x) -> 0 <= E u.
Proof.
  intros M H U. specialize (H 0 u). rewrite Rmult_0_l in H. rewrite <- H. apply M.
  intros x. rewrite Rmult_0_l. apply U.
Qed.

Lemma powE_pos n test : (forall xs, 0 <= test xs) -> 0 <= powE Mx n test.
Proof.
  revert test. induction n as [|n IH]; intros test H; simpl; [apply H|]. unfold Mx at 1.
  assert (A : 0 <= P (fun x => powE Mx n (fun xs => test (x :: xs)))) by (apply pos_E; auto).
  assert (B : 0 <= P1 (fun x => powE Mx n (fun xs => test (x :: xs)))) by (apply pos_E; auto).
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

Theorem product_dom n test : (forall xs, 0 <= test xs) -> q ^ n * powE P1 n test <= powE Mx n test.
Proof.
  revert test. induction n as [|n IH]; intros test H; simpl; [lra|]. unfold Mx at 1.
  assert (A : 0 <= P (fun x => powE Mx n (fun xs => test (x :: xs)))).
  { apply pos_E; auto. intros x. apply powE_pos; auto. }
  assert (B : q ^ n * P1 (fun x => powE P1 n (fun xs => test (x :: xs)))
              <= P1 (fun x => powE Mx n (fun xs => test (x :: xs)))).
  { rewrite <- HP1. apply MP1. intros x. apply IH; auto. }
  assert (0 <= (1 - q) * P (fun x => powE Mx n (fun xs => test (x :: xs)))) by (apply Rmult_le_pos; lra).
  apply Rmult_le_compat_l with (r := q) in B; lra.
Qed.
End Product.


Theorem strict_gdp_product (f : R -> R) (q s : R) (N : nat) : 0 < q -> 0 < s -> (1 <= N)%nat ->
  (forall x y, x <= y -> f y <= f x) ->
  (* every product test {x_i > c, all i} satisfies the trade-off: type II error >= f (type I error) *)
  (forall c, f (tail c ^ N) <= 1 - (q * tail (c - / s)) ^ N) ->
  forall mu, G_below mu f -> sqrt (INR N) / s <= mu.
Proof.
  pose proof total_at_least_1 as T.
  intros Hq Hs HN mono H mu G.
  destruct (Rle_dec (sqrt (INR N) / s) mu) as [h|h]; [exact h|]. exfalso.
  assert (N1 : 1 <= INR N) by (apply (le_INR 1), HN).
  set (r := sqrt (INR N)) in *. set (d := / s) in *.
  assert (rr : r * r = INR N) by (apply sqrt_sqrt; lra).
  assert (r1 : 1 <= r) by (unfold r; rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  set (g := r * d - mu). assert (Hg : 0 < g) by (unfold g; unfold Rdiv in h; fold d in h; lra).
  set (e := g / (2 * (r + 2))). assert (He : 0 < e) by (unfold e; apply Rdiv_lt_0_compat; lra).
  assert (Ee : (r + 2) * e = g / 2) by (unfold e; field; lra).
  set (k := (q * e / total) ^ N).
  assert (Hk : 0 < k) by (apply pow_lt; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
  (* choose c *)
  assert (C : exists c, 1 <= c /\ 0 <= c - d /\ 1 + mu + 2 * e <= r * c /\ 2 * e <= r * c /\
     e * e / 2 - ln e <= e * (r * c) /\ - ln k < g / 4 * (2 * (r * c) - r * d + r * e - 2 * e - mu)).
  { pose (A1 := r); pose (A2 := r * d); pose (A3 := Rabs (1 + mu + 2 * e)); pose (A5 := Rabs (e * e / 2 - ln e) / e).
    pose (A6 := (Rabs (- ln k) / (g / 4) + Rabs (- r * d + r * e - 2 * e - mu) + 1)).
    pose proof (Rabs_pos (1 + mu + 2 * e)); pose proof (Rle_abs (1 + mu + 2 * e)).
    pose proof (Rle_abs (e * e / 2 - ln e)); pose proof (Rle_abs (- ln k)).
    pose proof (Rle_abs (- (- r * d + r * e - 2 * e - mu))) as B. rewrite Rabs_Ropp in B.
    pose proof (Rabs_pos (- r * d + r * e - 2 * e - mu)).
    assert (0 <= A5) by (unfold A5; apply Rcomplements.Rdiv_le_0_compat; [apply Rabs_pos|lra]).
    assert (0 <= Rabs (- ln k) / (g / 4)) by (apply Rcomplements.Rdiv_le_0_compat; [apply Rabs_pos|lra]).
    assert (0 < d) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= A2) by (unfold A2; nra).
    pose (M := A1 + A2 + A3 + 2 * e + A5 + A6). exists (M / r).
    assert (E : r * (M / r) = M) by (field; lra).
    assert (F : forall x, r * x <= M -> x <= M / r).
    { intros x Hx. apply Rcomplements.Rle_div_r; lra. }
    rewrite E. unfold A3 in *.
    split; [apply F; unfold M, A1, A3, A6; lra|].
    split; [assert (d <= M / r) by (apply F; unfold M, A1, A2, A3, A6 in *; lra); lra|].
    split; [unfold M, A1, A3, A6; lra|]. split; [unfold M, A1, A3, A6; lra|]. split.
    - assert (A5 <= M) by (unfold M, A1, A3, A6; lra).
      assert (e * A5 <= e * M) by (apply Rmult_le_compat_l; lra).
      assert (e * A5 = Rabs (e * e / 2 - ln e)) by (unfold A5; field; lra). lra.
    - assert (K : Rabs (- ln k) / (g / 4) < 2 * M - r * d + r * e - 2 * e - mu) by (unfold M, A1, A3, A6; lra).
      apply Rmult_lt_compat_l with (r := g / 4) in K; [|lra].
      replace (g / 4 * (Rabs (- ln k) / (g / 4))) with (Rabs (- ln k)) in K by (field; lra). lra. }
  destruct C as [c [c1 [c2 [c3 [c4 [c5 c6]]]]]].
  set (t := r * c - 2 * e).
  assert (IZ : 0 < / total <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  (* (i) tail c ^ N <= tail t *)
  assert (S1 : tail c ^ N <= tail t).
  { apply Rle_trans with (phi c ^ N * / total).
    - unfold tail, Rdiv. rewrite Rpow_mult_distr. apply Rmult_le_compat.
      + apply pow_le. left; apply mass_above_pos.
      + apply pow_le. lra.
      + apply pow_incr. split; [left; apply mass_above_pos|apply mass_above_upper, c1].
      + destruct N as [|n]; [lia|]. rewrite <- tech_pow_Rmult.
        assert (P : (/ total) ^ n <= 1) by (rewrite <- (pow1 n); apply pow_incr; lra).
        apply Rmult_le_compat_l with (r := / total) in P; lra.
    - unfold tail, Rdiv. apply Rmult_le_compat_r; [lra|].
      apply Rle_trans with (e * phi (t + e)); [|apply mass_above_lower; unfold t; lra].
      rewrite pow_phi, <- rr. rewrite <- (exp_ln e) at 1 by exact He. unfold phi. rewrite <- exp_plus.
      assert (K : - (r * r * (c * c)) / 2 <= ln e + - ((t + e) * (t + e)) / 2) by (unfold t; nra).
      destruct K as [K|K]; [left; apply exp_increasing, K|right; rewrite K; reflexivity]. }
  (* (ii) power *)
  assert (S2 : (q * tail (c - d)) ^ N <= tail (t - mu)).
  { pose proof (mono _ _ S1). pose proof (H c). pose proof (G t). lra. }
  assert (S3 : k * exp (- (INR N * ((c - d + e) * (c - d + e))) / 2) <= (q * tail (c - d)) ^ N).
  { rewrite <- pow_phi. unfold k. rewrite <- Rpow_mult_distr. apply pow_incr.
    pose proof (mass_above_lower (c - d) e He c2). pose proof (phi_pos (c - d + e)). split.
    - apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]|lra].
    - unfold tail. replace (q * e / total * phi (c - d + e)) with (q / total * (e * phi (c - d + e))) by (field; lra).
      replace (q * (mass_above (c - d) / total)) with (q / total * mass_above (c - d)) by (field; lra).
      apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|assumption]. }
  assert (S4 : tail (t - mu) <= phi (t - mu)).
  { unfold tail, Rdiv. pose proof (mass_above_upper (t - mu) ltac:(unfold t; lra)). pose proof (mass_above_pos (t - mu)).
    rewrite <- (Rmult_1_r (phi _)). apply Rmult_le_compat; lra. }
  assert (S5 : k * exp (- (INR N * ((c - d + e) * (c - d + e))) / 2) <= phi (t - mu)) by lra.
  rewrite <- (exp_ln k) in S5 by exact Hk. rewrite <- exp_plus in S5. unfold phi in S5.
  assert (S6 : - ((t - mu) * (t - mu)) / 2 < ln k + - (INR N * ((c - d + e) * (c - d + e))) / 2).
  { rewrite <- rr.
    assert (I : (r * r * ((c - d + e) * (c - d + e))) / 2 - ((t - mu) * (t - mu)) / 2
       = 1 / 2 * ((r + 2) * e - g) * (2 * (r * c) - r * d + r * e - 2 * e - mu)) by (unfold t, g; field).
    rewrite Ee in I. lra. }
  apply exp_increasing in S6. lra.
Qed.

(** product event under the iterated functional: E^n[prod 1{x_i in A}] = (E 1_A)^n *)
Fixpoint prodtest {X : Type} (u : X -> R) (xs : list X) : R :=
  match xs with nil => 1 | cons x xs => u x * prodtest u xs end.
Lemma powE_scal {X : Type} (E : func X) n a test :
  homog X E -> (forall u v, (forall x, u x = v x) -> E u = E v) ->
  powE X E n (fun xs => a * test xs) = a * powE X E n test.
Proof.
  intros HE EX. revert test. induction n as [|n IH]; intros test; simpl; [reflexivity|].
  rewrite <- HE. apply EX. intros x. apply IH.
Qed.
Lemma powE_prod {X : Type} (E : func X) u n : homog X E -> (forall u v, (forall x, u x = v x) -> E u = E v) ->
  powE X E n (prodtest u) = E u ^ n.
Proof.
  intros HE EX. induction n as [|n IH]; simpl; [reflexivity|].
  transitivity (E (fun x => E u ^ n * u x)); [|rewrite HE; ring].
  apply EX. intros x. rewrite powE_scal by assumption. rewrite IH. ring.
Qed.
