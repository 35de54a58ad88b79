(** * Polygons against convex functions

A convex function is below a polygon if it is at its vertices: Gomez et al. 2025, Proposition C.1, exact, up to a tolerance, and above an
error floor. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence.
Import ListNotations.
Open Scope R_scope.

Definition convex_on (lo hi : R) (G : R -> R) := forall x y t, lo <= x <= hi -> lo <= y <= hi -> 0 <= t <= 1 ->
  G (t * x + (1 - t) * y) <= t * G x + (1 - t) * G y.
Definition affine_on (lo hi : R) (f : R -> R) := forall t, 0 <= t <= 1 ->
  f (t * lo + (1 - t) * hi) = t * f lo + (1 - t) * f hi.

(** f is affine between consecutive points of the increasing list x :: l *)
Fixpoint polygon (f : R -> R) (x : R) (l : list R) : Prop :=
  match l with [] => True | y :: l => x < y /\ affine_on x y f /\ polygon f y l end.
Fixpoint last_point (x : R) (l : list R) : R := match l with [] => x | y :: l => last_point y l end.

Lemma polygon_last_point f x l : polygon f x l -> x <= last_point x l.
Proof. revert x. induction l as [|y l IH]; simpl; intros x; [lra|]. intros [h [_ H]]. specialize (IH y H). lra. Qed.

Lemma segment_below f G lo hi x : lo < hi -> lo <= x <= hi -> affine_on lo hi f -> convex_on lo hi G ->
  G lo <= f lo -> G hi <= f hi -> G x <= f x.
Proof.
  intros H Hx A C h1 h2. set (t := (hi - x) / (hi - lo)).
  assert (T : 0 <= t <= 1).
  { unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra. }
  replace x with (t * lo + (1 - t) * hi) by (unfold t; field; lra).
  rewrite (A t T). specialize (C lo hi t ltac:(lra) ltac:(lra) T).
  assert (t * G lo <= t * f lo) by (apply Rmult_le_compat_l; lra).
  assert ((1 - t) * G hi <= (1 - t) * f hi) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Proposition C.1 *)
Theorem proposition_C1 f G a l : polygon f a l -> convex_on a (last_point a l) G ->
  ((forall x, a <= x <= last_point a l -> G x <= f x) <-> List.Forall (fun x => G x <= f x) (a :: l)).
Proof.
  intros P C. split.
  - intros H. constructor; [apply H; pose proof (polygon_last_point f a l P); lra|].
    revert a P C H. induction l as [|y l IH]; intros a P C H; constructor; destruct P as [h [A P]]; simpl in *;
      pose proof (polygon_last_point f y l P).
    + apply H; lra.
    + apply (IH y P). { intros u v t Hu Hv; apply C; lra. } intros x Hx; apply H; lra.
  - revert a P C. induction l as [|y l IH]; intros a P C F x Hx; inversion_clear F as [|? ? F1 F2]; simpl in *.
    + replace x with a by lra. exact F1.
    + destruct P as [h [A P]]. pose proof (polygon_last_point f y l P). inversion F2; subst.
      destruct (Rle_dec x y) as [c|c].
      * apply (segment_below f G a y); auto; try lra. intros u v t Hu Hv; apply C; lra.
      * apply (IH y P); auto; [|lra]. intros u v t Hu Hv; apply C; lra.
Qed.

(** the 0-extension of a trade-off function is convex on [0,oo) *)
Lemma Rmin_cases x y : (x <= y /\ Rmin x y = x) \/ (y <= x /\ Rmin x y = y).
Proof. destruct (Rle_dec x y); [left; split; auto; apply Rmin_left; auto | right; split; [lra|apply Rmin_right; lra]]. Qed.

Lemma ext_convex G hi : tradeoff G -> convex_on 0 hi G.
Proof.
  intros HG x y t Hx Hy Ht.
  assert (E : forall z, G z = G (Rmin z 1)).
  { intros z. destruct (Rmin_cases z 1) as [[_ ->]|[h ->]]; [reflexivity|].
    rewrite (to_r1 G HG z), (to_r1 G HG 1); lra. }
  rewrite (E x), (E y), (E (t * x + (1 - t) * y)).
  eapply Rle_trans; [|apply (to_cvx G HG); auto].
  - apply (to_mono G HG). apply Rmin_glb.
    + pose proof (Rmin_l x 1); pose proof (Rmin_l y 1).
      assert (t * Rmin x 1 <= t * x) by (apply Rmult_le_compat_l; lra).
      assert ((1 - t) * Rmin y 1 <= (1 - t) * y) by (apply Rmult_le_compat_l; lra). lra.
    + pose proof (Rmin_r x 1); pose proof (Rmin_r y 1).
      assert (t * Rmin x 1 <= t * 1) by (apply Rmult_le_compat_l; lra).
      assert ((1 - t) * Rmin y 1 <= (1 - t) * 1) by (apply Rmult_le_compat_l; lra). lra.
  - split; [apply Rmin_glb; lra|apply Rmin_r].
  - split; [apply Rmin_glb; lra|apply Rmin_r].
Qed.

(** tau-shifted breakpoint check = exact check of Delta(G,f) <= tau for piecewise-linear f *)
Theorem proposition_C1_tolerance f G tau l : tradeoff f -> tradeoff G -> 0 <= tau -> polygon f 0 l -> last_point 0 l = 1 ->
  (Delta G f <= tau <-> List.Forall (fun x => G (x + tau) - tau <= f x) (0 :: l)).
