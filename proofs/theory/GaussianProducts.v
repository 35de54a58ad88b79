(** * Products of Gaussian pairs

Gaussian pairs at distances mu_1, ..., mu_n have the profile of one at sqrt (mu_1^2 + ... + mu_n^2), no more and no less; sampled at any rates they are below it, in both orders, and so are
strictly mu-GDP for that mu. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Extremes Losses Breakpoints Lattice GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum StrictMu.
From Dpcmp Require Import ShiftedNormals NormalSteps ProfileCurve.
From Dpcmp Require Import Product ProductPairs Claims.
Import ListNotations.
Open Scope R_scope.

(** (rate, mu) of each pair of the list *)
Definition sampled_pairs (l : list pair) (params : list (R * R)) := List.Forall2 (fun s r => exists Hq Hm, s = gaussian_pair (fst r) (snd r) Hq Hm) l params.
Definition square_sum (params : list (R * R)) : R := fold_right (fun r s => s + snd r * snd r) 0 params.
Lemma square_sum_nonneg params : 0 <= square_sum params.
Proof. induction params as [|r l IH]; cbn [square_sum fold_right]; [lra|]. fold (square_sum l). pose proof (Rle_0_sqr (snd r)). unfold Rsqr in *. lra. Qed.

(** ** Above: the profile of one Gaussian at distance m, for likelihoods a and v *)
Definition line_profile (m a v : R) := v * distance_profile m (a / v).
Lemma line_profile_test m a v t : 0 <= a -> 0 < v -> v * tail (t - m) - a * tail t <= line_profile m a v.
Proof.
  intros Ha Hv. assert (U : 0 <= a / v) by (apply Rcomplements.Rdiv_le_0_compat; lra). pose proof (proj1 (distance_spec m (a / v) U) t) as T.
  apply Rmult_le_compat_l with (r := v) in T; [|lra]. replace (v * (tail (t - m) - a / v * tail t)) with (v * tail (t - m) - a * tail t) in T by (field; lra). exact T.
Qed.
Lemma line_profile_least m a v K : 0 <= a -> 0 < v -> (forall t, v * tail (t - m) - a * tail t <= K) -> line_profile m a v <= K.
Proof.
  intros Ha Hv H. assert (U : 0 <= a / v) by (apply Rcomplements.Rdiv_le_0_compat; lra). unfold line_profile. rewrite Rmult_comm. apply Rcomplements.Rle_div_r; [exact Hv|].
  apply (proj1 (proj2 (distance_spec m (a / v) U))). intros t. specialize (H t). apply Rcomplements.Rle_div_r; [exact Hv|].
  replace ((tail (t - m) - a / v * tail t) * v) with (v * tail (t - m) - a * tail t) by (field; lra). exact H.
Qed.
(** sampling lowers, because it is convex in v *)
Lemma line_profile_mix m a v r rho : 0 <= a -> 0 < v -> 0 < r <= 1 -> 0 < rho -> line_profile m a (v * ((1 - r) + r * rho)) <= (1 - r) * line_profile m a v + r * line_profile m a (v * rho).
Proof.
  intros Ha Hv Hr Hrho. assert (VR : 0 < v * rho) by (apply Rmult_lt_0_compat; assumption).
  assert (P : 0 < (1 - r) + r * rho) by (assert (0 < r * rho) by (apply Rmult_lt_0_compat; lra); lra).
  apply line_profile_least; [exact Ha|apply Rmult_lt_0_compat; assumption|]. intros t.
  pose proof (line_profile_test m a v t Ha Hv) as A. pose proof (line_profile_test m a (v * rho) t Ha VR) as B.
  apply Rmult_le_compat_l with (r := 1 - r) in A; [|lra]. apply Rmult_le_compat_l with (r := r) in B; [|lra]. lra.
Qed.

Theorem sampled_below l params : sampled_pairs l params -> forall a b, 0 < a -> 0 < b -> hockey l a b <= line_profile (sqrt (square_sum params)) a b.
Proof.
  intros H. induction H as [|s [r mu] l params (Hq & Hm & ->) H IH]; intros a b Ha Hb.
  - cbn [square_sum fold_right]. rewrite sqrt_0. unfold line_profile. rewrite distance_0 by (apply Rcomplements.Rdiv_le_0_compat; lra).
    unfold hockey. cbn [product]. unfold stick. rewrite <- pos_times by exact Hb. right. f_equal. field. lra.
  - cbn [fst snd] in *. set (m := sqrt (square_sum params)) in *. assert (m0 : 0 <= m) by apply sqrt_pos.
    assert (SQ : square_sum ((r, mu) :: params) = m * m + mu * mu) by (cbn [square_sum fold_right snd]; fold (square_sum params); unfold m; rewrite sqrt_sqrt by apply square_sum_nonneg; reflexivity).
    rewrite SQ. set (M := sqrt (m * m + mu * mu)). assert (mM : m <= M).
    { unfold M. rewrite <- (sqrt_square m) at 1 by exact m0. apply sqrt_le_1_alt. pose proof (Rle_0_sqr mu). unfold Rsqr in *. lra. }
    assert (AB : 0 < a / b) by (apply Rdiv_lt_0_compat; assumption).
    unfold hockey. cbn [product]. unfold Product.next. cbn [integral p q gaussian_pair]. fold (hockey l).
    set (g := fun x => (1 - r) * line_profile m a b * 1 + r * b * NormalSteps.next m mu (a / b) x).
    assert (LP : 0 <= line_profile m a b) by (apply Rmult_le_pos; [lra|apply distance_spec; lra]).
    assert (C1 : cont (fun _ : R => 1)) by apply cont_const. assert (B1 : bounded (fun _ : R => 1)) by (apply (bounded_const _ 1 C1); intros; lra).
    assert (CN : cont (NormalSteps.next m mu (a / b))) by (apply next_cont; assumption). assert (BN : bounded (NormalSteps.next m mu (a / b))) by (apply next_bounded; assumption).
    assert (K1 : 0 <= (1 - r) * line_profile m a b) by (apply Rmult_le_pos; lra). assert (K2 : 0 <= r * b) by (apply Rmult_le_pos; lra).
    assert (S1 : forall c h, 0 <= c -> cont h -> bounded h -> bounded (fun x => c * h x)).
    { intros c h Hc Ch [N Bh]. exists (c * N). intros B HB. rewrite part_scale by exact Ch. apply Rmult_le_compat_l; auto. }
    assert (Eg : E g = (1 - r) * line_profile m a b + r * b * E (NormalSteps.next m mu (a / b))).
    { unfold g. rewrite (E_plus (fun _ => (1 - r) * line_profile m a b * 1) (fun x => r * b * NormalSteps.next m mu (a / b) x)).
      - rewrite (E_scale _ (fun _ => 1) C1 B1 K1), (E_scale _ _ CN BN K2), E_1. ring.
      - apply cont_scale, C1.
      - apply cont_scale, CN.
      - intros _. lra.
      - intros x. apply Rmult_le_pos; [exact K2|apply next_nonneg; assumption].
      - apply (S1 _ (fun _ => 1)); assumption.
      - apply S1; assumption. }
    apply Rle_trans with (E g).
    + destruct (normal_of_good r mu Hq (hockey l) a b (good_hockey l) ltac:(lra) ltac:(lra)) as [Ch [_ _]]. apply E_le.
      * exact Ch.
      * apply cont_plus; [apply cont_scale, C1|apply cont_scale, CN].
      * exists (E g). apply E_spec. unfold g. destruct (S1 _ (fun _ => 1) K1 C1 B1) as [N1 X1]. destruct (S1 _ _ K2 CN BN) as [N2 X2]. exists (N1 + N2). intros B HB.
        rewrite part_plus by (apply cont_scale; assumption). specialize (X1 B HB). specialize (X2 B HB). lra.
      * intros x. rewrite Rmult_1_r. pose proof (ratio_pos mu x) as R. assert (W : 0 < weight r mu x) by (apply weight_pos, Hq).
        eapply Rle_trans; [apply IH; [exact Ha|apply Rmult_lt_0_compat; assumption]|]. unfold weight. eapply Rle_trans; [apply line_profile_mix; [lra|exact Hb|exact Hq|exact R]|]. unfold g.
        assert (X : line_profile m a (b * ratio mu x) = b * NormalSteps.next m mu (a / b) x); [|rewrite X; lra].
        unfold line_profile, NormalSteps.next. rewrite Rmult_assoc. do 2 f_equal. f_equal. field. split; lra.
    + rewrite Eg. pose proof (next_step m mu (a / b) m0 AB) as N. fold M in N. pose proof (distance_grows m M (a / b) ltac:(lra) mM) as D.
      unfold line_profile. apply Rmult_le_compat_l with (r := r * b) in N; [|exact K2]. apply Rmult_le_compat_l with (r := (1 - r) * b) in D; [|apply Rmult_le_pos; lra]. lra.
Qed.
Corollary sampled_divergence_below l params u : sampled_pairs l params -> 0 < u -> divergence l u <= distance_profile (sqrt (square_sum params)) u.
Proof. intros H Hu. pose proof (sampled_below l params H u 1 Hu ltac:(lra)) as K. unfold line_profile in K. rewrite Rdiv_1, Rmult_1_l in K. exact K. Qed.

(** the other order *)
Lemma distance_swap m u : 0 < u -> 1 - u + u * distance_profile m (/ u) <= distance_profile m u.
Proof.
  intros Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). pose proof (line_profile_least m 1 u (u - 1 + distance_profile m u) ltac:(lra) Hu) as L. unfold line_profile in L.
  replace (1 / u) with (/ u) in L by (field; lra). assert (u * distance_profile m (/ u) <= u - 1 + distance_profile m u); [|lra]. apply L. intros t.
  pose proof (proj1 (distance_spec m u ltac:(lra)) (m - t)) as S. replace (m - t - m) with (- t) in S by ring. rewrite tail_opp in S. replace (m - t) with (- (t - m)) in S by ring. rewrite tail_opp in S. lra.
