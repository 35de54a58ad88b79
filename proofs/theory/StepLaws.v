(** * Computed laws of steps, and of all steps of a mechanism

A mechanism is a list of steps, each with how often it is done. base_up computes a law above a step, from its profile at the knots of a lattice (BaseLaws.v); base_low cells below it, from
tangents (TangentCells.v); composed_above and composed_below those of all steps (PhaseLaws.v). *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Dpcmp Require Import Breakpoints Losses Convolution Certificate Lattice ProfileCurve GaussianTail NormalLaw.
From Dpcmp Require Import UpperLaws LowerLaws BaseLaws PhaseLaws FixedPoint Numbers NormalTail StepProfiles OtherProfiles SamplingPairs StepKinds TangentCells Product ProductPairs LargestLoss GaussianProducts.
From Dpcmp Require SampledNumbers SampledCheck.
Import ListNotations.
Open Scope R_scope.

Notation cells := LowerLaws.cells.
Notation good := UpperLaws.good.
Notation encl_up := SampledNumbers.encl_up.
Notation encl_down := SampledNumbers.encl_down.

(** ** One step *)
Section Bits.
Variable bits : positive.
Notation P := (UpperLaws.unit bits).
Notation c := (c bits).
Notation of_Q := (of_Q bits).

Section Step.
Variables (inv : Z * Z) (o : order) (s : step) (x : pair).
Hypothesis Hinv : encl bits inv (/ total).
Hypothesis Hs : step_pair s x.
Notation D := (divergence [ordered o x]).
Definition point_at (e : Q) : option ((Z * Z) * ((Z * Z) * (Z * Z))) :=
  match exp_Z bits (of_Q e) with Some iu => match step_point bits inv o s iu with Some r => Some (iu, r) | None => None end | None => None end.
Lemma point_at_sound e iu d t : point_at e = Some (iu, (d, t)) -> encl bits iu (exp (Q2R e)) /\ encl bits d (D (exp (Q2R e))) /\ exists slope, encl bits t slope /\ tangent D (exp (Q2R e)) slope.
Proof.
  unfold point_at. destruct (exp_Z bits (of_Q e)) as [iv|] eqn:X; [|discriminate]. destruct (step_point bits inv o s iv) as [[d' t']|] eqn:S; [|discriminate]. intros H. injection H as -> -> ->.
  pose proof (exp_sound bits _ _ _ (encl_Q bits e) X) as E. split; [exact E|]. apply (step_point_sound bits inv o s x iu _ d t Hinv Hs ltac:(left; apply exp_pos) E S).
Qed.

(** above *)
Definition knot_above (e : Q) : Z := match point_at e with Some (_, (d, _)) => Z.min P (snd d) | None => P end.
Lemma knot_above_sound e : D (exp (Q2R e)) <= c * IZR (knot_above e).
Proof.
  assert (One : D (exp (Q2R e)) <= c * IZR P).
  { rewrite c_unit. pose proof (exp_pos (Q2R e)). pose proof (pp_falls _ (divergence_profile [ordered o x]) 0 (exp (Q2R e)) ltac:(lra) ltac:(lra)). pose proof (pp_0 _ (divergence_profile [ordered o x])). lra. }
  unfold knot_above. destruct (point_at e) as [[iu [d t]]|] eqn:E; [|exact One]. apply point_at_sound in E. destruct E as [_ [E _]].
  destruct (Z.min_spec P (snd d)) as [[_ ->]|[_ ->]]; [exact One|apply encl_up, E].
Qed.
Variable h : Q.
Definition at_knot (k : Z) : Q := (h * (k # 1))%Q.
Lemma at_knot_real k : Q2R (at_knot k) = Q2R h * IZR k.
Proof. unfold at_knot. rewrite Q2R_mult. f_equal. unfold Q2R; simpl. field. Qed.
Fixpoint knots_above (k : Z) (n : nat) : list Z := match n with O => [] | S n => knot_above (at_knot k) :: knots_above (k + 1) n end.
Lemma knots_above_sound n : forall k, bounded_at bits (Q2R h) D k (knots_above k n).
Proof. induction n as [|n IH]; intros k; simpl; [exact I|]. split; [rewrite <- at_knot_real; apply knot_above_sound|apply IH]. Qed.
Definition base_up (k : Z) (n : nat) : option law :=
  match exp_Z bits (of_Q (- h)) with
  | Some (_, rhi) => let ds := knots_above k n in let y := SampledNumbers.base_law bits rhi k ds in if base_is_above bits rhi y ds then Some y else None
  | None => None
  end.
Theorem base_up_sound k n y : 0 < Q2R h -> base_up k n = Some y -> good y /\ forall u, 0 <= u -> D u <= profile (real bits (Q2R h) y) u.
Proof.
  intros Hh. unfold base_up. destruct (exp_Z bits (of_Q (- h))) as [[rlo rhi]|] eqn:E; [|discriminate].
  destruct (base_is_above bits rhi (SampledNumbers.base_law bits rhi k (knots_above k n)) (knots_above k n)) eqn:B; [|discriminate]. intros H. apply some_inj in H. subst y.
  pose proof (exp_sound bits _ _ _ (encl_Q bits (- h)) E) as [_ X]. rewrite Q2R_opp in X. cbn [snd] in X.
  assert (F : first (SampledNumbers.base_law bits rhi k (knots_above k n)) = k) by (unfold SampledNumbers.base_law; destruct (SampledNumbers.build bits rhi (knots_above k n)) as [[l all] w]; reflexivity).
  pose proof (divergence_profile [ordered o x]) as HD.
  apply (base_above bits (Q2R h) Hh D rhi _ (knots_above k n) (pp_convex _ HD) (pp_falls _ HD) (pp_0 _ HD) X B). rewrite F. apply knots_above_sound.
Qed.

(** below: the cells of the tangents at rising points *)
Definition power_at (e : Q) : option ((Z * Z) * (Z * Z)) := match point_at e with Some (iu, (d, t)) => Some (add_Z d (mul_Z bits iu t), t) | None => None end.
Fixpoint cells_from (e : Q) (at_e : (Z * Z) * (Z * Z)) (es : list Q) : option (list Z * list Z) :=
  match es with
  | [] => Some ([Z.max 0 (fst (fst at_e))], [Z.max 0 (snd (snd at_e))])
  | e' :: es =>
      if Qle_bool e' e then None else
      match power_at e' with
      | None => None
      | Some at_e' =>
          match cells_from e' at_e' es with
          | None => None
          | Some (qs, ps) => Some (Z.max 0 (fst (fst at_e) - snd (fst at_e')) :: qs, Z.max 0 (snd (snd at_e) - fst (snd at_e')) :: ps)%Z
          end
      end
  end.
Definition base_low (es : list Q) : option cells :=
  match es with
  | [] => None
  | e :: es => match power_at e with
               | None => None
               | Some at_e => match cells_from e at_e es with Some (qs, ps) => Some {| q_masses := qs; p_masses := ps |} | None => None end
               end
  end.
Definition power_encl (at_e : (Z * Z) * (Z * Z)) (t : R * R) := encl bits (fst at_e) (power D t) /\ encl bits (snd at_e) (snd t).
Lemma power_at_sound e at_e : power_at e = Some at_e -> exists slope, power_encl at_e (exp (Q2R e), slope) /\ tangent D (exp (Q2R e)) slope.
Proof.
  unfold power_at. destruct (point_at e) as [[iu [d t]]|] eqn:E; [|discriminate]. intros H. apply some_inj in H. subst at_e. apply point_at_sound in E. destruct E as (Eu & Ed & slope & Et & T).
  exists slope. split; [|exact T]. split; [|exact Et]. unfold power. cbn [fst snd]. apply encl_add; [exact Ed|apply encl_mul; assumption].
Qed.
Lemma powers_fall u t u' t' : 0 <= u -> u < u' -> tangent D u t -> tangent D u' t' -> t' <= t /\ power D (u', t') <= power D (u, t).
Proof.
  intros Hu L T T'. unfold power; cbn [fst snd]. pose proof (T u' ltac:(lra)) as X. pose proof (T' u Hu) as Y.
  assert (S : t' <= t) by (apply Rmult_le_reg_l with (u' - u); lra). split; [exact S|]. assert (u * t' <= u * t) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
Lemma max_up i y : 0 <= y -> y <= c * IZR i -> y <= c * IZR (Z.max 0 i).
Proof. intros H K. eapply Rle_trans; [exact K|]. apply Rmult_le_compat_l; [left; apply c_pos|apply IZR_le; lia]. Qed.
Lemma max_down i y : 0 <= y -> c * IZR i <= y -> c * IZR (Z.max 0 i) <= y.
Proof. intros H K. destruct (Z.max_spec 0 i) as [[_ ->]|[_ ->]]; [exact K|lra]. Qed.
Definition scaled (qs ps : list Z) : list (R * R) := map (fun z => (c * IZR (fst z), c * IZR (snd z))) (combine qs ps).
Lemma cells_from_sound es : forall e at_e slope qs ps, power_encl at_e (exp (Q2R e), slope) -> tangent D (exp (Q2R e)) slope -> cells_from e at_e es = Some (qs, ps) ->
  sound_cells {| q_masses := qs; p_masses := ps |} /\
  exists l, tangents D (exp (Q2R e)) l /\ List.Forall2 worse (scaled qs ps) (tangent_cells D (exp (Q2R e), slope) l).
Proof.
  induction es as [|e' es IH]; intros e at_e slope qs ps [Ep Es] T H; cbn [cells_from] in H; pose proof (exp_pos (Q2R e)) as X;
    pose proof (tangent_nonneg _ _ _ (divergence_profile _) (Rlt_le _ _ X) T) as S0.
  - apply pair_inj in H. destruct H as [-> ->]. split; [repeat split; cbn [q_masses p_masses length]; try (constructor; [lia|constructor])|]. exists []. split; [exact I|]. cbn [tangent_cells scaled combine map].
    constructor; [|constructor]. split; cbn [fst snd].
    + apply max_down; [|apply encl_down, Ep]. unfold power; cbn [fst snd]. pose proof (pp_nonneg _ (divergence_profile [ordered o x]) (exp (Q2R e)) ltac:(lra)).
      assert (0 <= exp (Q2R e) * slope) by (apply Rmult_le_pos; lra). lra.
    + apply max_up; [exact S0|apply encl_up, Es].
  - destruct (Qle_bool e' e) eqn:L; [discriminate|]. apply Qlt_real in L. destruct (power_at e') as [at_e'|] eqn:A; [|discriminate]. apply power_at_sound in A. destruct A as (slope' & E' & T').
    destruct (cells_from e' at_e' es) as [[qs' ps']|] eqn:C; [|discriminate]. apply pair_inj in H. destruct H as [-> ->]. destruct (IH e' at_e' slope' qs' ps' E' T' C) as [[N1 [N2 N3]] (l & Tl & W)].
    destruct E' as [Ep' Es']. assert (Lu : exp (Q2R e) < exp (Q2R e')) by (apply exp_increasing, L). destruct (powers_fall _ _ _ _ (Rlt_le _ _ X) Lu T T') as [F1 F2].
    cbn [q_masses p_masses] in *. split; [split; [constructor; [lia|exact N1]|split; [constructor; [lia|exact N2]|cbn [q_masses p_masses length]; f_equal; exact N3]]|].
    exists ((exp (Q2R e'), slope') :: l). cbn [tangents fst snd]. pose proof (exp_pos (Q2R e')) as X'.
    pose proof (tangent_nonneg _ _ _ (divergence_profile _) (Rlt_le _ _ X') T') as S0'. split; [auto|]. cbn [tangent_cells scaled combine map]. constructor; [|exact W]. split; cbn [fst snd].
    + apply max_down; [lra|]. rewrite minus_IZR, Rmult_minus_distr_l. pose proof (encl_down _ _ _ Ep). pose proof (encl_up _ _ _ Ep'). lra.
    + apply max_up; [lra|]. rewrite minus_IZR, Rmult_minus_distr_l. pose proof (encl_up _ _ _ Es). pose proof (encl_down _ _ _ Es'). cbn [snd] in *. lra.
Qed.
Lemma scaled_spread u qs : forall ps, spread (scaled qs ps) u 1 = c * sticks qs ps u.
Proof.
  induction qs as [|q qs IH]; intros [|p ps]; cbn [scaled combine map spread sticks]; try ring. fold (scaled qs ps). rewrite IH. cbn [fst snd]. rewrite Rmult_plus_distr_l. f_equal.
  rewrite <- pos_scaled by (left; apply c_pos). f_equal. ring.
Qed.
Theorem base_low_sound es y : base_low es = Some y -> sound_cells y /\ forall u, 0 <= u -> profile (cell_law bits y) u <= D u.
Proof.
  unfold base_low. destruct es as [|e es]; [discriminate|]. destruct (power_at e) as [at_e|] eqn:A; [|discriminate]. apply power_at_sound in A. destruct A as (slope & E & T).
  destruct (cells_from e at_e es) as [[qs ps]|] eqn:C; [|discriminate]. intros H. apply some_inj in H. subst y. destruct (cells_from_sound es e at_e slope qs ps E T C) as [N (l & Tl & W)]. split; [exact N|].
  intros u Hu. rewrite profile_cells by assumption. cbn [q_masses p_masses]. rewrite <- scaled_spread. pose proof (exp_pos (Q2R e)) as X.
  apply (tangents_below D (divergence_profile _) (exp (Q2R e), slope) l (scaled qs ps)); cbn [fst snd]; auto; [lra|]. apply (tangent_nonneg _ _ _ (divergence_profile _) (Rlt_le _ _ X) T).
Qed.
End Step.
End Bits.

(** ** Mechanisms *)
Definition mechanism := list (step * positive).
Definition all_steps (m : mechanism) : list step := flat_map (fun f => repeat (fst f) (Pos.to_nat (snd f))) m.
Definition pairs_of (m : mechanism) (l : list pair) : Prop := List.Forall2 step_pair (all_steps m) l.
Definition all_proper (m : mechanism) : bool := forallb (fun f => proper (fst f)) m.
Lemma pairs_exist m : all_proper m = true -> exists l, pairs_of m l.
Proof.
  intros H. assert (A : List.Forall (fun s => proper s = true) (all_steps m)).
  { apply List.Forall_forall. intros s Hs. unfold all_steps in Hs. apply in_flat_map in Hs. destruct Hs as [f [Hf Hs]]. apply repeat_spec in Hs. subst s. unfold all_proper in H. rewrite forallb_forall in H. apply H, Hf. }
  unfold pairs_of. clear H. induction A as [|s l P A [xs IH]]; [exists []; constructor|]. destruct (step_exists s P) as [x Hx]. exists (x :: xs). constructor; assumption.
Qed.
Definition in_direction (o : order) (l : list pair) : list pair := match o with Remove => l | Add => map swap l end.
Lemma in_direction_map o l : in_direction o l = map (ordered o) l.
Proof. destruct o; [symmetry; apply map_id|reflexivity]. Qed.
Lemma pairs_split f m l : pairs_of (f :: m) l -> exists l1 l2, l = l1 ++ l2 /\ List.Forall2 step_pair (repeat (fst f) (Pos.to_nat (snd f))) l1 /\ pairs_of m l2.
Proof. intros H. unfold pairs_of, all_steps in *. cbn [flat_map] in H. apply List.Forall2_app_inv_l in H. destruct H as (l1 & l2 & A & B & ->). exists l1, l2. auto. Qed.
Lemma repeated (Rel : pair -> loss -> Prop) o (s : step) (y : loss) n : forall l, List.Forall2 step_pair (repeat s n) l -> (forall x, step_pair s x -> Rel (ordered o x) y) ->
  List.Forall2 Rel (map (ordered o) l) (repeat y n).
Proof.
  induction n as [|n IH]; intros l H K; inversion H; subst; cbn [map repeat]; constructor; auto.
Qed.

Lemma in_direction_app o l l' : in_direction o (l ++ l') = in_direction o l ++ in_direction o l'.
Proof. destruct o; [reflexivity|apply map_app]. Qed.
(** steps of Gaussian noise that are not sampled are one, if they stand together *)
Definition is_full (g : step * positive) : bool := match fst g with Gaussian r _ => Qeq_bool r 1 | _ => false end.
Definition square_of (g : step * positive) : Q := match fst g with Gaussian _ m => (inject_Z (Zpos (snd g)) * m)%Q | _ => 0%Q end.
Definition one_gaussian (square : Q) : step * positive := (Gaussian 1 (Qred square), 1%positive).
Fixpoint gather (m : mechanism) : mechanism :=
  match m with
  | [] => []
  | f :: m =>
      if is_full f then
        match gather m with
        | [] => [one_gaussian (square_of f)]
        | g :: gs => if is_full g then one_gaussian (square_of f + square_of g) :: gs else one_gaussian (square_of f) :: g :: gs
        end
      else f :: gather m
  end.
(** what a gathered step stands for *)
Definition block_of (b : list pair) (g : step * positive) : Prop :=
  if is_full g then snd g = 1%positive /\ b <> [] /\ exists mus, full_pairs b mus /\ squares_of mus = Q2R (square_of g) else List.Forall2 step_pair (repeat (fst g) (Pos.to_nat (snd g))) b.
Definition alike (b b' : list pair) := forall o u, 0 <= u -> divergence (in_direction o b) u = divergence (in_direction o b') u.

Lemma full_phase f l : is_full f = true -> List.Forall2 step_pair (repeat (fst f) (Pos.to_nat (snd f))) l -> l <> [] /\ exists mus, full_pairs l mus /\ squares_of mus = Q2R (square_of f).
Proof.
  unfold is_full, square_of. destruct f as [[r m|r m|l'|r n] k]; cbn [fst snd]; [|discriminate..]. intros R H. apply Qeq_bool_iff, Qeq_eqR in R. rewrite Q1 in R.
  set (n := Pos.to_nat k) in *. assert (N0 : l <> []) by (intros ->; destruct (Pos2Nat.is_succ k) as [j J]; unfold n in H; rewrite J in H; inversion H). split; [exact N0|].
  assert (M0 : 0 < sqrt (Q2R m)). { destruct (Pos2Nat.is_succ k) as [j J]. unfold n in H. rewrite J in H. inversion H as [|? ? ? ? K]; subst. destruct K as (_ & K & _). exact K. }
  assert (M1 : 0 <= Q2R m) by (apply Rnot_lt_le; intros C; rewrite sqrt_neg_0 in M0 by lra; lra). exists (repeat (sqrt (Q2R m)) n). split.
  - clear N0. revert l H. induction n as [|j IH]; intros l H; inversion H as [|? x ? l2 K H2]; subst; cbn [repeat]; [constructor|]. constructor; [|apply IH, H2].
    split; [exact M0|]. clear -K R. destruct K as (Hr & Hm & ->). unfold remove_pair. generalize Hr. rewrite R. intros Hr'. exists Hr', (Rlt_le _ _ Hm). reflexivity.
  - rewrite Q2R_mult, SampledCheck.Q2R_whole, <- positive_nat_Z, <- INR_IZR_INZ. fold n. clear -M1. induction n as [|j IH]; cbn [repeat squares_of fold_right]; [simpl; ring|]. fold (squares_of (repeat (sqrt (Q2R m)) j)).
    rewrite IH, S_INR, sqrt_sqrt by exact M1. ring.
Qed.
Lemma one_gaussian_square x : square_of (one_gaussian x) = (inject_Z 1 * Qred x)%Q /\ is_full (one_gaussian x) = true /\ Q2R (square_of (one_gaussian x)) = Q2R x.
Proof. unfold one_gaussian, square_of, is_full. cbn [fst snd]. split; [reflexivity|]. split; [reflexivity|]. rewrite Q2R_mult, SampledCheck.Q2R_whole, (Qeq_eqR _ _ (Qred_correct _)). ring. Qed.
Lemma one_gaussian_block b x mus : b <> [] -> full_pairs b mus -> squares_of mus = Q2R x -> block_of b (one_gaussian x).
Proof. intros N F S. destruct (one_gaussian_square x) as (_ & E & Q). unfold block_of. rewrite E, Q. split; [reflexivity|]. split; [exact N|]. exists mus. auto. Qed.
Lemma squares_app mus mus' : squares_of (mus ++ mus') = squares_of mus + squares_of mus'.
Proof. induction mus as [|x mus IH]; cbn [app squares_of fold_right]; [unfold squares_of; ring|]. fold (squares_of (mus ++ mus')). fold (squares_of mus). rewrite IH. ring. Qed.
Lemma gather_blocks m : forall l, pairs_of m l -> exists bs, l = concat bs /\ List.Forall2 block_of bs (gather m).
Proof.
  induction m as [|f m IH]; intros l Hl; [inversion Hl; exists []; split; [reflexivity|constructor]|]. destruct (pairs_split f m l Hl) as (l1 & l2 & -> & H1 & H2). destruct (IH l2 H2) as (bs & -> & B). cbn [gather].
  destruct (is_full f) eqn:F; [|exists (l1 :: bs); split; [reflexivity|]; constructor; [unfold block_of; rewrite F; exact H1|exact B]].
  destruct (full_phase f l1 F H1) as (N1 & mus & F1 & S1). inversion B as [|b g bs' gs Bg B' E1 E2]; subst.
  - exists [l1]. split; [reflexivity|]. constructor; [apply (one_gaussian_block l1 _ mus); assumption|constructor].
  - destruct (is_full g) eqn:G.
    + unfold block_of in Bg. rewrite G in Bg. destruct Bg as (_ & N2 & mus' & F2 & S2). exists ((l1 ++ b) :: bs'). split; [cbn [concat]; rewrite app_assoc; reflexivity|]. constructor; [|exact B'].
      apply (one_gaussian_block _ _ (mus ++ mus')); [destruct l1; [contradiction|discriminate]|apply List.Forall2_app; assumption|rewrite squares_app, Q2R_plus, S1, S2; reflexivity].
    + exists (l1 :: b :: bs'). split; [reflexivity|]. constructor; [apply (one_gaussian_block l1 _ mus); assumption|]. constructor; assumption.
Qed.
(** a block is like so many of the gathered step *)
Lemma block_alike b g : block_of b g -> exists b', List.Forall2 step_pair (repeat (fst g) (Pos.to_nat (snd g))) b' /\ alike b b'.
Proof.
  unfold block_of. destruct (is_full g) eqn:F; [|intros H; exists b; split; [exact H|intros o u _; reflexivity]]. intros (K & N0 & mus & FP & SQ). destruct g as [[r m|r m|l|r n] k]; [|discriminate..]. cbn [fst snd] in *. subst k.
  unfold is_full in F. cbn [fst] in F. apply Qeq_bool_iff, Qeq_eqR in F. rewrite Q1 in F. unfold square_of in SQ. cbn [fst snd] in SQ. rewrite Q2R_mult, SampledCheck.Q2R_whole, Rmult_1_l in SQ.
  pose proof (full_positive b mus FP N0) as P. rewrite SQ in P. pose proof (sqrt_lt_R0 _ P) as K0. assert (P1 : 0 < Q2R r <= 1) by lra.
  set (y := remove_pair (Q2R r) (sqrt (Q2R m)) P1 K0). exists [y]. split; [change (Pos.to_nat 1) with 1%nat; cbn [repeat]; constructor; [|constructor]; exists P1, K0; reflexivity|].
  assert (Y : full_pairs [y] [sqrt (Q2R m)]).
  { constructor; [|constructor]. split; [exact K0|]. unfold y, remove_pair. generalize P1. rewrite F. intros P1'. exists P1', (Rlt_le _ _ K0). reflexivity. }
  assert (D : forall u, 0 < u -> divergence b u = divergence [y] u).
  { intros u Hu. rewrite (gaussians_compose b _ u FP N0 Hu), (gaussians_compose [y] _ u Y ltac:(discriminate) Hu), SQ. do 2 f_equal. cbn [squares_of fold_right]. rewrite sqrt_sqrt by lra. ring. }
  intros o u [Hu|<-]; [|rewrite !profile_at_0 by apply divergence_profile; reflexivity]. destruct o; cbn [in_direction]; [apply D, Hu|].
  rewrite !order_swap by exact Hu. rewrite D by (apply Rinv_0_lt_compat, Hu). reflexivity.
Qed.

(** *** From above *)
Notation upper_plan := SampledCheck.upper_plan.
Notation lower_plan := SampledCheck.lower_plan.
Section Above.
Variable p : upper_plan.
Notation bits := (SampledCheck.bits p).
Notation h := (SampledCheck.lattice p).
Fixpoint upper_bases (inv : Z * Z) (o : order) (m : mechanism) (ranges : list (Z * nat)) : option (list (law * positive)) :=
  match m, ranges with
  | [], _ => Some []
  | g :: m, (k, n) :: ranges =>
      match base_up bits inv o (fst g) h k n, upper_bases inv o m ranges with Some y, Some rest => Some ((y, snd g) :: rest) | _, _ => None end
  | _, _ => None
  end.
Lemma upper_bases_sound inv o gs : encl bits inv (/ total) -> 0 < Q2R h -> forall bs, List.Forall2 block_of bs gs -> forall ranges bases, upper_bases inv o gs ranges = Some bases ->
  List.Forall (fun b => good (fst b)) bases /\ forall u, 0 <= u -> divergence (in_direction o (concat bs)) u <= profile (compose_all (phases_steps bits (Q2R h) bases)) u.
Proof.
  intros I Hh. induction gs as [|g gs IH]; intros bs Hb ranges bases H; cbn [upper_bases] in H.
  - apply some_inj in H. subst bases. inversion Hb. subst. split; [constructor|]. intros u _. destruct o; cbn [concat in_direction map phases_steps compose_all]; rewrite empty_divergence; apply Rle_refl.
  - destruct ranges as [|[k n] ranges]; [discriminate|]. destruct (base_up bits inv o (fst g) h k n) as [y|] eqn:B; [|discriminate].
    destruct (upper_bases inv o gs ranges) as [rest|] eqn:R; [|discriminate].
    apply some_inj in H. subst bases. inversion Hb as [|b ? bs' ? H1 H2]; subst. destruct (IH bs' H2 ranges rest R) as [G F]. destruct (block_alike b g H1) as (l1' & H1' & Same).
    assert (K : forall x, step_pair (fst g) x -> good y /\ forall u, 0 <= u -> divergence [ordered o x] u <= profile (real bits (Q2R h) y) u) by (intros x Hx; apply (base_up_sound bits inv o (fst g) x I Hx h k n y Hh B)).
    assert (Gy : good y). { destruct (Pos2Nat.is_succ (snd g)) as [j J]. rewrite J in H1'. inversion H1'; subst. eapply K; eassumption. }
    pose proof (real_ok bits (Q2R h) y Gy) as Oy. split; [constructor; assumption|]. cbn [phases_steps concat]. intros u Hu. rewrite compose_all_app. rewrite in_direction_app.
    apply product_below; try exact Hu; try apply ok_compose_all; [apply ok_repeat, Oy|apply phases_ok, G| |exact F].
    intros v Hv. rewrite Same by exact Hv. rewrite in_direction_map. apply laws_above; [|exact Hv]. apply (repeated _ o (fst g)); [exact H1'|]. intros x Hx. split; [exact Oy|apply K, Hx].
Qed.
(** the step of the lattice at the end, and the law there *)
Definition composed_above (o : order) (m : mechanism) : option (Q * law) :=
  if negb (positive_Q h) then None else
  let ws := SampledCheck.shares bits (SampledCheck.levels p) h in
  match upper_bases (SampledNumbers.inverse_total bits) o (gather m) (SampledCheck.knot_ranges p) with
  | None => None
  | Some bases =>
      match phases_law bits (SampledCheck.small_mass p) (SampledCheck.most_masses p) ws bases with
      | Some (unused, y) => Some ((inject_Z (2 ^ Z.of_nat (length ws - length unused)) * h)%Q, y)
      | None => None
      end
  end.
Theorem composed_above_sound o m l s y : pairs_of m l -> composed_above o m = Some (s, y) ->
  0 < Q2R s /\ good y /\ forall u, 0 <= u -> divergence (in_direction o l) u <= profile (real bits (Q2R s) y) u.
Proof.
  intros Hl. unfold composed_above. destruct (positive_Q h) eqn:H0; [|discriminate]. apply positive_Q_sound in H0. cbn [negb].
  destruct (upper_bases (SampledNumbers.inverse_total bits) o (gather m) (SampledCheck.knot_ranges p)) as [bases|] eqn:B; [|discriminate]. destruct (gather_blocks m l Hl) as (bs & -> & Bs).
  destruct (upper_bases_sound _ o (gather m) (SampledNumbers.inverse_total_encl bits) H0 bs Bs _ _ B) as [G F].
  destruct (phases_law bits (SampledCheck.small_mass p) (SampledCheck.most_masses p) (SampledCheck.shares bits (SampledCheck.levels p) h) bases) as [[unused z]|] eqn:PL; [|discriminate].
  intros H. apply pair_inj in H. destruct H as [-> ->].
  pose proof (phases_up bits (SampledCheck.small_mass p) (SampledCheck.most_masses p) (Q2R h) ltac:(lra) _ (SampledCheck.shares_enough bits (SampledCheck.levels p) h) bases G unused z PL) as [_ [_ [Gz Bz]]].
  set (n := (length (SampledCheck.shares bits (SampledCheck.levels p) h) - length unused)%nat) in *. unfold step_at, step_left in Bz. fold n in Bz.
  assert (Es : Q2R (inject_Z (2 ^ Z.of_nat n) * h) = 2 ^ n * Q2R h) by (rewrite Q2R_mult, SampledCheck.Q2R_whole, <- pow_IZR; reflexivity). rewrite Es.
  split; [apply Rmult_lt_0_compat; [apply pow_lt; lra|exact H0]|]. split; [exact Gz|]. intros u Hu. eapply Rle_trans; [apply F, Hu|]. apply Bz, Hu.
Qed.
(** level e^(-x) *)
Definition level_times (eps : level) (x : Q) : option (Z * Z) :=
  match eps with Log e => exp_Z bits (of_Q bits (e - x)) | Ratio v => match exp_Z bits (of_Q bits (- x)) with Some i => Some (mul_Z bits (of_Q bits v) i) | None => None end end.
Lemma level_times_sound eps x i : level_times eps x = Some i -> encl bits i (level_R eps * exp (- Q2R x)).
Proof.
  destruct eps as [e|v]; cbn [level_times level_R].
  - intros H. apply (exp_sound _ _ _ _ (encl_Q bits _)) in H. rewrite Q2R_minus in H. rewrite <- exp_plus. exact H.
  - destruct (exp_Z bits (of_Q bits (- x))) as [j|] eqn:E; [|discriminate]. intros H. apply some_inj in H. subst i. apply (exp_sound _ _ _ _ (encl_Q bits _)) in E. rewrite Q2R_opp in E.
    apply encl_mul; [apply encl_Q|exact E].
Qed.
(** the value at a level, in units of 2^-(2 bits) *)
Definition value_above (s : Q) (y : law) (eps : level) : option Z :=
  match level_times eps (s * inject_Z (first y)), exp_Z bits (of_Q bits (- s)) with
  | Some (w, _), Some (r, _) => if (0 <=? w)%Z && (0 <=? r)%Z then Some (top y * UpperLaws.unit bits + hinge_sum (UpperLaws.unit bits) w r (masses y))%Z else None
  | _, _ => None
  end.
Theorem value_above_sound s y eps n : good y -> 0 <= level_R eps -> value_above s y eps = Some n -> profile (real bits (Q2R s) y) (level_R eps) <= c bits * c bits * IZR n.
Proof.
  intros Gy X. unfold value_above. destruct (level_times eps (s * inject_Z (first y))) as [[w w']|] eqn:E1; [|discriminate]. destruct (exp_Z bits (of_Q bits (- s))) as [[r r']|] eqn:E2; [|discriminate].
  destruct ((0 <=? w)%Z && (0 <=? r)%Z) eqn:W; [|discriminate]. apply andb_prop in W. destruct W as [H1 H2]. apply Z.leb_le in H1, H2. intros H. apply some_inj in H. subst n.
  apply level_times_sound in E1. apply (exp_sound _ _ _ _ (encl_Q bits _)) in E2. rewrite Q2R_mult, SampledCheck.Q2R_whole in E1. rewrite Q2R_opp in E2. destruct E1 as [E1 _]. destruct E2 as [E2 _]. cbn [fst] in E1, E2.
  change (FixedPoint.unit bits) with (IZR (UpperLaws.unit bits)) in *. set (P := UpperLaws.unit bits) in *. unfold real. rewrite profile_top.
  destruct Gy as [Nx Tx]. pose proof (hinge_sum_sound P r (c bits) (exp (- Q2R s)) (level_R eps) (masses y) (UpperLaws.unit_pos bits) H2 ltac:(left; apply c_pos) X E2 Nx w (exp (- (Q2R s * IZR (first y)))) H1) as K.
  specialize (K E1). set (S0 := IZR (hinge_sum P w r (masses y))) in *. set (prof := profile _ _) in *.
  pose proof (c_pos bits) as C. pose proof (c_unit bits) as U. fold P in U. assert (K2 : prof <= c bits * c bits * S0).
  { apply Rmult_le_compat_l with (r := c bits) in K; [|lra]. replace (c bits * (prof * IZR P)) with (prof * (c bits * IZR P)) in K by ring. rewrite U in K. lra. }
  rewrite plus_IZR, mult_IZR. fold S0. replace (c bits * c bits * (IZR (top y) * IZR P + S0)) with (c bits * IZR (top y) * (c bits * IZR P) + c bits * c bits * S0) by ring. rewrite U. lra.
Qed.
(** is the divergence at a level at most d? *)
Definition at_most (sy : Q * law) (eps : level) (d : Q) : bool := match value_above (fst sy) (snd sy) eps with Some n => SampledCheck.delta_fits bits d n | None => false end.
Theorem at_most_sound o m l sy eps d : pairs_of m l -> composed_above o m = Some sy -> 0 <= level_R eps -> at_most sy eps d = true -> divergence (in_direction o l) (level_R eps) <= Q2R d.
Proof.
  destruct sy as [s y]. unfold at_most. cbn [fst snd]. intros Hl C L H. destruct (composed_above_sound o m l s y Hl C) as (_ & G & A). destruct (value_above s y eps) as [n|] eqn:V; [|discriminate].
  apply SampledCheck.delta_fits_sound in H. pose proof (value_above_sound s y eps n G L V). specialize (A (level_R eps) L). lra.
Qed.
End Above.

(** *** From below *)
Section Below.
Variable p : lower_plan.
Notation bits := (SampledCheck.low_bits p).
Fixpoint lower_bases (inv : Z * Z) (o : order) (m : mechanism) (points : list (list Q)) : option (list (cells * positive)) :=
  match m, points with
  | [], _ => Some []
  | g :: m, es :: points => match base_low bits inv o (fst g) es, lower_bases inv o m points with Some y, Some rest => Some ((y, snd g) :: rest) | _, _ => None end
  | _, _ => None
  end.
Lemma lower_bases_sound inv o gs : encl bits inv (/ total) -> forall bs, List.Forall2 block_of bs gs -> forall points bases, lower_bases inv o gs points = Some bases ->
  List.Forall (fun b => sound_cells (fst b)) bases /\ forall u, 0 <= u -> profile (compose_all (cells_steps bits bases)) u <= divergence (in_direction o (concat bs)) u.
Proof.
  intros I. induction gs as [|g gs IH]; intros bs Hb points bases H; cbn [lower_bases] in H.
  - apply some_inj in H. subst bases. inversion Hb. subst. split; [constructor|]. intros u _. destruct o; cbn [concat in_direction map cells_steps compose_all]; rewrite empty_divergence; apply Rle_refl.
  - destruct points as [|es points]; [discriminate|]. destruct (base_low bits inv o (fst g) es) as [y|] eqn:B; [|discriminate].
    destruct (lower_bases inv o gs points) as [rest|] eqn:R; [|discriminate].
    apply some_inj in H. subst bases. inversion Hb as [|b ? bs' ? H1 H2]; subst. destruct (IH bs' H2 points rest R) as [G F]. destruct (block_alike b g H1) as (l1' & H1' & Same).
    assert (K : forall x, step_pair (fst g) x -> sound_cells y /\ forall u, 0 <= u -> profile (cell_law bits y) u <= divergence [ordered o x] u) by (intros x Hx; apply (base_low_sound bits inv o (fst g) x I Hx es y B)).
    assert (Gy : sound_cells y). { destruct (Pos2Nat.is_succ (snd g)) as [j J]. rewrite J in H1'. inversion H1'; subst. eapply K; eassumption. }
    pose proof (LowerLaws.cells_ok bits y Gy) as Oy. split; [constructor; assumption|]. cbn [cells_steps concat]. intros u Hu. rewrite compose_all_app. rewrite in_direction_app.
    apply product_above; try exact Hu; try apply ok_compose_all; [apply ok_repeat, Oy|apply cells_steps_ok, G| |exact F].
    intros v Hv. rewrite Same by exact Hv. rewrite in_direction_map. apply laws_below; [|exact Hv]. apply (repeated _ o (fst g)); [exact H1'|]. intros x Hx. split; [exact Oy|apply K, Hx].
Qed.
Definition composed_below (o : order) (m : mechanism) : option cells :=
  match lower_bases (SampledNumbers.inverse_total bits) o (gather m) (SampledCheck.thresholds p) with
  | None => None
  | Some bases => Some (snd (phases_cells bits (SampledCheck.low_small p) (SampledCheck.most_cells p) (SampledCheck.low_levels p) bases))
  end.
Theorem composed_below_sound o m l y : pairs_of m l -> composed_below o m = Some y -> sound_cells y /\ forall u, 0 <= u -> profile (cell_law bits y) u <= divergence (in_direction o l) u.
Proof.
  intros Hl. unfold composed_below. destruct (lower_bases (SampledNumbers.inverse_total bits) o (gather m) (SampledCheck.thresholds p)) as [bases|] eqn:B; [|discriminate]. intros H. apply some_inj in H.
  destruct (gather_blocks m l Hl) as (bs & -> & Bs). destruct (lower_bases_sound _ o (gather m) (SampledNumbers.inverse_total_encl bits) bs Bs _ _ B) as [G F].
  pose proof (phases_low bits (SampledCheck.low_small p) (SampledCheck.most_cells p) (SampledCheck.low_levels p) bases G) as PL.
  destruct (phases_cells bits (SampledCheck.low_small p) (SampledCheck.most_cells p) (SampledCheck.low_levels p) bases) as [f z]. cbn [snd] in H. subst y. destruct PL as [S L]. split; [exact S|].
  intros u Hu. eapply Rle_trans; [apply L, Hu|]. apply F, Hu.
Qed.
Definition exceeds (y : cells) (eps : level) (d : Q) : bool :=
  match level_Z bits eps with Some (_, w) => SampledCheck.delta_exceeded bits d (sum_sticks bits w (q_masses y) (p_masses y)) | None => false end.
Theorem exceeds_sound o m l y eps d : pairs_of m l -> composed_below o m = Some y -> 0 <= level_R eps -> exceeds y eps d = true -> Q2R d < divergence (in_direction o l) (level_R eps).
Proof.
  intros Hl C X. destruct (composed_below_sound o m l y Hl C) as [S L]. unfold exceeds. destruct (level_Z bits eps) as [[w' w]|] eqn:E; [|discriminate].
  apply level_sound in E. destruct E as [_ E]. cbn [snd] in E. intros H. apply SampledCheck.delta_exceeded_sound in H.
  eapply Rlt_le_trans; [exact H|]. eapply Rle_trans; [|apply L; lra]. apply (cells_at_least bits w (level_R eps) _ y S); [exact X|exact E|lia].
Qed.
End Below.
