(** * A proved checker of claims about sampled Gaussian steps

check m c plan computes in integers; if it says true, the claim holds: check_sound. A mechanism is a list of phases of Poisson-sampled Gaussian steps, a claim says that the mechanism is
(epsilon, delta)-DP in one order (or both), or that it is not; the plan (step of the lattice, number of bits, knots, thresholds) is free: a bad plan makes the answer false, not wrong. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Dpcmp Require Import Losses Convolution Certificate GaussianTail NormalLaw GaussianCurve Expectation SampledGaussian Compositions FixedPoint Numbers NormalTail UpperLaws LowerLaws BaseLaws PhaseLaws SampledNumbers.
Import ListNotations.
Open Scope R_scope.

(** ** Mechanisms and claims *)
(** steps of noise 1 / inverse_noise times the sensitivity, each record being drawn with probability rate *)
Record phase := { rate : Q; inverse_noise : Q; steps_done : positive }.
Fixpoint likelihoods (m : list phase) : list (R -> R) :=
  match m with [] => [] | f :: m => repeat (weight (Q2R (rate f)) (Q2R (inverse_noise f))) (Pos.to_nat (steps_done f)) ++ likelihoods m end.
(** the hockey-stick divergence of all steps at u = e^epsilon *)
Definition divergence (m : list phase) (o : order) (u : R) : R := match o with Remove => remove_profile (likelihoods m) u | Add => add_profile (likelihoods m) u end.
Inductive verdict := Verified | Refuted.
Inductive orders := One (o : order) | Both.
Record claim := { epsilon : Q; delta : Q; about : orders; says : verdict }.
Definition at_most (m : list phase) (c : claim) (o : order) := divergence m o (exp (Q2R (epsilon c))) <= Q2R (delta c).
Definition private (m : list phase) (c : claim) : Prop := match about c with One o => at_most m c o | Both => at_most m c Remove /\ at_most m c Add end.
Definition holds (m : list phase) (c : claim) : Prop := match says c with Verified => private m c | Refuted => ~ private m c end.

Definition proper_phase (f : phase) : bool := negb (Qle_bool (rate f) 0) && Qle_bool (rate f) 1 && negb (Qle_bool (inverse_noise f) 0).
Definition in_range (f : phase) := 0 < Q2R (rate f) <= 1 /\ 0 < Q2R (inverse_noise f).
Lemma positive_Q x : negb (Qle_bool x 0) = true -> 0 < Q2R x.
Proof.
  intros H. apply negb_true_iff in H. assert (K : (0 < x)%Q) by (apply Qnot_le_lt; intros C; apply Qle_bool_iff in C; congruence). apply Qlt_Rlt in K. unfold Q2R at 1 in K. simpl in K. lra.
Qed.
Lemma proper_in_range f : proper_phase f = true -> in_range f.
Proof.
  unfold proper_phase, in_range. repeat rewrite andb_true_iff. intros [[A B] C]. apply positive_Q in A, C. apply Qle_bool_iff, Qle_Rle in B. unfold Q2R at 2 in B. simpl in B. lra.
Qed.

(** a law above (below) each step gives one above (below) all *)
Definition steps_above (o : order) (w : R -> R) (l : loss) := likelihood w /\ ok l /\ forall u, 0 <= u -> one_of o w u <= profile l u.
Definition steps_below (o : order) (w : R -> R) (l : loss) := likelihood w /\ ok l /\ forall u, 0 <= u -> profile l u <= one_of o w u.
Lemma divergence_at_most o m ls u : List.Forall2 (steps_above o) (likelihoods m) ls -> 0 <= u -> divergence m o u <= profile (compose_all ls) u.
Proof. intros F Hu. destruct o; [exact (remove_below _ _ F u Hu)|exact (add_below _ _ F u Hu)]. Qed.
Lemma divergence_at_least o m ls u : List.Forall2 (steps_below o) (likelihoods m) ls -> 0 <= u -> profile (compose_all ls) u <= divergence m o u.
Proof. intros F Hu. destruct o; [exact (remove_above _ _ F u Hu)|exact (add_above _ _ F u Hu)]. Qed.

(** ** From above *)
Record upper_plan := { bits : positive; lattice : Q; levels : nat; small_mass : Z; most_masses : Z; knot_ranges : list (Z * nat) }.
(** shares that are enough to coarsen lattices of the steps s, 2 s, 4 s, ... *)
Fixpoint shares (b : positive) (n : nat) (s : Q) : list Z :=
  match n with
  | O => []
  | S n => match exp_Z b (of_Q b (- s)) with
           | Some (lo, _) => if (0 <=? lo)%Z then (UpperLaws.unit b * UpperLaws.unit b / (UpperLaws.unit b + lo) + 1)%Z :: shares b n ((2 # 1) * s) else []
           | None => []
           end
  end.
Lemma shares_enough b n : forall s, all_enough b (shares b n s) (Q2R s).
Proof.
  induction n as [|n IH]; intros s; cbn [shares]; [exact I|]. destruct (exp_Z b (of_Q b (- s))) as [[lo hi]|] eqn:E; [|exact I]. destruct (0 <=? lo)%Z eqn:L; [|exact I]. apply Z.leb_le in L.
  apply (exp_sound _ _ _ _ (encl_Q b _)) in E. rewrite Q2R_opp in E. destruct E as [E _]. cbn [fst] in E. split.
  - unfold enough. change (FixedPoint.unit b) with (IZR (UpperLaws.unit b)) in E. pose proof (UpperLaws.unit_pos b) as U. pose proof (IZR_unit_pos b) as V. set (P := UpperLaws.unit b) in *.
    pose proof (Z.mul_succ_div_gt (P * P) (P + lo) ltac:(lia)) as D. apply IZR_lt in D. unfold Z.succ in D. rewrite !mult_IZR in D. set (W := IZR (P * P / (P + lo) + 1)) in *. rewrite (plus_IZR P) in D.
    assert (W0 : 0 <= W) by (apply IZR_le; pose proof (Z.div_pos (P * P) (P + lo) ltac:(nia) ltac:(lia)); lia).
    apply Rmult_le_reg_l with (IZR P); [exact V|]. replace (IZR P * (W * (1 + exp (- Q2R s)))) with (W * (IZR P + IZR P * exp (- Q2R s))) by ring.
    assert (W * (IZR P + IZR lo) <= W * (IZR P + IZR P * exp (- Q2R s))) by (apply Rmult_le_compat_l; lra). lra.
  - replace (2 * Q2R s) with (Q2R ((2 # 1) * s)); [apply IH|]. rewrite Q2R_mult. f_equal. unfold Q2R; simpl. field.
Qed.
Fixpoint upper_bases (p : upper_plan) (inv : Z * Z) (o : order) (m : list phase) (ranges : list (Z * nat)) : option (list (law * positive)) :=
  match m, ranges with
  | [], _ => Some []
  | f :: m, (k, n) :: ranges =>
      match base_up (bits p) inv (rate f) (inverse_noise f) (lattice p) o k n, upper_bases p inv o m ranges with
      | Some x, Some rest => Some ((x, steps_done f) :: rest)
      | _, _ => None
      end
  | _, _ => None
  end.
Definition upper_law (p : upper_plan) (inv : Z * Z) (o : order) (m : list phase) : option (nat * law) :=
  let ws := shares (bits p) (levels p) (lattice p) in
  match upper_bases p inv o m (knot_ranges p) with
  | None => None
  | Some bases => match phases_law (bits p) (small_mass p) (most_masses p) ws bases with Some (unused, x) => Some ((length ws - length unused)%nat, x) | None => None end
  end.
Definition delta_fits (b : positive) (d : Q) (n : Z) : bool := (n * Zpos (Qden d) <=? Qnum d * (UpperLaws.unit b * UpperLaws.unit b))%Z.
Definition check_upper (m : list phase) (o : order) (eps d : Q) (p : upper_plan) : bool :=
  forallb proper_phase m && negb (Qle_bool (lattice p) 0) &&
  match upper_law p (inverse_total (bits p)) o m with
  | None => false
  | Some (coarsened, x) =>
      let s := (inject_Z (2 ^ Z.of_nat coarsened) * lattice p)%Q in
      match exp_Z (bits p) (of_Q (bits p) (eps - s * inject_Z (first x))), exp_Z (bits p) (of_Q (bits p) (- s)) with
      | Some (w, _), Some (r, _) =>
          (0 <=? w)%Z && (0 <=? r)%Z && delta_fits (bits p) d (top x * UpperLaws.unit (bits p) + hinge_sum (UpperLaws.unit (bits p)) w r (masses x))
      | _, _ => false
      end
  end.

Lemma upper_bases_sound p inv o m : encl (bits p) inv (/ total) -> 0 < Q2R (lattice p) -> List.Forall in_range m -> forall ranges bases, upper_bases p inv o m ranges = Some bases ->
  List.Forall (fun b => good (fst b)) bases /\ List.Forall2 (steps_above o) (likelihoods m) (phases_steps (bits p) (Q2R (lattice p)) bases).
Proof.
  intros I Hs F. induction F as [|f m [Hq Hm] F IH]; intros ranges bases H; cbn [upper_bases likelihoods] in *.
  - injection H as <-. simpl. split; [apply List.Forall_nil|apply List.Forall2_nil].
  - destruct ranges as [|[k n] ranges]; [discriminate|]. destruct (base_up (bits p) inv (rate f) (inverse_noise f) (lattice p) o k n) as [x|] eqn:B; [|discriminate].
    destruct (upper_bases p inv o m ranges) as [rest|] eqn:R; [|discriminate]. injection H as <-. destruct (IH _ _ R) as [G S]. destruct (base_up_sound _ _ _ _ I Hq Hm _ Hs _ _ _ _ B) as [G0 S0].
    split; [apply List.Forall_cons; assumption|]. cbn [phases_steps]. apply List.Forall2_app; [|exact S]. apply repeat_forall2. split; [apply weight_likelihood, Hq|]. split; [apply real_ok, G0|exact S0].
Qed.
Lemma proper_all m : forallb proper_phase m = true -> List.Forall in_range m.
Proof. intros H. apply List.Forall_forall. intros f Hf. apply proper_in_range. rewrite forallb_forall in H. apply H, Hf. Qed.
Lemma Q2R_whole n : Q2R (inject_Z n) = IZR n.
Proof. unfold Q2R, inject_Z; simpl. field. Qed.
Lemma delta_fits_sound b d n : delta_fits b d n = true -> c b * c b * IZR n <= Q2R d.
Proof.
  unfold delta_fits. intros H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. pose proof (c_pos b) as C. pose proof (c_unit b) as U. assert (D : 0 < IZR (Zpos (Qden d))) by (apply IZR_lt; lia).
  unfold Q2R. apply Rmult_le_reg_r with (IZR (Zpos (Qden d))); [exact D|]. rewrite (Rmult_assoc (IZR (Qnum d))), Rinv_l, Rmult_1_r by lra.
  assert (K : c b * c b * (IZR n * IZR (Zpos (Qden d))) <= c b * c b * (IZR (Qnum d) * (IZR (UpperLaws.unit b) * IZR (UpperLaws.unit b)))) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact H]).
  replace (c b * c b * (IZR (Qnum d) * (IZR (UpperLaws.unit b) * IZR (UpperLaws.unit b)))) with (IZR (Qnum d) * ((c b * IZR (UpperLaws.unit b)) * (c b * IZR (UpperLaws.unit b)))) in K by ring.
  rewrite U in K. lra.
Qed.
Theorem check_upper_sound m o eps d p : check_upper m o eps d p = true -> divergence m o (exp (Q2R eps)) <= Q2R d.
Proof.
  unfold check_upper. repeat rewrite andb_true_iff. intros [[M L] H]. apply proper_all in M. apply positive_Q in L. set (b := bits p) in *. set (s0 := Q2R (lattice p)) in *.
  unfold upper_law in H. fold b in H. destruct (upper_bases p (inverse_total b) o m (knot_ranges p)) as [bases|] eqn:B; [|discriminate].
  destruct (upper_bases_sound p _ o m (inverse_total_encl b) L M _ _ B) as [G S]. fold b s0 in S.
  destruct (phases_law b (small_mass p) (most_masses p) (shares b (levels p) (lattice p)) bases) as [[unused x]|] eqn:PL; [|discriminate].
  pose proof (phases_up b (small_mass p) (most_masses p) s0 ltac:(lra) _ (shares_enough b (levels p) (lattice p)) bases G unused x PL) as [_ [_ [Gx Bx]]].
  set (n := (length (shares b (levels p) (lattice p)) - length unused)%nat) in *. unfold step_at, step_left in Bx. fold n in Bx. set (s := (inject_Z (2 ^ Z.of_nat n) * lattice p)%Q) in *.
  assert (Es : Q2R s = 2 ^ n * s0) by (unfold s; rewrite Q2R_mult, Q2R_whole, <- pow_IZR; reflexivity). rewrite <- Es in Bx.
  destruct (exp_Z b (of_Q b (eps - s * inject_Z (first x)))) as [[w w']|] eqn:E1; [|discriminate]. destruct (exp_Z b (of_Q b (- s))) as [[r r']|] eqn:E2; [|discriminate].
  repeat rewrite andb_true_iff in H. destruct H as [[H1 H2] H3]. apply Z.leb_le in H1, H2. apply delta_fits_sound in H3.
  apply (exp_sound _ _ _ _ (encl_Q b _)) in E1, E2. rewrite Q2R_minus, Q2R_mult, Q2R_whole in E1. rewrite Q2R_opp in E2. destruct E1 as [E1 _]. destruct E2 as [E2 _]. cbn [fst] in E1, E2.
  change (FixedPoint.unit b) with (IZR (UpperLaws.unit b)) in *. set (P := UpperLaws.unit b) in *. pose proof (exp_pos (Q2R eps)) as X.
  eapply Rle_trans; [apply (divergence_at_most o m _ (exp (Q2R eps)) S); lra|]. eapply Rle_trans; [apply Bx; lra|]. unfold real. rewrite profile_top.
  destruct Gx as [Nx Tx]. pose proof (hinge_sum_sound P r (c b) (exp (- Q2R s)) (exp (Q2R eps)) (masses x) (UpperLaws.unit_pos b) H2 ltac:(left; apply c_pos) ltac:(lra) E2 Nx w (exp (- (Q2R s * IZR (first x)))) H1) as K.
  specialize (K ltac:(rewrite <- exp_plus; unfold Rminus in E1; exact E1)). rewrite plus_IZR, mult_IZR in H3. set (S0 := IZR (hinge_sum P w r (masses x))) in *. set (prof := profile _ _) in *.
  pose proof (c_pos b) as C. pose proof (c_unit b) as U. fold P in U. assert (K2 : prof <= c b * c b * S0).
  { apply Rmult_le_compat_l with (r := c b) in K; [|lra]. replace (c b * (prof * IZR P)) with (prof * (c b * IZR P)) in K by ring. rewrite U in K. lra. }
  replace (c b * c b * (IZR (top x) * IZR P + S0)) with (c b * IZR (top x) * (c b * IZR P) + c b * c b * S0) in H3 by ring. rewrite U in H3. lra.
Qed.

(** ** From below *)
Record lower_plan := { low_bits : positive; low_levels : nat; low_small : Z; most_cells : Z; thresholds : list (list Q) }.
Fixpoint lower_bases (p : lower_plan) (inv : Z * Z) (o : order) (m : list phase) (ts : list (list Q)) : option (list (cells * positive)) :=
  match m, ts with
  | [], _ => Some []
  | f :: m, t :: ts =>
      match base_low (low_bits p) inv (rate f) (inverse_noise f) o t, lower_bases p inv o m ts with
      | Some x, Some rest => Some ((x, steps_done f) :: rest)
      | _, _ => None
      end
  | _, _ => None
  end.
Definition delta_exceeded (b : positive) (d : Q) (n : Z) : bool := (Qnum d * (UpperLaws.unit b * UpperLaws.unit b) <? n * Zpos (Qden d))%Z.
Definition check_lower (m : list phase) (o : order) (eps d : Q) (p : lower_plan) : bool :=
  forallb proper_phase m &&
  match lower_bases p (inverse_total (low_bits p)) o m (thresholds p) with
  | None => false
  | Some bases =>
      let '(_, x) := phases_cells (low_bits p) (low_small p) (most_cells p) (low_levels p) bases in
      match exp_Z (low_bits p) (of_Q (low_bits p) eps) with
      | Some (_, w) => delta_exceeded (low_bits p) d (sum_sticks (low_bits p) w (q_masses x) (p_masses x))
      | None => false
      end
  end.
Lemma lower_bases_sound p inv o m : encl (low_bits p) inv (/ total) -> List.Forall in_range m -> forall ts bases, lower_bases p inv o m ts = Some bases ->
  List.Forall (fun b => sound_cells (fst b)) bases /\ List.Forall2 (steps_below o) (likelihoods m) (cells_steps (low_bits p) bases).
Proof.
  intros I F. induction F as [|f m [Hq Hm] F IH]; intros ts bases H; cbn [lower_bases likelihoods] in *.
  - injection H as <-. simpl. split; [apply List.Forall_nil|apply List.Forall2_nil].
  - destruct ts as [|t ts]; [discriminate|]. destruct (base_low (low_bits p) inv (rate f) (inverse_noise f) o t) as [x|] eqn:B; [|discriminate].
    destruct (lower_bases p inv o m ts) as [rest|] eqn:R; [|discriminate]. injection H as <-. destruct (IH _ _ R) as [G S]. destruct (base_low_sound _ _ _ _ I Hq _ _ _ B) as [G0 S0].
    split; [apply List.Forall_cons; assumption|]. cbn [cells_steps]. apply List.Forall2_app; [|exact S]. apply repeat_forall2. split; [apply weight_likelihood, Hq|]. split; [apply cells_ok, G0|exact S0].
Qed.
Lemma delta_exceeded_sound b d n : delta_exceeded b d n = true -> Q2R d < c b * c b * IZR n.
Proof.
  unfold delta_exceeded. intros H. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR in H. pose proof (c_pos b) as C. pose proof (c_unit b) as U. assert (D : 0 < IZR (Zpos (Qden d))) by (apply IZR_lt; lia).
  unfold Q2R. apply Rmult_lt_reg_r with (IZR (Zpos (Qden d))); [exact D|]. rewrite (Rmult_assoc (IZR (Qnum d))), Rinv_l, Rmult_1_r by lra.
  assert (K : c b * c b * (IZR (Qnum d) * (IZR (UpperLaws.unit b) * IZR (UpperLaws.unit b))) < c b * c b * (IZR n * IZR (Zpos (Qden d)))) by (apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; lra|exact H]).
  replace (c b * c b * (IZR (Qnum d) * (IZR (UpperLaws.unit b) * IZR (UpperLaws.unit b)))) with (IZR (Qnum d) * ((c b * IZR (UpperLaws.unit b)) * (c b * IZR (UpperLaws.unit b)))) in K by ring.
  rewrite U in K. lra.
Qed.
Theorem check_lower_sound m o eps d p : check_lower m o eps d p = true -> Q2R d < divergence m o (exp (Q2R eps)).
Proof.
  unfold check_lower. rewrite andb_true_iff. intros [M H]. apply proper_all in M. set (b := low_bits p) in *.
  destruct (lower_bases p (inverse_total b) o m (thresholds p)) as [bases|] eqn:B; [|discriminate]. destruct (lower_bases_sound p _ o m (inverse_total_encl b) M _ _ B) as [G S]. fold b in S.
  pose proof (phases_low b (low_small p) (most_cells p) (low_levels p) bases G) as PL. destruct (phases_cells b (low_small p) (most_cells p) (low_levels p) bases) as [f x]. destruct PL as [Sx Bx].
  destruct (exp_Z b (of_Q b eps)) as [[w' w]|] eqn:E; [|discriminate]. apply (exp_sound _ _ _ _ (encl_Q b _)) in E. destruct E as [_ E]. cbn [snd] in E. apply delta_exceeded_sound in H. pose proof (exp_pos (Q2R eps)) as X.
  eapply Rlt_le_trans; [exact H|]. eapply Rle_trans; [|apply (divergence_at_least o m _ (exp (Q2R eps)) S); lra]. eapply Rle_trans; [|apply Bx; lra].
  apply (cells_at_least b w (exp (Q2R eps)) _ x Sx); [lra|exact E|lia].
Qed.

(** ** All claims *)
Inductive plan := Above (remove add : upper_plan) | Below (o : order) (p : lower_plan).
Definition check (m : list phase) (c : claim) (p : plan) : bool :=
  match says c, about c, p with
  | Verified, One o, Above r a => check_upper m o (epsilon c) (delta c) (match o with Remove => r | Add => a end)
  | Verified, Both, Above r a => check_upper m Remove (epsilon c) (delta c) r && check_upper m Add (epsilon c) (delta c) a
  | Refuted, One Remove, Below Remove p => check_lower m Remove (epsilon c) (delta c) p
  | Refuted, One Add, Below Add p => check_lower m Add (epsilon c) (delta c) p
  | Refuted, Both, Below o p => check_lower m o (epsilon c) (delta c) p
  | _, _, _ => false
  end.
Theorem check_sound m c p : check m c p = true -> holds m c.
Proof.
  assert (L : forall o q, check_lower m o (epsilon c) (delta c) q = true -> ~ at_most m c o).
  { intros o q H K. apply check_lower_sound in H. unfold at_most in K. lra. }
  unfold check, holds, private. destruct (says c), (about c) as [o|], p as [r a|o' q]; try discriminate.
  - apply check_upper_sound.
  - rewrite andb_true_iff. intros [A B]. split; eapply check_upper_sound; eassumption.
  - destruct o; discriminate.
  - destruct o, o'; try discriminate; intros H; eapply L, H.
  - intros H [A B]. destruct o'; [apply (L Remove q H A)|apply (L Add q H B)].
Qed.

(** ** The same for claims written out *)
Lemma verified_one m e d o p : check_upper m o e d p = true -> private m {| epsilon := e; delta := d; about := One o; says := Verified |}.
Proof. apply check_upper_sound. Qed.
Lemma verified_both m e d r a : check_upper m Remove e d r = true -> check_upper m Add e d a = true -> private m {| epsilon := e; delta := d; about := Both; says := Verified |}.
Proof. intros A B. split; eapply check_upper_sound; eassumption. Qed.
Lemma refuted_one m e d o p : check_lower m o e d p = true -> ~ private m {| epsilon := e; delta := d; about := One o; says := Refuted |}.
Proof. intros H K. apply check_lower_sound in H. exact (Rlt_not_le _ _ H K). Qed.
Lemma refuted_both m e d o p : check_lower m o e d p = true -> ~ private m {| epsilon := e; delta := d; about := Both; says := Refuted |}.
Proof. intros H [A B]. apply check_lower_sound in H. destruct o; [exact (Rlt_not_le _ _ H A)|exact (Rlt_not_le _ _ H B)]. Qed.
(** one phase: the iterated integrals of SampledGaussian.v, and those of the other order *)
Lemma one_phase_remove f u : divergence [f] Remove u = steps (Q2R (rate f)) (Q2R (inverse_noise f)) (Pos.to_nat (steps_done f)) u.
Proof. unfold divergence; cbn [likelihoods]. rewrite app_nil_r. symmetry. apply steps_are_equal. Qed.
Lemma one_phase_add f u : divergence [f] Add u = add_profile (repeat (weight (Q2R (rate f)) (Q2R (inverse_noise f))) (Pos.to_nat (steps_done f))) u.
Proof. unfold divergence; cbn [likelihoods]. rewrite app_nil_r. reflexivity. Qed.