Qed.

(** ** Strict Gaussian DP *)
Theorem gdp_of_profile D m mu : privacy_profile D -> 0 <= m -> m <= mu -> (forall u, 0 < u -> D u <= distance_profile m u) -> holds D (Gdp mu 0).
Proof.
  intros HD Hm H B a Ha. rewrite Rplus_0_r, Rminus_0_r. apply Rle_trans with (G m a); [apply G_falls; assumption|]. unfold G. rewrite ext_in by exact Ha.
  apply best_line_spec; [exact Hm|exact Ha|apply curve_range, HD|]. intros t. pose proof (ratio_pos m t) as R. pose proof (B (ratio m t) R) as K. pose proof (distance_line m t Hm).
  pose proof (curve_line D HD (ratio m t) a ltac:(lra) Ha). unfold line. lra.
Qed.
Theorem sampled_gdp l params adj mu : sampled_pairs l params -> sqrt (square_sum params) <= mu -> satisfies l adj (Gdp mu 0).
Proof.
  intros H Hm. set (m := sqrt (square_sum params)) in *. apply (gdp_of_profile _ m); [apply of_orders_profile|apply sqrt_pos|exact Hm|]. intros u Hu.
  assert (A : forall u, 0 < u -> divergence l u <= distance_profile m u) by (intros; apply sampled_divergence_below; assumption).
  assert (B : divergence (map swap l) u <= distance_profile m u).
  { rewrite order_swap by exact Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). eapply Rle_trans; [|apply distance_swap, Hu]. specialize (A (/ u) IU).
    apply Rmult_le_compat_l with (r := u) in A; [|lra]. lra. }
  destruct adj; cbn [of_orders]; [apply A, Hu|exact B|apply Rmax_lub; [apply A, Hu|exact B]].
