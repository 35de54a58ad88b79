(** * The symmetrised divergence is the Levy distance

Of the distribution functions x |-> f (1 - x), whether or not they are closed up at 1. Kaissis et al. 2024, Appendix B.2. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence.
Open Scope R_scope.

(** [cdf f] is the proper right-continuous CDF of W: F(x) = f(1-x) for x<1
    and F(x) = 1 for x>=1 (an atom of mass 1 - f 0 sits at 1 when f 0 < 1). *)
Definition cdf (f : R -> R) (x : R) : R := if Rlt_dec x 1 then f (1 - x) else 1.
Definition naive (f : R -> R) (x : R) : R := f (1 - x).
Definition levy_set (F G : R -> R) (e : R) :=
  0 <= e /\ forall x, F (x - e) - e <= G x /\ G x <= F (x + e) + e.
Definition levy F G := inf (levy_set F G).

Lemma levy_naive_set f g e : tradeoff f -> tradeoff g ->
  (levy_set (naive f) (naive g) e <-> dom f g e /\ dom g f e).
Proof.
  intros Hf Hg. unfold naive. split.
  - intros [He H]. repeat split; auto; intros a.
    + destruct (H (1 - a)) as [A _]. replace (1 - (1 - a - e)) with (a + e) in A by ring.
      replace (1 - (1 - a)) with a in A by ring. exact A.
    + destruct (H (1 - (a + e))) as [_ A]. replace (1 - (1 - (a + e) + e)) with a in A by ring.
      replace (1 - (1 - (a + e))) with (a + e) in A by ring. lra.
  - intros [[He A] [_ B]]. split; [exact He|]. intros x. split.
    + specialize (A (1 - x)). replace (1 - (x - e)) with (1 - x + e) by ring. exact A.
    + specialize (B (1 - (x + e))). replace (1 - (x + e) + e) with (1 - x) in B by ring. lra.
Qed.

(** if the shifted inequality holds for a > 0 then it holds at a = 0 (right-continuity) *)
Lemma dom_pos f g e : tradeoff f -> tradeoff g -> 0 <= e ->
  (forall a, 0 < a -> f (a + e) - e <= g a) -> dom f g e.
Proof.
  intros Hf Hg He H. apply dom_iff01; auto. intros a Ha.
  destruct (Req_dec a 0) as [->|n]; [|apply H; lra].
  apply le_epsilon. intros t Ht. destruct (to_rc f Hf (0 + e) t ltac:(lra) Ht) as [d [Hd K]].
  specialize (K (d/2 + e) ltac:(lra)). specialize (H (d/2) ltac:(lra)).
  pose proof (to_mono g Hg 0 (d/2) ltac:(lra)). lra.
Qed.

Lemma levy_cdf_set f g e : tradeoff f -> tradeoff g ->
  (levy_set (cdf f) (cdf g) e <-> dom f g e /\ dom g f e).
Proof.
  intros Hf Hg. split.
  - intros [He H]. unfold cdf in H. split; apply dom_pos; auto; intros a Ha.
    + destruct (H (1 - a)) as [A _].
      destruct (Rlt_dec (1 - a - e) 1); destruct (Rlt_dec (1 - a) 1); try lra.
      replace (1 - (1 - a - e)) with (a + e) in A by ring.
      replace (1 - (1 - a)) with a in A by ring. exact A.
    + destruct (H (1 - (a + e))) as [_ A].
      destruct (Rlt_dec (1 - (a + e)) 1); destruct (Rlt_dec (1 - (a + e) + e) 1); try lra.
      replace (1 - (1 - (a + e) + e)) with a in A by ring.
      replace (1 - (1 - (a + e))) with (a + e) in A by ring. lra.
  - intros [[He A] [_ B]]. split; [exact He|]. intros x. unfold cdf.
    pose proof (to_range f Hf (1 - (x - e))); pose proof (to_range g Hg (1 - x)).
    split.
    + destruct (Rlt_dec (x - e) 1); destruct (Rlt_dec x 1); try lra.
      specialize (A (1 - x)). replace (1 - (x - e)) with (1 - x + e) by ring. exact A.
    + destruct (Rlt_dec x 1); destruct (Rlt_dec (x + e) 1); try lra.
      specialize (B (1 - (x + e))). replace (1 - (x + e) + e) with (1 - x) in B by ring. lra.
Qed.

Lemma inf_eq (E : R -> Prop) m : E m -> (forall x, E x -> m <= x) -> inf E = m.
Proof.
  intros A B. destruct (inf_correct E m m B A) as [L G].
  apply Rle_antisym; [apply L, A | apply G, B].
Qed.

Lemma levy_aux F G f g : tradeoff f -> tradeoff g ->
  (forall e, levy_set F G e <-> dom f g e /\ dom g f e) -> levy F G = DeltaS f g.
Proof.
  intros Hf Hg H. apply inf_eq.
  - apply H. split; apply Delta_le_iff; auto; [apply Rmax_l|apply Rmax_r].
  - intros x Hx. apply H in Hx. destruct Hx. apply Rmax_lub; apply Delta_le_iff; auto.
Qed.

Theorem levy_is_DeltaS f g : tradeoff f -> tradeoff g -> levy (cdf f) (cdf g) = DeltaS f g.
Proof. intros Hf Hg. apply levy_aux; auto. intros e. apply levy_cdf_set; auto. Qed.

Theorem levy_naive f g : tradeoff f -> tradeoff g -> levy (naive f) (naive g) = DeltaS f g.
Proof. intros Hf Hg. apply levy_aux; auto. intros e. apply levy_naive_set; auto. Qed.

(** the naive CDF is not right-continuous at 1 as soon as f 0 < 1 *)
Lemma naive_jump f : tradeoff f -> f 0 < 1 -> naive f 1 < 1 /\ forall h, 0 < h -> naive f (1 + h) = 1.
Proof.
  intros Hf H. unfold naive. rewrite Rminus_diag_eq by reflexivity. split; [exact H|].
  intros h Hh. apply (to_l f Hf). lra.
Qed.
