(** * Any pair on a Poisson sample, in both orders

Without the record p, with it (1 - r) p + r q: again a pair of Product.v, whose divergence at u is that of the first pair at another point (C2 of proofs/FORMAT.md), and a tangent of the one
gives a tangent of the other. *)
From Coq Require Import Reals Lra List FunctionalExtensionality.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve Product StepProfiles.
Import ListNotations.
Open Scope R_scope.

(** other likelihoods: x a, y a + z b *)
Lemma good_mix F x y z : 0 <= x -> 0 <= y -> 0 <= z -> good F -> good (fun a b => F (x * a) (y * a + z * b)).
Proof.
  intros Hx Hy Hz [A1 [C [C0 A2]] [D [D0 A3]] A4].
  assert (N : forall a b, 0 <= a -> 0 <= b -> 0 <= x * a /\ 0 <= y * a + z * b) by (intros a b Ha Hb; pose proof (Rmult_le_pos _ _ Hx Ha); pose proof (Rmult_le_pos _ _ Hy Ha); pose proof (Rmult_le_pos _ _ Hz Hb); lra).
  set (k := x + y + z). split.
  - intros a b Ha Hb. destruct (N a b Ha Hb). apply A1; assumption.
  - exists (C * k). split; [apply Rmult_le_pos; unfold k; lra|]. intros a b Ha Hb. destruct (N a b Ha Hb) as [P Q]. eapply Rle_trans; [apply A2; assumption|].
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact C0|]. unfold k. pose proof (Rmult_le_pos _ _ Hx Hb). pose proof (Rmult_le_pos _ _ Hy Hb). pose proof (Rmult_le_pos _ _ Hz Ha). lra.
  - exists (D * k). split; [apply Rmult_le_pos; unfold k; lra|]. intros a b a' b' Ha Hb Ha' Hb'. destruct (N a b Ha Hb) as [P Q]. destruct (N a' b' Ha' Hb') as [P' Q'].
    eapply Rle_trans; [apply (A3 _ _ (x * a') (y * a' + z * b')); assumption|]. apply Rplus_le_compat_l. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact D0|].
    assert (E1 : Rabs (x * a - x * a') = x * Rabs (a - a')) by (rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq x) by exact Hx; reflexivity).
    assert (E2 : Rabs (y * a + z * b - (y * a' + z * b')) <= y * Rabs (a - a') + z * Rabs (b - b')).
    { replace (y * a + z * b - (y * a' + z * b')) with (y * (a - a') + z * (b - b')) by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq y), (Rabs_pos_eq z) by assumption. lra. }
    pose proof (Rabs_pos (a - a')) as U. pose proof (Rabs_pos (b - b')) as V. unfold k. pose proof (Rmult_le_pos _ _ Hx V). pose proof (Rmult_le_pos _ _ Hy V). pose proof (Rmult_le_pos _ _ Hz U). lra.
  - intros k' a b Hk Ha Hb. destruct (N a b Ha Hb) as [P Q]. rewrite <- A4 by assumption. f_equal; ring.
Qed.

(** ** What every tangent has *)
Lemma tangent_nonneg D u s : privacy_profile D -> 0 <= u -> tangent D u s -> 0 <= s.
Proof.
  intros HD Hu T. apply Rnot_lt_le. intros C. set (v := u + 2 / - s). assert (P : 0 < 2 / - s) by (apply Rdiv_lt_0_compat; lra). specialize (T v ltac:(unfold v; lra)).
  pose proof (pp_falls D HD 0 v ltac:(lra) ltac:(unfold v; lra)) as F. pose proof (pp_0 D HD). pose proof (pp_nonneg D HD u Hu). assert (E : s * (v - u) = -2) by (unfold v; field; lra). lra.
Qed.
Lemma profile_at_0 D : privacy_profile D -> D 0 = 1.
Proof. intros HD. pose proof (pp_0 D HD). pose proof (pp_line D HD 0 ltac:(lra)). lra. Qed.
Lemma tangent_at_most_1 D u s : privacy_profile D -> 0 < u -> tangent D u s -> s <= 1.
Proof.
  intros HD Hu T. specialize (T 0 ltac:(lra)). pose proof (pp_0 D HD). pose proof (pp_line D HD u ltac:(lra)). apply Rmult_le_reg_r with u; [exact Hu|]. lra.
Qed.

Section Sampled.
Variable r : R.
Hypothesis Hr : 0 < r <= 1.
Variable s : pair.
Definition sampled_pair : pair.
Proof.
  refine {| outcome := outcome s; p := p s; q := fun x => (1 - r) * p s x + r * q s x; integral := integral s; integrable := integrable s;
            plus_integrable := plus_integrable s; scale_integrable := scale_integrable s; integral_le := integral_le s; integral_plus := integral_plus s; integral_scale := integral_scale s |}.
  - apply p_nonneg.
  - intros x. pose proof (p_nonneg s x) as A. pose proof (q_nonneg s x) as B. apply (Rmult_le_pos (1 - r)) in A; [|lra]. apply (Rmult_le_pos r) in B; lra.
  - intros F a b G Ha Hb. assert (B1 : 0 <= b * (1 - r)) by (apply Rmult_le_pos; lra). assert (B2 : 0 <= b * r) by (apply Rmult_le_pos; lra).
    pose proof (of_good s _ 1 1 (good_mix F a (b * (1 - r)) (b * r) Ha B1 B2 G) ltac:(lra) ltac:(lra)) as I.
    assert (E : (fun x => F (a * p s x) (b * ((1 - r) * p s x + r * q s x))) = (fun x => F (a * (1 * p s x)) (b * (1 - r) * (1 * p s x) + b * r * (1 * q s x)))) by (extensionality x; f_equal; ring).
    rewrite E. exact I.
  - apply p_total.
  - rewrite (integral_plus s (fun x => (1 - r) * p s x) (fun x => r * q s x)), !integral_scale, p_total, q_total; try lra; auto using p_integrable, q_integrable; apply scale_integrable; try lra; auto using p_integrable, q_integrable.
Defined.

Notation D := (divergence [sampled_pair]).
(** remove *)
Lemma sampled_above u : 1 - r < u -> D u = r * divergence [s] ((u - (1 - r)) / r).
Proof.
  intros Hu. rewrite <- hockey_divergence by lra. unfold divergence, hockey. cbn [product]. unfold next. cbn [integral p q sampled_pair]. f_equal. extensionality x. unfold stick. f_equal. ring.
Qed.
Lemma sampled_low u : 0 <= u <= 1 - r -> D u = 1 - u.
Proof.
  intros Hu. apply Rle_antisym; [|apply (pp_line _ (divergence_profile [sampled_pair])); lra].
  assert (At : D (1 - r) <= r).
  { assert (E : D (1 - r) = hockey [s] 0 r).
    { unfold divergence, hockey. cbn [product]. unfold next. cbn [integral p q sampled_pair]. f_equal. extensionality x. unfold stick. f_equal. ring. }
    rewrite E, hockey_divergence by lra. replace (0 / r) with 0 by (field; lra). rewrite (profile_at_0 _ (divergence_profile [s])). lra. }
  destruct (Req_dec (1 - r) 0) as [Z|N].
  - assert (u = 0) by lra. subst u. rewrite (profile_at_0 _ (divergence_profile [sampled_pair])). lra.
  - set (t := u / (1 - r)). assert (T : 0 <= t <= 1) by (unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
    pose proof (pp_convex _ (divergence_profile [sampled_pair]) (1 - r) (1 - r) 0 t ltac:(lra) ltac:(lra) T) as C. replace (t * (1 - r) + (1 - t) * 0) with u in C by (unfold t; field; lra).
    rewrite (profile_at_0 _ (divergence_profile [sampled_pair])) in C. assert (t * D (1 - r) <= t * r) by (apply Rmult_le_compat_l; lra). assert (t * (1 - r) = u) by (unfold t; field; lra). lra.
Qed.
Lemma sampled_tangent_above u t : 1 - r < u -> tangent (divergence [s]) ((u - (1 - r)) / r) t -> tangent D u t.
Proof.
  intros Hu T v Hv. assert (X1 : 0 < (u - (1 - r)) / r) by (apply Rdiv_lt_0_compat; lra). assert (T' := T). rewrite (sampled_above u Hu). set (x := (u - (1 - r)) / r) in *.
  assert (Ex : r * x = u - (1 - r)) by (unfold x; field; lra). destruct (Rlt_dec (1 - r) v) as [h|h].
  - rewrite (sampled_above v h). set (y := (v - (1 - r)) / r). assert (Ey : r * y = v - (1 - r)) by (unfold y; field; lra).
    specialize (T y ltac:(unfold y; apply Rcomplements.Rdiv_le_0_compat; lra)). apply Rmult_le_compat_l with (r := r) in T; [|lra].
    replace (r * (divergence [s] x - t * (y - x))) with (r * divergence [s] x - t * (r * y - r * x)) in T by ring. rewrite Ex, Ey in T. lra.
  - rewrite (sampled_low v) by lra. specialize (T 0 ltac:(lra)). rewrite (profile_at_0 _ (divergence_profile [s])) in T. apply Rmult_le_compat_l with (r := r) in T; [|lra].
    replace (r * (divergence [s] x - t * (0 - x))) with (r * divergence [s] x + t * (r * x)) in T by ring. rewrite Ex in T.
    pose proof (tangent_at_most_1 _ _ _ (divergence_profile [s]) X1 T') as T1.
    assert (t * (1 - r - v) <= 1 * (1 - r - v)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Lemma sampled_tangent_low u : 0 <= u <= 1 - r -> tangent D u 1.
Proof. intros Hu v Hv. rewrite (sampled_low u Hu). pose proof (pp_line _ (divergence_profile [sampled_pair]) v Hv). lra. Qed.

(** add *)
Notation D' := (divergence [swap sampled_pair]).
Notation S := (divergence [swap s]).
Definition rest (u : R) := 1 - u * (1 - r).
Lemma add_above u : 0 <= u -> 0 < rest u -> D' u = rest u * S (u * r / rest u).
Proof.
  intros Hu H. rewrite <- hockey_divergence by (try exact H; apply Rmult_le_pos; lra). unfold divergence, hockey. cbn [product]. unfold next. cbn [integral p q swap sampled_pair]. f_equal. extensionality x.
  unfold stick, rest. f_equal. ring.
Qed.
Lemma add_low u : 0 <= u -> rest u <= 0 -> D' u = 0.
Proof.
  intros Hu H. apply Rle_antisym; [|apply (pp_nonneg _ (divergence_profile [swap sampled_pair])), Hu].
  rewrite <- (product_zero [s] 0 1) by lra. unfold divergence, hockey. cbn [product]. unfold next. cbn [integral p q swap sampled_pair]. right. f_equal. extensionality x.
  unfold stick, pos. apply Rmax_left. unfold rest in H. pose proof (p_nonneg s x) as A. pose proof (q_nonneg s x) as B.
  assert (0 <= u * r * q s x) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|exact B]). assert (0 <= (u * (1 - r) - 1) * p s x) by (apply Rmult_le_pos; lra). lra.
Qed.
Definition add_slope (v d t : R) := (1 - r) * (d + v * t) + r * t.
Lemma add_tangent_above u t : 0 <= u -> 0 < rest u -> tangent S (u * r / rest u) t -> tangent D' u (add_slope (u * r / rest u) (S (u * r / rest u)) t).
Proof.
  intros Hu H T y Hy. assert (X0 : 0 <= u * r / rest u) by (apply Rcomplements.Rdiv_le_0_compat; [apply Rmult_le_pos; lra|exact H]).
  pose proof (tangent_nonneg _ _ _ (divergence_profile [swap s]) X0 T) as T0. rewrite (add_above u Hu H). set (x := u * r / rest u) in *. assert (Ex : x * rest u = u * r) by (unfold x; field; lra).
  pose proof (pp_nonneg _ (divergence_profile [swap s]) x X0) as N.
  assert (L : rest u * S x - add_slope x (S x) t * (y - u) = rest y * S x - t * (y * r - x * rest y)).
  { replace (y * r - x * rest y) with (y * r - x * (rest u - (1 - r) * (y - u))) by (unfold rest; ring). replace (x * (rest u - (1 - r) * (y - u))) with (x * rest u - x * (1 - r) * (y - u)) by ring. rewrite Ex. unfold add_slope, rest. ring. }
  rewrite L. destruct (Rlt_dec 0 (rest y)) as [h|h].
  - rewrite (add_above y Hy h). specialize (T (y * r / rest y) ltac:(apply Rcomplements.Rdiv_le_0_compat; [apply Rmult_le_pos; lra|exact h])). apply Rmult_le_compat_l with (r := rest y) in T; [|lra].
    replace (rest y * (S x - t * (y * r / rest y - x))) with (rest y * S x - t * (y * r - x * rest y)) in T by (field; lra). exact T.
  - rewrite (add_low y Hy) by lra. assert (0 <= - rest y * S x) by (apply Rmult_le_pos; lra). assert (0 <= x * - rest y) by (apply Rmult_le_pos; lra). assert (0 <= y * r) by (apply Rmult_le_pos; lra).
    assert (0 <= t * (y * r - x * rest y)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma add_tangent_low u : 0 <= u -> rest u <= 0 -> tangent D' u 0.
Proof. intros Hu H v Hv. rewrite (add_low u Hu H), Rmult_0_l. pose proof (pp_nonneg _ (divergence_profile [swap sampled_pair]) v Hv). lra. Qed.
End Sampled.