Qed.

(** ** Without sampling the products are no less: the test of a weighted sum of the draws *)
Lemma E_ratio_tail_low mu a b : 0 <= mu -> E (fun x => tail (a + b * mu + b * x)) <= E (fun x => ratio mu x * tail (a + b * x)).
Proof.
  intros Hm. set (g := fun y => phi y * (ratio mu y * tail (a + b * y))). assert (C : cont (fun x => ratio mu x * tail (a + b * x))) by (apply cont_times; [apply cont_ratio|apply cont_tail]).
  assert (X : forall x y, ex_RInt g x y) by (intros; apply ex_part, C).
  assert (N : forall x, 0 <= g x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply Rmult_le_pos; [left; apply ratio_pos|apply tail_range]]).
  assert (Bd : bounded (fun x => ratio mu x * tail (a + b * x))).
  { exists 1. intros B HB. eapply Rle_trans; [|apply (ratio_mean mu B HB)]. apply part_le; [exact C|apply cont_ratio|exact HB|]. intros x. pose proof (tail_range (a + b * x)). pose proof (ratio_pos mu x).
    rewrite <- (Rmult_1_r (ratio mu x)) at 2. apply Rmult_le_compat_l; lra. }
  destruct (E_spec _ Bd) as [U _]. apply (E_spec _ (bounded_tail (a + b * mu) b)). intros B HB. eapply Rle_trans; [|apply (U (B + mu)); lra]. unfold part.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. fold g.
  assert (Q : RInt (fun y => phi y * tail (a + b * mu + b * y)) (- B) B = RInt g (- B + mu) (B + mu)).
  { pose proof (RInt_comp_lin g 1 mu (- B) B (X _ _)) as Q. rewrite !Rmult_1_l in Q. rewrite <- Q. apply RInt_same. intros x. unfold scal; simpl; unfold mult; simpl. unfold g. rewrite !Rmult_1_l.
    replace (ratio mu (x + mu)) with (phi x / phi (x + mu)).
    - replace (a + b * mu + b * x) with (a + b * (x + mu)) by ring. pose proof (phi_pos (x + mu)). field. lra.
    - pose proof (phi_shift mu (x + mu)) as S. replace (x + mu - mu) with x in S by ring. rewrite S. pose proof (phi_pos (x + mu)). field. lra. }
  rewrite Q. rewrite <- (RInt_Chasles g (- (B + mu)) (- B + mu) (B + mu)) by apply X. unfold plus; simpl.
  assert (0 <= RInt g (- (B + mu)) (- B + mu)) by (apply RInt_ge_0; auto; lra). lra.
