(** * A mixture of shifted normal laws against the standard one, computed

A record that may be drawn several times, or a group of records on a Poisson sample, moves the sum by one of several distances, each with its chance. The likelihood ratio is a sum of
exponentials and has no closed inverse: the cut, where it is u, is looked for by Newton's method, which is not trusted, and lies between two points at which the ratio is certainly below
and certainly above u. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum Threshold ShiftedNormals.
From Dpcmp Require Import Product ProductPairs FixedPoint FixedSeries Numbers NormalTail StepProfiles OtherProfiles ReplacedPairs.
Import ListNotations.
Open Scope R_scope.

Notation over := (Threshold.above tail).
Definition standard : shifts := [(1, 0)].
Lemma standard_ok : weights_ok standard. Proof. constructor; [simpl; lra|constructor]. Qed.
Lemma standard_total : total_weight standard = 1. Proof. simpl. ring. Qed.
Lemma standard_density x : density standard x = 1.
Proof. simpl. unfold ratio. replace (0 * x - 0 * 0 / 2) with 0 by field. rewrite exp_0. ring. Qed.
Lemma standard_over t : over standard t = tail t.
Proof. simpl. rewrite Rminus_0_r. ring. Qed.

(** ** Both orders by the threshold where the likelihood ratio is u, or below all likelihood ratios *)
Section Mixture.
Variable qs : shifts.
Hypothesis Wq : weights_ok qs.
Hypothesis Tq : total_weight qs = 1.
Hypothesis up : forall a, In a qs -> 0 <= snd a.
Definition mixed_pair : pair := mixture_pair standard qs standard_ok Wq standard_total Tq.
Notation D := (divergence [mixed_pair]).
Notation D' := (divergence [swap mixed_pair]).

Lemma mixed_divergence u : D u = hockey_stick standard qs u.
Proof. exact (proj1 (mixture_divergence standard qs standard_ok Wq standard_total Tq u)). Qed.
Lemma mixed_swapped u : 0 < u -> D' u = 1 - u + u * D (/ u).
Proof. exact (order_swap [mixed_pair] u). Qed.

Lemma mixed_at_least c v : 0 <= v -> over qs c - v * tail c <= D v.
Proof.
  intros Hv. rewrite mixed_divergence. pose proof (threshold_below standard qs v standard_ok Wq Hv c) as T. unfold Threshold.advantage in T. rewrite standard_over in T. exact T.
Qed.
Lemma mixed_at_cut c u : 0 <= u -> density qs c = u -> D u = over qs c - u * tail c.
Proof.
  intros Hu E. rewrite mixed_divergence, (hockey_stick_at_cut standard qs u standard_ok Wq Hu) with (c := c).
  - unfold Threshold.advantage. rewrite standard_over. reflexivity.
  - intros a b [<-|[]] Hb. cbn [snd]. apply up, Hb.
  - rewrite standard_total. lra.
  - unfold excess. rewrite standard_density, E. ring.
Qed.
Lemma mixed_tangent c u : 0 <= u -> density qs c = u -> tangent D u (tail c).
Proof. intros Hu E v Hv. rewrite (mixed_at_cut c u Hu E). pose proof (mixed_at_least c v Hv). lra. Qed.

Lemma mixed_low w u : 0 <= u <= w -> (forall x, w <= density qs x) -> D u = 1 - u.
Proof.
  intros Hu L. rewrite mixed_divergence.
  assert (P : forall x, pos (excess standard qs u x) = density qs x - u).
  { intros x. unfold excess, pos. rewrite standard_density, Rmult_1_r. specialize (L x). apply Rmax_right. lra. }
  destruct (E_density qs Wq) as [M B]. rewrite Tq in M.
  assert (I : E (fun x => pos (excess standard qs u x) + u * density standard x) = E (density qs)) by (apply E_ext; intros x; rewrite P, standard_density; ring).
  destruct (E_density standard standard_ok) as [M1 B1]. rewrite standard_total in M1.
  assert (C : cont (fun x => pos (excess standard qs u x))) by apply cont_pos, excess_cont.
  assert (Bp : bounded (fun x => pos (excess standard qs u x))).
  { destruct B as [K B]. exists K. intros b Hb. specialize (B b Hb). apply Rle_trans with (part (density qs) b); [|exact B]. apply part_le; [exact C|apply density_cont|exact Hb|]. intros x. rewrite P. lra. }
  assert (Bs : bounded (fun x => u * density standard x)).
  { destruct B1 as [K B1]. exists (u * K). intros b Hb. rewrite part_scale by apply density_cont. apply Rmult_le_compat_l; [lra|auto]. }
  rewrite (E_plus (fun x => pos (excess standard qs u x)) (fun x => u * density standard x)) in I.
  - rewrite (E_scale u (density standard)) in I by (try apply density_cont; auto; try lra; intros x; apply density_nonneg, standard_ok). rewrite M, M1 in I. unfold hockey_stick. lra.
  - exact C.
  - apply cont_scale, density_cont.
  - intros x. apply Rmax_l.
  - intros x. rewrite standard_density. lra.
  - exact Bp.
  - exact Bs.
Qed.

Lemma swapped_at_cut c u : 0 < u -> density qs c = / u -> D' u = 1 - u + u * over qs c - tail c.
Proof.
  intros Hu E. pose proof (Rinv_0_lt_compat u Hu) as V. rewrite (mixed_swapped u Hu), (mixed_at_cut c (/ u)) by lra. field. lra.
Qed.
Lemma swapped_tangent c u : 0 < u -> density qs c = / u -> tangent D' u (1 - over qs c).
Proof.
  intros Hu E v Hv. rewrite (swapped_at_cut c u Hu E). destruct Hv as [Hv|<-].
  - rewrite (mixed_swapped v Hv). pose proof (Rinv_0_lt_compat v Hv) as V. pose proof (mixed_at_least c (/ v) ltac:(lra)) as T. apply Rmult_le_compat_l with (r := v) in T; [|lra].
    replace (v * (over qs c - / v * tail c)) with (v * over qs c - tail c) in T by (field; lra). lra.
  - pose proof (pp_line _ (divergence_profile [swap mixed_pair]) 0 ltac:(lra)). pose proof (tail_pos c). lra.
Qed.
Lemma swapped_high w u : 0 < u -> / u <= w -> (forall x, w <= density qs x) -> D' u = 0.
Proof.
  intros Hu H L. pose proof (Rinv_0_lt_compat u Hu). rewrite (mixed_swapped u Hu), (mixed_low w (/ u)) by (auto; lra). field. lra.
Qed.
End Mixture.

(** ** Computed *)
Definition shifts_R (l : list (Q * Q)) : shifts := map (fun a => (Q2R (fst a), Q2R (snd a))) l.
Fixpoint density_Z (w : positive) (ix : Z * Z) (l : list (Q * Q)) : option (Z * Z) :=
  match l with
  | [] => Some (0, 0)%Z
  | a :: l => let is := of_Q w (snd a) in
      match exp_Z w (sub_Z (mul_Z w is ix) (half_Z (mul_Z w is is))), density_Z w ix l with
      | Some e, Some d => Some (add_Z (mul_Z w (of_Q w (fst a)) e) d)
      | _, _ => None
      end
  end.
Fixpoint above_Z (w : positive) (inv ix : Z * Z) (l : list (Q * Q)) : option (Z * Z) :=
  match l with
  | [] => Some (0, 0)%Z
  | a :: l => match tail_Z w inv (sub_Z ix (of_Q w (snd a))), above_Z w inv ix l with
              | Some t, Some d => Some (add_Z (mul_Z w (of_Q w (fst a)) t) d)
              | _, _ => None
              end
  end.
Lemma density_Z_sound w ix x l d : encl w ix x -> density_Z w ix l = Some d -> encl w d (density (shifts_R l) x).
Proof.
  intros Ex. revert d. induction l as [|a l IH]; intros d; cbn [density_Z shifts_R map density].
  - intros H. apply some_inj in H. subst d. apply encl_zero.
  - destruct (exp_Z w _) as [e|] eqn:X; [|discriminate]. destruct (density_Z w ix l) as [d'|]; [|discriminate]. intros H. apply some_inj in H. subst d. cbn [fst snd].
    apply encl_add; [|apply IH; reflexivity]. apply encl_mul; [apply encl_Q|]. unfold ratio. refine (exp_sound w _ _ _ _ X).
    apply encl_sub; [apply encl_mul; [apply encl_Q|exact Ex]|]. apply encl_half, encl_mul; apply encl_Q.
Qed.
Lemma above_Z_sound w inv ix x l d : encl w inv (/ total) -> encl w ix x -> above_Z w inv ix l = Some d -> encl w d (over (shifts_R l) x).
Proof.
  intros I Ex. revert d. induction l as [|a l IH]; intros d; cbn [above_Z shifts_R map Threshold.above].
  - intros H. apply some_inj in H. subst d. apply encl_zero.
  - destruct (tail_Z w inv _) as [t|] eqn:T; [|discriminate]. destruct (above_Z w inv ix l) as [d'|]; [|discriminate]. intros H. apply some_inj in H. subst d. cbn [fst snd].
    apply encl_add; [|apply IH; reflexivity]. apply encl_mul; [apply encl_Q|]. refine (tail_sound w inv _ _ _ I _ T). apply encl_sub; [exact Ex|apply encl_Q].
Qed.

(** the likelihood ratio is certainly below u at the first point and certainly above it at the second *)
Definition holds_cut (w : positive) (l : list (Q * Q)) (iu : Z * Z) (i : Z * Z) : bool :=
  (fst i <=? snd i)%Z &&
  match density_Z w (fst i, fst i) l, density_Z w (snd i, snd i) l with Some a, Some b => (snd a <=? fst iu)%Z && (snd iu <=? fst b)%Z | _, _ => false end.
Lemma holds_cut_sound w l iu u i : encl w iu u -> holds_cut w l iu i = true -> exists c, encl w i c /\ density (shifts_R l) c = u.
Proof.
  intros Eu H. unfold holds_cut in H. apply andb_prop in H. destruct H as [O H]. apply Z.leb_le, IZR_le in O. pose proof (unit_pos w) as U.
  destruct (density_Z w (fst i, fst i) l) as [a|] eqn:A; [|discriminate]. destruct (density_Z w (snd i, snd i) l) as [b|] eqn:B; [|discriminate]. apply andb_prop in H. destruct H as [L R].
  apply Z.leb_le, IZR_le in L, R. assert (P : forall k, encl w (k, k) (IZR k / unit w)) by (intros k; unfold encl; cbn [fst snd]; replace (unit w * (IZR k / unit w)) with (IZR k) by (field; lra); lra).
  apply (density_Z_sound w _ _ _ _ (P (fst i))) in A. apply (density_Z_sound w _ _ _ _ (P (snd i))) in B. destruct Eu as [U1 U2], A as [_ A], B as [B _]. set (f := fun x => density (shifts_R l) x - u).
  assert (F1 : f (IZR (fst i) / unit w) <= 0) by (unfold f; apply Rmult_le_reg_l with (unit w); [exact U|]; lra).
  assert (F2 : 0 <= f (IZR (snd i) / unit w)) by (unfold f; apply Rmult_le_reg_l with (unit w); [exact U|]; lra).
  destruct (IVT_cor f (IZR (fst i) / unit w) (IZR (snd i) / unit w)) as [c [Hc Z]].
  - intros x. apply continuity_pt_minus; [apply continuity_pt_filterlim, density_cont|apply continuity_pt_const; intros y z; reflexivity].
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, U|exact O].
  - assert (0 <= - f (IZR (fst i) / unit w) * f (IZR (snd i) / unit w)) by (apply Rmult_le_pos; lra). lra.
  - exists c. split; [|unfold f in Z; lra]. unfold encl. destruct Hc as [C1 C2]. apply Rmult_le_compat_l with (r := unit w) in C1, C2; try lra.
    replace (unit w * (IZR (fst i) / unit w)) with (IZR (fst i)) in C1 by (field; lra). replace (unit w * (IZR (snd i) / unit w)) with (IZR (snd i)) in C2 by (field; lra). lra.
Qed.

(** *** The search for the cut: what it finds is looked at by holds_cut, so nothing is proved of it *)
(** the sum of w c e^(c x - c^2 / 2), for the slope *)
Fixpoint slope_Z (w : positive) (ix : Z * Z) (l : list (Q * Q)) : option (Z * Z) :=
  match l with
  | [] => Some (0, 0)%Z
  | a :: l => let is := of_Q w (snd a) in
      match exp_Z w (sub_Z (mul_Z w is ix) (half_Z (mul_Z w is is))), slope_Z w ix l with
      | Some e, Some d => Some (add_Z (mul_Z w (mul_Z w (of_Q w (fst a)) is) e) d)
      | _, _ => None
      end
  end.
(** where a single member reaches u; the cut is on the left of all of these *)
Fixpoint start (w : positive) (iln : Z * Z) (l : list (Q * Q)) : option Z :=
  match l with
  | [] => None
  | a :: l => let is := of_Q w (snd a) in let rest := start w iln l in
      match ln_Z w (of_Q w (fst a)) with
      | None => rest
      | Some lw => match div_Z w (sub_Z iln lw) is with
                   | None => rest
                   | Some x => let here := snd (add_Z x (half_Z is)) in Some (match rest with Some y => Z.min here y | None => here end)
                   end
      end
  end.
(** Newton's method on the logarithm of the likelihood ratio, which is convex *)
Fixpoint newton (fuel : nat) (w : positive) (iln : Z * Z) (l : list (Q * Q)) (x : Z) : Z :=
  match fuel with
  | O => x
  | S fuel =>
      match density_Z w (x, x) l, slope_Z w (x, x) l with
      | Some d, Some s => match ln_Z w d with
                          | Some ld => match div_Z w (mul_Z w (sub_Z ld iln) d) s with
                                       | Some step => let by_ := Z.div2 (fst step + snd step) in if (Z.abs by_ <=? 8)%Z then (x - by_)%Z else newton fuel w iln l (x - by_)%Z
                                       | None => x
                                       end
                          | None => x
                          end
      | _, _ => x
      end
  end.
Fixpoint widen (fuel : nat) (w : positive) (l : list (Q * Q)) (iu : Z * Z) (x k : Z) : option (Z * Z) :=
  match fuel with
  | O => None
  | S fuel => if holds_cut w l iu (x - k, x + k)%Z then Some (x - k, x + k)%Z else widen fuel w l iu x (2 * k)
  end.
Definition find_cut (w : positive) (l : list (Q * Q)) (iu : Z * Z) : option (Z * Z) :=
  match ln_Z w iu with
  | None => None
  | Some iln => match start w iln l with Some x => widen 40 w l iu (newton 60 w iln l x) 4 | None => None end
  end.
Lemma find_cut_sound w l iu u i : encl w iu u -> find_cut w l iu = Some i -> exists c, encl w i c /\ density (shifts_R l) c = u.
Proof.
  intros Eu. unfold find_cut. destruct (ln_Z w iu) as [iln|]; [|discriminate]. destruct (start w iln l) as [x|]; [|discriminate]. generalize (newton 60 w iln l x) as y. intros y.
  generalize 4%Z as k. generalize 40%nat as n. induction n as [|n IH]; intros k H; cbn [widen] in H; [discriminate|]. destruct (holds_cut w l iu _) eqn:C; [|exact (IH _ H)].
  apply some_inj in H. subst i. exact (holds_cut_sound w l iu u _ Eu C).
Qed.

(** the least likelihood ratio: the weight of what does not move *)
Definition unmoved (l : list (Q * Q)) : Q := fold_right (fun a s => if Qeq_bool (snd a) 0 then Qred (fst a + s) else s) 0%Q l.
Lemma unmoved_below l x : weights_ok (shifts_R l) -> Q2R (unmoved l) <= density (shifts_R l) x.
Proof.
  induction l as [|a l IH]; cbn [unmoved fold_right shifts_R map density fst snd]; intros W; [unfold Q2R; simpl; lra|]. inversion_clear W as [|? ? Wa W']. cbn [fst] in Wa. specialize (IH W').
  fold (unmoved l). fold (shifts_R l). pose proof (ratio_pos (Q2R (snd a)) x) as P. assert (0 <= Q2R (fst a) * ratio (Q2R (snd a)) x) by (apply Rmult_le_pos; lra).
  destruct (Qeq_bool (snd a) 0) eqn:Z; [|lra]. apply Qeq_bool_iff, Qeq_eqR in Z. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus.
  assert (R : ratio (Q2R (snd a)) x = 1) by (rewrite Z; replace (Q2R 0) with 0 by (unfold Q2R; simpl; field); unfold ratio; replace (0 * x - 0 * 0 / 2) with 0 by field; apply exp_0). rewrite R. lra.
Qed.

(** divergence and slope, without the record first and with it first *)
Definition mixed_Z (w : positive) (inv : Z * Z) (l : list (Q * Q)) (iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  let one := exact_Z w 1 in
  if (snd iu <=? fst (of_Q w (unmoved l)))%Z then Some (clamp_0 (sub_Z one iu), one)
  else match find_cut w l iu with
       | None => None
       | Some t => match above_Z w inv t l, tail_Z w inv t with Some a, Some b => Some (clamp_0 (sub_Z a (mul_Z w iu b)), b) | _, _ => None end
       end.
Definition mixed_swapped_Z (w : positive) (inv : Z * Z) (l : list (Q * Q)) (iu : Z * Z) : option ((Z * Z) * (Z * Z)) :=
  let one := exact_Z w 1 in
  match div_Z w one iu with
  | None => None
  | Some iv =>
      if (snd iv <=? fst (of_Q w (unmoved l)))%Z then Some ((0, 0)%Z, (0, 0)%Z)
      else match find_cut w l iv with
           | None => None
           | Some t => match above_Z w inv t l, tail_Z w inv t with
                       | Some a, Some b => Some (clamp_0 (sub_Z (add_Z (sub_Z one iu) (mul_Z w iu a)) b), sub_Z one a)
                       | _, _ => None
                       end
           end
  end.
Section Sound.
Variables (w : positive) (inv : Z * Z) (l : list (Q * Q)).
Hypothesis I : encl w inv (/ total).
Hypothesis W : weights_ok (shifts_R l).
Hypothesis T : total_weight (shifts_R l) = 1.
Hypothesis up : forall a, In a (shifts_R l) -> 0 <= snd a.
Notation pair_of := (mixed_pair (shifts_R l) W T).
Lemma is_below i u : encl w i u -> (snd i <=? fst (of_Q w (unmoved l)))%Z = true -> u <= Q2R (unmoved l).
Proof.
  intros [_ H] L. apply Z.leb_le, IZR_le in L. destruct (encl_Q w (unmoved l)) as [K _]. apply Rmult_le_reg_l with (unit w); [apply unit_pos|]. lra.
Qed.
Theorem mixed_sound iu u d s : 0 <= u -> encl w iu u -> mixed_Z w inv l iu = Some (d, s) ->
  encl w d (divergence [pair_of] u) /\ exists slope, encl w s slope /\ tangent (divergence [pair_of]) u slope.
Proof.
  intros Hu Eu. assert (P : 0 <= divergence [pair_of] u) by (apply (pp_nonneg _ (divergence_profile _)), Hu). unfold mixed_Z. destruct (snd iu <=? _)%Z eqn:L.
  - apply (is_below iu u Eu) in L. intros H. apply pair_inj in H. destruct H as [-> ->].
    assert (E : forall v, 0 <= v <= Q2R (unmoved l) -> divergence [pair_of] v = 1 - v) by (intros v Hv; apply (mixed_low _ W T (Q2R (unmoved l)) v Hv); intros x; apply unmoved_below, W). split.
    + apply encl_clamp; [|exact P]. rewrite E by lra. apply encl_sub; [apply (encl_exact w 1)|exact Eu].
    + exists 1. split; [apply (encl_exact w 1)|]. intros v Hv. rewrite E by lra. pose proof (pp_line _ (divergence_profile [pair_of]) v Hv). lra.
  - destruct (find_cut w l iu) as [t|] eqn:C; [|discriminate]. destruct (find_cut_sound w l iu u t Eu C) as (c & Et & Z). destruct (above_Z w inv t l) as [a|] eqn:A; [|discriminate]. destruct (tail_Z w inv t) as [b|] eqn:B; [|discriminate].
    intros H. apply pair_inj in H. destruct H as [-> ->]. apply (above_Z_sound w inv t c l a I Et) in A. apply (tail_sound w inv _ _ _ I Et) in B. split.
    + apply encl_clamp; [|exact P]. rewrite (mixed_at_cut _ W T up c u Hu Z). apply encl_sub; [exact A|apply encl_mul; assumption].
    + exists (tail c). split; [exact B|]. exact (mixed_tangent _ W T up c u Hu Z).
Qed.
Theorem mixed_swapped_sound iu u d s : 0 <= u -> encl w iu u -> mixed_swapped_Z w inv l iu = Some (d, s) ->
  encl w d (divergence [swap pair_of] u) /\ exists slope, encl w s slope /\ tangent (divergence [swap pair_of]) u slope.
Proof.
  intros Hu Eu. assert (P : 0 <= divergence [swap pair_of] u) by (apply (pp_nonneg _ (divergence_profile _)), Hu). unfold mixed_swapped_Z. pose proof (encl_exact w 1) as E1.
  destruct (div_Z w (exact_Z w 1) iu) as [iv|] eqn:V; [|discriminate]. destruct (encl_div w _ _ _ _ _ E1 Eu V) as [Ev U]. replace (1 / u) with (/ u) in Ev by (field; lra).
  destruct (snd iv <=? _)%Z eqn:L.
  - apply (is_below iv (/ u) Ev) in L. intros H. apply pair_inj in H. destruct H as [-> ->]. assert (Z : divergence [swap pair_of] u = 0) by (apply (swapped_high _ W T (Q2R (unmoved l)) u U L); intros x; apply unmoved_below, W).
    split; [rewrite Z; apply encl_zero|]. exists 0. split; [apply encl_zero|]. intros v Hv. rewrite Z. pose proof (pp_nonneg _ (divergence_profile [swap pair_of]) v Hv). lra.
  - destruct (find_cut w l iv) as [t|] eqn:C; [|discriminate]. destruct (find_cut_sound w l iv (/ u) t Ev C) as (c & Et & Z). destruct (above_Z w inv t l) as [a|] eqn:A; [|discriminate]. destruct (tail_Z w inv t) as [b|] eqn:B; [|discriminate].
    intros H. apply pair_inj in H. destruct H as [-> ->]. apply (above_Z_sound w inv t c l a I Et) in A. apply (tail_sound w inv _ _ _ I Et) in B. split.
    + apply encl_clamp; [|exact P]. rewrite (swapped_at_cut _ W T up c u U Z). apply encl_sub; [|exact B]. apply encl_add; [apply encl_sub; assumption|apply encl_mul; assumption].
    + exists (1 - over (shifts_R l) c). split; [apply encl_sub; assumption|]. exact (swapped_tangent _ W T up c u U Z).
Qed.
End Sound.
