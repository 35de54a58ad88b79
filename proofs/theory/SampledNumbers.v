(** * Computed laws of one sampled Gaussian step

In fixed point, by the computed exponential, logarithm and normal tail: bounds on the profile of a step at the knots of a lattice and the law above the step that they give (base_up),
and the cells between rational thresholds, a law below it (base_low), each in both orders. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Convolution Certificate Lattice GaussianTail NormalLaw GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum ShiftedNormals Compositions
  FixedPoint Numbers NormalTail UpperLaws LowerLaws BaseLaws.
Import ListNotations.
Open Scope R_scope.

Inductive order := Remove | Add.
Definition one_of (o : order) (w : R -> R) (u : R) : R := match o with Remove => one w u | Add => one_add w u end.

(** ** Facts about the profile *)
Section Facts.
Variables q mu : R.
Hypothesis Hq : 0 < q <= 1.
Hypothesis Hmu : 0 < mu.
Definition threshold (u : R) := ln ((u - (1 - q)) / q) / mu + mu / 2.
Lemma weight_threshold u : 1 - q < u -> weight q mu (threshold u) = u.
Proof.
  intros H. unfold weight, ratio, threshold. replace (mu * (ln ((u - (1 - q)) / q) / mu + mu / 2) - mu * mu / 2) with (ln ((u - (1 - q)) / q)) by (field; lra).
  rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.
Lemma step_at_threshold u : 1 - q < u -> step q mu u <= q * tail (threshold u - mu) - (u - (1 - q)) * tail (threshold u).
Proof.
  intros H. pose proof (weight_threshold u H) as W. replace (u - (1 - q)) with (u - 1 + q) by ring.
  apply (step_at q mu Hq ltac:(lra) (threshold u) (threshold u) u); rewrite ?W; lra.
Qed.
Lemma weight_bounded : bounded (weight q mu).
Proof. exists 1. apply (weight_mean q mu Hq). Qed.
Lemma E_weight : E (weight q mu) = 1.
Proof.
  unfold weight. assert (B : bounded (ratio mu)) by (exists 1; apply (ratio_mean mu)). assert (C : cont (ratio mu)) by apply cont_ratio.
  assert (Bq : bounded (fun x => q * ratio mu x)) by (destruct B as [K B]; exists (q * K); intros b Hb; rewrite part_scale by exact C; apply Rmult_le_compat_l; [lra|auto]).
  assert (B1 : bounded (fun _ : R => 1)) by (exists 1; intros b Hb; apply part_1_le, Hb).
  rewrite (E_ext _ (fun x => (1 - q) * 1 + q * ratio mu x)) by (intros; ring).
  rewrite E_plus; [|apply (cont_scale (1 - q) (fun _ => 1)), cont_const|apply cont_scale, C|intros; lra|intros x; apply Rmult_le_pos; [lra|left; apply ratio_pos]| |exact Bq].
  - rewrite (E_scale (1 - q) (fun _ => 1)), (E_scale q) by (auto using cont_const; lra). rewrite E_1, E_ratio. ring.
  - exists (1 - q). intros b Hb. rewrite (part_scale (1 - q) (fun _ => 1)) by apply cont_const. pose proof (part_1_le b Hb). rewrite <- (Rmult_1_r (1 - q)) at 2. apply Rmult_le_compat_l; lra.
Qed.
Lemma step_small u : 0 <= u -> u <= 1 - q -> step q mu u <= 1 - u.
Proof.
  intros Hu H. pose proof (weight_likelihood q mu Hq) as [P [C M]]. pose proof (hinge_bounded _ P C M u Hu) as B. pose proof (cont_hinge _ C u) as Ch.
  assert (K : E (fun x => pos (weight q mu x - u) + u * 1) = step q mu u + u * 1).
  { rewrite E_plus; [|exact Ch|apply (cont_scale u (fun _ => 1)), cont_const|intros; apply Rmax_l|intros; lra|exact B|].
    - rewrite (E_scale u (fun _ => 1)), E_1; [reflexivity|apply cont_const|exists 1; intros b Hb; apply part_1_le, Hb|exact Hu].
    - exists u. intros b Hb. rewrite (part_scale u (fun _ => 1)) by apply cont_const. pose proof (part_1_le b Hb). rewrite <- (Rmult_1_r u) at 2. apply Rmult_le_compat_l; lra. }
  assert (X : E (fun x => pos (weight q mu x - u) + u * 1) = E (weight q mu)); [|rewrite X, E_weight in K; lra].
  apply E_ext. intros x. assert (u <= weight q mu x). { unfold weight. pose proof (ratio_pos mu x). assert (0 <= q * ratio mu x) by (apply Rmult_le_pos; lra). lra. }
  unfold pos. rewrite Rmax_right by lra. ring.
Qed.
Lemma step_at_most_1 u : 0 <= u -> step q mu u <= 1.
Proof. intros Hu. eapply Rle_trans; [apply (step_falls q mu Hq 0 u); lra|apply step_0, Hq]. Qed.
(** the order add from the order remove *)
Lemma add_from_remove u : 0 < u -> one_add (weight q mu) u = 1 - u + u * step q mu (/ u).
Proof.
  intros Hu. pose proof (weight_likelihood q mu Hq) as Lw. destruct Lw as [P [C M]]. assert (I : 0 <= / u) by (left; apply Rinv_0_lt_compat, Hu).
  pose proof (hinge_bounded _ P C M (/ u) I) as B. pose proof (cont_hinge _ C (/ u)) as Ch. pose proof (one_add_cont _ u (conj P (conj C M))) as Ca. pose proof (one_add_bounded _ u (conj P (conj C M)) ltac:(lra)) as Ba.
  assert (S : forall k h, 0 <= k -> cont h -> bounded h -> bounded (fun x => k * h x)) by (intros k h Hk Hc [K HK]; exists (k * K); intros b Hb; rewrite part_scale by exact Hc; apply Rmult_le_compat_l; auto).
  assert (X : E (fun x => pos (1 - u * weight q mu x) + u * weight q mu x) = E (fun x => 1 + u * pos (weight q mu x - / u))).
  { apply E_ext. intros x. rewrite <- (pos_scaled u) by lra. replace (u * (weight q mu x - / u)) with (u * weight q mu x - 1) by (field; lra).
    unfold pos. destruct (Rle_dec (u * weight q mu x) 1); [rewrite Rmax_right, Rmax_left by lra|rewrite Rmax_left, Rmax_right by lra]; ring. }
  rewrite E_plus in X; [|exact Ca|apply cont_scale, C|intros; apply Rmax_l|intros x; apply Rmult_le_pos; [lra|left; apply P]|exact Ba|apply S; [lra|exact C|apply weight_bounded]].
  rewrite E_plus in X; [|apply cont_const|apply cont_scale, Ch|intros; lra|intros x; apply Rmult_le_pos; [lra|apply Rmax_l]|exists 1; intros b Hb; apply part_1_le, Hb|apply S; [lra|exact Ch|exact B]].
  rewrite (E_scale u (weight q mu)), (E_scale u (fun x => pos (weight q mu x - / u))), E_1, E_weight in X by (try lra; try exact C; try exact Ch; try exact B; apply weight_bounded).
  unfold one_add. change (step q mu (/ u)) with (E (fun x => pos (weight q mu x - / u))). lra.
Qed.
End Facts.

(** ** In fixed point *)
Section Bits.
Variable bits : positive.
Notation P := (UpperLaws.unit bits).
Notation c := (c bits).
Notation of_Q := (of_Q bits).
Lemma encl_up i x : encl bits i x -> x <= c * IZR (snd i).
Proof.
  intros [_ H]. pose proof (IZR_unit_pos bits) as U. apply Rmult_le_reg_l with (IZR P); [exact U|]. rewrite <- Rmult_assoc, (Rmult_comm (IZR P) c), c_unit, Rmult_1_l. exact H.
Qed.
Lemma encl_down i x : encl bits i x -> c * IZR (fst i) <= x.
Proof.
  intros [H _]. pose proof (IZR_unit_pos bits) as U. apply Rmult_le_reg_l with (IZR P); [exact U|]. rewrite <- Rmult_assoc, (Rmult_comm (IZR P) c), c_unit, Rmult_1_l. exact H.
Qed.
Definition inverse_total : Z * Z := match inverse_total_Z bits with Some j => j | None => (0, P)%Z end.
Lemma inverse_total_encl : encl bits inverse_total (/ total).
Proof.
  unfold inverse_total. destruct (inverse_total_Z bits) as [j|] eqn:E; [apply inverse_total_sound, E|]. pose proof total_at_least_1 as T. pose proof (IZR_unit_pos bits) as U.
  assert (0 < / total) by (apply Rinv_0_lt_compat; lra). assert (/ total <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  change (0 <= IZR P * / total <= IZR P). split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (IZR P)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Section Step.
Variables (inv : Z * Z) (q mu : Q).
Hypothesis Hinv : encl bits inv (/ total).
Hypothesis Hq : 0 < Q2R q <= 1.
Hypothesis Hmu : 0 < Q2R mu.
Definition tail_of (i : Z * Z) : option (Z * Z) := tail_Z bits inv i.

(** the profile at u, from above, in units; order remove *)
Definition remove_up (iu : Z * Z) : Z :=
  let rest := of_Q (1 - q) in let g := sub_Z iu rest in
  if (snd iu <=? fst rest)%Z then (P - fst iu)%Z else
  if (fst g <=? 0)%Z then P else
  match div_Z bits g (of_Q q) with None => P | Some r =>
  match ln_Z bits r with None => P | Some l =>
  match div_Z bits l (of_Q mu) with None => P | Some t0 =>
  let t := add_Z t0 (half_Z (of_Q mu)) in
  match tail_of (sub_Z t (of_Q mu)), tail_of t with
  | Some a, Some z => Z.min P (snd (sub_Z (mul_Z bits (of_Q q) a) (mul_Z bits g z)))
  | _, _ => P
  end end end end.
Lemma Q2R_rest : Q2R (1 - q) = 1 - Q2R q.
Proof. rewrite Q2R_minus. unfold Q2R at 1. simpl. field. Qed.
Lemma remove_up_sound iu u : 0 <= u -> encl bits iu u -> step (Q2R q) (Q2R mu) u <= c * IZR (remove_up iu).
Proof.
  intros Hu Eu. pose proof (encl_Q bits q) as Eq. pose proof (encl_Q bits mu) as Em. pose proof (encl_Q bits (1 - q)) as Er. rewrite Q2R_rest in Er. fold (of_Q q) in *. fold (of_Q mu) in *.
  assert (D : step (Q2R q) (Q2R mu) u <= c * IZR P) by (rewrite c_unit; apply step_at_most_1; assumption).
  unfold remove_up. set (rest := of_Q (1 - q)) in *. set (g := sub_Z iu rest). destruct (snd iu <=? fst rest)%Z eqn:S.
  - apply Z.leb_le, IZR_le in S. pose proof (encl_up _ _ Eu) as U. pose proof (encl_down _ _ Er) as L. pose proof (c_pos bits) as CP.
    assert (c * IZR (snd iu) <= c * IZR (fst rest)) by (apply Rmult_le_compat_l; lra). pose proof (encl_down _ _ Eu) as V.
    rewrite minus_IZR, Rmult_minus_distr_l, c_unit. pose proof (step_small (Q2R q) (Q2R mu) Hq u Hu ltac:(lra)). lra.
  - pose proof (encl_sub _ _ _ _ _ Eu Er) as Eg. fold g in Eg. destruct (fst g <=? 0)%Z eqn:G; [exact D|]. apply Z.leb_gt in G.
    assert (H : 1 - Q2R q < u). { pose proof (encl_down _ _ Eg) as K. apply IZR_lt in G. pose proof (c_pos bits) as CP. assert (0 < c * IZR (fst g)) by (apply Rmult_lt_0_compat; assumption). lra. }
    destruct (div_Z bits g (of_Q q)) as [r|] eqn:E1; [|exact D]. destruct (encl_div _ _ _ _ _ _ Eg Eq E1) as [R1 _].
    destruct (ln_Z bits r) as [l|] eqn:E2; [|exact D]. destruct (ln_sound _ _ _ _ R1 E2) as [R2 _].
    destruct (div_Z bits l (of_Q mu)) as [t0|] eqn:E3; [|exact D]. destruct (encl_div _ _ _ _ _ _ R2 Em E3) as [R3 _].
    pose proof (encl_add _ _ _ _ _ R3 (encl_half _ _ _ Em)) as Et. fold (threshold (Q2R q) (Q2R mu) u) in Et. set (t := add_Z t0 (half_Z (of_Q mu))) in *.
    destruct (tail_of (sub_Z t (of_Q mu))) as [a|] eqn:E4; [|exact D]. destruct (tail_of t) as [z|] eqn:E5; [|exact D].
    pose proof (tail_sound _ _ _ _ _ Hinv (encl_sub _ _ _ _ _ Et Em) E4) as Ea. pose proof (tail_sound _ _ _ _ _ Hinv Et E5) as Ez.
    pose proof (encl_up _ _ (encl_sub _ _ _ _ _ (encl_mul _ _ _ _ _ Eq Ea) (encl_mul _ _ _ _ _ Eg Ez))) as K.
    pose proof (step_at_threshold (Q2R q) (Q2R mu) Hq Hmu u H) as F. destruct (Z.min_spec P (snd (sub_Z (mul_Z bits (of_Q q) a) (mul_Z bits g z)))) as [[_ ->]|[_ ->]]; [exact D|lra].
Qed.
(** order add, from enclosures of u and 1 / u *)
Definition add_up (iu iv : Z * Z) : Z :=
  let d := remove_up iv in if (d <=? P)%Z && (0 <=? fst iu)%Z then (P - UpperLaws.down bits (fst iu * (P - d)))%Z else P.
Lemma add_up_sound iu iv u : 0 < u -> encl bits iu u -> encl bits iv (/ u) -> one_add (weight (Q2R q) (Q2R mu)) u <= c * IZR (add_up iu iv).
Proof.
  intros Hu Eu Ev. assert (I : 0 < / u) by (apply Rinv_0_lt_compat, Hu). pose proof (remove_up_sound iv (/ u) ltac:(lra) Ev) as R. unfold add_up. set (d := remove_up iv) in *.
  destruct ((d <=? P)%Z && (0 <=? fst iu)%Z) eqn:B.
  - apply andb_true_iff in B. destruct B as [B1 B2]. apply Z.leb_le, IZR_le in B1, B2. rewrite add_from_remove by assumption. pose proof (down_spec bits (fst iu * (P - d))) as D. rewrite minus_IZR, Rmult_minus_distr_l, c_unit.
    rewrite mult_IZR, minus_IZR in D. pose proof (encl_down _ _ Eu) as L. pose proof (c_pos bits) as CP.
    assert (0 <= c * (IZR P - IZR d)) by (apply Rmult_le_pos; lra).
    assert (c * IZR (fst iu) * (c * (IZR P - IZR d)) <= u * (c * (IZR P - IZR d))) by (apply Rmult_le_compat_r; lra).
    replace (c * IZR (fst iu) * (c * (IZR P - IZR d))) with (c * c * (IZR (fst iu) * (IZR P - IZR d))) in H0 by ring.
    assert (u * step (Q2R q) (Q2R mu) (/ u) <= u * (c * IZR d)) by (apply Rmult_le_compat_l; lra).
    rewrite (Rmult_minus_distr_l c (IZR P)), c_unit, (Rmult_minus_distr_l u) in H0. lra.
  - rewrite c_unit. pose proof (weight_likelihood (Q2R q) (Q2R mu) Hq) as Lw. eapply Rle_trans; [apply (add_falls _ Lw 0 u); lra|apply add_0, Lw].
Qed.

(** ** The law above a step, on the lattice of step s *)
Variable s : Q.
Hypothesis Hs : 0 < Q2R s.
Definition at_knot (k : Z) : Q := (s * (k # 1))%Q.
Lemma Q2R_knot k : Q2R (at_knot k) = Q2R s * IZR k.
Proof. unfold at_knot. rewrite Q2R_mult. f_equal. unfold Q2R; simpl. field. Qed.
Definition knot_up (o : order) (k : Z) : Z :=
  match exp_Z bits (of_Q (at_knot k)), exp_Z bits (of_Q (- at_knot k)) with
  | Some iu, Some iv => match o with Remove => remove_up iu | Add => add_up iu iv end
  | _, _ => P
  end.
Lemma knot_up_sound o k : one_of o (weight (Q2R q) (Q2R mu)) (exp (Q2R s * IZR k)) <= c * IZR (knot_up o k).
Proof.
  pose proof (weight_likelihood (Q2R q) (Q2R mu) Hq) as Lw. pose proof (exp_pos (Q2R s * IZR k)) as X.
  assert (D : one_of o (weight (Q2R q) (Q2R mu)) (exp (Q2R s * IZR k)) <= c * IZR P).
  { rewrite c_unit. destruct o; cbn [one_of]; [apply (step_at_most_1 (Q2R q) (Q2R mu) Hq); lra|]. eapply Rle_trans; [apply (add_falls _ Lw 0); lra|apply add_0, Lw]. }
  unfold knot_up. destruct (exp_Z bits (of_Q (at_knot k))) as [iu|] eqn:E1; [|exact D]. destruct (exp_Z bits (of_Q (- at_knot k))) as [iv|] eqn:E2; [|exact D].
  apply (exp_sound _ _ _ _ (encl_Q bits _)) in E1, E2. rewrite Q2R_opp in E2. rewrite Q2R_knot in E1, E2. rewrite exp_Ropp in E2.
  destruct o; cbn [one_of]; [apply remove_up_sound; [lra|exact E1]|apply add_up_sound; assumption].
Qed.
Fixpoint knots_up (o : order) (k : Z) (n : nat) : list Z := match n with O => [] | S n => knot_up o k :: knots_up o (k + 1) n end.
Lemma knots_up_sound o n : forall k, bounded_at bits (Q2R s) (one_of o (weight (Q2R q) (Q2R mu))) k (knots_up o k n).
Proof. induction n as [|n IH]; intros k; simpl; [exact I|]. split; [apply knot_up_sound|apply IH]. Qed.

(** masses that reach the values ds at the knots, from the last: (masses after the first knot, all with that at infinity, those by e^(-loss)) *)
Fixpoint build (rhi : Z) (ds : list Z) : list Z * Z * Z :=
  match ds with
  | [] => ([], 0%Z, 0%Z)
  | d :: rest =>
      match rest with
      | [] => ([], Z.max 0 d, 0%Z)
      | _ => let '(l, all, weighted) := build rhi rest in let x := UpperLaws.up bits (rhi * weighted) in
             let need := (d - all + UpperLaws.up bits (rhi * x) + 2)%Z in let a := Z.max 0 (need * P / (P - rhi) + 1)%Z in
             (a :: l, (all + a)%Z, (a + x)%Z)
      end
  end.
Definition base_law (rhi k : Z) (ds : list Z) : law :=
  let '(l, all, _) := build rhi ds in {| first := k; masses := Z.max 0 (P - all) :: l; top := Z.max 0 (List.last ds 0%Z) |}.
Definition base_up (o : order) (k : Z) (n : nat) : option law :=
  match exp_Z bits (of_Q (- s)) with
  | Some (_, rhi) => let ds := knots_up o k n in let x := base_law rhi k ds in if base_is_above bits rhi x ds then Some x else None
  | None => None
  end.
Theorem base_up_sound o k n x : base_up o k n = Some x ->
  good x /\ forall u, 0 <= u -> one_of o (weight (Q2R q) (Q2R mu)) u <= profile (real bits (Q2R s) x) u.
Proof.
  unfold base_up. destruct (exp_Z bits (of_Q (- s))) as [[rlo rhi]|] eqn:E; [|discriminate]. destruct (base_is_above bits rhi (base_law rhi k (knots_up o k n)) (knots_up o k n)) eqn:B; [|discriminate]. intros H. injection H as <-.
  apply (exp_sound _ _ _ _ (encl_Q bits _)) in E. rewrite Q2R_opp in E. destruct E as [_ E]. cbn [snd] in E. pose proof (weight_likelihood (Q2R q) (Q2R mu) Hq) as Lw.
  assert (F : first (base_law rhi k (knots_up o k n)) = k) by (unfold base_law; destruct (build rhi (knots_up o k n)) as [[l all] w]; reflexivity).
  apply (base_above bits (Q2R s) Hs (one_of o (weight (Q2R q) (Q2R mu))) rhi _ (knots_up o k n)); [| | |exact E|exact B|rewrite F; apply knots_up_sound].
  - destruct o; cbn [one_of]; [apply (step_convex (Q2R q) (Q2R mu) Hq)|apply add_convex, Lw].
  - destruct o; cbn [one_of]; [apply (step_falls (Q2R q) (Q2R mu) Hq)|apply add_falls, Lw].
  - destruct o; cbn [one_of]; [apply (step_0 (Q2R q) (Q2R mu) Hq)|apply add_0, Lw].
Qed.

(** ** The cells below a step, between rational thresholds *)
Definition tails_at (t : Q) : option ((Z * Z) * (Z * Z)) := match tail_of (of_Q t), tail_of (of_Q (t - mu)) with Some z, Some a => Some (z, a) | _, _ => None end.
Fixpoint cells_from (o : order) (a : Q) (at_a : (Z * Z) * (Z * Z)) (l : list Q) : option (list Z * list Z) :=
  match l with
  | [] => Some ([], [])
  | b :: l =>
      match tails_at b with
      | None => None
      | Some at_b =>
          match cells_from o b at_b l with
          | None => None
          | Some (ls, hs) =>
              if Qle_bool a b then
                let p := sub_Z (fst at_a) (fst at_b) in let w := add_Z (mul_Z bits (of_Q (1 - q)) p) (mul_Z bits (of_Q q) (sub_Z (snd at_a) (snd at_b))) in
                match o with Remove => Some (Z.max 0 (fst w) :: ls, snd p :: hs) | Add => Some (Z.max 0 (fst p) :: ls, snd w :: hs) end
              else None
          end
      end
  end.
Definition tails_enclosed (t : Q) (at_t : (Z * Z) * (Z * Z)) := encl bits (fst at_t) (tail (Q2R t)) /\ encl bits (snd at_t) (tail (Q2R t - Q2R mu)).
Lemma tails_at_sound t at_t : tails_at t = Some at_t -> tails_enclosed t at_t.
Proof.
  unfold tails_at, tails_enclosed. destruct (tail_of (of_Q t)) as [z|] eqn:E1; [|discriminate]. destruct (tail_of (of_Q (t - mu))) as [a|] eqn:E2; [|discriminate]. intros H. injection H as <-. cbn [fst snd].
  apply (tail_sound _ _ _ _ _ Hinv (encl_Q bits _)) in E1, E2. rewrite Q2R_minus in E2. auto.
Qed.
Lemma max_0_down i x : 0 <= x -> encl bits i x -> c * IZR (Z.max 0 (fst i)) <= x.
Proof. intros H E. destruct (Z.max_spec 0 (fst i)) as [[_ ->]|[_ ->]]; [apply encl_down, E|lra]. Qed.
Definition low_mass (o : order) := match o with Remove => q_mass (Q2R q) (Q2R mu) | Add => p_mass end.
Definition high_mass (o : order) := match o with Remove => p_mass | Add => q_mass (Q2R q) (Q2R mu) end.
Lemma cells_from_sound o l : forall a at_a ls hs, tails_enclosed a at_a -> cells_from o a at_a l = Some (ls, hs) ->
  cells_of bits (low_mass o) (high_mass o) (Q2R a) (map Q2R l) ls hs.
Proof.
  induction l as [|b l IH]; intros a at_a ls hs Ea H; cbn [cells_from map] in *; [injection H as <- <-; exact I|].
  destruct (tails_at b) as [at_b|] eqn:T; [|discriminate]. apply tails_at_sound in T. destruct (cells_from o b at_b l) as [[ls' hs']|] eqn:C; [|discriminate]. specialize (IH b at_b ls' hs' T C).
  destruct (Qle_bool a b) eqn:L; [|discriminate]. apply Qle_bool_iff, Qle_Rle in L. destruct Ea as [A1 A2]. destruct T as [B1 B2].
  pose proof (encl_sub _ _ _ _ _ A1 B1) as Ep. pose proof (encl_sub _ _ _ _ _ A2 B2) as Es. pose proof (encl_Q bits (1 - q)) as Er. rewrite Q2R_rest in Er.
  pose proof (encl_add _ _ _ _ _ (encl_mul _ _ _ _ _ Er Ep) (encl_mul _ _ _ _ _ (encl_Q bits q) Es)) as Ew.
  assert (Np : 0 <= tail (Q2R a) - tail (Q2R b)) by (pose proof (tail_falls_weakly _ _ L); lra).
  assert (Nq : 0 <= (1 - Q2R q) * (tail (Q2R a) - tail (Q2R b)) + Q2R q * (tail (Q2R a - Q2R mu) - tail (Q2R b - Q2R mu))).
  { pose proof (tail_falls_weakly (Q2R a - Q2R mu) (Q2R b - Q2R mu) ltac:(lra)). apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  cbv zeta in H. set (p := sub_Z (fst at_a) (fst at_b)) in *. set (w := add_Z (mul_Z bits (of_Q (1 - q)) p) (mul_Z bits (of_Q q) (sub_Z (snd at_a) (snd at_b)))) in *. clearbody p w.
  destruct o; apply some_inj, pair_equal_spec in H; destruct H as [-> ->]; cbn [cells_of low_mass high_mass]; (split; [exact L|]); (split; [|split; [|exact IH]]); unfold p_mass, q_mass.
  - apply max_0_down; assumption.
  - apply encl_up, Ep.
  - apply max_0_down; assumption.
  - apply encl_up, Ew.
Qed.
Definition base_low (o : order) (l : list Q) : option cells :=
  match l with
  | [] => None
  | a :: l =>
      match tails_at a with
      | None => None
      | Some at_a =>
          match cells_from o a at_a l with
          | None => None
          | Some (ls, hs) => if (forallb (Z.leb 0) ls && forallb (Z.leb 0) hs && (length ls =? length hs)%nat)%bool then Some {| q_masses := ls; p_masses := hs |} else None
          end
      end
  end.
Lemma forallb_nonneg l : forallb (Z.leb 0) l = true -> nonneg l.
Proof. intros H. apply List.Forall_forall. intros n Hn. rewrite forallb_forall in H. apply Z.leb_le, H, Hn. Qed.
Theorem base_low_sound o l x : base_low o l = Some x ->
  sound_cells x /\ forall u, 0 <= u -> profile (cell_law bits x) u <= one_of o (weight (Q2R q) (Q2R mu)) u.
Proof.
  unfold base_low. destruct l as [|a l]; [discriminate|]. destruct (tails_at a) as [at_a|] eqn:T; [|discriminate]. apply tails_at_sound in T. destruct (cells_from o a at_a l) as [[ls hs]|] eqn:C; [|discriminate].
  destruct (forallb (Z.leb 0) ls && forallb (Z.leb 0) hs && (length ls =? length hs)%nat)%bool eqn:B; [|discriminate]. intros H. injection H as <-. repeat rewrite andb_true_iff in B. destruct B as [[B1 B2] B3].
  assert (S : sound_cells {| q_masses := ls; p_masses := hs |}) by (split; [apply forallb_nonneg, B1|split; [apply forallb_nonneg, B2|apply Nat.eqb_eq, B3]]). split; [exact S|].
  pose proof (cells_from_sound o l a at_a ls hs T C) as K. intros u Hu. destruct o; cbn [one_of low_mass high_mass] in *.
  - exact (proj2 (proj2 (cells_below_remove bits (Q2R q) (Q2R mu) Hq (Q2R a) (map Q2R l) _ S K)) u Hu).
  - exact (proj2 (proj2 (cells_below_add bits (Q2R q) (Q2R mu) Hq (Q2R a) (map Q2R l) _ S K)) u Hu).
Qed.
End Step.
End Bits.
