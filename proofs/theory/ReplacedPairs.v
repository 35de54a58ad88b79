(** * Mixtures on the line as pairs, and the step in which a record is replaced on a Poisson sample, computed

Without and with the record are mixtures of normal laws (ShiftedNormals.v), a pair of Product.v. Where a record that moves the sum down is replaced by one that moves it up (ReplaceOne.v), the
divergence at u and a tangent are those of the threshold test at the cut, enclosed in fixed point. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum Threshold ShiftedNormals ReplaceOne.
From Dpcmp Require Import Product ProductPairs FixedPoint FixedSeries Numbers NormalTail StepProfiles.
Import ListNotations.
Open Scope R_scope.

Section Mixture.
Variables ps qs : shifts.
Hypothesis Wp : weights_ok ps.
Hypothesis Wq : weights_ok qs.
Hypothesis Tp : total_weight ps = 1.
Hypothesis Tq : total_weight qs = 1.
Lemma E_density l : weights_ok l -> E (density l) = total_weight l /\ bounded (density l).
Proof.
  induction l as [|a l IHl]; intros W.
  - assert (Z : E (density []) = 0 * E (fun _ => 1)) by (rewrite <- (E_scale 0 (fun _ => 1)); [apply E_ext; intros; simpl; ring|apply cont_const|apply (bounded_const _ 1 (cont_const 1)); intros; lra|lra]).
    split; [rewrite Z; simpl; ring|]. apply (bounded_const _ 0 (cont_const 0)); intros; simpl; lra.
  - inversion_clear W as [|? ? Ha W']. destruct (IHl W') as [IH B]. assert (Cr : cont (ratio (snd a))) by apply cont_ratio. assert (Br : bounded (ratio (snd a))) by (exists 1; apply SamplingLowers.ratio_mean).
    assert (Bs : bounded (fun x => fst a * ratio (snd a) x)) by (destruct Br as [K Br]; exists (fst a * K); intros b Hb; rewrite part_scale by exact Cr; apply Rmult_le_compat_l; auto).
    pose proof (density_cont l) as Cl. cbn [density total_weight]. split.
    + rewrite (E_plus (fun x => fst a * ratio (snd a) x) (density l)); [|apply cont_scale, Cr|exact Cl|intros x; apply Rmult_le_pos; [exact Ha|left; apply ratio_pos]|intros x; apply density_nonneg, W'|exact Bs|exact B].
      rewrite E_scale, ShiftedNormals.E_ratio, IH by assumption. ring.
    + destruct Bs as [K1 B1]. destruct B as [K2 B2]. exists (K1 + K2). intros b Hb. rewrite (part_plus (fun x => fst a * ratio (snd a) x) (density l)) by (try exact Cl; apply cont_scale, Cr). specialize (B1 b Hb). specialize (B2 b Hb). lra.
Qed.
Lemma mixture_of_good F a b : good F -> 0 <= a -> 0 <= b -> normal_integrable (fun x => F (a * density ps x) (b * density qs x)).
Proof.
  intros G Ha Hb. pose proof (density_cont ps) as Cp. pose proof (density_cont qs) as Cq.
  assert (Pp : forall x, 0 <= a * density ps x) by (intros x; apply Rmult_le_pos; [exact Ha|apply density_nonneg, Wp]).
  assert (Pq : forall x, 0 <= b * density qs x) by (intros x; apply Rmult_le_pos; [exact Hb|apply density_nonneg, Wq]). destruct G as [A1 [C [C0 A2]] [D [D0 A3]] A4].
  assert (CF : cont (fun x => F (a * density ps x) (b * density qs x))).
  { apply (lipschitz_cont F (fun x => a * density ps x) (fun x => b * density qs x) D); auto; apply cont_scale; assumption. }
  split; [exact CF|]. split; [intros x; apply A1; [apply Pp|apply Pq]|]. exists (C * (a + b)). intros B HB.
  apply Rle_trans with (part (fun x => C * (a * density ps x + b * density qs x)) B).
  - apply part_le; [exact CF|apply cont_scale, (cont_plus (fun x => a * density ps x) (fun x => b * density qs x)); apply cont_scale; assumption|exact HB|]. intros x. apply A2; [apply Pp|apply Pq].
  - rewrite part_scale by (apply (cont_plus (fun x => a * density ps x) (fun x => b * density qs x)); apply cont_scale; assumption).
    rewrite (part_plus (fun x => a * density ps x) (fun x => b * density qs x)) by (apply cont_scale; assumption). rewrite !part_scale by assumption. apply Rmult_le_compat_l; [exact C0|].
    pose proof (part_density ps B Wp HB) as K1. pose proof (part_density qs B Wq HB) as K2. rewrite Tp in K1. rewrite Tq in K2.
    assert (a * part (density ps) B <= a * 1) by (apply Rmult_le_compat_l; lra). assert (b * part (density qs) B <= b * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Definition mixture_pair : pair.
Proof.
  refine {| outcome := R; p := density ps; q := density qs; integral := E; integrable := normal_integrable |}.
  - intros x. apply density_nonneg, Wp.
  - intros x. apply density_nonneg, Wq.
  - exact mixture_of_good.
  - intros f g [Cf [Pf [M Bf]]] [Cg [Pg [N Bg]]]. split; [apply cont_plus; assumption|]. split; [intros x; specialize (Pf x); specialize (Pg x); lra|].
    exists (M + N). intros b Hb. rewrite part_plus by assumption. specialize (Bf b Hb). specialize (Bg b Hb). lra.
  - intros c f Hc [Cf [Pf [M Bf]]]. split; [apply cont_scale, Cf|]. split; [intros x; apply Rmult_le_pos; auto|].
    exists (c * M). intros b Hb. rewrite part_scale by exact Cf. apply Rmult_le_compat_l; auto.
  - intros f g [Cf [_ _]] [Cg [_ Bg]] H. apply E_le; assumption.
  - intros f g [Cf [Pf Bf]] [Cg [Pg Bg]]. apply E_plus; assumption.
  - intros c f Hc [Cf [Pf Bf]]. apply E_scale; assumption.
  - rewrite (proj1 (E_density ps Wp)). exact Tp.
  - rewrite (proj1 (E_density qs Wq)). exact Tq.
Defined.
Theorem mixture_divergence u : divergence [mixture_pair] u = hockey_stick ps qs u /\ divergence [swap mixture_pair] u = hockey_stick qs ps u.
Proof.
  unfold divergence, hockey, hockey_stick. cbn [product]. unfold next. cbn [integral p q swap mixture_pair]. split; apply E_ext; intros x; unfold stick, excess; f_equal; ring.
Qed.
End Mixture.

(** ** A record replaced on a sample *)
Section Replaced.
Variables rate r : R.
Hypothesis Hq : 0 < rate <= 1.
Hypothesis Hr : 0 < r.
Lemma replaced_totals : total_weight (without rate r) = 1 /\ total_weight (with_record rate r) = 1.
Proof. simpl. split; ring. Qed.
Definition replaced_pair : pair := mixture_pair _ _ (weights_without rate r Hq) (weights_with rate r Hq) (proj1 replaced_totals) (proj2 replaced_totals).
Lemma replaced_divergence u : divergence [replaced_pair] u = replace_profile rate r u /\ divergence [swap replaced_pair] u = replace_profile rate r u.
Proof.
  destruct (mixture_divergence _ _ (weights_without rate r Hq) (weights_with rate r Hq) (proj1 replaced_totals) (proj2 replaced_totals) u) as [A B]. fold replaced_pair in A, B. split; [exact A|].
  rewrite B. apply replace_symmetric.
Qed.
Lemma replaced_at u : 0 < u -> replace_profile rate r u = test_power rate r (cut rate r u) - u * type_1 rate r (cut rate r u) /\
  forall v, 0 <= v -> replace_profile rate r u - type_1 rate r (cut rate r u) * (v - u) <= replace_profile rate r v.
Proof.
  intros Hu. pose proof (replace_profile_closed rate r Hq Hr u Hu) as E. split; [exact E|]. intros v Hv. rewrite E. destruct (replace_spec rate r Hq Hr v Hv) as [T _]. specialize (T (cut rate r u)). lra.
Qed.
End Replaced.

Definition cut_Z (w : positive) (iq ir iu : Z * Z) : option (Z * Z) :=
  let one := exact_Z w 1 in
  match exp_Z w (neg_Z (half_Z (mul_Z w ir ir))) with
  | None => None
  | Some c => let k := mul_Z w iq c in let b := mul_Z w (sub_Z one iq) (sub_Z iu one) in
      let root := sqrt_Z w (max_Z (0, 0)%Z (add_Z (mul_Z w b b) (mul_Z w (mul_Z w (exact_Z w 4) iu) (mul_Z w k k)))) in
      match div_Z w (add_Z b root) (mul_Z w (exact_Z w 2) k) with
      | None => None
      | Some z => match ln_Z w z with Some l => div_Z w l ir | None => None end
      end
  end.
Definition replaced_Z (w : positive) (inv iq ir iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  let rest := sub_Z (exact_Z w 1) iq in
  if (0 <? fst iu)%Z then
    match cut_Z w iq ir iu with
    | None => None
    | Some t =>
        match tail_Z w inv t, tail_Z w inv (sub_Z t ir), tail_Z w inv (add_Z t ir) with
        | Some m, Some a, Some b =>
            let power := add_Z (mul_Z w rest m) (mul_Z w iq a) in let size := add_Z (mul_Z w rest m) (mul_Z w iq b) in Some (clamp_0 (sub_Z power (mul_Z w iu size)), size)
        | _, _, _ => None
        end
    end
  else None.
Section Sound.
Variables (w : positive) (inv iq ir iu : Z * Z) (rate r u : R).
Hypothesis Hq : 0 < rate <= 1.
Hypothesis Hr : 0 < r.
Hypothesis I : encl w inv (/ total).
Hypothesis Eq : encl w iq rate.
Hypothesis Er : encl w ir r.
Hypothesis Eu : encl w iu u.
Lemma cut_sound t : cut_Z w iq ir iu = Some t -> encl w t (cut rate r u).
Proof.
  unfold cut_Z. destruct (exp_Z w (neg_Z (half_Z (mul_Z w ir ir)))) as [c|] eqn:X; [|discriminate]. pose proof (exp_sound w _ _ _ (encl_neg w _ _ (encl_half w _ _ (encl_mul w _ _ _ _ Er Er))) X) as Ec.
  assert (E0 : encl w c (c0 r)) by (unfold c0; replace (- (r * r) / 2) with (- (r * r / 2)) by field; exact Ec). cbv zeta.
  set (k := mul_Z w iq c). set (b := mul_Z w (sub_Z (exact_Z w 1) iq) (sub_Z iu (exact_Z w 1))). assert (Ek : encl w k (rate * c0 r)) by (apply encl_mul; assumption).
  assert (Eb : encl w b ((1 - rate) * (u - 1))) by (apply encl_mul; apply encl_sub; auto; apply (encl_exact w 1)).
  set (s := max_Z (0, 0)%Z (add_Z (mul_Z w b b) (mul_Z w (mul_Z w (exact_Z w 4) iu) (mul_Z w k k)))).
  set (S := ((1 - rate) * (u - 1)) ^ 2 + 4 * u * (rate * c0 r) ^ 2). assert (Es : encl w s (Rmax 0 S)).
  { apply encl_max; [apply encl_zero|]. unfold S. replace (((1 - rate) * (u - 1)) ^ 2 + 4 * u * (rate * c0 r) ^ 2) with ((1 - rate) * (u - 1) * ((1 - rate) * (u - 1)) + 4 * u * (rate * c0 r * (rate * c0 r))) by ring.
    apply encl_add; apply encl_mul; auto; try (apply encl_mul; assumption). apply encl_mul; [apply (encl_exact w 4)|exact Eu]. }
  assert (R : sqrt (Rmax 0 S) = root rate r u).
  { unfold root. fold S. destruct (Rle_dec 0 S) as [h|h]; [rewrite Rmax_right by exact h; reflexivity|]. rewrite Rmax_left, sqrt_0, sqrt_neg_0 by lra. reflexivity. }
  pose proof (encl_sqrt w s _ (Rmax_l 0 S) Es) as Eroot. rewrite R in Eroot.
  destruct (div_Z w (add_Z b (sqrt_Z w s)) (mul_Z w (exact_Z w 2) k)) as [z|] eqn:Z; [|discriminate]. destruct (ln_Z w z) as [l|] eqn:L; [|discriminate]. intros H.
  destruct (encl_div w _ _ _ _ _ (encl_add w _ _ _ _ Eb Eroot) (encl_mul w _ _ _ _ (encl_exact w 2) Ek) Z) as [Ez _]. destruct (ln_sound w _ _ _ Ez L) as [El _].
  exact (proj1 (encl_div w _ _ _ _ _ El Er H)).
Qed.
Theorem replaced_sound d s : replaced_Z w inv iq ir iu = Some (d, s) ->
  0 < u /\ encl w d (replace_profile rate r u) /\ exists slope, encl w s slope /\ forall v, 0 <= v -> replace_profile rate r u - slope * (v - u) <= replace_profile rate r v.
Proof.
  unfold replaced_Z. destruct (0 <? fst iu)%Z eqn:U; [|discriminate]. apply (encl_positive w _ _ Eu) in U. destruct (cut_Z w iq ir iu) as [t|] eqn:C; [|discriminate]. apply cut_sound in C.
  destruct (tail_Z w inv t) as [m|] eqn:M; [|discriminate]. destruct (tail_Z w inv (sub_Z t ir)) as [a|] eqn:A; [|discriminate]. destruct (tail_Z w inv (add_Z t ir)) as [b|] eqn:B; [|discriminate].
  intros H. apply pair_inj in H. destruct H as [-> ->]. split; [exact U|]. pose proof (tail_sound w inv _ _ _ I C M) as Em. pose proof (tail_sound w inv _ _ _ I (encl_sub w _ _ _ _ C Er) A) as Ea.
  pose proof (tail_sound w inv _ _ _ I (encl_add w _ _ _ _ C Er) B) as Eb. assert (E1 : encl w (sub_Z (exact_Z w 1) iq) (1 - rate)) by (apply encl_sub; [apply (encl_exact w 1)|exact Eq]).
  destruct (replaced_at rate r Hq Hr u U) as [E T]. set (c := cut rate r u) in *.
  assert (Es : encl w (add_Z (mul_Z w (sub_Z (exact_Z w 1) iq) m) (mul_Z w iq b)) (type_1 rate r c)) by (unfold type_1; apply encl_add; apply encl_mul; assumption). split.
  - apply encl_clamp; [|apply (replace_spec rate r Hq Hr u (Rlt_le _ _ U))]. rewrite E. apply encl_sub; [unfold test_power; apply encl_add; apply encl_mul; assumption|apply encl_mul; assumption].
  - exists (type_1 rate r c). auto.
Qed.
End Sound.
