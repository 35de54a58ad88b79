(** * What claims say, and how finitely many bounds decide them

A claim is about a privacy profile D (in u = e^epsilon) and the trade-off function that belongs to it (ProfileCurve.v); for both orders of a pair at once D is the larger of the two. Each way of
proofs/FORMAT.md, "The final inequality", to decide a claim from bounds on D at points is a lemma here. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Inverse Extremes Breakpoints Lattice Losses GaussianTail NormalLaw StrictGdp GaussianCurve GaussianSum ProfileCurve.
From Dpcmp Require Import Product.
Import ListNotations.
Open Scope R_scope.

Inductive claim :=
  | ApproxDp (eps d : R)              (* (eps, d)-DP *)
  | PureDp (eps : R)
  | Advantage (a : R)                 (* no test has power less size above a *)
  | TradeOff (alpha beta : R)         (* every test of size at most alpha misses with at least beta *)
  | Gdp (mu tau : R)                  (* mu-GDP up to the tolerance tau; strict if it is 0 *)
  | GdpFloor (mu e : R).              (* mu-GDP where both errors of the Gaussian are at least e *)
Definition holds (D : R -> R) (c : claim) : Prop :=
  match c with
  | ApproxDp eps d => D (exp eps) <= d
  | PureDp eps => D (exp eps) <= 0
  | Advantage a => D 1 <= a
  | TradeOff alpha beta => beta <= curve_of_profile D alpha
  | Gdp mu tau => forall a, 0 <= a <= 1 -> G mu (a + tau) - tau <= curve_of_profile D a
  | GdpFloor mu e => forall a, 0 <= a <= 1 -> e <= a -> e <= G mu a -> G mu a <= curve_of_profile D a
  end.

Inductive adjacency := Remove | Add | AddRemove.
Definition of_orders (Dr Da : R -> R) (adj : adjacency) : R -> R := match adj with Remove => Dr | Add => Da | AddRemove => fun u => Rmax (Dr u) (Da u) end.
(** a mechanism is a list of independent pairs *)
Definition satisfies (l : list pair) (adj : adjacency) (c : claim) : Prop := holds (of_orders (divergence l) (divergence (map swap l)) adj) c.

(** ** The larger of two profiles is one *)
Lemma max_profile D D' : privacy_profile D -> privacy_profile D' -> privacy_profile (fun u => Rmax (D u) (D' u)).
Proof.
  intros [A1 A2 A3 A4 A5] [B1 B2 B3 B4 B5]. split.
  - intros hi x y t Hx Hy Ht. specialize (A1 hi x y t Hx Hy Ht). specialize (B1 hi x y t Hx Hy Ht).
    pose proof (Rmax_l (D x) (D' x)). pose proof (Rmax_r (D x) (D' x)). pose proof (Rmax_l (D y) (D' y)). pose proof (Rmax_r (D y) (D' y)).
    assert (forall a b, a <= b -> t * a <= t * b) by (intros; apply Rmult_le_compat_l; lra). assert (forall a b, a <= b -> (1 - t) * a <= (1 - t) * b) by (intros; apply Rmult_le_compat_l; lra).
    pose proof (H3 _ _ H). pose proof (H3 _ _ H0). pose proof (H4 _ _ H1). pose proof (H4 _ _ H2). apply Rmax_lub; lra.
  - intros x y Hx H. specialize (A2 x y Hx H). specialize (B2 x y Hx H). pose proof (Rmax_l (D x) (D' x)). pose proof (Rmax_r (D x) (D' x)). apply Rmax_lub; lra.
  - apply Rmax_lub; assumption.
  - intros u Hu. specialize (A4 u Hu). pose proof (Rmax_l (D u) (D' u)). lra.
  - intros u Hu. specialize (A5 u Hu). pose proof (Rmax_l (D u) (D' u)). lra.
Qed.
Lemma of_orders_profile l adj : privacy_profile (of_orders (divergence l) (divergence (map swap l)) adj).
Proof. destruct adj; cbn [of_orders]; [apply divergence_profile|apply divergence_profile|apply max_profile; apply divergence_profile]. Qed.

(** the curve of a list of pairs is a trade-off function, and its hockey-stick divergence is theirs *)
Theorem curve_of_pairs l : tradeoff (curve_of_profile (divergence l)) /\ forall eps, delta (curve_of_profile (divergence l)) eps = divergence l (exp eps).
Proof. split; [apply tradeoff_of_profile, divergence_profile|]. intros eps. apply profile_of_curve, divergence_profile. Qed.
(** ** Lines below the curve, and tests above it *)
Section Profile.
Variable D : R -> R.
Hypothesis HD : privacy_profile D.
Notation f := (curve_of_profile D).

Lemma curve_line u a : 0 <= u -> 0 <= a <= 1 -> 1 - D u - u * a <= f a.
Proof. intros Hu Ha. unfold curve_of_profile. rewrite ext_in by exact Ha. destruct (least_error_spec D HD a ltac:(lra)) as [A _]. specialize (A u Hu). lra. Qed.
(** a test of size B and power A *)
Definition test (A B : R) := forall u, 0 <= u -> A - u * B <= D u.
Lemma curve_test A B a : test A B -> 0 <= a <= 1 -> B <= a -> f a <= 1 - A.
Proof.
  intros T Ha Hb. unfold curve_of_profile. rewrite ext_in by exact Ha. destruct (least_error_spec D HD a ltac:(lra)) as [_ L].
  assert (A <= least_error D a); [|lra]. apply L. intros u Hu. specialize (T u Hu). assert (u * B <= u * a) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
Lemma curve_range a : 0 <= f a.
Proof. apply to_range, tradeoff_of_profile, HD. Qed.

(** I1 *)
Theorem approx_dp_holds eps d b : D (exp eps) <= b -> b <= d -> holds D (ApproxDp eps d).
Proof. simpl. lra. Qed.
Theorem approx_dp_fails eps d b : b <= D (exp eps) -> d < b -> ~ holds D (ApproxDp eps d).
Proof. simpl. lra. Qed.
Theorem advantage_holds a b : D 1 <= b -> b <= a -> holds D (Advantage a).
Proof. simpl. lra. Qed.
Theorem advantage_fails a b : b <= D 1 -> a < b -> ~ holds D (Advantage a).
Proof. simpl. lra. Qed.
Theorem pure_dp_fails eps b : b <= D (exp eps) -> 0 < b -> ~ holds D (PureDp eps).
Proof. simpl. lra. Qed.

(** I2 *)
Theorem trade_off_holds alpha beta u b : 0 <= u -> 0 <= alpha <= 1 -> D u <= b -> b <= 1 - beta - u * alpha -> holds D (TradeOff alpha beta).
Proof. intros Hu Ha H B. simpl. pose proof (curve_line u alpha Hu Ha). lra. Qed.
(** I3 *)
Theorem trade_off_fails alpha beta A B : 0 <= alpha <= 1 -> test A B -> B <= alpha -> 1 - A < beta -> ~ holds D (TradeOff alpha beta).
Proof. intros Ha T HB HA. simpl. pose proof (curve_test A B alpha T Ha HB). lra. Qed.

(** nothing is claimed *)
Theorem approx_dp_trivial eps d : 1 <= d -> holds D (ApproxDp eps d).
Proof. intros H. simpl. pose proof (exp_pos eps). pose proof (pp_falls D HD 0 (exp eps) ltac:(lra) ltac:(lra)). pose proof (pp_0 D HD). lra. Qed.
Theorem advantage_trivial a : 1 <= a -> holds D (Advantage a).
Proof. intros H. simpl. pose proof (pp_falls D HD 0 1 ltac:(lra) ltac:(lra)). pose proof (pp_0 D HD). lra. Qed.
Theorem trade_off_trivial alpha beta : beta <= 0 -> holds D (TradeOff alpha beta).
Proof. intros H. simpl. pose proof (curve_range alpha). lra. Qed.
Lemma G_falls_in_a mu a b : 0 <= mu -> a <= b -> G mu b <= G mu a.
Proof. intros Hm H. apply (to_mono _ (tradeoff_G mu Hm)), H. Qed.
Theorem gdp_trivial mu tau : 0 <= mu -> 0 <= tau -> tail (mu / 2) <= tau -> holds D (Gdp mu tau).
Proof.
  intros Hm Ht H a Ha. pose proof (curve_range a). pose proof (G_falls_in_a mu (tail (mu / 2)) (a + tau) Hm ltac:(lra)) as M. rewrite G_tail in M by exact Hm.
  replace (mu / 2 - mu) with (- (mu / 2)) in M by field. rewrite tail_opp in M. lra.
Qed.
Theorem gdp_floor_trivial mu e : 0 <= mu -> tail (mu / 2) < e -> holds D (GdpFloor mu e).
Proof.
  intros Hm H a Ha Hea HG. exfalso. pose proof (G_falls_in_a mu (tail (mu / 2)) a Hm ltac:(lra)) as M. rewrite G_tail in M by exact Hm.
  replace (mu / 2 - mu) with (- (mu / 2)) in M by field. rewrite tail_opp in M. lra.
Qed.

(** ** Lines above the profile between points: 1 - beta - u alpha, where (alpha, beta) is of a kind *)
Section Covered.
Variable good_point : R -> R -> Prop.
Definition under_line (u : R) := exists alpha beta, good_point alpha beta /\ D u <= 1 - beta - u * alpha.
(** from u on: (v, alpha, beta) is the next point, with a line above the bounds at both *)
Fixpoint covered (u : R) (l : list (R * (R * R))) : Prop :=
  match l with
  | [] => True
  | (v, (alpha, beta)) :: l => u <= v /\ good_point alpha beta /\ D u <= 1 - beta - u * alpha /\ D v <= 1 - beta - v * alpha /\ covered v l
  end.
Fixpoint last_at (u : R) (l : list (R * (R * R))) : R := match l with [] => u | (v, _) :: l => last_at v l end.
Lemma covered_lines u l : 0 <= u -> covered u l -> forall y, u <= y <= last_at u l -> u < last_at u l -> under_line y.
Proof.
  revert u. induction l as [|[v [alpha beta]] l IH]; intros u Hu C y Hy HL; cbn [last_at covered] in *; [lra|].
  destruct C as (uv & P & Lu & Lv & C). destruct (Rle_dec y v) as [h|h]; [|apply (IH v ltac:(lra) C y); lra].
  exists alpha, beta. split; [exact P|]. destruct (Req_dec u v) as [<-|n]; [replace y with u by lra; exact Lu|].
  set (t := (v - y) / (v - u)). assert (T : 0 <= t <= 1) by (unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
  pose proof (pp_convex D HD v u v t ltac:(lra) ltac:(lra) T) as K. replace (t * u + (1 - t) * v) with y in K by (unfold t; field; lra).
  apply Rmult_le_compat_l with (r := t) in Lu; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in Lv; [|lra].
  assert (Y : y * alpha = t * (u * alpha) + (1 - t) * (v * alpha)) by (unfold t; field; lra). lra.
Qed.
End Covered.
End Profile.

(** ** Both orders of a pair *)
Definition orders (D D' : R -> R) := forall u, 0 < u -> D u = 1 - u + u * D' (/ u).
Lemma orders_of l : orders (divergence l) (divergence (map swap l)).
Proof.
  intros u Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). rewrite (order_swap l (/ u) IU), Rinv_inv. field. lra.
Qed.
Lemma orders_swap D D' : orders D D' -> orders D' D.
Proof. intros H u Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). rewrite (H (/ u) IU), Rinv_inv. field. lra. Qed.
Lemma orders_max D D' : orders D D' -> orders (fun u => Rmax (D u) (D' u)) (fun u => Rmax (D u) (D' u)).
Proof.
  intros H u Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). pose proof (H u Hu) as A. pose proof (orders_swap D D' H u Hu) as B. rewrite A, B.
  unfold Rmax. destruct (Rle_dec (1 - u + u * D' (/ u)) (1 - u + u * D (/ u))) as [h|h]; destruct (Rle_dec (D (/ u)) (D' (/ u))) as [k|k]; try reflexivity.
  - assert (u * D (/ u) <= u * D' (/ u)) by (apply Rmult_le_compat_l; lra). lra.
  - assert (u * D' (/ u) <= u * D (/ u)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma orders_of_mechanism l adj : exists adj', orders (of_orders (divergence l) (divergence (map swap l)) adj) (of_orders (divergence l) (divergence (map swap l)) adj').
Proof.
  destruct adj; cbn [of_orders].
  - exists Add. apply orders_of.
  - exists Remove. apply orders_swap, orders_of.
  - exists AddRemove. apply orders_max, orders_of.
Qed.
(** an advantage is the same in both *)
Theorem advantage_either D D' : orders D D' -> D 1 = D' 1.
Proof. intros H. rewrite (H 1) by lra. rewrite Rinv_1. ring. Qed.

(** a test in one order is one in the other *)
Lemma test_swap D D' A B : privacy_profile D -> orders D D' -> 0 <= B -> A <= 1 -> test D' A B -> test D (1 - B) (1 - A).
Proof.
  intros HD H HB HA T u [Hu|<-].
  - rewrite (H u Hu). assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). specialize (T (/ u) ltac:(lra)). apply Rmult_le_compat_l with (r := u) in T; [|lra].
    rewrite Rmult_minus_distr_l, <- Rmult_assoc, Rinv_r, Rmult_1_l in T by lra. lra.
  - pose proof (pp_line D HD 0 ltac:(lra)). lra.
Qed.

(** ** The curve of the other order is the inverse *)
Lemma curve_at_most D a b : privacy_profile D -> 0 <= a <= 1 -> (curve_of_profile D a <= b <-> forall u, 0 <= u -> 1 - D u - u * a <= b).
Proof.
  intros HD Ha. split.
  - intros H u Hu. pose proof (curve_line D HD u a Hu Ha). lra.
  - intros H. unfold curve_of_profile. rewrite ext_in by exact Ha. destruct (least_error_spec D HD a ltac:(lra)) as [_ L].
    assert (1 - b <= least_error D a); [|lra]. apply L. intros u Hu. specialize (H u Hu). lra.
Qed.
Lemma curve_galois D D' a b : privacy_profile D -> privacy_profile D' -> orders D D' -> 0 <= a <= 1 -> 0 <= b <= 1 -> (curve_of_profile D b <= a <-> curve_of_profile D' a <= b).
Proof.
  assert (G : forall D D' a b, privacy_profile D -> privacy_profile D' -> orders D D' -> 0 <= a <= 1 -> 0 <= b <= 1 -> curve_of_profile D b <= a -> curve_of_profile D' a <= b).
  { clear. intros D D' a b HD HD' H Ha Hb K. rewrite curve_at_most in K by assumption. apply curve_at_most; [assumption|assumption|]. intros u [Hu|<-].
    - assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). rewrite (orders_swap D D' H u Hu). specialize (K (/ u) ltac:(lra)). apply Rmult_le_compat_l with (r := u) in K; [|lra].
      replace (u * (1 - D (/ u) - / u * b)) with (u - u * D (/ u) - b) in K by (field; lra). lra.
    - pose proof (pp_line D' HD' 0 ltac:(lra)). lra. }
  intros HD HD' H Ha Hb. split; intros K; [apply (G D D')|apply (G D' D)]; auto using orders_swap.
Qed.
Theorem curve_of_other_order D D' a : privacy_profile D -> privacy_profile D' -> orders D D' -> 0 <= a <= 1 -> finv (curve_of_profile D) a = curve_of_profile D' a.
Proof.
  intros HD HD' H Ha. pose proof (tradeoff_of_profile D HD) as T. pose proof (tradeoff_of_profile D' HD') as T'.
  pose proof (to_range _ T' a) as R. pose proof (finv_range _ a T Ha) as R'. apply Rle_antisym.
  - apply (proj1 (finv_galois _ (curve_of_profile D' a) a T R Ha)). apply (proj2 (curve_galois D D' a (curve_of_profile D' a) HD HD' H Ha R)). apply Rle_refl.
  - apply (proj1 (curve_galois D D' a _ HD HD' H Ha R')). apply f_finv; assumption.
Qed.

(** ** A test of a part of the cells below a profile *)
Fixpoint part_of (c : cells) (ts : list R) : R * R := match c, ts with x :: c, t :: ts => let (A, B) := part_of c ts in (t * fst x + A, t * snd x + B) | _, _ => (0, 0) end.
Theorem cells_test D c ts : cells_ok c -> List.Forall (fun t => 0 <= t <= 1) ts -> (forall u, 0 <= u -> spread c u 1 <= D u) -> test D (fst (part_of c ts)) (snd (part_of c ts)).
Proof.
  intros O F H u Hu. eapply Rle_trans; [|apply H, Hu]. clear H. revert ts F. induction O as [|x c [H1 H2] O IH]; intros [|t ts] F; cbn [part_of spread fst snd].
  - lra.
  - lra.
  - pose proof (IH [] (List.Forall_nil _)) as K. replace (part_of c []) with (0, 0) in K by (destruct c; reflexivity). cbn [fst snd] in K. pose proof (Rmax_l 0 (1 * fst x - u * snd x)). unfold pos. lra.
  - inversion_clear F as [|? ? Ht F']. specialize (IH ts F'). destruct (part_of c ts) as [A B]. cbn [fst snd] in *.
    assert (t * (fst x - u * snd x) <= pos (1 * fst x - u * snd x)); [|lra]. rewrite Rmult_1_l. unfold pos. destruct (Rle_dec 0 (fst x - u * snd x)) as [h|h].
    + assert (t * (fst x - u * snd x) <= 1 * (fst x - u * snd x)) by (apply Rmult_le_compat_r; lra). pose proof (Rmax_r 0 (fst x - u * snd x)). lra.
    + assert (0 <= t * - (fst x - u * snd x)) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 (fst x - u * snd x)). lra.
Qed.
