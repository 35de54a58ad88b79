(** * Mixtures of shifted normal laws on the line

P and Q are lists of weights and shifts. Their densities over the standard normal one are sums of likelihood ratios; the hockey-stick divergence is the integral of (Q - u P)^+.
If no shift of P is above one of Q the likelihood ratio dQ/dP rises, so it is the advantage of a threshold: the one where Q = u P, if there is one. So the profile of the
threshold lemma is the hockey-stick divergence of a pair on the line, and every test of normal noise is as the lemma asks. Reflecting both changes nothing, so a pair whose sides are
reflections of each other is symmetric. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Tradeoff GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum Threshold.
Import ListNotations.
Open Scope R_scope.

Notation above := (above tail).
Notation advantage := (advantage tail).

Fixpoint density (l : shifts) (x : R) : R := match l with [] => 0 | a :: l => fst a * ratio (snd a) x + density l x end.
Definition excess (ps qs : shifts) (u x : R) := density qs x - u * density ps x.
Definition hockey_stick (ps qs : shifts) (u : R) := E (fun x => pos (excess ps qs u x)).

Lemma density_cont l : cont (density l).
Proof. induction l as [|a l IH]; [exact (cont_const 0)|]. apply (cont_plus (fun x => fst a * ratio (snd a) x)); [apply cont_scale, cont_ratio|exact IH]. Qed.
Lemma excess_cont ps qs u : cont (excess ps qs u).
Proof. intros x. apply (continuous_minus (V := R_NormedModule) (density qs) (fun x => u * density ps x)); [apply density_cont|apply (cont_scale u _ (density_cont ps))]. Qed.
Lemma density_nonneg l x : weights_ok l -> 0 <= density l x.
Proof.
  intros H. induction H as [|a l Ha H IH]; simpl; [lra|]. pose proof (ratio_pos (snd a) x). assert (0 <= fst a * ratio (snd a) x) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma density_pos l x : weights_ok l -> 0 < total_weight l -> 0 < density l x.
Proof.
  intros H. induction H as [|a l Ha H IH]; simpl; [lra|]. intros W. pose proof (ratio_pos (snd a) x). pose proof (density_nonneg l x H).
  destruct Ha as [Ha|Ha].
  - assert (0 < fst a * ratio (snd a) x) by (apply Rmult_lt_0_compat; lra). lra.
  - rewrite <- Ha in *. specialize (IH ltac:(lra)). lra.
Qed.

(** masses between two points *)
Lemma ex_excess ps qs u a b : ex_RInt (fun x => phi x * excess ps qs u x) a b.
Proof. apply ex_part, excess_cont. Qed.
Lemma density_between l a b : a <= b -> RInt (fun x => phi x * density l x) a b / total = above l a - above l b.
Proof.
  intros H. induction l as [|s l IH]; simpl.
  - rewrite (RInt_same _ (fun _ => 0)) by (intros; ring). rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
  - destruct (tail_shift (snd s) a b H) as [S X].
    rewrite (RInt_same _ (fun x => plus (scal (fst s) (ratio (snd s) x * phi x)) (phi x * density l x))) by (intros x; unfold plus, scal; simpl; unfold mult; simpl; ring).
    rewrite (RInt_plus (V := R_CompleteNormedModule)); [|apply (ex_RInt_scal (V := R_NormedModule)), X|apply ex_part, density_cont].
    rewrite (RInt_scal (V := R_CompleteNormedModule)) by exact X. unfold plus, scal; simpl; unfold mult; simpl.
    rewrite Rdiv_plus_distr, IH. unfold Rdiv at 1. rewrite Rmult_assoc. fold (RInt (fun x => ratio (snd s) x * phi x) a b / total). rewrite <- S. ring.
Qed.
Lemma excess_between ps qs u a b : a <= b -> RInt (fun x => phi x * excess ps qs u x) a b / total = advantage ps qs u a - advantage ps qs u b.
Proof.
  intros H. unfold Threshold.advantage. pose proof (density_between ps a b H) as P. pose proof (density_between qs a b H) as Q.
  rewrite (RInt_same _ (fun x => plus (phi x * density qs x) (scal (- u) (phi x * density ps x)))) by (intros x; unfold excess, plus, scal; simpl; unfold mult; simpl; ring).
  rewrite (RInt_plus (V := R_CompleteNormedModule)); [|apply ex_part, density_cont|apply (ex_RInt_scal (V := R_NormedModule)), ex_part, density_cont].
  rewrite (RInt_scal (V := R_CompleteNormedModule)) by (apply ex_part, density_cont). unfold plus, scal; simpl; unfold mult; simpl.
  rewrite Rdiv_plus_distr, Q. unfold Rdiv at 1. rewrite Rmult_assoc. fold (RInt (fun x => phi x * density ps x) a b / total). rewrite P. ring.
Qed.
Lemma part_density l b : weights_ok l -> 0 <= b -> part (density l) b <= total_weight l.
Proof. intros W Hb. unfold part. rewrite density_between by lra. pose proof (above_range tail normal_noise l b W). pose proof (above_range tail normal_noise l (- b) W). lra. Qed.

Lemma cont_pos h : cont h -> cont (fun x => pos (h x)).
Proof.
  intros H x. apply (continuous_comp h pos); [apply H|]. unfold pos. apply filterlim_locally. intros eps. exists eps. intros y By.
  unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
  pose proof (pos_lipschitz y (h x)) as A. pose proof (pos_lipschitz (h x) y) as B. rewrite (Rabs_minus_sym (h x)) in B. unfold pos in A, B.
  assert (K : Rabs (Rmax 0 y - Rmax 0 (h x)) <= Rabs (y - h x)) by (apply Rabs_le; lra). unfold Rminus in *. lra.
Qed.

Section Pair.
Variables (ps qs : shifts) (u : R).
Hypothesis Wp : weights_ok ps.
Hypothesis Wq : weights_ok qs.
Hypothesis Hu : 0 <= u.
Notation g := (excess ps qs u).
Notation A := (advantage ps qs u).

Lemma excess_pos_cont : cont (fun x => pos (g x)).
Proof. apply cont_pos, excess_cont. Qed.
Lemma excess_at_most x : pos (g x) <= density qs x.
Proof.
  unfold pos, excess. pose proof (density_nonneg qs x Wq). pose proof (density_nonneg ps x Wp). assert (0 <= u * density ps x) by (apply Rmult_le_pos; assumption). apply Rmax_lub; lra.
Qed.
Lemma hockey_stick_spec : (forall b, 0 <= b -> part (fun x => pos (g x)) b <= hockey_stick ps qs u) /\
  (forall M, (forall b, 0 <= b -> part (fun x => pos (g x)) b <= M) -> hockey_stick ps qs u <= M).
Proof.
  apply E_spec. exists (total_weight qs). intros b Hb. eapply Rle_trans; [|apply (part_density qs b Wq Hb)].
  apply part_le; [apply excess_pos_cont|apply density_cont|exact Hb|apply excess_at_most].
Qed.

(** ** Tests on the line are not better than the hockey-stick divergence *)
Theorem line_tests_below h : cont h -> (forall x, 0 <= h x <= 1) -> forall b, 0 <= b -> part (fun x => g x * h x) b <= hockey_stick ps qs u.
Proof.
  intros C H b Hb. eapply Rle_trans; [|apply (proj1 hockey_stick_spec b Hb)]. apply part_le; [apply cont_times; [apply excess_cont|exact C]|apply excess_pos_cont|exact Hb|].
  intros x. specialize (H x). unfold pos. destruct (Rle_dec 0 (g x)) as [k|k].
  - rewrite Rmax_right by exact k. rewrite <- (Rmult_1_r (g x)) at 2. apply Rmult_le_compat_l; lra.
  - rewrite Rmax_left by lra. assert (0 <= (- g x) * h x) by (apply Rmult_le_pos; lra). lra.
Qed.

(** thresholds too *)
Theorem threshold_below t : A t <= hockey_stick ps qs u.
Proof.
  apply le_epsilon. intros e He. destruct (above_small tail normal_noise qs e Wq He) as [t' Ht']. set (b := Rmax (Rabs t) t').
  assert (B1 : Rabs t <= b) by apply Rmax_l. assert (B2 : t' <= b) by apply Rmax_r. apply Rabs_le_between in B1. specialize (Ht' b B2).
  assert (Hb : 0 <= b) by (pose proof (Rabs_pos t); pose proof (Rmax_l (Rabs t) t'); unfold b; lra).
  pose proof (proj1 hockey_stick_spec b Hb) as U. set (h := fun x => phi x * pos (g x)). assert (X : forall a b, ex_RInt h a b) by (intros; apply ex_part, excess_pos_cont).
  assert (N : forall x, 0 <= h x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply pos_nonneg]).
  assert (K : RInt (fun x => phi x * g x) t b / total <= part (fun x => pos (g x)) b).
  { unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. change (RInt (fun x => phi x * g x) t b <= RInt h (- b) b).
    rewrite <- (RInt_Chasles h (- b) t b) by apply X. unfold plus; simpl. assert (0 <= RInt h (- b) t) by (apply RInt_ge_0; [lra|apply X|intros; apply N]).
    assert (RInt (fun x => phi x * g x) t b <= RInt h t b); [|lra]. apply RInt_le; [lra|apply ex_excess|apply X|]. intros x _. apply Rmult_le_compat_l; [left; apply phi_pos|apply Rmax_r]. }
  rewrite excess_between in K by lra. assert (A b <= above qs b); [|lra]. unfold Threshold.advantage. pose proof (above_range tail normal_noise ps b Wp).
  assert (0 <= u * above ps b) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** The likelihood ratio rises *)
Hypothesis apart : forall a b, In a ps -> In b qs -> snd a <= snd b.

Lemma ratio_cross s s' x y : s' <= s -> x <= y -> ratio s x * ratio s' y <= ratio s y * ratio s' x.
Proof.
  intros H Hx. unfold ratio. rewrite <- !exp_plus. assert (0 <= (s - s') * (y - x)) by (apply Rmult_le_pos; lra).
  assert (K : s * x - s * s / 2 + (s' * y - s' * s' / 2) <= s * y - s * s / 2 + (s' * x - s' * s' / 2)) by lra.
  destruct K as [K|K]; [left; apply exp_increasing, K|right; rewrite K; reflexivity].
Qed.
Theorem likelihood_ratio_rises x y : x <= y -> density qs x * density ps y <= density qs y * density ps x.
Proof.
  intros H. assert (K : forall s, (forall a, In a ps -> snd a <= s) -> ratio s x * density ps y <= ratio s y * density ps x).
  { intros s. clear apart. induction Wp as [|a l Ha W IH]; simpl; intros B; [lra|]. pose proof (ratio_cross s (snd a) x y (B a (or_introl eq_refl)) H) as C.
    apply Rmult_le_compat_l with (r := fst a) in C; [|exact Ha]. specialize (IH W (fun b Hb => B b (or_intror Hb))). lra. }
  revert apart. induction Wq as [|b l Hb W IH]; simpl; intros B; [lra|]. specialize (K (snd b) (fun a Ha => B a b Ha (or_introl eq_refl))).
  apply Rmult_le_compat_l with (r := fst b) in K; [|exact Hb]. specialize (IH W (fun a c Ha Hc => B a c Ha (or_intror Hc))). lra.
Qed.

(** so Q - u P is negative, then positive *)
Hypothesis mass : 0 < total_weight ps.
Lemma excess_stays x y : x <= y -> 0 <= g x -> 0 <= g y.
Proof.
  intros H G. pose proof (likelihood_ratio_rises x y H) as L. pose proof (density_pos ps x Wp mass) as X. pose proof (density_pos ps y Wp mass) as Y. unfold excess in *.
  apply Rmult_le_reg_r with (density ps x); [exact X|]. apply Rmult_le_compat_r with (r := density ps y) in G; [|lra]. lra.
Qed.
Lemma excess_was x y : x <= y -> g y <= 0 -> g x <= 0.
Proof.
  intros H G. pose proof (likelihood_ratio_rises x y H) as L. pose proof (density_pos ps x Wp mass) as X. pose proof (density_pos ps y Wp mass) as Y. unfold excess in *.
  apply Rmult_le_reg_r with (density ps y); [exact Y|]. apply Rmult_le_compat_r with (r := density ps x) in G; [|lra]. lra.
Qed.
Lemma advantage_nonneg x : 0 <= g x -> 0 <= A x.
Proof.
  intros G. apply le_epsilon. intros e He. destruct (above_small tail normal_noise ps (e / (u + 1)) Wp ltac:(apply Rdiv_lt_0_compat; lra)) as [t Ht].
  set (b := Rmax x t). specialize (Ht b (Rmax_r x t)). pose proof (Rmax_l x t) as B. fold b in B. pose proof (excess_between ps qs u x b B) as I.
  assert (0 <= RInt (fun x => phi x * g x) x b / total).
  { apply Rcomplements.Rdiv_le_0_compat; [|apply total_pos]. apply RInt_ge_0; [exact B|apply ex_excess|]. intros y Hy. apply Rmult_le_pos; [left; apply phi_pos|apply (excess_stays x); lra]. }
  assert (- e <= A b); [|lra]. unfold Threshold.advantage. pose proof (above_range tail normal_noise qs b Wq). pose proof (above_range tail normal_noise ps b Wp).
  assert (u * above ps b <= (u + 1) * (e / (u + 1))) by (apply Rmult_le_compat; lra). replace ((u + 1) * (e / (u + 1))) with e in * by (field; lra). lra.
Qed.

(** ** The hockey-stick divergence is the advantage of a threshold *)
Theorem hockey_stick_thresholds D : 0 <= D -> (forall t, A t <= D) -> hockey_stick ps qs u <= D.
Proof.
  intros HD H. apply hockey_stick_spec. intros b Hb. set (h := fun x => phi x * pos (g x)). assert (X : forall a b, ex_RInt h a b) by (intros; apply ex_part, excess_pos_cont).
  (* nothing on the left of c, Q - u P on its right *)
  assert (Cut : forall c, - b <= c <= b -> g c <= 0 \/ c = - b -> 0 <= g c -> part (fun x => pos (g x)) b <= D).
  { intros c Hc L R. unfold part. change (RInt h (- b) b / total <= D). rewrite <- (RInt_Chasles h (- b) c b) by apply X. unfold plus; simpl.
    assert (Z : RInt h (- b) c = 0).
    { destruct L as [L|L]; [|rewrite L, RInt_point; reflexivity]. rewrite (RInt_ext h (fun _ => 0)); [rewrite RInt_const; apply Rmult_0_r|].
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, pos. rewrite Rmax_left; [apply Rmult_0_r|]. apply (excess_was x c); lra. }
    rewrite Z, Rplus_0_l. rewrite (RInt_ext h (fun x => phi x * g x)).
    - rewrite excess_between by lra. pose proof (H c). pose proof (advantage_nonneg b (excess_stays c b ltac:(lra) R)). lra.
    - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, pos. rewrite Rmax_right; [reflexivity|]. apply (excess_stays c); lra. }
  destruct (Rle_dec 0 (g (- b))) as [n|n]; [apply (Cut (- b)); [lra|right; reflexivity|exact n]|].
  destruct (Rle_dec (g b) 0) as [m|m].
  - unfold part. change (RInt h (- b) b / total <= D). rewrite (RInt_ext h (fun _ => 0)); [rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; unfold Rdiv; lra|].
    intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, pos. rewrite Rmax_left; [apply Rmult_0_r|]. apply (excess_was x b); lra.
  - assert (B : - b < b). { apply Rnot_le_lt. intros B. assert (b = - b) by lra. replace (- b) with b in n by lra. lra. }
    destruct (IVT (fun x => g x) (- b) b) as [c [Hc E0]]; [intros x; apply continuity_pt_filterlim, excess_cont|exact B|lra|lra|]. apply (Cut c Hc); [left; lra|lra].
Qed.

Theorem hockey_stick_is_threshold_profile : hockey_stick ps qs u = threshold_profile tail ps qs u.
Proof.
  destruct (threshold_profile_spec tail normal_noise ps qs u Wp Wq Hu) as [U L]. apply Rle_antisym.
  - apply hockey_stick_thresholds; [apply (threshold_profile_ends tail normal_noise ps qs u Wp Wq Hu)|exact U].
  - apply L, threshold_below.
Qed.

(** the threshold where the likelihood ratio is u *)
Theorem hockey_stick_at_cut c : g c = 0 -> hockey_stick ps qs u = A c.
Proof.
  intros Z. apply Rle_antisym; [|apply threshold_below]. apply hockey_stick_thresholds; [apply advantage_nonneg; lra|]. intros t. destruct (Rle_dec t c) as [h|h].
  - pose proof (excess_between ps qs u t c h) as I. assert (RInt (fun x => phi x * g x) t c / total <= 0); [|lra].
    apply Rcomplements.Rle_div_l; [apply total_pos|]. rewrite Rmult_0_l. replace 0 with (RInt (fun _ => 0) t c) by (rewrite RInt_const; apply Rmult_0_r).
    apply RInt_le; [exact h|apply ex_excess|apply ex_RInt_const|]. intros x Hx. pose proof (phi_pos x). pose proof (excess_was x c ltac:(lra) ltac:(lra)).
    assert (0 <= phi x * - g x) by (apply Rmult_le_pos; lra). lra.
  - pose proof (excess_between ps qs u c t ltac:(lra)) as I. assert (0 <= RInt (fun x => phi x * g x) c t / total); [|lra].
    apply Rcomplements.Rdiv_le_0_compat; [|apply total_pos]. apply RInt_ge_0; [lra|apply ex_excess|]. intros x Hx. apply Rmult_le_pos; [left; apply phi_pos|apply (excess_stays c); lra].
Qed.
End Pair.

(** ** Reflection *)
Definition mirror (l : shifts) : shifts := map (fun a => (fst a, - snd a)) l.
Lemma mirror_mirror l : mirror (mirror l) = l.
Proof. induction l as [|[w s] l IH]; simpl; [reflexivity|]. rewrite IH, Ropp_involutive. reflexivity. Qed.
Lemma density_mirror l x : density (mirror l) x = density l (- x).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite IH. do 2 f_equal. unfold ratio. f_equal. field. Qed.
Lemma E_mirror h : cont h -> E (fun x => h (- x)) = E h.
Proof.
  intros C. unfold E. f_equal. apply Lub_Rbar_eqset. intros y. assert (P : forall b, part (fun x => h (- x)) b = part h b).
  { intros b. unfold part. f_equal. pose proof (RInt_comp_lin (fun x => phi x * h x) (-1) 0 (- b) b) as S.
    replace (-1 * - b + 0) with b in S by ring. replace (-1 * b + 0) with (- b) in S by ring. specialize (S (ex_part h b (- b) C)).
    rewrite (RInt_same _ (fun y => scal (-1) (phi y * h (- y)))) in S.
    2:{ intros x. replace (-1 * x + 0) with (- x) by ring. rewrite phi_even. reflexivity. }
    assert (X : ex_RInt (fun y => phi y * h (- y)) (- b) b).
    { apply (ex_part (fun x => h (- x))). intros x. apply (continuous_comp (fun x => - x) h); [apply (continuous_opp (V := R_NormedModule) (fun x => x)), continuous_id|apply C]. }
    rewrite (RInt_scal (V := R_CompleteNormedModule)) in S by exact X. pose proof (opp_RInt_swap (fun x => phi x * h x) b (- b) (ex_part h b (- b) C)) as W.
    unfold opp in W; simpl in W. unfold scal in S; simpl in S; unfold mult in S; simpl in S. lra. }
  split; intros [b [Hb ->]]; exists b; split; auto.
Qed.

Theorem hockey_stick_mirror ps qs u : hockey_stick (mirror ps) (mirror qs) u = hockey_stick ps qs u.
Proof.
  unfold hockey_stick. rewrite <- (E_mirror (fun x => pos (excess ps qs u x))) by (apply cont_pos, excess_cont). apply E_ext. intros x. unfold excess. rewrite !density_mirror. reflexivity.
Qed.
(** a pair of reflections is symmetric *)
Theorem mirror_pair_symmetric l u : hockey_stick l (mirror l) u = hockey_stick (mirror l) l u.
Proof. rewrite <- (hockey_stick_mirror l (mirror l)), mirror_mirror. reflexivity. Qed.

(** and its profile below u = 1 is known from that above *)
Lemma above_mirror l t : above (mirror l) t = total_weight l - above l (- t).
Proof.
  induction l as [|a l IH]; simpl; [lra|]. rewrite IH. replace (t - - snd a) with (- (- t - snd a)) by ring. rewrite tail_opp. ring.
Qed.
Theorem mirror_profile_swap l u : weights_ok l -> 0 < u -> threshold_profile tail (mirror l) l u = (1 - u) * total_weight l + u * threshold_profile tail (mirror l) l (/ u).
Proof.
  intros W Hu. assert (Wm : weights_ok (mirror l)) by (induction W; constructor; auto).
  assert (K : forall u t, 0 < u -> advantage (mirror l) l u t = (1 - u) * total_weight l + u * advantage (mirror l) l (/ u) (- t)).
  { intros v t Hv. unfold Threshold.advantage. rewrite !above_mirror, Ropp_involutive. field. lra. }
  destruct (threshold_profile_spec tail normal_noise _ _ u Wm W ltac:(lra)) as [U L].
  assert (Hi : 0 < / u) by (apply Rinv_0_lt_compat, Hu). destruct (threshold_profile_spec tail normal_noise _ _ (/ u) Wm W ltac:(lra)) as [U' L'].
  apply Rle_antisym.
  - apply L. intros t. rewrite K by exact Hu. specialize (U' (- t)). apply Rmult_le_compat_l with (r := u) in U'; lra.
  - assert (S : threshold_profile tail (mirror l) l (/ u) <= / u * (threshold_profile tail (mirror l) l u - (1 - u) * total_weight l)).
    { apply L'. intros t. specialize (U (- t)). rewrite K, Ropp_involutive in U by exact Hu. apply Rmult_le_reg_l with u; [exact Hu|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. lra. }
    apply Rmult_le_compat_l with (r := u) in S; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in S by lra. lra.
Qed.

(** ** Neyman and Pearson on the line: every continuous test is as the threshold lemma asks, for any shift *)
Record line_test := { rejects : R -> R; rejects_cont : cont rejects; rejects_range : forall x, 0 <= rejects x <= 1 }.
Definition chance (s : R) (h : line_test) := E (fun x => ratio s x * rejects h x).

Lemma chance_bounded s h : bounded (fun x => ratio s x * rejects h x) /\ cont (fun x => ratio s x * rejects h x) /\ (forall b, 0 <= b -> part (fun x => ratio s x * rejects h x) b <= 1).
Proof.
  assert (C : cont (fun x => ratio s x * rejects h x)) by (apply cont_times; [apply cont_ratio|apply rejects_cont]).
  assert (B : forall b, 0 <= b -> part (fun x => ratio s x * rejects h x) b <= 1); [|split; [exists 1; exact B|split; [exact C|exact B]]].
  intros b Hb. apply Rle_trans with (part (density [(1, s)]) b); [|pose proof (part_density [(1, s)] b) as D; simpl in D; rewrite Rplus_0_r in D; apply D; [repeat constructor; simpl; lra|exact Hb]].
  apply part_le; [exact C|apply density_cont|exact Hb|]. intros x. simpl. pose proof (rejects_range h x). pose proof (ratio_pos s x).
  assert (ratio s x * rejects h x <= ratio s x * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma chance_spec s h : (forall b, 0 <= b -> part (fun x => ratio s x * rejects h x) b <= chance s h) /\
  (forall M, (forall b, 0 <= b -> part (fun x => ratio s x * rejects h x) b <= M) -> chance s h <= M).
Proof. apply E_spec, chance_bounded. Qed.
Lemma chance_range s h : 0 <= chance s h <= 1.
Proof.
  destruct (chance_bounded s h) as (_ & _ & B). destruct (chance_spec s h) as [U L]. split; [|apply L, B].
  eapply Rle_trans; [|apply (U 0); lra]. unfold part. rewrite Ropp_0, RInt_point. unfold zero; simpl. unfold Rdiv. lra.
Qed.

(** the tests turned round, and reflected *)
Definition accepts (h : line_test) : line_test.
Proof.
  refine {| rejects := fun x => 1 - rejects h x |}.
  - intros x. apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|apply rejects_cont].
  - intros x. pose proof (rejects_range h x). lra.
Defined.
Definition reflected (h : line_test) : line_test.
Proof.
  refine {| rejects := fun x => rejects h (- x) |}.
  - intros x. apply (continuous_comp (fun x => - x) (rejects h)); [apply (continuous_opp (V := R_NormedModule) (fun x => x)), continuous_id|apply rejects_cont].
  - intros x. apply rejects_range.
Defined.

Lemma E_ratio s : E (ratio s) = 1.
Proof.
  assert (W : weights_ok [(1, s)]) by (apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]).
  assert (P : forall b, 0 <= b -> part (ratio s) b = above [(1, s)] (- b) - above [(1, s)] b).
  { intros b Hb. rewrite <- density_between by lra. unfold part. f_equal. apply RInt_same. intros x. simpl. ring. }
  assert (B : forall b, 0 <= b -> part (ratio s) b <= 1).
  { intros b Hb. rewrite P by exact Hb. pose proof (above_range tail normal_noise [(1, s)] b W). pose proof (above_range tail normal_noise [(1, s)] (- b) W). simpl in *. lra. }
  destruct (E_spec (ratio s) (ex_intro _ 1 B)) as [U L]. apply Rle_antisym; [apply L, B|]. apply le_epsilon. intros e He.
  destruct (above_small tail normal_noise [(1, s)] (e / 2) W ltac:(lra)) as [t Ht]. destruct (above_large tail normal_noise [(1, s)] (e / 2) W ltac:(lra)) as [t' Ht'].
  set (b := Rmax 0 (Rmax t (- t'))). assert (B0 : 0 <= b) by apply Rmax_l. assert (B1 : Rmax t (- t') <= b) by apply Rmax_r. pose proof (Rmax_l t (- t')). pose proof (Rmax_r t (- t')).
  specialize (Ht b ltac:(lra)). specialize (Ht' (- b) ltac:(lra)). specialize (U b B0). rewrite P in U by exact B0. simpl in *. lra.
Qed.
Lemma chance_accepts s h : chance s (accepts h) = 1 - chance s h.
Proof.
  destruct (chance_bounded s h) as (B & C & _). destruct (chance_bounded s (accepts h)) as (B' & C' & _).
  assert (N : forall k x, 0 <= ratio s x * rejects k x) by (intros k x; pose proof (rejects_range k x); apply Rmult_le_pos; [left; apply ratio_pos|lra]).
  pose proof (E_plus _ _ C C' (N h) (N (accepts h)) B B') as S. rewrite (E_ext _ (ratio s)), E_ratio in S by (intros x; simpl; ring).
  unfold chance. lra.
Qed.
Lemma chance_reflected s h : chance s (reflected h) = chance (- s) h.
Proof.
  destruct (chance_bounded (- s) h) as (_ & C & _). unfold chance. rewrite <- (E_mirror _ C). apply E_ext. intros x. simpl. f_equal. unfold ratio. f_equal. field.
Qed.

Theorem neyman_pearson r h : 0 <= r -> G r (chance 0 h) <= 1 - chance r h.
Proof.
  intros Hr. revert h. apply curve_from_profile; [exact Hr|intros; apply chance_range|intros; apply chance_range|]. intros h t.
  set (u := ratio r t). assert (Hu : 0 < u) by apply ratio_pos. assert (R0 : forall x, ratio 0 x = 1) by (intros; unfold ratio; rewrite <- exp_0; f_equal; field).
  assert (W : forall s, weights_ok [(1, s)]) by (intros; apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]).
  assert (Cut : hockey_stick [(1, 0)] [(1, r)] u = tail (t - r) - u * tail t).
  { rewrite (hockey_stick_at_cut [(1, 0)] [(1, r)] u (W 0) (W r) ltac:(lra)) with (c := t).
    - unfold Threshold.advantage; simpl. rewrite Rminus_0_r. ring.
    - intros a b [<-|[]] [<-|[]]. exact Hr.
    - simpl. lra.
    - unfold excess; simpl. rewrite R0. fold u. ring. }
  destruct (chance_bounded r h) as (_ & C & _). destruct (chance_bounded 0 h) as (_ & C0 & _). rewrite <- Cut.
  assert (chance r h <= hockey_stick [(1, 0)] [(1, r)] u + u * chance 0 h); [|lra]. apply chance_spec. intros b Hb.
  pose proof (line_tests_below [(1, 0)] [(1, r)] u (W 0) (W r) ltac:(lra) (rejects h) (rejects_cont h) (rejects_range h) b Hb) as L.
  assert (S : part (fun x => ratio r x * rejects h x) b = part (fun x => excess [(1, 0)] [(1, r)] u x * rejects h x) b + u * part (fun x => ratio 0 x * rejects h x) b).
  { rewrite <- (part_scale u _ b C0), <- part_plus; [|apply cont_times; [apply excess_cont|apply rejects_cont]|apply cont_scale, C0].
    unfold part. f_equal. apply RInt_same. intros x. unfold excess; simpl. ring. }
  rewrite S. pose proof (proj1 (chance_spec 0 h) b Hb) as U0. apply Rmult_le_compat_l with (r := u) in U0; lra.
Qed.

Theorem normal_at_most s : at_most tail line_test (chance 0) (Rabs s) (chance s).
Proof.
  assert (K : forall r, 0 <= r -> at_most tail line_test (chance 0) r (chance r)).
  { intros r Hr. apply at_most_from_curve; [exact Hr|intros; apply chance_range|]. intros h. apply neyman_pearson, Hr. }
  unfold Rabs. destruct (Rcase_abs s) as [n|n]; [|apply K; lra]. split; [intros; apply chance_range|]. intros h t Ht.
  rewrite <- (Ropp_involutive s), <- chance_reflected, Ropp_involutive. apply (K (- s)); [lra|]. rewrite chance_reflected, Ropp_0. exact Ht.
Qed.
Theorem normal_at_least s : at_least tail line_test (chance 0) (- Rabs s) (chance s).
Proof.
  destruct (normal_at_most s) as [_ K]. split; [intros; apply chance_range|]. intros h t Ht.
  specialize (K (accepts h) (- t)). rewrite !chance_accepts, tail_opp in K. specialize (K ltac:(lra)).
  replace (- t - Rabs s) with (- (t - - Rabs s)) in K by ring. rewrite tail_opp in K. lra.
Qed.

(** Mixtures of normal laws wherever they are, by the distances of their members from 0: the pair with -|w_j| in P and |v_i| in Q dominates at every u. *)
Definition normal_members (l : shifts) : members line_test := map (fun a => (a, chance (snd a))) l.
Definition outwards (sign : R) (l : shifts) : shifts := map (fun a => (fst a, sign * Rabs (snd a))) l.

Theorem line_threshold_lemma ps qs u h : weights_ok ps -> weights_ok qs -> 0 < total_weight ps -> 0 <= u ->
  mixed line_test (normal_members qs) h - u * mixed line_test (normal_members ps) h <= hockey_stick (outwards (-1) ps) (outwards 1 qs) u.
Proof.
  intros Wp Wq M Hu.
  assert (O : forall c l, weights_ok l -> weights_ok (outwards c l)) by (intros c l W; induction W; constructor; auto).
  assert (TW : forall c l, total_weight (outwards c l) = total_weight l) by (intros c l; induction l as [|a l IH]; simpl; [reflexivity|rewrite IH; reflexivity]).
  rewrite hockey_stick_is_threshold_profile; auto.
  2:{ unfold outwards. intros a b Ha Hb. apply in_map_iff in Ha. apply in_map_iff in Hb. destruct Ha as [a' [<- _]]. destruct Hb as [b' [<- _]]. simpl.
      pose proof (Rabs_pos (snd a')). pose proof (Rabs_pos (snd b')). lra. }
  2:{ rewrite TW. exact M. }
  set (at_ := fun c (l : shifts) => map (fun a => ((fst a, c * Rabs (snd a)), chance (snd a))) l).
  assert (F : forall c l, map fst (at_ c l) = outwards c l) by (intros c l; unfold at_, outwards; rewrite map_map; reflexivity).
  assert (S : forall c l, mixed line_test (normal_members l) h = mixed line_test (at_ c l) h) by (intros c l; induction l as [|a l IH]; simpl; [reflexivity|rewrite IH; reflexivity]).
  rewrite (S (-1) ps), (S 1 qs), <- (F (-1) ps), <- (F 1 qs). apply (threshold_lemma tail normal_noise line_test (chance 0)); rewrite ?F; auto.
  - intros k. apply chance_range.
  - clear. induction ps as [|a l IH]; constructor; [|exact IH]. simpl. replace (-1 * Rabs (snd a)) with (- Rabs (snd a)) by ring. apply normal_at_least.
  - clear. induction qs as [|a l IH]; constructor; [|exact IH]. simpl. rewrite Rmult_1_l. apply normal_at_most.
Qed.
