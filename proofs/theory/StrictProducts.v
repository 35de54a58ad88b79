(** * Strict Gaussian DP of sampled Gaussian pairs, whatever else is beside them

Pairs at distances mu_i, sampled at any rates above 0, are not strictly mu-GDP for mu below sqrt (mu_1^2 + ... + mu_n^2), in either order and with any other pairs beside them: at small errors
the rates do not matter. With sampled_gdp this is the strict mu of such pairs (FORMAT.md, T2). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Inverse Extremes Losses Breakpoints Lattice GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum StrictMu.
From Dpcmp Require Import ProfileCurve Product ProductPairs Claims GdpClaims GaussianProducts.
Import ListNotations.
Open Scope R_scope.

(** the divergence grows with the second likelihood, and with more pairs *)
Lemma hockey_grows l a b b' : 0 <= a -> 0 <= b -> b <= b' -> hockey l a b <= hockey l a b'.
Proof.
  revert a b b'. unfold hockey. induction l as [|s l IH]; intros a b b' Ha Hb H; cbn [product]; [unfold stick; apply pos_mono; lra|]. unfold next.
  apply integral_le; [apply of_good; auto using good_product, good_stick; lra|apply of_good; auto using good_product, good_stick; lra|]. intros x.
  apply IH; [apply ap_nonneg, Ha|apply bq_nonneg, Hb|apply Rmult_le_compat_r; [apply q_nonneg|exact H]].
Qed.
Lemma hockey_more l m a b : 0 <= a -> 0 <= b -> hockey l a b <= hockey (l ++ m) a b.
Proof.
  intros Ha Hb. unfold hockey. rewrite product_app. apply product_le; auto using good_product, good_stick. intros x y Hx Hy. unfold stick, pos. apply Rmax_lub; [apply (good_low _ (good_hockey m)); assumption|].
  assert (K : product m (fun _ b => b) x y <= product m (fun a b => stick a b + a) x y).
  { apply product_le; auto; [apply good_second|apply (good_plus stick (fun a _ => a)); [apply good_stick|apply good_first]|]. intros u v Hu Hv. unfold stick, pos. pose proof (Rmax_r 0 (v - u)). lra. }
  rewrite (product_plus m stick (fun a _ => a)), product_first, product_second in K by (auto using good_stick, good_first). change (product m (fun a b : R => Rmax 0 (b - a)) x y) with (product m stick x y). lra.
Qed.

(** sampled at rates with product R: a test of power R times that of the Gaussian *)
Definition positive_pairs (l : list pair) (params : list (R * R)) := sampled_pairs l params /\ List.Forall (fun r => 0 < snd r) params.
Theorem sampled_test l params : positive_pairs l params -> l <> [] -> exists R0, 0 < R0 /\ forall a b c, 0 <= a -> 0 <= b ->
  b * R0 * tail (c - sqrt (square_sum params)) - a * tail c <= hockey l a b.
Proof.
  intros [H Pos] Ne.
  assert (G : exists R0 full, 0 < R0 /\ full_pairs full (map snd params) /\ (l <> [] -> full <> []) /\ forall a b, 0 <= a -> 0 <= b -> hockey full a (b * R0) <= hockey l a b).
  { clear Ne. induction H as [|s [r mu] l params (Hq & Hm & ->) H IH].
    - exists 1, []. repeat split; [lra|constructor|auto|]. intros a b _ _. rewrite Rmult_1_r. apply Rle_refl.
    - inversion_clear Pos as [|? ? M Pos']. cbn [fst snd] in *. destruct (IH Pos') as (R0 & full & HR & F & _ & L). assert (H1 : 0 < 1 <= 1) by lra.
      exists (r * R0), (gaussian_pair 1 mu H1 Hm :: full). split; [apply Rmult_lt_0_compat; lra|]. split; [constructor; [split; [exact M|exists H1, Hm; reflexivity]|exact F]|]. split; [discriminate|].
      intros a b Ha Hb. unfold hockey. cbn [product]. unfold next. cbn [integral p q gaussian_pair].
      assert (P0 : 0 <= b * (r * R0)) by (apply Rmult_le_pos; [exact Hb|apply Rmult_le_pos; lra]).
      destruct (normal_of_good 1 mu H1 (hockey full) a (b * (r * R0)) (good_hockey full) Ha P0) as [C1 [_ B1]]. destruct (normal_of_good r mu Hq (hockey l) a b (good_hockey l) Ha Hb) as [C2 [_ B2]].
      apply E_le; [exact C1|exact C2|exact B2|]. intros x. pose proof (ratio_pos mu x) as Rx. assert (0 <= r * ratio mu x) by (apply Rmult_le_pos; lra).
      assert (W1 : weight 1 mu x = ratio mu x) by (unfold weight; ring). assert (W : r * ratio mu x <= weight r mu x) by (unfold weight; lra).
      apply Rle_trans with (hockey l (a * 1) (b * (r * ratio mu x))).
      + rewrite W1. replace (b * (r * R0) * ratio mu x) with (b * (r * ratio mu x) * R0) by ring. apply L; [lra|apply Rmult_le_pos; assumption].
      + apply hockey_grows; [lra|apply Rmult_le_pos; assumption|apply Rmult_le_compat_l; assumption]. }
  destruct G as (R0 & full & HR & F & Ne' & L). exists R0. split; [exact HR|]. intros a b c Ha Hb.
  assert (Sq : squares_of (map snd params) = square_sum params).
  { clear. induction params as [|r l IH]; [reflexivity|]. cbn [map squares_of square_sum fold_right]. fold (squares_of (map snd l)). fold (square_sum l). rewrite IH. reflexivity. }
  pose proof (full_test full (map snd params) F (Ne' Ne) a (b * R0) c Ha ltac:(apply Rmult_le_pos; lra)) as T. rewrite Sq in T. specialize (L a b Ha Hb). lra.
Qed.

Lemma G_symmetric mu a b : 0 <= mu -> 0 < a < 1 -> G mu a <= b -> 0 < b < 1 -> G mu b <= a.
Proof.
  intros Hm Ha H Hb. destruct (tail_onto a Ha) as [s <-]. destruct (tail_onto b Hb) as [t <-]. rewrite G_tail in * by exact Hm.
  assert (K : tail (mu - s) <= tail t) by (replace (mu - s) with (- (s - mu)) by ring; rewrite tail_opp; lra). apply (proj1 (tail_le_iff _ _)) in K.
  pose proof (tail_falls_weakly s (mu - t) ltac:(lra)) as T. replace (mu - t) with (- (t - mu)) in T by ring. rewrite tail_opp in T. lra.
Qed.

Theorem sampled_not_gdp l params m adj mu : positive_pairs l params -> l <> [] -> 0 <= mu -> mu < sqrt (square_sum params) -> ~ satisfies (l ++ m) adj (Gdp mu 0).
Proof.
  intros H Ne Hm L K. destruct (sampled_test l params H Ne) as (R0 & HR & T). set (M := sqrt (square_sum params)) in *.
  assert (Te : forall c, test (divergence (l ++ m)) (R0 * tail (c - M)) (tail c)).
  { intros c u Hu. specialize (T u 1 c Hu ltac:(lra)). pose proof (hockey_more l m u 1 Hu ltac:(lra)). unfold divergence. lra. }
  assert (R1 : R0 <= 1).
  { apply Rnot_lt_le. intros C. assert (P1 : 0 < 1 - / R0) by (assert (/ R0 < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra); lra). destruct (tail_large _ P1) as [t Ht]. specialize (Ht t (Rle_refl t)).
    specialize (Te (t + M) 0 (Rle_refl 0)). replace (t + M - M) with t in Te by ring. pose proof (pp_0 _ (divergence_profile (l ++ m))).
    assert (R0 * (1 - (1 - / R0)) < R0 * tail t) by (apply Rmult_lt_compat_l; lra). replace (R0 * (1 - (1 - / R0))) with 1 in H1 by (field; lra). lra. }
  destruct (mass_above_beats R0 (M - mu) HR ltac:(lra)) as [x Hx].
  assert (X : tail (x + (M - mu)) < R0 * tail x).
  { unfold tail. pose proof total_pos. apply Rcomplements.Rlt_div_l; [assumption|]. replace (R0 * (mass_above x / total) * total) with (R0 * mass_above x) by (field; lra). exact Hx. }
  set (c := x + M). replace (x + (M - mu)) with (c - mu) in X by (unfold c; ring). replace x with (c - M) in X by (unfold c; ring).
  assert (Rc : 0 < tail c < 1) by (split; [apply tail_pos|apply tail_lt_1]). assert (Rm : 0 < R0 * tail (c - M) < 1).
  { pose proof (tail_pos (c - M)). pose proof (tail_lt_1 (c - M)). split; [apply Rmult_lt_0_compat; assumption|]. assert (R0 * tail (c - M) <= 1 * tail (c - M)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Con : G mu (tail c) <= 1 - R0 * tail (c - M) -> False) by (intros C; rewrite G_tail in C by exact Hm; lra).
  set (D := divergence (l ++ m)) in *. set (D' := divergence (map swap (l ++ m))).
  assert (HD : privacy_profile D) by apply divergence_profile. assert (HD' : privacy_profile D') by apply divergence_profile.
  assert (Remove_case : (forall a, 0 <= a <= 1 -> G mu (a + 0) - 0 <= curve_of_profile D a) -> False).
  { intros K'. specialize (K' (tail c) ltac:(lra)). rewrite Rplus_0_r, Rminus_0_r in K'. pose proof (curve_test D HD _ _ (tail c) (Te c) ltac:(lra) (Rle_refl _)). apply Con. lra. }
  destruct adj; unfold satisfies in K; cbn [of_orders holds] in K; fold D D' in K.
  - exact (Remove_case K).
  - assert (T' : test D' (1 - tail c) (1 - R0 * tail (c - M))).
    { apply (test_swap D' D); [exact HD'|apply orders_swap, orders_of|lra|lra|apply Te]. }
    specialize (K (1 - R0 * tail (c - M)) ltac:(lra)). rewrite Rplus_0_r, Rminus_0_r in K. pose proof (curve_test D' HD' _ _ (1 - R0 * tail (c - M)) T' ltac:(lra) (Rle_refl _)) as C.
    apply Con. apply G_symmetric; [exact Hm|lra|lra|exact Rc].
  - apply Remove_case. intros a Ha. eapply Rle_trans; [apply K, Ha|].
    assert (HM : privacy_profile (fun u => Rmax (D u) (D' u))) by (apply max_profile; assumption).
    apply (curve_at_most _ a _ HM Ha). intros u Hu. pose proof (Rmax_l (D u) (D' u)). pose proof (curve_line D HD u a Hu Ha). lra.
Qed.
(** so that is the strict mu *)
Corollary sampled_strict l params adj mu : positive_pairs l params -> l <> [] -> 0 <= mu -> (satisfies l adj (Gdp mu 0) <-> sqrt (square_sum params) <= mu).
Proof.
  intros H Ne Hm. split; [|apply (sampled_gdp l params), (proj1 H)]. intros K. apply Rnot_lt_le. intros L.
  apply (sampled_not_gdp l params [] adj mu H Ne Hm L). rewrite app_nil_r. exact K.
Qed.
