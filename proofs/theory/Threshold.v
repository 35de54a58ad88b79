(** * The threshold lemma

Neighbouring datasets under Poisson sampling, groups and replaced records give mixtures of shifted noise, in many dimensions. What is known of a shifted member is how far
a test may tell it from the unshifted law, the base: where the base rejects with the chance of the threshold t, the member does so at most with that of t - r and at least with that
of t + r. Then no test tells two mixtures better than a threshold tells the mixtures on the line whose shifts are the norms: +r in Q, -s in P. So the pair on the line
dominates at every u, and more so if a norm grows; the thresholds themselves attain it.

Tests are any set with chances to reject, so the lemma is about any number of dimensions and about adaptive choices alike. T is the tail of the noise on the line. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence Extremes GaussianTail NormalLaw StrictGdp GaussianCurve.
Import ListNotations.
Open Scope R_scope.

(** ** Noise on the line, by its tail: continuous and nowhere flat *)
Record noise (T : R -> R) : Prop := mk_noise {
  noise_falls : forall x y, x < y -> T y < T x;
  noise_range : forall x, 0 <= T x <= 1;
  noise_small : forall e, 0 < e -> exists t, forall s, t <= s -> T s < e;
  noise_large : forall e, 0 < e -> exists t, forall s, s <= t -> 1 - e < T s;
  noise_onto : forall a, 0 < a < 1 -> exists t, T t = a }.

Theorem normal_noise : noise tail.
Proof.
  constructor; [apply tail_falls| |apply tail_small|apply tail_large|apply tail_onto].
  intros x. pose proof (tail_pos x). pose proof (tail_lt_1 x). lra.
Qed.

(** ** Mixtures on the line: weights and shifts *)
Definition shifts := list (R * R).
Definition weights_ok (l : shifts) := List.Forall (fun a => 0 <= fst a) l.
Fixpoint total_weight (l : shifts) : R := match l with [] => 0 | a :: l => fst a + total_weight l end.

Section Noise.
Variable T : R -> R.
Hypothesis HT : noise T.

(** the mass of a mixture above t *)
Fixpoint above (l : shifts) (t : R) : R := match l with [] => 0 | a :: l => fst a * T (t - snd a) + above l t end.

Lemma noise_falls_weakly x y : x <= y -> T y <= T x.
Proof. intros [H|<-]; [left; apply (noise_falls T HT), H|lra]. Qed.
Lemma noise_le x y : T x <= T y -> y <= x.
Proof. intros H. apply Rnot_lt_le. intros C. pose proof (noise_falls T HT x y C). lra. Qed.

Lemma total_weight_nonneg l : weights_ok l -> 0 <= total_weight l.
Proof. intros H. induction H as [|a l Ha H IH]; simpl; lra. Qed.
Lemma above_range l t : weights_ok l -> 0 <= above l t <= total_weight l.
Proof.
  intros H. induction H as [|a l Ha H IH]; simpl; [lra|]. pose proof (noise_range T HT (t - snd a)) as R.
  assert (0 <= fst a * T (t - snd a)) by (apply Rmult_le_pos; lra). assert (fst a * T (t - snd a) <= fst a * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma above_small l e : weights_ok l -> 0 < e -> exists t, forall s, t <= s -> above l s < e.
Proof.
  intros H. revert e. induction H as [|a l Ha H IH]; intros e He; simpl; [exists 0; intros; exact He|].
  destruct (IH (e / 2) ltac:(lra)) as [t Ht]. destruct (noise_small T HT (e / 2 / (fst a + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as [t' Ht'].
  exists (Rmax t (t' + snd a)). intros s Hs. pose proof (Rmax_l t (t' + snd a)). pose proof (Rmax_r t (t' + snd a)).
  specialize (Ht s ltac:(lra)). specialize (Ht' (s - snd a) ltac:(lra)). pose proof (noise_range T HT (s - snd a)).
  assert (fst a * T (s - snd a) <= (fst a + 1) * (e / 2 / (fst a + 1))) by (apply Rmult_le_compat; lra).
  replace ((fst a + 1) * (e / 2 / (fst a + 1))) with (e / 2) in * by (field; lra). lra.
Qed.
Lemma above_large l e : weights_ok l -> 0 < e -> exists t, forall s, s <= t -> total_weight l - e < above l s.
Proof.
  intros H. revert e. induction H as [|a l Ha H IH]; intros e He; simpl; [exists 0; intros; lra|].
  destruct (IH (e / 2) ltac:(lra)) as [t Ht]. destruct (noise_large T HT (e / 2 / (fst a + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as [t' Ht'].
  exists (Rmin t (t' + snd a)). intros s Hs. pose proof (Rmin_l t (t' + snd a)). pose proof (Rmin_r t (t' + snd a)).
  specialize (Ht s ltac:(lra)). specialize (Ht' (s - snd a) ltac:(lra)). pose proof (noise_range T HT (s - snd a)).
  assert (fst a * (1 - T (s - snd a)) <= (fst a + 1) * (e / 2 / (fst a + 1))) by (apply Rmult_le_compat; lra).
  replace ((fst a + 1) * (e / 2 / (fst a + 1))) with (e / 2) in * by (field; lra). lra.
Qed.

(** ** The largest advantage of a threshold: Q above t less u times P above t *)
Definition advantage (ps qs : shifts) (u t : R) := above qs t - u * above ps t.
Definition threshold_profile (ps qs : shifts) (u : R) := - inf (fun y => exists t, y = - advantage ps qs u t).

Lemma threshold_profile_spec ps qs u : weights_ok ps -> weights_ok qs -> 0 <= u ->
  (forall t, advantage ps qs u t <= threshold_profile ps qs u) /\ (forall D, (forall t, advantage ps qs u t <= D) -> threshold_profile ps qs u <= D).
Proof.
  intros Hp Hq Hu. destruct (inf_correct (fun y => exists t, y = - advantage ps qs u t) (- total_weight qs) (- advantage ps qs u 0)) as [A B].
  - intros y [t ->]. unfold advantage. pose proof (above_range qs t Hq). pose proof (above_range ps t Hp). assert (0 <= u * above ps t) by (apply Rmult_le_pos; lra). lra.
  - exists 0. reflexivity.
  - unfold threshold_profile. split.
    + intros t. specialize (A (- advantage ps qs u t) ltac:(exists t; reflexivity)). lra.
    + intros D H. assert (- D <= inf (fun y => exists t, y = - advantage ps qs u t)); [|lra]. apply B. intros y [t ->]. specialize (H t). lra.
Qed.

(** the thresholds at both ends: nothing is rejected, everything is *)
Lemma threshold_profile_ends ps qs u : weights_ok ps -> weights_ok qs -> 0 <= u ->
  0 <= threshold_profile ps qs u /\ total_weight qs - u * total_weight ps <= threshold_profile ps qs u.
Proof.
  intros Hp Hq Hu. destruct (threshold_profile_spec ps qs u Hp Hq Hu) as [U _]. unfold advantage in U. split; apply le_epsilon; intros e He.
  - destruct (above_small ps (e / (u + 1)) Hp ltac:(apply Rdiv_lt_0_compat; lra)) as [t Ht]. specialize (Ht t ltac:(lra)). specialize (U t).
    pose proof (above_range qs t Hq). pose proof (above_range ps t Hp).
    assert (u * above ps t <= (u + 1) * (e / (u + 1))) by (apply Rmult_le_compat; lra). replace ((u + 1) * (e / (u + 1))) with e in * by (field; lra). lra.
  - destruct (above_large qs e Hq He) as [t Ht]. specialize (Ht t ltac:(lra)). specialize (U t). pose proof (above_range ps t Hp).
    assert (u * above ps t <= u * total_weight ps) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** It grows with every shift of Q, and with every norm in P, whose shifts are negative *)
Definition shifted_more (l m : shifts) := List.Forall2 (fun a b => fst a = fst b /\ snd a <= snd b) l m.
Lemma above_grows l m t : weights_ok l -> shifted_more l m -> above l t <= above m t.
Proof.
  intros H S. induction S as [|a b l m [W X] S IH]; simpl; [lra|]. inversion H; subst. rewrite <- W.
  pose proof (noise_falls_weakly (t - snd b) (t - snd a) ltac:(lra)). assert (fst a * T (t - snd a) <= fst a * T (t - snd b)) by (apply Rmult_le_compat_l; lra).
  specialize (IH ltac:(assumption)). lra.
Qed.
Lemma weights_ok_more l m : weights_ok l -> shifted_more l m -> weights_ok m.
Proof. intros H S. induction S as [|a b l m [W X] S IH]; [exact H|]. inversion H; subst. constructor; [rewrite <- W; assumption|apply IH; assumption]. Qed.

Theorem threshold_profile_grows ps' ps qs qs' u : weights_ok ps' -> weights_ok qs -> shifted_more ps' ps -> shifted_more qs qs' -> 0 <= u ->
  threshold_profile ps qs u <= threshold_profile ps' qs' u.
Proof.
  intros Hp Hq P Q Hu. pose proof (weights_ok_more _ _ Hp P) as Hp'. pose proof (weights_ok_more _ _ Hq Q) as Hq'.
  apply threshold_profile_spec; auto. intros t. eapply Rle_trans; [|apply (proj1 (threshold_profile_spec ps' qs' u Hp Hq' Hu) t)]. unfold advantage.
  pose proof (above_grows qs qs' t Hq Q). pose proof (above_grows ps' ps t Hp P). assert (u * above ps' t <= u * above ps t) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Tests, and members that they tell from the base by no more than a shift *)
Section Tests.
Variable X : Type.
Variable base : X -> R.
Hypothesis base_range : forall h, 0 <= base h <= 1.

Definition at_most (r : R) (e : X -> R) := (forall h, e h <= 1) /\ forall h t, base h <= T t -> e h <= T (t - r).
Definition at_least (r : R) (e : X -> R) := (forall h, 0 <= e h) /\ forall h t, T t <= base h -> T (t - r) <= e h.

(** the base is a member, not shifted *)
Lemma base_itself : at_most 0 base /\ at_least 0 base.
Proof. split; (split; [intros; apply base_range|]); intros h t H; rewrite Rminus_0_r; exact H. Qed.

(** Neyman and Pearson for a shift by r: enough that at each t some u is the likelihood ratio where the threshold t is a best test *)
Lemma at_most_from_lines r e : (forall h, e h <= 1) -> (forall t, exists u, 0 <= u /\ forall h, e h - u * base h <= T (t - r) - u * T t) -> at_most r e.
Proof.
  intros R L. split; [exact R|]. intros h t Ht. destruct (L t) as [u [Hu H]]. specialize (H h). assert (u * base h <= u * T t) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
Lemma at_least_from_lines r e : (forall h, 0 <= e h) -> (forall t, exists u, 0 < u /\ forall h, base h - u * e h <= T t - u * T (t - r)) -> at_least r e.
Proof.
  intros R L. split; [exact R|]. intros h t Ht. destruct (L t) as [u [Hu H]]. specialize (H h). apply Rmult_le_reg_l with u; [exact Hu|]. lra.
Qed.

(** weight and shift of each member, and its chance to reject *)
Definition members := list ((R * R) * (X -> R)).
Fixpoint mixed (l : members) (h : X) : R := match l with [] => 0 | m :: l => fst (fst m) * snd m h + mixed l h end.
Definition all_at_most (l : members) := List.Forall (fun m => at_most (snd (fst m)) (snd m)) l.
Definition all_at_least (l : members) := List.Forall (fun m => at_least (snd (fst m)) (snd m)) l.

Lemma mixed_at_most l h t : weights_ok (map fst l) -> all_at_most l -> base h <= T t -> mixed l h <= above (map fst l) t.
Proof.
  intros W M Ht. induction M as [|m l [_ H] M IH]; simpl; [lra|]. inversion W; subst. specialize (H h t Ht).
  assert (fst (fst m) * snd m h <= fst (fst m) * T (t - snd (fst m))) by (apply Rmult_le_compat_l; assumption). specialize (IH ltac:(assumption)). lra.
Qed.
Lemma mixed_at_most_all l h : weights_ok (map fst l) -> all_at_most l -> mixed l h <= total_weight (map fst l).
Proof.
  intros W M. induction M as [|m l [H _] M IH]; simpl; [lra|]. inversion W; subst. specialize (H h).
  assert (fst (fst m) * snd m h <= fst (fst m) * 1) by (apply Rmult_le_compat_l; assumption). specialize (IH ltac:(assumption)). lra.
Qed.
Lemma mixed_at_least l h t : weights_ok (map fst l) -> all_at_least l -> T t <= base h -> above (map fst l) t <= mixed l h.
Proof.
  intros W M Ht. induction M as [|m l [_ H] M IH]; simpl; [lra|]. inversion W; subst. specialize (H h t Ht).
  assert (fst (fst m) * T (t - snd (fst m)) <= fst (fst m) * snd m h) by (apply Rmult_le_compat_l; assumption). specialize (IH ltac:(assumption)). lra.
Qed.
Lemma mixed_nonneg l h : weights_ok (map fst l) -> all_at_least l -> 0 <= mixed l h.
Proof.
  intros W M. induction M as [|m l [H _] M IH]; simpl; [lra|]. inversion W; subst. specialize (H h).
  assert (0 <= fst (fst m) * snd m h) by (apply Rmult_le_pos; assumption). specialize (IH ltac:(assumption)). lra.
Qed.

(** ** The threshold lemma *)
Theorem threshold_lemma ps qs u h : weights_ok (map fst ps) -> weights_ok (map fst qs) -> all_at_least ps -> all_at_most qs -> 0 <= u ->
  mixed qs h - u * mixed ps h <= threshold_profile (map fst ps) (map fst qs) u.
Proof.
  intros Wp Wq P Q Hu. destruct (threshold_profile_spec (map fst ps) (map fst qs) u Wp Wq Hu) as [U _]. unfold advantage in U.
  pose proof (base_range h) as B. destruct (Req_dec (base h) 0) as [Z|Z]; [|destruct (Req_dec (base h) 1) as [O|O]].
  - (* the base never rejects: nor does Q *)
    destruct (threshold_profile_ends (map fst ps) (map fst qs) u Wp Wq Hu) as [E _]. pose proof (mixed_nonneg ps h Wp P).
    assert (0 <= u * mixed ps h) by (apply Rmult_le_pos; lra). apply Rle_trans with 0; [|exact E]. assert (mixed qs h <= 0); [|lra].
    apply le_epsilon. intros e He. destruct (above_small (map fst qs) e Wq He) as [t Ht]. specialize (Ht t ltac:(lra)).
    pose proof (noise_range T HT t). pose proof (mixed_at_most qs h t Wq Q ltac:(lra)). lra.
  - (* the base always rejects: so does P *)
    destruct (threshold_profile_ends (map fst ps) (map fst qs) u Wp Wq Hu) as [_ E]. pose proof (mixed_at_most_all qs h Wq Q).
    assert (total_weight (map fst ps) <= mixed ps h); [|assert (u * total_weight (map fst ps) <= u * mixed ps h) by (apply Rmult_le_compat_l; lra); lra].
    apply le_epsilon. intros e He. destruct (above_large (map fst ps) e Wp He) as [t Ht]. specialize (Ht t ltac:(lra)).
    pose proof (noise_range T HT t). pose proof (mixed_at_least ps h t Wp P ltac:(lra)). lra.
  - destruct (noise_onto T HT (base h) ltac:(lra)) as [t Ht]. specialize (U t).
    pose proof (mixed_at_most qs h t Wq Q ltac:(lra)). pose proof (mixed_at_least ps h t Wp P ltac:(lra)).
    assert (u * above (map fst ps) t <= u * mixed ps h) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Tests.

(** ** The thresholds are such a family, with every shift at once, so the bound is attained *)
Theorem thresholds_attain r : at_most R T r (fun t => T (t - r)) /\ at_least R T r (fun t => T (t - r)).
Proof.
  split; (split; [intros; apply (noise_range T HT)|]); intros h t H; apply noise_falls_weakly; apply noise_le in H; lra.
Qed.
Theorem thresholds_mixed (l : shifts) t : mixed R (map (fun a => (a, fun t => T (t - snd a))) l) t = above l t.
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
End Noise.

(** ** Gaussian members: it is enough that the pair of base and member is above the Gaussian curve *)
Section Gaussian.
Variable X : Type.
Variables base e : X -> R.
Variable r : R.
Hypothesis Hr : 0 <= r.
Hypothesis base_range : forall h, 0 <= base h <= 1.
Hypothesis e_range : forall h, 0 <= e h <= 1.

Theorem at_most_from_curve : (forall h, G r (base h) <= 1 - e h) -> at_most tail X base r e.
Proof.
  intros H. split; [intros h; apply e_range|]. intros h t Ht. specialize (H h). pose proof (to_mono (G r) (tradeoff_G r Hr) _ _ Ht) as M.
  rewrite G_tail in M by exact Hr. lra.
Qed.

(** tests may be turned round: what one rejects the other accepts *)
Theorem at_least_from_curve (not : X -> X) : (forall h, base (not h) = 1 - base h) -> (forall h, e (not h) = 1 - e h) ->
  (forall h, G r (base h) <= 1 - e h) -> at_least tail X base (- r) e.
Proof.
  intros Nb Ne H. split; [intros h; apply e_range|]. intros h t Ht. destruct (at_most_from_curve H) as [_ M].
  specialize (M (not h) (- t)). rewrite Nb, Ne, tail_opp in M. specialize (M ltac:(lra)). replace (- t - r) with (- (t + r)) in M by ring.
  rewrite tail_opp in M. replace (t - - r) with (t + r) by ring. lra.
Qed.

(** Neyman and Pearson: enough that at each u = ratio r t no test is better than the threshold t *)
Theorem curve_from_profile : (forall h t, e h - ratio r t * base h <= tail (t - r) - ratio r t * tail t) -> forall h, G r (base h) <= 1 - e h.
Proof.
  intros H h. unfold G. rewrite ext_in by apply base_range. destruct (best_line_spec r (base h) Hr (base_range h)) as (_ & _ & L).
  pose proof (e_range h). apply L; [lra|]. intros t. specialize (H h t). unfold line. lra.
Qed.
End Gaussian.
