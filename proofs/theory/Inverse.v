(** * The inverse of a trade-off function: the same pair in the other order

f a <= b means that some test has errors (a, b); exchanging the hypotheses exchanges the errors, so the curve of the swapped pair is the generalised
inverse. Its profile is 1 - u + u delta (1 / u): one composition serves both directions. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError.
Open Scope R_scope.

(** symmetric: f is its own inverse, in Galois form *)
Definition symm (f : R -> R) := forall a b, 0 <= a <= 1 -> 0 <= b <= 1 -> (f a <= b <-> f b <= a).
Definition finv (f : R -> R) (y : R) := inf (fun x => 0 <= x <= 1 /\ f x <= y).

Lemma finv_galois f a b : tradeoff f -> 0 <= a <= 1 -> 0 <= b <= 1 -> (f a <= b <-> finv f b <= a).
Proof.
  intros Hf Ha Hb. destruct (inf_correct (fun x => 0 <= x <= 1 /\ f x <= b) 0 1) as [L G].
  { intros x Hx; lra. } { split; [lra|]. rewrite (to_r1 f Hf 1); lra. }
  fold (finv f b) in L, G. split.
  - intros H. apply L. auto.
  - intros H. apply le_epsilon. intros e He. destruct (to_rc f Hf a e ltac:(lra) He) as [d [Hd K]].
    destruct (Rle_dec 1 (a + d/2)) as [h|h].
    { specialize (K (a + d/2) ltac:(lra)). rewrite (to_r1 f Hf (a + d/2)) in K by lra. lra. }
    assert (f (a + d/2) <= b); [|specialize (K (a + d/2) ltac:(lra)); lra].
    destruct (Rle_dec (f (a + d/2)) b) as [c|c]; [exact c|]. exfalso.
    assert (a + d/2 <= finv f b); [|lra]. apply G. intros x [Hx Hxb].
    destruct (Rle_dec (a + d/2) x); [assumption|]. pose proof (to_mono f Hf x (a + d/2) ltac:(lra)). lra.
Qed.

Lemma symm_iff_inverse f : tradeoff f -> (symm f <-> forall y, 0 <= y <= 1 -> finv f y = f y).
Proof.
  intros Hf. split.
  - intros S y Hy. pose proof (to_range f Hf y).
    destruct (inf_correct (fun x => 0 <= x <= 1 /\ f x <= y) 0 1) as [L G].
    { intros x Hx; lra. } { split; [lra|]. rewrite (to_r1 f Hf 1); lra. }
    fold (finv f y) in L, G.
    assert (0 <= finv f y <= 1).
    { split; [apply G; intros; lra | apply L; split; [lra|rewrite (to_r1 f Hf 1); lra]]. }
    apply Rle_antisym.
    + apply (finv_galois f (f y) y Hf); auto. apply S; auto. lra.
    + apply S; auto. apply (finv_galois f _ y Hf); auto; lra.
  - intros E a b Ha Hb. rewrite (finv_galois f a b) by auto. rewrite E by auto. tauto.
Qed.

Lemma finv_range f y : tradeoff f -> 0 <= y <= 1 -> 0 <= finv f y <= 1.
Proof.
  intros Hf Hy. split.
  - destruct (inf_correct (fun x => 0 <= x <= 1 /\ f x <= y) 0 1) as [_ G].
    { intros x Hx; lra. } { split; [lra|]. rewrite (to_r1 f Hf 1); lra. }
    apply G. intros x Hx; lra.
  - apply (finv_galois f 1 y Hf); [lra|exact Hy|]. rewrite (to_r1 f Hf 1); lra.
Qed.

(** f at the inverse is back below: every level is reached from the right *)
Lemma f_finv f y : tradeoff f -> 0 <= y <= 1 -> f (finv f y) <= y.
Proof. intros Hf Hy. apply (finv_galois f _ y Hf); [apply finv_range; auto|exact Hy|lra]. Qed.
Lemma finv_f f a : tradeoff f -> 0 <= a <= 1 -> finv f (f a) <= a.
Proof. intros Hf Ha. apply (finv_galois f a _ Hf); [exact Ha|apply to_range, Hf|lra]. Qed.

(** ** Swapping exchanges the priors *)
Theorem bayes_swap f p : tradeoff f -> 0 <= p <= 1 -> bayes (finv f) p = bayes f (1 - p).
Proof.
  intros Hf Hp. destruct (bayes_spec f (1 - p) Hf ltac:(lra)) as [A B].
  destruct (inf01_spec (fun b => p * b + (1 - p) * finv f b) 0) as [A' B'].
  { intros b Hb. pose proof (finv_range f b Hf Hb). assert (0 <= p * b) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - p) * finv f b) by (apply Rmult_le_pos; lra). lra. }
  apply Rle_antisym.
  - apply B. intros a Ha. pose proof (to_range f Hf a) as R. specialize (A' (f a) R). fold (bayes (finv f) p) in A'.
    pose proof (finv_f f a Hf Ha). assert ((1 - p) * finv f (f a) <= (1 - p) * a) by (apply Rmult_le_compat_l; lra). simpl in A'. lra.
  - apply B'. intros b Hb. specialize (A (finv f b) (finv_range f b Hf Hb)). pose proof (f_finv f b Hf Hb).
    assert (p * f (finv f b) <= p * b) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** and turns delta (u) into 1 - u + u delta (1 / u) *)
