(** * The regret is a maximum over knots

delta_u f u is the privacy profile at u = e^eps: convex and falling in u. If a polygon B below the profile of f (a lower law) ends at 0, the regret
Delta f g of reporting g is at most k as soon as (delta_g - B) / (1 + u) <= k at the knots; at any single u a profile above that of f gives a lower bound. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Breakpoints.
Import ListNotations.
Open Scope R_scope.

Definition delta_u (f : R -> R) (u : R) : R := 1 - inf01 (fun a => u * a + f a).

Lemma delta_u_spec f u : tradeoff f -> 0 <= u ->
  (forall a, 0 <= a <= 1 -> 1 - u * a - f a <= delta_u f u) /\ (forall b, (forall a, 0 <= a <= 1 -> 1 - u * a - f a <= b) -> delta_u f u <= b).
Proof.
  intros Hf Hu. unfold delta_u. destruct (inf01_spec (fun a => u * a + f a) 0) as [A B].
  { intros a Ha. pose proof (to_range f Hf a). assert (0 <= u * a) by (apply Rmult_le_pos; lra). lra. }
  split.
  - intros a Ha. specialize (A a Ha). simpl in A. lra.
  - intros b Hb. assert (1 - b <= inf01 (fun a => u * a + f a)); [|lra]. apply B. intros a Ha. specialize (Hb a Ha). lra.
Qed.

Lemma delta_is_delta_u f eps : delta f eps = delta_u f (exp eps).
Proof. reflexivity. Qed.

Lemma delta_u_0 f : tradeoff f -> delta_u f 0 = 1.
Proof.
  intros Hf. destruct (delta_u_spec f 0 Hf ltac:(lra)) as [A B]. apply Rle_antisym.
  - apply B. intros a Ha. pose proof (to_range f Hf a). lra.
  - specialize (A 1 ltac:(lra)). rewrite (to_r1 f Hf 1) in A; lra.
Qed.
Lemma delta_u_nonneg f u : tradeoff f -> 0 <= u -> 0 <= delta_u f u.
Proof.
  intros Hf Hu. destruct (delta_u_spec f u Hf Hu) as [A _]. specialize (A 0 ltac:(lra)). pose proof (to_range f Hf 0). lra.
Qed.
Lemma delta_u_falls f u v : tradeoff f -> 0 <= u -> u <= v -> delta_u f v <= delta_u f u.
Proof.
  intros Hf Hu H. apply (delta_u_spec f v Hf ltac:(lra)). intros a Ha. pose proof (proj1 (delta_u_spec f u Hf Hu) a Ha).
  assert (u * a <= v * a) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Theorem delta_u_convex f hi : tradeoff f -> convex_on 0 hi (delta_u f).
Proof.
  intros Hf x y t Hx Hy Ht.
  apply (delta_u_spec f (t * x + (1 - t) * y) Hf). { assert (0 <= t * x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra). lra. }
  intros a Ha. pose proof (proj1 (delta_u_spec f x Hf ltac:(lra)) a Ha) as A. pose proof (proj1 (delta_u_spec f y Hf ltac:(lra)) a Ha) as B.
  apply Rmult_le_compat_l with (r := t) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in B; [|lra]. lra.
Qed.

Theorem regret_at_knots f g B l k : tradeoff f -> tradeoff g -> 0 <= k ->
  polygon B 0 l -> (forall u, 0 <= u <= last_point 0 l -> B u <= delta_u f u) -> B (last_point 0 l) = 0 ->
  List.Forall (fun u => delta_u g u - B u <= k * (1 + u)) (0 :: l) -> Delta f g <= k.
Proof.
  intros Hf Hg Hk P Below End Knots. apply Delta_le_iff; auto. apply theorem_2_profile; auto. intros eps.
  rewrite !delta_is_delta_u. pose proof (exp_pos eps). set (u := exp eps) in *. set (m := last_point 0 l) in *.
  assert (M : 0 <= m) by (apply (polygon_last_point B 0 l P)).
  assert (K : forall x, 0 <= x <= m -> delta_u g x - k * (1 + x) <= B x).
  { apply (proposition_C1 B (fun x => delta_u g x - k * (1 + x)) 0 l P).
    - intros x y t Hx Hy Ht. pose proof (delta_u_convex g m Hg x y t Hx Hy Ht). lra.
    - eapply List.Forall_impl; [|exact Knots]. simpl. intros; lra. }
  destruct (Rle_dec u m) as [c|c].
  - specialize (K u ltac:(lra)). specialize (Below u ltac:(lra)). lra.
  - specialize (K m ltac:(lra)). rewrite End in K. pose proof (delta_u_falls g m u Hg M ltac:(lra)). pose proof (delta_u_nonneg f u Hf ltac:(lra)).
    assert (k * (1 + m) <= k * (1 + u)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem regret_at_least f g u d : tradeoff f -> tradeoff g -> 0 < u -> delta_u f u <= d -> (delta_u g u - d) / (1 + u) <= Delta f g.
Proof.
  intros Hf Hg Hu H. destruct (corollary_1_profile f g Hf Hg) as [U _].
  specialize (U ((delta g (ln u) - delta f (ln u)) / (1 + exp (ln u))) ltac:(eexists; reflexivity)).
  rewrite !delta_is_delta_u, exp_ln in U by exact Hu. eapply Rle_trans; [|exact U].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
Qed.