Qed.

Definition full_pairs (l : list pair) (mus : list R) := List.Forall2 (fun s mu => 0 < mu /\ exists Hq Hm, s = gaussian_pair 1 mu Hq Hm) l mus.
Definition squares_of (mus : list R) : R := fold_right (fun mu s => s + mu * mu) 0 mus.
Lemma full_sampled l mus : full_pairs l mus -> sampled_pairs l (map (fun mu => (1, mu)) mus) /\ square_sum (map (fun mu => (1, mu)) mus) = squares_of mus.
Proof.
  intros H. induction H as [|s mu l mus (M & Hq & Hm & ->) H [IH1 IH2]]; [split; [constructor|reflexivity]|]. cbn [map square_sum squares_of fold_right snd]. fold (square_sum (map (fun mu => (1, mu)) mus)). fold (squares_of mus).
  split; [constructor; [exists Hq, Hm; reflexivity|exact IH1]|rewrite IH2; reflexivity].
Qed.
Lemma full_positive l mus : full_pairs l mus -> l <> [] -> 0 < squares_of mus.
Proof.
  intros H Ne. destruct H as [|s mu l mus (M & _) H]; [contradiction|]. cbn [squares_of fold_right]. fold (squares_of mus).
  assert (0 <= squares_of mus) by (clear; induction mus as [|m l IH]; cbn [squares_of fold_right]; [lra|]; fold (squares_of l); pose proof (Rle_0_sqr m); unfold Rsqr in *; lra).
  assert (0 < mu * mu) by (apply Rmult_lt_0_compat; assumption). lra.
Qed.

