(** * Gaussian DP from bounds at finitely many points: strict, with a tolerance, with an error floor

A point (alpha, beta) that lies above G_mu (alpha + tau) - tau, shown by one number x, gives a line 1 - beta - u alpha; where the profile is below such lines in both orders for every u >= 1,
the curve is above G_mu up to tau. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Inverse Extremes Breakpoints Lattice Losses GaussianTail NormalLaw StrictGdp GaussianCurve GaussianSum ProfileCurve.
From Dpcmp Require Import Product Claims.
Import ListNotations.
Open Scope R_scope.

Section Gdp.
Variables mu tau : R.
Hypothesis Hmu : 0 <= mu.
Definition above_curve (alpha beta : R) :=
  (exists x, tail x <= alpha + tau /\ tail (mu - x) <= beta + tau) \/ (0 <= alpha + tau /\ 1 <= beta + tau) \/ (1 <= alpha + tau /\ 0 <= beta + tau).

Lemma above_curve_swap alpha beta : above_curve alpha beta -> above_curve beta alpha.
Proof.
  intros [[x [A B]]|[[A B]|[A B]]]; [left|right; right; auto|right; left; auto]. exists (mu - x). split; [exact B|]. replace (mu - (mu - x)) with x by ring. exact A.
Qed.
(** a supporting line of the curve at a + tau is below the point *)
Lemma support_below alpha beta a s : above_curve alpha beta -> 0 <= s -> (forall y, 0 <= y <= 1 -> G mu (a + tau) - s * (y - (a + tau)) <= G mu y) ->
  G mu (a + tau) - tau - s * (alpha - a) <= beta.
Proof.
  intros P Hs S. destruct P as [[x [A B]]|P].
  2:{ set (y := Rmin 1 (alpha + tau)). assert (y1 : y <= 1) by apply Rmin_l. assert (ya : y <= alpha + tau) by apply Rmin_r.
      assert (y0 : 0 <= y) by (apply Rmin_glb; lra). specialize (S y ltac:(lra)). assert (s * (y - (a + tau)) <= s * (alpha - a)) by (apply Rmult_le_compat_l; lra).
      pose proof (to_range _ (tradeoff_G mu Hmu) y). destruct P as [P|P]; [lra|]. assert (Y : y = 1) by (apply Rmin_left; lra). rewrite Y, (to_r1 _ (tradeoff_G mu Hmu) 1) in * by lra. lra. }
  pose proof (tail_pos x). pose proof (tail_lt_1 x). specialize (S (tail x) ltac:(lra)). rewrite G_tail in S by exact Hmu.
  replace (x - mu) with (- (mu - x)) in S by ring. rewrite tail_opp in S.
  assert (s * (tail x - (a + tau)) <= s * (alpha - a)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Variables D D' : R -> R.
Hypothesis HD : privacy_profile D.
Hypothesis HO : orders D D'.
Notation f := (curve_of_profile D).

(** a line of the other order, seen in this one *)
Lemma line_swap u alpha beta : 0 < u -> D' (/ u) <= 1 - beta - / u * alpha -> D u <= 1 - alpha - u * beta.
Proof.
  intros Hu H. rewrite (HO u Hu). apply Rmult_le_compat_l with (r := u) in H; [|lra]. replace (u * (1 - beta - / u * alpha)) with (u - u * beta - alpha) in H by (field; lra). lra.
Qed.
Lemma from_line a u alpha beta : 0 <= a <= 1 -> 0 <= u -> D u <= 1 - beta - u * alpha -> G mu (a + tau) - tau - u * (alpha - a) <= beta -> G mu (a + tau) - tau <= f a.
Proof. intros Ha Hu H S. pose proof (curve_line D HD u a Hu Ha). lra. Qed.

(** I4 *)
Theorem gdp_holds : 0 <= tau -> (forall u, 1 <= u -> under_line D above_curve u) -> (forall u, 1 <= u -> under_line D' above_curve u) -> holds D (Gdp mu tau).
Proof.
  intros Ht H H'. pose proof (tradeoff_G mu Hmu) as T. pose proof (tradeoff_of_profile D HD) as Tf.
  assert (In : forall a, 0 <= a <= 1 -> 0 < a + tau -> G mu (a + tau) - tau <= f a).
  { intros a Ha Hpos. destruct (Rle_dec 1 (a + tau)) as [h|h]; [rewrite (to_r1 _ T) by exact h; pose proof (curve_range D HD a); lra|].
    destruct (support _ T (a + tau) ltac:(lra)) as [s [Hs S]]. destruct (Rle_dec 1 s) as [k|k].
    - destruct (H s k) as [alpha [beta [P L]]]. apply (from_line a s alpha beta Ha Hs L). apply support_below; assumption.
    - destruct Hs as [Hs|<-].
      + assert (I : 1 <= / s) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). destruct (H' (/ s) I) as [alpha [beta [P L]]].
        apply (from_line a s beta alpha Ha ltac:(lra) (line_swap s alpha beta Hs L)). apply support_below; [apply above_curve_swap, P|lra|exact S].
      + specialize (S 1 ltac:(lra)). rewrite (to_r1 _ T 1) in S by lra. pose proof (curve_range D HD a). lra. }
  intros a Ha. destruct (Rlt_dec 0 (a + tau)) as [h|h]; [apply In; assumption|]. assert (a = 0) by lra. assert (tau = 0) by lra. subst a.
  apply le_epsilon. intros e He. destruct (to_rc0 _ T e He) as [d [Hd K]]. set (y := Rmin (d / 2) 1). assert (y1 : y <= d / 2) by apply Rmin_l. assert (y2 : y <= 1) by apply Rmin_r.
  assert (0 < y) by (apply Rmin_pos; lra). specialize (K y ltac:(lra)). specialize (In y ltac:(lra) ltac:(lra)). pose proof (to_mono _ Tf 0 y ltac:(lra)).
  replace (0 + tau) with 0 by lra. replace (y + tau) with y in In by lra. lra.
Qed.

(** I5: a bound below the profile, above that of the Gaussian at the threshold t *)
Theorem gdp_fails t b : 0 <= tau -> b <= D (ratio mu t) -> tail (t - mu) - ratio mu t * tail t + tau * (1 + ratio mu t) < b -> ~ holds D (Gdp mu tau).
Proof.
  intros Ht Hb L H. pose proof (ratio_pos mu t) as R. pose proof (tradeoff_of_profile D HD) as Tf. pose proof (tradeoff_G mu Hmu) as T.
  rewrite <- (exp_ln (ratio mu t)) in Hb by exact R. rewrite <- profile_of_curve in Hb by exact HD.
  assert (K : delta f (ln (ratio mu t)) <= tail (t - mu) - ratio mu t * tail t + tau * (1 + ratio mu t)); [|lra].
  apply delta_iff_lines; [exact Tf|]. intros a Ha. rewrite exp_ln by exact R. specialize (H a Ha). cbn beta in H.
  assert (line mu t (a + tau) <= G mu (a + tau)); [|unfold line in *; lra].
  destruct (Rle_dec (a + tau) 1) as [h|h].
  - unfold G. rewrite ext_in by lra. apply best_line_spec; [exact Hmu|lra].
  - rewrite (to_r1 _ T) by lra. pose proof (line_at_1 mu t Hmu) as L1. unfold line in *. assert (ratio mu t * 1 <= ratio mu t * (a + tau)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Gdp.

(** ** With an error floor e *)
Section Floor.
Variables mu e : R.
Hypothesis Hmu : 0 <= mu.
Hypothesis He : 0 < e.
Notation point := (above_curve mu 0).
Variables D D' : R -> R.
Hypothesis HD : privacy_profile D.
Hypothesis HO : orders D D'.
Notation f := (curve_of_profile D).

(** lines for 1 <= u <= last in both orders, and at the last one a line through (e, beta) *)
Theorem gdp_floor_holds last last' beta beta' : 0 < last -> 0 < last' ->
  (forall u, 1 <= u <= last -> under_line D point u) -> (forall u, 1 <= u <= last' -> under_line D' point u) ->
  point e beta -> D last <= 1 - beta - last * e -> point e beta' -> D' last' <= 1 - beta' - last' * e -> holds D (GdpFloor mu e).
Proof.
  intros U0 U0' H H' P L P' L' a Ha Hea HG. pose proof (tradeoff_G mu Hmu) as T.
  destruct (Rle_dec 1 a) as [h|h]; [rewrite (to_r1 _ T) in HG by exact h; lra|].
  destruct (support _ T a ltac:(lra)) as [s [Hs S]].
  assert (Sp : forall alpha b, point alpha b -> G mu a - s * (alpha - a) <= b).
  { intros alpha b Q. pose proof (support_below mu 0 Hmu alpha b a s Q Hs) as K. rewrite Rplus_0_r in K. specialize (K S). lra. }
  assert (Fl : forall u alpha b, 0 <= u -> D u <= 1 - b - u * alpha -> G mu a - u * (alpha - a) <= b -> G mu a <= f a).
  { intros u alpha b Hu Lu Q. pose proof (curve_line D HD u a Hu Ha). lra. }
  destruct (Rle_dec 1 s) as [k|k].
  - destruct (Rle_dec s last) as [c|c].
    + destruct (H s ltac:(lra)) as [alpha [b [Q Lq]]]. apply (Fl s alpha b Hs Lq), Sp, Q.
    + (* the curve falls faster than the last line, from e on *)
      apply (Fl last e beta ltac:(lra) L). specialize (Sp e beta P). assert (last * (a - e) <= s * (a - e)) by (apply Rmult_le_compat_r; lra). lra.
  - destruct Hs as [Hs|<-].
    2:{ specialize (S 1 ltac:(lra)). rewrite (to_r1 _ T 1) in S by lra. lra. }
    assert (I : 0 < / s) by (apply Rinv_0_lt_compat, Hs). assert (I1 : 1 <= / s) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    destruct (Rle_dec (/ s) last') as [c|c].
    + destruct (H' (/ s) ltac:(lra)) as [alpha [b [Q Lq]]]. apply (Fl s b alpha ltac:(lra) (line_swap D D' HO s alpha b Hs Lq)), Sp, above_curve_swap, Q.
    + (* the same of the inverse *)
      assert (IL : 0 < / last') by (apply Rinv_0_lt_compat, U0').
      apply (Fl (/ last') beta' e); [lra|apply (line_swap D D' HO); [exact IL|rewrite Rinv_inv; exact L']|].
      specialize (Sp beta' e (above_curve_swap mu 0 e beta' P')).
      assert (SL : s <= / last') by (rewrite <- (Rinv_inv s); apply Rinv_le_contravar; lra).
      assert (AB : a <= beta'). { apply Rnot_lt_le. intros C. assert (0 < s * (a - beta')) by (apply Rmult_lt_0_compat; lra). lra. }
      assert (s * (beta' - a) <= / last' * (beta' - a)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** I6, in the order of the test *)
Theorem gdp_floor_fails x alpha beta A B : alpha <= tail x -> beta <= tail (mu - x) -> e <= alpha -> e <= beta -> test D A B -> B <= alpha -> 1 - A < beta -> ~ holds D (GdpFloor mu e).
Proof.
  intros Hx Hy Ea Eb Te HB HA H. pose proof (tail_lt_1 x). assert (Ra : 0 <= alpha <= 1) by lra.
  assert (Gb : beta <= G mu alpha).
  { pose proof (G_falls_in_a mu alpha (tail x) Hmu Hx) as M. rewrite G_tail in M by exact Hmu. replace (x - mu) with (- (mu - x)) in M by ring. rewrite tail_opp in M. lra. }
  specialize (H alpha Ra Ea ltac:(lra)). pose proof (curve_test D HD A B alpha Te Ra HB). lra.
Qed.
(** and in the other order: G is its own inverse, and f falls strictly where it is positive *)
Theorem gdp_floor_fails_swapped x alpha beta A B : alpha <= tail x -> beta <= tail (mu - x) -> e <= alpha -> e <= beta -> 0 <= B -> A <= 1 -> test D' A B -> B <= alpha -> 1 - A < beta ->
  ~ holds D (GdpFloor mu e).
Proof.
  intros Hx Hy Ea Eb B0 A1 Te HB HA H. pose proof (tail_lt_1 (mu - x)). pose proof (tradeoff_of_profile D HD) as T.
  assert (Ga : alpha <= G mu beta).
  { pose proof (G_falls_in_a mu beta (tail (mu - x)) Hmu Hy) as M. rewrite G_tail in M by exact Hmu. replace (mu - x - mu) with (- x) in M by ring. rewrite tail_opp in M. lra. }
  specialize (H beta ltac:(lra) Eb ltac:(lra)). pose proof (test_swap D D' A B HD HO B0 A1 Te) as S. set (a := 1 - A) in *.
  pose proof (curve_test D HD _ _ a S ltac:(unfold a in *; lra) ltac:(lra)) as K. replace (1 - (1 - B)) with B in K by ring.
  (* f a <= B <= alpha <= f beta with a < beta, so by convexity f beta = 0 *)
  set (t := (1 - beta) / (1 - a)). assert (T01 : 0 <= t <= 1) by (unfold t, a; split; [apply Rcomplements.Rdiv_le_0_compat; unfold a in *; lra|apply Rcomplements.Rle_div_l; unfold a in *; lra]).
  pose proof (to_cvx _ T a 1 t ltac:(unfold a in *; lra) ltac:(lra) T01) as C. replace (t * a + (1 - t) * 1) with beta in C by (unfold t; field; unfold a in *; lra).
  rewrite (to_r1 _ T 1) in C by lra. pose proof (to_range _ T a).
  assert (t < 1) by (unfold t; apply Rcomplements.Rlt_div_l; unfold a in *; lra).
  assert (t * f a <= t * f beta) by (apply Rmult_le_compat_l; lra).
  assert (0 < (1 - t) * f beta) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
End Floor.

(** ** Both orders at once: the larger profile is under lines where both are *)
Lemma under_line_max D D' (ok : R -> R -> Prop) u : under_line D ok u -> under_line D' ok u -> under_line (fun u => Rmax (D u) (D' u)) ok u.
Proof.
  intros [a [b [P L]]] [a' [b' [P' L']]]. unfold under_line, Rmax. destruct (Rle_dec (D u) (D' u)); [exists a', b'|exists a, b]; auto.
Qed.
(** beyond the last point: alpha is 0 *)
Lemma beyond D (ok : R -> R -> Prop) u beta : privacy_profile D -> 0 <= u -> ok 0 beta -> D u <= 1 - beta -> forall y, u <= y -> under_line D ok y.
Proof. intros HD Hu P L y Hy. exists 0, beta. split; [exact P|]. pose proof (pp_falls D HD u y Hu Hy). lra. Qed.
(** points from at most 1 on, and a last one with alpha = 0: all of u >= 1 *)
Theorem points_cover D (ok : R -> R -> Prop) u l beta : privacy_profile D -> 0 <= u <= 1 -> covered D ok u l -> ok 0 beta -> D (last_at u l) <= 1 - beta -> forall y, 1 <= y -> under_line D ok y.
Proof.
  intros HD Hu C P L y Hy. assert (Z : u <= last_at u l).
  { clear -C. revert u C. induction l as [|[v [a b]] l IH]; intros u C; cbn [last_at covered] in *; [lra|]. destruct C as (uv & _ & _ & _ & C). specialize (IH v C). lra. }
  destruct (Rlt_dec y (last_at u l)) as [h|h]; [apply (covered_lines D HD ok u l ltac:(lra) C y); lra|].
  apply (beyond D ok (last_at u l) beta HD (Rle_trans _ _ _ (proj1 Hu) Z) P L). lra.
Qed.

(** ** Pure DP in both orders (T3): mu is right if tail (mu / 2) is at most 1 / (1 + v), and for randomised response only then *)
Theorem gdp_of_pure_dp D D' v mu : privacy_profile D -> privacy_profile D' -> orders D D' -> 1 <= v -> D v <= 0 -> D' v <= 0 -> 0 <= mu -> tail (mu / 2) <= / (1 + v) -> holds D (Gdp mu 0).
Proof.
  intros HD HD' HO Hv Z Z' Hm Ht. set (c := / (1 + v)) in *. assert (C : c * (1 + v) = 1) by (apply Rinv_l; lra).
  assert (G : forall D D', privacy_profile D -> orders D D' -> D v <= 0 -> D' v <= 0 -> forall u, 1 <= u -> under_line D (above_curve mu 0) u).
  { clear - Hv Hm Ht C. intros D D' HD HO Z Z' u Hu. destruct (Rle_dec u v) as [h|h].
    - exists c, c. split; [left; exists (mu / 2); replace (mu - mu / 2) with (mu / 2) by field; lra|].
      assert (IV : 0 < / v) by (apply Rinv_0_lt_compat; lra). assert (I1 : / v <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
      assert (E : D (/ v) <= 1 - / v).
      { rewrite (HO (/ v) IV), Rinv_inv. assert (/ v * D' v <= / v * 0) by (apply Rmult_le_compat_l; lra). lra. }
      destruct (Req_dec v 1) as [E1|N1].
      + assert (u = 1) by lra. subst u v. assert (c = 1 / 2) by lra. lra.
      + assert (IV1 : / v < v) by lra. set (t := (v - u) / (v - / v)). assert (T : 0 <= t <= 1) by (unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
        pose proof (pp_convex D HD v (/ v) v t ltac:(lra) ltac:(lra) T) as K. assert (U : t * / v + (1 - t) * v = u) by (unfold t; clear -IV1; revert IV1; generalize (/ v); intros w W; field; lra).
        rewrite U in K. apply Rmult_le_compat_l with (r := t) in E; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in Z; [|lra].
        assert (Cv : c * / v = / v - c) by (apply Rmult_eq_reg_r with v; [|lra]; rewrite Rmult_assoc, Rinv_l, Rmult_minus_distr_r, Rinv_l by lra; lra).
        rewrite <- U at 2. replace (1 - c - (t * / v + (1 - t) * v) * c) with (1 - c - t * (c * / v) - (1 - t) * (c * v)) by ring. rewrite Cv. replace (c * v) with (1 - c) by lra. lra.
    - exists 0, 1. split; [right; left; lra|]. pose proof (pp_falls D HD v u ltac:(lra) ltac:(lra)). lra. }
  apply (gdp_holds mu 0 Hm D D' HD HO ltac:(lra)); [apply (G D D')|apply (G D' D)]; auto using orders_swap.
Qed.
Theorem gdp_fixed_point D c mu : privacy_profile D -> 0 < c < 1 -> 0 <= mu -> test D (1 - c) c -> holds D (Gdp mu 0) -> tail (mu / 2) <= c.
Proof.
  intros HD Hc Hm T H. pose proof (curve_test D HD _ _ c T ltac:(lra) (Rle_refl _)) as F. specialize (H c ltac:(lra)). cbn beta in H. rewrite Rplus_0_r, Rminus_0_r in H.
  destruct (tail_onto c Hc) as [t Et]. rewrite <- Et in H at 1. rewrite G_tail in H by exact Hm. assert (K : tail (mu - t) <= tail t).
  { replace (mu - t) with (- (t - mu)) by ring. rewrite tail_opp. lra. }
  apply (proj1 (tail_le_iff _ _)) in K. rewrite <- Et. apply tail_falls_weakly. lra.
Qed.
