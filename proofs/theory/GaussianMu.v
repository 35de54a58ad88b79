(** * The Gaussian-DP parameter of a polygon, from its vertices

Gomez et al. 2025, equations 19 to 21, also up to a tolerance; and why a claim at 2 Phi^-1 (1 - tau) or above says nothing. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence Breakpoints NormalLaw StrictGdp GaussianCurve.
Import ListNotations.
Open Scope R_scope.

Lemma polygon_in f a l v : polygon f a l -> In v l -> a < v <= last_point a l.
Proof.
  revert a. induction l as [|y l IH]; simpl; intros a P H; [destruct H|]. destruct P as (h & _ & P).
  pose proof (polygon_last_point f y l P). destruct H as [->|H]; [lra|]. specialize (IH y P H). lra.
Qed.

(** Vertices tail t = a and 1 - tail s = f a, that is t = Phi^-1 (1 - a) and s = Phi^-1 (f a). *)
Theorem mu_from_vertices f l mu : tradeoff f -> f 0 = 1 -> polygon f 0 l -> last_point 0 l = 1 -> 0 <= mu ->
  (forall v, In v l -> v < 1 -> 0 < f v) ->
  ((forall a, 0 <= a <= 1 -> G mu a <= f a) <->
   (forall t s, In (tail t) l -> f (tail t) = 1 - tail s -> t - s <= mu)).
Proof.
  intros Hf F0 P L Hm Pos. pose proof (tradeoff_G mu Hm) as T. split.
  - intros H t s I E. apply (G_at_vertex mu t s Hm). rewrite <- E. apply H. pose proof (tail_pos t); pose proof (tail_lt_1 t). lra.
  - intros H. pose proof (proposition_C1 f (G mu) 0 l P) as C. rewrite L in C.
    apply C; [intros x y t Hx Hy Ht; apply (to_cvx _ T); auto|]. constructor; [rewrite F0; apply to_range, T|].
    apply List.Forall_forall. intros v I. pose proof (polygon_in f 0 l v P I) as B. rewrite L in B.
    destruct (Rle_dec 1 v) as [h|h]; [rewrite (to_r1 _ T v h); apply to_range, Hf|].
    destruct (tail_onto v ltac:(lra)) as [t Et]. specialize (Pos v I ltac:(lra)). pose proof (to_ub f Hf v ltac:(lra)).
    destruct (tail_onto (1 - f v) ltac:(lra)) as [s Es]. replace (f v) with (1 - tail s) by lra. rewrite <- Et.
    apply G_at_vertex; [exact Hm|]. apply (H t s); rewrite Et; [exact I|lra].
Qed.

(** Up to a tolerance both errors of a vertex grow by tau. *)
Theorem mu_at_vertex_with_tolerance mu tau a b t s : 0 <= mu -> tail t = a + tau -> 1 - tail s = b + tau ->
  (G mu (a + tau) - tau <= b <-> t - s <= mu).
Proof. intros Hm A B. rewrite <- (G_at_vertex mu t s Hm), A, B. split; intros; lra. Qed.

(** With tail t = tau every curve is above G_(2 t) up to tau: such a claim is vacuous. *)
Theorem large_mu_is_vacuous f tau t mu : tradeoff f -> 0 <= t -> tail t = tau -> 2 * t <= mu -> Delta (G mu) f <= tau.
Proof.
  intros Hf Ht E H. assert (Hm : 0 <= mu) by lra. pose proof (tradeoff_G mu Hm) as T. pose proof (tail_pos t).
  apply Delta_le_iff; auto. apply dom_iff01; auto; [lra|]. intros a Ha.
  pose proof (to_mono _ T tau (a + tau) ltac:(lra)) as M. rewrite <- E in M at 2. rewrite G_tail in M by exact Hm.
  pose proof (tail_falls_weakly (t - mu) (- t) ltac:(lra)) as K. rewrite tail_opp, E in K. pose proof (to_range f Hf a). lra.
Qed.