Proof.
  intros Hf HG Ht P L. rewrite Delta_le_iff, dom_iff01 by auto.
  rewrite <- (proposition_C1 f (fun x => G (x + tau) - tau) 0 l P).
  - rewrite L. reflexivity.
  - intros x y t Hx Hy HT. pose proof (ext_convex G (1 + tau) HG (x + tau) (y + tau) t) as C.
    replace (t * (x + tau) + (1 - t) * (y + tau)) with (t * x + (1 - t) * y + tau) in C by ring.
    rewrite L in *. specialize (C ltac:(lra) ltac:(lra) HT). lra.
Qed.

(** ** On part of the polygon: vertices inside, and the two ends of the part *)
Lemma affine_point f lo hi x : lo < hi -> affine_on lo hi f -> lo <= x <= hi -> f x = f lo + (f hi - f lo) / (hi - lo) * (x - lo).
Proof.
  intros H A Hx. set (t := (hi - x) / (hi - lo)).
  assert (T : 0 <= t <= 1).
  { unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra. }
  replace x with (t * lo + (1 - t) * hi) at 1 by (unfold t; field; lra). rewrite (A t T). unfold t. field. lra.
Qed.

Lemma affine_part f lo hi l h : lo < hi -> affine_on lo hi f -> lo <= l -> l <= h -> h <= hi -> affine_on l h f.
Proof.
  intros H A Hl Hlh Hh t Ht.
  assert (l <= t * l + (1 - t) * h <= h).
  { assert (t * l <= t * h) by (apply Rmult_le_compat_l; lra). assert ((1 - t) * l <= (1 - t) * h) by (apply Rmult_le_compat_l; lra). lra. }
  rewrite (affine_point f lo hi (t * l + (1 - t) * h)), (affine_point f lo hi l), (affine_point f lo hi h) by (auto; lra). field. lra.
Qed.

Theorem polygon_part f G lo hi a l : polygon f a l -> convex_on lo hi G -> G lo <= f lo -> G hi <= f hi ->
  (forall v, In v (a :: l) -> lo <= v <= hi -> G v <= f v) ->
  forall x, a <= x <= last_point a l -> lo <= x <= hi -> G x <= f x.
Proof.
  intros P C L H. revert a P. induction l as [|y l IH]; intros a P V x Hx Hr; simpl in Hx.
  - replace x with a by lra. apply V; [left; reflexivity|lra].
  - destruct P as [ay [A P]]. destruct (Rle_dec x y) as [c|c].
    2:{ apply (IH y P); [intros v Hv; apply V; right; exact Hv|lra|exact Hr]. }
    set (s := Rmax a lo). set (e := Rmin y hi).
    assert (s1 : a <= s) by apply Rmax_l. assert (s2 : lo <= s) by apply Rmax_r.
    assert (s4 : s <= x) by (apply Rmax_lub; lra).
    assert (e1 : e <= y) by apply Rmin_l. assert (e2 : e <= hi) by apply Rmin_r.
    assert (e4 : x <= e) by (apply Rmin_glb; lra).
    assert (Gs : G s <= f s).
    { unfold s, Rmax in *. destruct (Rle_dec a lo); [exact L|]. apply V; [left; reflexivity|]. split; lra. }
    assert (Ge : G e <= f e).
    { unfold e, Rmin in *. destruct (Rle_dec y hi); [|exact H]. apply V; [right; left; reflexivity|]. split; lra. }
    destruct (Rlt_dec s e) as [d|d]; [|replace x with s by lra; exact Gs].
    apply (segment_below f G s e); auto; [apply (affine_part f a y); auto; lra|].
    intros u v t Hu Hv Ht. apply C; auto; lra.
Qed.

(** ** The error-floor form: G <= f wherever both errors are at least e. The curve G reaches the floor at c. *)
Theorem error_floor f G e c l : tradeoff G -> polygon f 0 l -> last_point 0 l = 1 -> 0 <= e -> e <= c -> c <= 1 ->
  G c = e -> (forall a, c < a -> G a < e) ->
  ((forall a, e <= a -> e <= G a -> G a <= f a) <->
   (G e <= f e /\ e <= f c /\ forall v, In v (0 :: l) -> e <= v <= c -> G v <= f v)).
Proof.
  intros HG P L He Hec Hc E Beyond. split.
  - intros H. split; [|split].
    + apply H; [lra|]. pose proof (to_mono G HG e c Hec). lra.
    + rewrite <- E at 1. apply H; lra.
    + intros v _ Hv. apply H; [lra|]. pose proof (to_mono G HG v c ltac:(lra)). lra.
  - intros (A & B & V) a Ha Hg.
    assert (a <= c) by (destruct (Rle_dec a c) as [h|h]; [exact h|exfalso; specialize (Beyond a ltac:(lra)); lra]).
    apply (polygon_part f G e c 0 l); auto; [|lra|rewrite L; lra].
    intros x y t Hx Hy Ht. apply (to_cvx G HG); auto; lra.
Qed.

(** If f itself is below the floor at e, only the curves that are below it there too will do. *)
Theorem error_floor_low f G e : tradeoff G -> f e < e ->
  ((forall a, e <= a -> e <= G a -> G a <= f a) <-> G e < e).
Proof.
  intros HG H. split.
  - intros K. destruct (Rlt_dec (G e) e) as [h|h]; [exact h|exfalso]. specialize (K e ltac:(lra) ltac:(lra)). lra.
  - intros K a Ha Hg. pose proof (to_mono G HG e a Ha). lra.
Qed.