Theorem full_test l mus : full_pairs l mus -> l <> [] -> forall a b c, 0 <= a -> 0 <= b -> b * tail (c - sqrt (squares_of mus)) - a * tail c <= hockey l a b.
Proof.
  intros H. induction H as [|s mu l mus (M & Hq & Hm & ->) H IH]; intros Ne a b c Ha Hb; [contradiction|]. clear Ne. cbn [squares_of fold_right]. fold (squares_of mus).
  destruct l as [|s' l].
  - inversion H. subst. cbn [squares_of fold_right]. rewrite Rplus_0_l, sqrt_square by lra.
    change [gaussian_pair 1 mu Hq Hm] with (repeat (gaussian_pair 1 mu Hq Hm) 1). rewrite (gaussian_after 1 mu Hq Hm 1 a b Ha Hb).
    pose proof (threshold_tests 1 mu c Hq Hm 1 b a Hb Ha) as T. unfold power_of_test in T. lra.
  - assert (P : 0 < squares_of mus) by (apply (full_positive (s' :: l)); [exact H|discriminate]). specialize (IH ltac:(discriminate)). set (m := sqrt (squares_of mus)) in *.
    assert (m0 : 0 < m) by (apply sqrt_lt_R0, P). assert (mm : squares_of mus = m * m) by (unfold m; rewrite sqrt_sqrt by lra; reflexivity). rewrite mm.
    set (MM := sqrt (m * m + mu * mu)). assert (m2 : 0 < m * m) by (apply Rmult_lt_0_compat; assumption). assert (mu2 : 0 < mu * mu) by (apply Rmult_lt_0_compat; assumption).
    assert (M0 : 0 < MM) by (apply sqrt_lt_R0; lra). assert (MM2 : MM * MM = m * m + mu * mu) by (apply sqrt_sqrt; lra).
    set (k := - mu / m). set (c0 := MM * c / m). set (l' := s' :: l) in *.
    assert (SK : sqrt (1 + k * k) = MM / m).
    { unfold k. replace (1 + - mu / m * (- mu / m)) with (MM / m * (MM / m)) by (replace (MM / m * (MM / m)) with (MM * MM / (m * m)) by (field; lra); rewrite MM2; field; lra).
      apply sqrt_square. apply Rcomplements.Rdiv_le_0_compat; lra. }
    unfold hockey. change (product (gaussian_pair 1 mu Hq Hm :: l') stick) with (Product.next (gaussian_pair 1 mu Hq Hm) (hockey l')). unfold Product.next. cbn [integral p q gaussian_pair].
    destruct (normal_of_good 1 mu Hq (hockey l') a b (good_hockey l') Ha Hb) as [Ch [Nh Bh]]. set (h := fun x => hockey l' (a * 1) (b * weight 1 mu x)) in *.
    assert (Ct : cont (fun x => a * tail (c0 + k * x))) by (apply cont_scale, cont_tail).
    assert (Bt : bounded (fun x => a * tail (c0 + k * x))).
    { apply (bounded_const _ a Ct); [|exact Ha]. intros x. pose proof (tail_range (c0 + k * x)). rewrite <- (Rmult_1_r a) at 2. apply Rmult_le_compat_l; lra. }
    assert (Bs : bounded (fun x => h x + a * tail (c0 + k * x))).
    { destruct Bh as [N1 X1]. destruct Bt as [N2 X2]. exists (N1 + N2). intros B HB. rewrite part_plus by assumption. specialize (X1 B HB). specialize (X2 B HB). lra. }
    set (r := fun x => ratio mu x * tail (c0 - m + k * x)). assert (Cr : cont r) by (apply cont_times; [apply cont_ratio|apply cont_tail]).
    assert (Br : bounded r).
    { exists 1. intros B HB. eapply Rle_trans; [|apply (ratio_mean mu B HB)]. apply part_le; [exact Cr|apply cont_ratio|exact HB|]. intros x. unfold r. pose proof (tail_range (c0 - m + k * x)). pose proof (ratio_pos mu x).
      rewrite <- (Rmult_1_r (ratio mu x)) at 2. apply Rmult_le_compat_l; lra. }
    assert (L : E (fun x => b * r x) <= E (fun x => h x + a * tail (c0 + k * x))).
    { apply E_le; [apply cont_scale, Cr|apply cont_plus; assumption|exact Bs|]. intros x. unfold h, r. pose proof (ratio_pos mu x).
      replace (weight 1 mu x) with (ratio mu x) by (unfold weight; ring).
      specialize (IH (a * 1) (b * ratio mu x) (c0 + k * x) ltac:(lra) ltac:(apply Rmult_le_pos; lra)). replace (c0 + k * x - m) with (c0 - m + k * x) in IH by ring. lra. }
    rewrite (E_plus h (fun x => a * tail (c0 + k * x)) Ch Ct Nh) in L by first [assumption|intros x; apply Rmult_le_pos; [exact Ha|apply tail_range]].
    rewrite (E_scale b r Cr Br Hb), (E_scale a (fun x => tail (c0 + k * x)) (cont_tail c0 k) (bounded_tail c0 k) Ha), E_tail, SK in L.
    pose proof (E_ratio_tail_low mu (c0 - m) k Hm) as R. rewrite E_tail, SK in R.
    change (E (fun x => ratio mu x * tail (c0 - m + k * x))) with (E r) in R.
    replace (c0 / (MM / m)) with c in L by (unfold c0; field; split; lra).
    replace ((c0 - m + k * mu) / (MM / m)) with (c - MM) in R.
    2:{ apply Rmult_eq_reg_r with (MM * m); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
        replace ((c0 - m + k * mu) / (MM / m) * (MM * m)) with (m * (MM * c - (m * m + mu * mu))) by (unfold c0, k; field; split; lra). rewrite <- MM2. ring. }
    apply Rmult_le_compat_l with (r := b) in R; [|exact Hb]. change (b * tail (c - MM) - a * tail c <= E h). lra.
Qed.

(** M9: no more and no less *)
Theorem gaussians_compose l mus u : full_pairs l mus -> l <> [] -> 0 < u -> divergence l u = gaussian_profile (sqrt (squares_of mus)) u.
Proof.
  intros H Ne Hu. destruct (full_sampled l mus H) as [S Q]. pose proof (full_positive l mus H Ne) as P. pose proof (sqrt_lt_R0 _ P) as M0. rewrite <- distance_gaussian by assumption. apply Rle_antisym.
  - rewrite <- Q. apply sampled_divergence_below; assumption.
  - apply distance_spec; [lra|]. intros t. pose proof (full_test l mus H Ne u 1 t ltac:(lra) ltac:(lra)) as T. unfold divergence. lra.
Qed.
Theorem gaussians_strict l mus adj mu : full_pairs l mus -> l <> [] -> 0 <= mu -> (satisfies l adj (Gdp mu 0) <-> sqrt (squares_of mus) <= mu).
Proof.
  intros H Ne Hm. destruct (full_sampled l mus H) as [S Q]. pose proof (full_positive l mus H Ne) as P. pose proof (sqrt_lt_R0 _ P) as M0. set (M := sqrt (squares_of mus)) in *. split.
  2:{ intros K. apply (sampled_gdp l (map (fun mu => (1, mu)) mus)); [exact S|rewrite Q; exact K]. }
  intros K. assert (B : forall u, 0 < u -> divergence (map swap l) u = divergence l u).
  { intros u Hu. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu). rewrite order_swap by exact Hu. rewrite !(gaussians_compose l mus) by assumption. fold M. rewrite <- !distance_gaussian by assumption.
    apply Rle_antisym; [apply distance_swap, Hu|]. pose proof (distance_swap M (/ u) IU) as W. rewrite Rinv_inv in W. apply Rmult_le_compat_l with (r := u) in W; [|lra].
    replace (u * (1 - / u + / u * distance_profile M u)) with (u - 1 + distance_profile M u) in W by (field; lra). lra. }
  assert (A : forall u, 0 < u -> of_orders (divergence l) (divergence (map swap l)) adj u = divergence l u).
  { intros u Hu. destruct adj; cbn [of_orders]; [reflexivity|apply B, Hu|]. rewrite B by exact Hu. unfold Rmax. destruct Rle_dec; reflexivity. }
  change (holds (of_orders (divergence l) (divergence (map swap l)) adj) (Gdp mu 0)) in K.
  (* the test at the threshold t has errors tail t and 1 - tail (t - M) *)
  set (D := of_orders (divergence l) (divergence (map swap l)) adj) in *. assert (HD : privacy_profile D) by apply of_orders_profile.
  assert (T : test D (tail (0 - M)) (tail 0)).
  { intros u [Hu|<-].
    - rewrite A, (gaussians_compose l mus), <- distance_gaussian by assumption. fold M. pose proof (proj1 (distance_spec M u ltac:(lra)) 0). lra.
    - pose proof (pp_line D HD 0 ltac:(lra)). pose proof (tail_range (0 - M)). lra. }
  pose proof (tail_range 0) as R0. pose proof (curve_test D HD _ _ (tail 0) T R0 (Rle_refl _)) as C. specialize (K (tail 0) R0). cbn beta in K. rewrite Rplus_0_r, Rminus_0_r, G_tail in K by exact Hm.
  apply Rnot_lt_le. intros L. pose proof (tail_falls (0 - M) (0 - mu) ltac:(lra)). lra.
Qed.