Theorem delta_swap f eps : tradeoff f -> delta (finv f) eps = 1 - exp eps + exp eps * delta f (- eps).
Proof.
  intros Hf. pose proof (exp_pos eps) as E. set (u := exp eps) in *.
  assert (U : exp (- eps) = / u) by apply exp_Ropp. unfold delta. rewrite U. fold u.
  destruct (inf01_spec (fun a => / u * a + f a) 0) as [A B].
  { intros a Ha. pose proof (to_range f Hf a). assert (0 <= / u * a) by (apply Rmult_le_pos; [left; apply Rinv_0_lt_compat|]; lra). lra. }
  destruct (inf01_spec (fun b => u * b + finv f b) 0) as [A' B'].
  { intros b Hb. pose proof (finv_range f b Hf Hb). assert (0 <= u * b) by (apply Rmult_le_pos; lra). lra. }
  assert (inf01 (fun b => u * b + finv f b) = u * inf01 (fun a => / u * a + f a)); [|lra]. apply Rle_antisym.
  - apply Rmult_le_reg_l with (/ u); [apply Rinv_0_lt_compat, E|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    apply B. intros a Ha. specialize (A' (f a) (to_range f Hf a)). simpl in A'. pose proof (finv_f f a Hf Ha).
    apply Rmult_le_reg_l with u; [exact E|]. rewrite Rmult_plus_distr_l, <- !Rmult_assoc, Rinv_r, !Rmult_1_l by lra. lra.
  - apply B'. intros b Hb. specialize (A (finv f b) (finv_range f b Hf Hb)). simpl in A. pose proof (f_finv f b Hf Hb).
    apply Rmult_le_compat_l with (r := u) in A; [|lra]. rewrite Rmult_plus_distr_l, <- !Rmult_assoc, Rinv_r, !Rmult_1_l in A by lra.
    assert (u * f (finv f b) <= u * b) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** (eps, delta)-DP in both orders is the curve f_(eps, delta) *)
Definition f_eps_delta (eps d a : R) := Rmax 0 (Rmax (1 - d - exp eps * a) (exp (- eps) * (1 - d - a))).

Theorem dp_iff_curve f eps d : tradeoff f -> 0 <= d ->
  (delta f eps <= d /\ delta (finv f) eps <= d) <-> forall a, 0 <= a <= 1 -> f_eps_delta eps d a <= f a.
Proof.
  intros Hf Hd. pose proof (exp_pos eps) as E. set (u := exp eps) in *. assert (U : exp (- eps) = / u) by apply exp_Ropp.
  assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, E).
  assert (S : delta (finv f) eps <= d <-> forall a, 0 <= a <= 1 -> / u * (1 - d - a) <= f a).
  { rewrite delta_swap by exact Hf. fold u.
    assert (K : 1 - u + u * delta f (- eps) <= d <-> delta f (- eps) <= 1 - / u * (1 - d)).
    { split; intros H.
      - apply Rmult_le_reg_l with u; [exact E|]. rewrite Rmult_minus_distr_l, <- Rmult_assoc, Rinv_r by lra. lra.
      - apply Rmult_le_compat_l with (r := u) in H; [|lra]. rewrite Rmult_minus_distr_l, <- Rmult_assoc, Rinv_r in H by lra. lra. }
    rewrite K, delta_iff_lines, U by exact Hf. split; intros H a Ha; specialize (H a Ha); lra. }
  rewrite S, delta_iff_lines by exact Hf. fold u. unfold f_eps_delta. rewrite U. fold u. split.
  - intros [A B] a Ha. apply Rmax_lub; [apply to_range, Hf|]. apply Rmax_lub; [apply A|apply B]; exact Ha.
  - intros H. split; intros a Ha; specialize (H a Ha);
      pose proof (Rmax_r 0 (Rmax (1 - d - u * a) (/ u * (1 - d - a)))); pose proof (Rmax_l (1 - d - u * a) (/ u * (1 - d - a)));
      pose proof (Rmax_r (1 - d - u * a) (/ u * (1 - d - a))); lra.
Qed.
