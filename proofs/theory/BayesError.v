(** * Bayes error, privacy profile, and the clauses of Theorem 2

bayes f p = min over a of p a + (1 - p) f a; p is the prior that the record is absent. delta f eps = 1 - min over a of e^eps a + f a.
The three clauses of Kaissis et al. 2024, Theorem 2 (Theorem 1 is the case 0), and Corollary 1. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence.
Open Scope R_scope.

Definition inf01 (F : R -> R) := inf (fun y => exists a, 0 <= a <= 1 /\ y = F a).
Definition bayes (f : R -> R) (p : R) := inf01 (fun a => p * a + (1 - p) * f a).
Definition delta (f : R -> R) (eps : R) := 1 - inf01 (fun a => exp eps * a + f a).

Lemma inf01_spec F m : (forall a, 0 <= a <= 1 -> m <= F a) ->
  (forall a, 0 <= a <= 1 -> inf01 F <= F a) /\
  (forall b, (forall a, 0 <= a <= 1 -> b <= F a) -> b <= inf01 F).
Proof.
  intros H.
  destruct (inf_correct (fun y => exists a, 0 <= a <= 1 /\ y = F a) m (F 0)) as [A B].
  - intros x [a [Ha ->]]. auto.
  - exists 0; split; [lra|reflexivity].
  - split; [intros a Ha; apply A; exists a; auto|].
    intros b Hb. apply B. intros x [a [Ha ->]]. auto.
Qed.

Lemma bayes_spec f p : tradeoff f -> 0 <= p <= 1 ->
  (forall a, 0 <= a <= 1 -> bayes f p <= p * a + (1 - p) * f a) /\
  (forall b, (forall a, 0 <= a <= 1 -> b <= p * a + (1 - p) * f a) -> b <= bayes f p).
Proof.
  intros Hf Hp. apply (inf01_spec (fun a => p * a + (1 - p) * f a) 0). intros a Ha.
  pose proof (to_range f Hf a).
  assert (0 <= p * a) by (apply Rmult_le_pos; lra).
  assert (0 <= (1-p) * f a) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma delta_bayes f eps : tradeoff f -> delta f eps = 1 - (1 + exp eps) * bayes f (exp eps / (1 + exp eps)).
Proof.
  intros Hf. unfold delta. pose proof (exp_pos eps) as E. set (u := exp eps) in *.
  set (p := u / (1 + u)).
  assert (Hp : 0 <= p <= 1).
  { unfold p; split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra. }
  destruct (bayes_spec f p Hf Hp) as [A B].
  destruct (inf01_spec (fun a => u * a + f a) 0) as [A' B'].
  { intros a Ha. pose proof (to_range f Hf a). assert (0 <= u * a) by (apply Rmult_le_pos; lra). lra. }
  assert (I : forall a, u * a + f a = (1 + u) * (p * a + (1 - p) * f a)).
  { intros a. unfold p. field. lra. }
  f_equal. apply Rle_antisym.
  - assert (inf01 (fun a => u * a + f a) / (1 + u) <= bayes f p) as K.
    { apply B. intros a Ha. apply Rcomplements.Rle_div_l; [lra|].
      rewrite Rmult_comm, <- I. apply A'; auto. }
    apply Rcomplements.Rle_div_l in K; lra.
  - apply B'. intros a Ha. rewrite I. apply Rmult_le_compat_l; [lra|]. apply A; auto.
Qed.

Lemma bayes_end f p : tradeoff f -> p = 0 \/ p = 1 -> bayes f p = 0.
Proof.
  intros Hf Hp. destruct (bayes_spec f p Hf ltac:(lra)) as [A B]. apply Rle_antisym.
  - destruct Hp as [->| ->]; [specialize (A 1 ltac:(lra)); rewrite (to_r1 f Hf 1) in A; lra |
                              specialize (A 0 ltac:(lra)); lra].
  - apply B. intros a Ha. pose proof (to_range f Hf a). destruct Hp as [->| ->]; lra.
Qed.

Theorem theorem_2_bayes f g D : tradeoff f -> tradeoff g -> 0 <= D ->
  (dom f g D <-> forall p, 0 <= p <= 1 -> bayes f p - bayes g p <= D).
Proof.
  intros Hf Hg HD. split.
  - intros [_ H] p Hp. destruct (bayes_spec f p Hf Hp) as [A _]. destruct (bayes_spec g p Hg Hp) as [_ B'].
    assert (bayes f p - D <= bayes g p); [|lra]. apply B'. intros a Ha. specialize (H a).
    assert (K : bayes f p <= p * (a + D) + (1 - p) * f (a + D)).
    { destruct (Rle_dec (a + D) 1) as [h|h]; [apply A; lra|].
      specialize (A 1 ltac:(lra)). rewrite (to_r1 f Hf 1) in A by lra.
      rewrite (to_r1 f Hf (a+D)) by lra. assert (p * 1 <= p * (a + D)) by (apply Rmult_le_compat_l; lra). lra. }
    assert ((1 - p) * (f (a + D) - D) <= (1 - p) * g a) by (apply Rmult_le_compat_l; lra). lra.
  - intros H.
    assert (Q : forall a, 0 <= a <= 1 -> 0 < a + D -> f (a + D) - D <= g a).
    { intros a Ha Hpos. pose proof (to_range g Hg a).
      destruct (Rle_dec 1 (a + D)) as [h|h]; [rewrite (to_r1 f Hf _ h); lra|].
      destruct (support f Hf (a + D) ltac:(lra)) as [s [Hs S]].
      set (p := s / (1 + s)).
      assert (Hp : 0 <= p <= 1).
      { unfold p; split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra. }
      destruct (bayes_spec f p Hf Hp) as [_ B]. destruct (bayes_spec g p Hg Hp) as [A' _].
      specialize (H p Hp). specialize (A' a Ha).
      assert (I : forall x z, p * x + (1 - p) * z = (s * x + z) / (1 + s)) by (intros; unfold p; field; lra).
      rewrite I in A'. apply Rcomplements.Rle_div_r in A'; [|lra].
      assert (K : (s * (a + D) + f (a + D)) / (1 + s) <= bayes f p).
      { apply B. intros y Hy. rewrite I. specialize (S y Hy).
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. lra. }
      apply Rcomplements.Rle_div_l in K; [|lra]. nra. }
    apply dom_iff01; auto. intros a Ha.
    destruct (Rlt_dec 0 (a + D)) as [h|h]; [apply Q; auto|].
    replace a with 0 by lra. replace D with 0 by lra. rewrite Rplus_0_r, Rminus_0_r.
    apply le_epsilon. intros e He. destruct (to_rc0 f Hf e He) as [d [Hd K]].
    set (y := Rmin (d/2) 1). pose proof (Rmin_l (d/2) 1); pose proof (Rmin_r (d/2) 1).
    assert (0 < y) by (apply Rmin_pos; lra). fold y in H0, H1.
    specialize (K y ltac:(lra)). specialize (Q y ltac:(lra) ltac:(lra)).
    replace D with 0 in Q by lra. rewrite Rplus_0_r in Q.
    pose proof (to_mono g Hg 0 y ltac:(lra)). lra.
Qed.

Theorem theorem_2_profile f g D : tradeoff f -> tradeoff g -> 0 <= D ->
  (dom f g D <-> forall eps, delta g eps <= delta f eps + D * (1 + exp eps)).
Proof.
  intros Hf Hg HD. rewrite theorem_2_bayes by auto. split.
  - intros H eps. rewrite !delta_bayes by auto. pose proof (exp_pos eps).
    specialize (H (exp eps / (1 + exp eps))).
    assert (bayes f (exp eps / (1 + exp eps)) - bayes g (exp eps / (1 + exp eps)) <= D); [|nra].
    apply H. split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra.
  - intros H p Hp.
    destruct (Req_dec p 0) as [h|h]; [rewrite !bayes_end; auto; lra|].
    destruct (Req_dec p 1) as [h'|h']; [rewrite !bayes_end; auto; lra|].
    specialize (H (ln (p / (1 - p)))). rewrite !delta_bayes in H by auto.
    assert (0 < p / (1 - p)) by (apply Rdiv_lt_0_compat; lra).
    rewrite exp_ln in H by auto.
    replace (p / (1 - p) / (1 + p / (1 - p))) with p in H by (field; lra). nra.
Qed.

(** Corollary 1 *)
Corollary corollary_1 f g : tradeoff f -> tradeoff g ->
  is_lub (fun x => exists p, 0 <= p <= 1 /\ x = bayes f p - bayes g p) (Delta f g).
Proof.
  intros Hf Hg. pose proof (Delta_ge0 f g Hf Hg). split.
  - intros x [p [Hp ->]]. apply (theorem_2_bayes f g (Delta f g)); auto. apply Delta_att; auto.
  - intros b Hb. apply Delta_le_iff; auto. apply theorem_2_bayes; auto.
    + apply Hb. exists 0. split; [lra|]. rewrite !bayes_end; auto; lra.
    + intros p Hp. apply Hb. exists p; auto.
Qed.

(** ** Theorem 1: universal dominance, in three forms *)
Theorem theorem_1 f g : tradeoff f -> tradeoff g ->
  ((forall a, 0 <= a <= 1 -> f a <= g a) <-> (forall eps, delta g eps <= delta f eps)) /\
  ((forall a, 0 <= a <= 1 -> f a <= g a) <-> (forall p, 0 <= p <= 1 -> bayes f p <= bayes g p)).
Proof.
  intros Hf Hg.
  assert (E : (forall a, 0 <= a <= 1 -> f a <= g a) <-> dom f g 0).
  { rewrite dom_iff01 by (auto; lra). split; intros H a Ha; specialize (H a Ha).
    - rewrite Rplus_0_r. lra.
    - rewrite Rplus_0_r in H. lra. }
  rewrite E. split.
  - rewrite theorem_2_profile by (auto; lra). split; intros H eps; specialize (H eps); lra.
  - rewrite theorem_2_bayes by (auto; lra). split; intros H p Hp; specialize (H p Hp); lra.
Qed.

(** ** The Bayes error is concave, 1-Lipschitz, and at most the smaller prior *)
Lemma bayes_concave f p r t : tradeoff f -> 0 <= p <= 1 -> 0 <= r <= 1 -> 0 <= t <= 1 ->
  t * bayes f p + (1 - t) * bayes f r <= bayes f (t * p + (1 - t) * r).
Proof.
  intros Hf Hp Hr Ht. destruct (bayes_spec f (t * p + (1 - t) * r) Hf ltac:(nra)) as [_ B].
  destruct (bayes_spec f p Hf Hp) as [A _]. destruct (bayes_spec f r Hf Hr) as [A' _].
  apply B. intros a Ha. specialize (A a Ha). specialize (A' a Ha).
  assert (t * bayes f p <= t * (p * a + (1 - p) * f a)) by (apply Rmult_le_compat_l; lra).
  assert ((1 - t) * bayes f r <= (1 - t) * (r * a + (1 - r) * f a)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma bayes_step f p r : tradeoff f -> 0 <= p <= 1 -> 0 <= r <= 1 -> bayes f p - Rabs (p - r) <= bayes f r.
Proof.
  intros Hf Hp Hr. destruct (bayes_spec f r Hf Hr) as [_ B]. destruct (bayes_spec f p Hf Hp) as [A _].
  apply B. intros a Ha. specialize (A a Ha). pose proof (to_range f Hf a).
  assert (K : Rabs ((p - r) * (a - f a)) <= Rabs (p - r) * 1).
  { rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|]. apply Rabs_le. lra. }
  pose proof (Rle_abs ((p - r) * (a - f a))). lra.
Qed.

Theorem bayes_lipschitz f p r : tradeoff f -> 0 <= p <= 1 -> 0 <= r <= 1 -> Rabs (bayes f p - bayes f r) <= Rabs (p - r).
Proof.
  intros Hf Hp Hr. apply Rabs_le. pose proof (bayes_step f p r Hf Hp Hr). pose proof (bayes_step f r p Hf Hr Hp).
  rewrite (Rabs_minus_sym r p) in H0. lra.
Qed.

Lemma bayes_at_most f p : tradeoff f -> 0 <= p <= 1 -> 0 <= bayes f p <= Rmin p (1 - p).
Proof.
  intros Hf Hp. destruct (bayes_spec f p Hf Hp) as [A B]. split.
  - apply B. intros a Ha. pose proof (to_range f Hf a). assert (0 <= p * a) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - p) * f a) by (apply Rmult_le_pos; lra). lra.
  - pose proof (A 0 ltac:(lra)). pose proof (A 1 ltac:(lra)) as C. rewrite (to_r1 f Hf 1) in C by lra. pose proof (to_range f Hf 0).
    apply Rmin_glb; [lra|]. assert ((1 - p) * f 0 <= (1 - p) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Corollary 1: the divergence is a maximum over priors, and a supremum over eps *)
Definition clamp (x : R) := Rmax 0 (Rmin x 1).
Lemma clamp_in x : 0 <= clamp x <= 1.
Proof. unfold clamp. split; [apply Rmax_l|]. apply Rmax_lub; [lra|apply Rmin_r]. Qed.
Lemma clamp_id x : 0 <= x <= 1 -> clamp x = x.
Proof. intros H. unfold clamp. rewrite Rmin_left, Rmax_right by lra. reflexivity. Qed.

Theorem corollary_1_attained f g : tradeoff f -> tradeoff g -> exists p, 0 <= p <= 1 /\ Delta f g = bayes f p - bayes g p.
Proof.
  intros Hf Hg. set (h := fun p => bayes f (clamp p) - bayes g (clamp p)).
  destruct (continuity_ab_maj h 0 1 ltac:(lra)) as [p [M Hp]].
  - intros c Hc. unfold continuity_pt, continue_in, limit1_in, limit_in. simpl. intros e He. exists (e / 2). split; [lra|].
    intros x [_ Hx]. unfold R_dist in *. unfold h.
    pose proof (bayes_lipschitz f (clamp x) (clamp c) Hf (clamp_in x) (clamp_in c)) as A.
    pose proof (bayes_lipschitz g (clamp x) (clamp c) Hg (clamp_in x) (clamp_in c)) as B.
    assert (C : Rabs (clamp x - clamp c) <= Rabs (x - c)).
    { unfold clamp, Rmax, Rmin. repeat destruct Rle_dec; unfold Rabs; repeat destruct Rcase_abs; lra. }
    apply Rabs_le_between in A. apply Rabs_le_between in B. apply Rabs_def1; lra.
  - exists p. split; [exact Hp|]. destruct (corollary_1 f g Hf Hg) as [U L]. apply Rle_antisym.
    + apply L. intros x [r [Hr ->]]. specialize (M r Hr). unfold h in M. rewrite !clamp_id in M by assumption. exact M.
    + apply U. exists p. auto.
Qed.

Theorem corollary_1_profile f g : tradeoff f -> tradeoff g ->
  is_lub (fun x => exists eps, x = (delta g eps - delta f eps) / (1 + exp eps)) (Delta f g).
Proof.
  intros Hf Hg.
  assert (E : forall eps, (delta g eps - delta f eps) / (1 + exp eps) =
    bayes f (exp eps / (1 + exp eps)) - bayes g (exp eps / (1 + exp eps))).
  { intros eps. rewrite !delta_bayes by auto. pose proof (exp_pos eps). field. lra. }
  assert (R : forall eps, 0 <= exp eps / (1 + exp eps) <= 1).
  { intros eps. pose proof (exp_pos eps). split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra. }
  assert (P : forall p, 0 < p < 1 -> exists eps, exp eps / (1 + exp eps) = p).
  { intros p Hp. exists (ln (p / (1 - p))). rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. }
  destruct (corollary_1 f g Hf Hg) as [U _]. split.
  - intros x [eps ->]. rewrite E. apply U. eexists. split; [apply R|reflexivity].
  - intros b Hb. destruct (corollary_1_attained f g Hf Hg) as [p [Hp D]].
    assert (I : forall r, 0 < r < 1 -> bayes f r - bayes g r <= b).
    { intros r Hr. destruct (P r Hr) as [eps <-]. rewrite <- E. apply Hb. exists eps. reflexivity. }
    destruct (Req_dec p 0) as [h|h]; [|destruct (Req_dec p 1) as [h'|h']; [|rewrite D; apply I; lra]];
    (assert (Z : Delta f g = 0) by (rewrite D, !bayes_end by auto; lra); rewrite Z; apply Rnot_lt_le; intros C;
      set (r := Rmin (1 / 2) (- b / 4)); assert (0 < r) by (apply Rmin_pos; lra);
      pose proof (Rmin_l (1 / 2) (- b / 4)); pose proof (Rmin_r (1 / 2) (- b / 4)); fold r in H0, H1;
      specialize (I r ltac:(lra)); pose proof (bayes_at_most f r Hf ltac:(lra)) as [F _];
      pose proof (bayes_at_most g r Hg ltac:(lra)) as [_ G]; pose proof (Rmin_l r (1 - r)); lra).
Qed.

(** ** Conversions between (eps, delta) and f *)
Theorem delta_iff_lines f eps d : tradeoff f -> (delta f eps <= d <-> forall a, 0 <= a <= 1 -> 1 - d - exp eps * a <= f a).
Proof.
  intros Hf. unfold delta. pose proof (exp_pos eps).
  destruct (inf01_spec (fun a => exp eps * a + f a) 0) as [A B].
  { intros a Ha. pose proof (to_range f Hf a). assert (0 <= exp eps * a) by (apply Rmult_le_pos; lra). lra. }
  split.
  - intros H' a Ha. specialize (A a Ha). simpl in A. lra.
  - intros H'. assert (1 - d <= inf01 (fun a => exp eps * a + f a)); [|lra]. apply B. intros a Ha. specialize (H' a Ha). lra.
Qed.

(** f is the supremum of the lines of its profile *)
Theorem f_from_delta f a : tradeoff f -> 0 <= a <= 1 -> is_lub (fun x => exists eps, x = 1 - delta f eps - exp eps * a) (f a).
Proof.
  intros Hf Ha. split.
  - intros x [eps ->]. pose proof (proj1 (delta_iff_lines f eps (delta f eps) Hf) ltac:(lra) a Ha). lra.
  - intros b Hb. apply le_epsilon. intros e He.
    assert (K : forall c, 0 < c -> - c * a <= b).
    { intros c Hc. specialize (Hb (1 - delta f (ln c) - exp (ln c) * a) ltac:(eexists; reflexivity)). rewrite exp_ln in Hb by exact Hc.
      assert (delta f (ln c) <= 1); [|lra]. apply delta_iff_lines; [exact Hf|]. intros y Hy. rewrite exp_ln by exact Hc.
      pose proof (to_range f Hf y). assert (0 <= c * y) by (apply Rmult_le_pos; lra). lra. }
    assert (S : forall x s, 0 < s -> 0 <= x <= 1 -> (forall y, 0 <= y <= 1 -> f x - s * (y - x) <= f y) -> f x + s * x - s * a <= b).
    { intros x s Hs Hx L. specialize (Hb (1 - delta f (ln s) - exp (ln s) * a) ltac:(eexists; reflexivity)). rewrite exp_ln in Hb by exact Hs.
      assert (delta f (ln s) <= 1 - (f x + s * x)); [|lra]. apply delta_iff_lines; [exact Hf|]. intros y Hy. rewrite exp_ln by exact Hs.
      specialize (L y Hy). lra. }
    assert (I : forall x, 0 < x < 1 -> a <= x -> f x <= b + e / 2).
    { intros x Hx Hax. destruct (support f Hf x Hx) as [s [Hs L]]. destruct Hs as [Hs|Hs].
      - specialize (S x s Hs ltac:(lra) L). assert (s * a <= s * x) by (apply Rmult_le_compat_l; lra). lra.
      - specialize (L 1 ltac:(lra)). rewrite (to_r1 f Hf 1), <- Hs in L by lra. specialize (K (e / 2) ltac:(lra)).
        assert (e / 2 * a <= e / 2 * 1) by (apply Rmult_le_compat_l; lra). lra. }
    destruct (Rle_dec 1 a) as [h|h].
    + rewrite (to_r1 f Hf a h). specialize (K (e / 2) ltac:(lra)). assert (e / 2 * a <= e / 2 * 1) by (apply Rmult_le_compat_l; lra). lra.
    + destruct (to_rc f Hf a (e / 2) ltac:(lra) ltac:(lra)) as [d [Hd L]].
      set (x := a + Rmin (d / 2) ((1 - a) / 2)). pose proof (Rmin_l (d / 2) ((1 - a) / 2)). pose proof (Rmin_r (d / 2) ((1 - a) / 2)).
      assert (0 < Rmin (d / 2) ((1 - a) / 2)) by (apply Rmin_pos; lra).
      specialize (L x ltac:(unfold x; lra)). specialize (I x ltac:(unfold x; lra) ltac:(unfold x; lra)). lra.
Qed.
