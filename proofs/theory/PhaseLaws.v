(** * Phases: powers of several base laws, composed

A phase is a base law and a number of steps. phases_up: the integers that come out of the powers of all phases, brought to one lattice and multiplied, are a law above the composition of
all steps; phases_low: the same below, for cells. *)
From Coq Require Import Reals Lra Lia ZArith List Bool.
From Dpcmp Require Import Losses Convolution Certificate UpperLaws LowerLaws.
Import ListNotations.
Open Scope R_scope.

(** ** The binary digits of n after the leading one, from the largest *)
Fixpoint digits (n : positive) : list bool := match n with xH => [] | xO n => digits n ++ [false] | xI n => digits n ++ [true] end.
Lemma exponent_app a b n : exponent (a ++ b) n = exponent b (exponent a n).
Proof. revert n. induction a as [|d a IH]; intros n; [reflexivity|]. simpl. apply IH. Qed.
Lemma exponent_digits n : exponent (digits n) 1 = Pos.to_nat n.
Proof. induction n as [n IH|n IH|]; cbn [digits]; [| |reflexivity]; rewrite exponent_app, IH; simpl; lia. Qed.

(** ** Compositions of lists of laws *)
Lemma compose_all_app ls ms : same (compose_all (ls ++ ms)) (compose (compose_all ls) (compose_all ms)).
Proof.
  induction ls as [|l ls IH]; intros u; [symmetry; apply compose_1_l|].
  simpl. rewrite (compose_same_r _ _ _ IH u). symmetry. apply compose_assoc.
Qed.
Lemma compose_all_power l n : compose_all (repeat l n) = power l n.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma power_1 l : same (power l 1) l.
Proof. intros u. simpl. rewrite app_nil_r, profile_scale. simpl. rewrite Rmult_1_r. ring. Qed.
Lemma ok_repeat l n : ok l -> Forall ok (repeat l n).
Proof. intros H. induction n; simpl; constructor; auto. Qed.
Lemma ok_compose_all ls : Forall ok ls -> ok (compose_all ls).
Proof. intros H. induction H as [|l ls O H IH]; simpl; [constructor; [simpl; lra|constructor]|apply compose_ok; assumption]. Qed.

Section Units.
Variable bits : positive.
Notation c := (c bits).
Variables t limit : Z.

(** ** Upper laws *)
Section Upper.
Variable s : R.
Hypothesis Hs : 0 <= s.
Variable weights : list Z.
Hypothesis Hw : all_enough bits weights s.
Definition step_at (unused : list Z) : R := step_left (length weights) (length unused) s.
(** x on the lattice that unused weights are left for *)
Definition reached (unused : list Z) (x : law) (l : loss) :=
  (length unused <= length weights)%nat /\ all_enough bits unused (step_at unused) /\ good x /\ below l (real bits (step_at unused) x).

Fixpoint align (n : nat) (unused : list Z) (x : law) : list Z * law :=
  match unused with [] => ([], x) | w :: rest => if (n <? length unused)%nat then align n rest (coarsen bits w x) else (unused, x) end.
Lemma step_at_nonneg unused : 0 <= step_at unused.
Proof. unfold step_at, step_left. apply Rmult_le_pos; [apply pow_le; lra|exact Hs]. Qed.
Lemma align_up n l : forall unused x, reached unused x l -> let '(unused', x') := align n unused x in reached unused' x' l.
Proof.
  induction unused as [|w unused IH]; intros x H; cbn [align]; [exact H|]. destruct (n <? length (w :: unused))%nat; [|exact H].
  apply IH. destruct H as [L [[A1 A2] [G B]]]. cbn [length] in *.
  assert (E : 2 * step_at (w :: unused) = step_at unused).
  { unfold step_at, step_left. cbn [length]. rewrite <- Rmult_assoc. f_equal. replace (length weights - length unused)%nat with (S (length weights - S (length unused))) by lia. reflexivity. }
  destruct (coarsen_law_up bits _ w x (step_at_nonneg (w :: unused)) A1 G) as [G' B']. rewrite E in *.
  split; [lia|]. split; [exact A2|]. split; [exact G'|]. eapply below_trans; eassumption.
Qed.

(** all steps of one phase *)
Definition phase_power (n : positive) (base : law) : list Z * law :=
  let '(unused, _, x) := run bits t limit (digits n) weights base base in (unused, x).
Lemma phase_power_up n base l : ok l -> good base -> below l (real bits s base) -> let '(unused, x) := phase_power n base in reached unused x (power l (Pos.to_nat n)).
Proof.
  intros O G B. unfold phase_power. pose proof (run_up bits t limit l O (digits n) weights s base base 1 Hs Hw G G B) as R.
  assert (B1 : below (power l 1) (real bits s base)) by (intros u Hu; rewrite (power_1 l u); apply B, Hu). specialize (R B1).
  destruct (run bits t limit (digits n) weights base base) as [[unused o] x]. destruct R as [s' [S0 [S1 [S2 [S3 [S4 S5]]]]]]. rewrite exponent_digits in S5. subst s'. split; [exact S2|]. auto.
Qed.

(** the composition of nothing *)
Definition nothing : law := {| first := 0; masses := [unit bits]; top := 0 |}.
Fixpoint phases_law (phases : list (law * positive)) : option (list Z * law) :=
  match phases with
  | [] => Some (weights, nothing)
  | (base, n) :: phases =>
      let '(w1, x) := phase_power n base in
      match phases_law phases with
      | None => None
      | Some (w2, y) =>
          let m := Nat.min (length w1) (length w2) in let '(w3, x) := align m w1 x in let '(w4, y) := align m w2 y in
          if (length w3 =? length w4)%nat then Some (w3, trim_small t (times bits x y)) else None
      end
  end.
Fixpoint phases_steps (phases : list (law * positive)) : list loss := match phases with [] => [] | (base, n) :: phases => repeat (real bits s base) (Pos.to_nat n) ++ phases_steps phases end.

Lemma nothing_reached : reached weights nothing [(1, 1)].
Proof.
  unfold reached, step_at, step_left. rewrite Nat.sub_diag. simpl. rewrite Rmult_1_l. split; [lia|]. split; [exact Hw|]. split.
  - split; simpl; [constructor; [pose proof (unit_pos bits); lia|constructor]|lia].
  - intros u Hu. unfold real, nothing. cbn [first masses top lattice_law]. rewrite profile_top. cbn [profile]. unfold hinge; cbn [fst snd]. rewrite c_unit, !Rmult_0_r, Ropp_0, exp_0. lra.
Qed.
Lemma phases_ok phases : Forall (fun p => good (fst p)) phases -> Forall ok (phases_steps phases).
Proof.
  intros H. induction H as [|[base n] phases G H IH]; cbn [phases_steps]; [constructor|]. apply Forall_app. split; [apply ok_repeat, real_ok, G|exact IH].
Qed.
Theorem phases_up phases : Forall (fun p => good (fst p)) phases -> forall unused x, phases_law phases = Some (unused, x) -> reached unused x (compose_all (phases_steps phases)).
Proof.
  intros H. induction H as [|[base n] phases G H IH]; intros unused x M; cbn [phases_law phases_steps] in *; [injection M as <- <-; apply nothing_reached|]. cbn [fst] in G.
  pose proof (phase_power_up n base (real bits s base) (real_ok bits s base G) G (below_refl _)) as PU. destruct (phase_power n base) as [w1 x1]. destruct (phases_law phases) as [[w2 y]|]; [|discriminate].
  set (m := Nat.min (length w1) (length w2)) in *. pose proof (align_up m _ w1 x1 PU) as A1. destruct (align m w1 x1) as [w3 x'].
  pose proof (align_up m _ w2 y (IH _ _ eq_refl)) as A2. destruct (align m w2 y) as [w4 y']. destruct (length w3 =? length w4)%nat eqn:E; [|discriminate]. injection M as <- <-. apply Nat.eqb_eq in E.
  destruct A1 as [L1 [E1 [G1 B1]]]. destruct A2 as [L2 [E2 [G2 B2]]].
  assert (Q : step_at w4 = step_at w3) by (unfold step_at; rewrite E; reflexivity). rewrite Q in B2. pose proof (times_good bits _ _ G1 G2) as Gt.
  destruct (trim_up bits (step_at w3) (small t (masses (times bits x' y'))) (small t (rev' (masses (times bits x' y')))) _ (step_at_nonneg w3) Gt) as [G3 B3]. fold (trim_small t (times bits x' y')) in *.
  split; [exact L1|]. split; [exact E1|]. split; [exact G3|]. apply below_trans with (2 := B3). apply below_trans with (2 := times_up bits (step_at w3) _ _ G1 G2).
  apply below_trans with (1 := same_below _ _ (compose_all_app _ _)). rewrite compose_all_power. apply compose_le; auto; [apply real_ok, G1|apply ok_compose_all, phases_ok, H].
Qed.
End Upper.

(** ** Cells *)
Section Lower.
Variable fuel : nat.
Definition below_cells (x : cells) (l : loss) := sound_cells x /\ below (cell_law bits x) l.
Fixpoint align_cells (n : nat) (unused : nat) (x : cells) : cells := match unused with O => x | S rest => if (n <? unused)%nat then align_cells n rest (pair_cells x) else x end.
Lemma align_cells_low n l : forall unused x, below_cells x l -> below_cells (align_cells n unused x) l.
Proof.
  induction unused as [|unused IH]; intros x H; cbn [align_cells]; [exact H|]. destruct (n <? S unused)%nat; [|exact H]. apply IH.
  destruct H as [S B]. destruct (pair_low bits x S) as [S' B']. split; [exact S'|]. eapply below_trans; eassumption.
Qed.
Definition phase_cells (n : positive) (base : cells) : nat * cells := let '(unused, _, x) := run_cells bits t limit (digits n) fuel base base in (unused, x).
Definition no_cells : cells := {| q_masses := [unit bits]; p_masses := [unit bits] |}.
Fixpoint phases_cells (phases : list (cells * positive)) : nat * cells :=
  match phases with
  | [] => (fuel, no_cells)
  | (base, n) :: phases =>
      let '(f1, x) := phase_cells n base in let '(f2, y) := phases_cells phases in
      let m := Nat.min f1 f2 in (m, drop_small t (times_cells bits (align_cells m f1 x) (align_cells m f2 y)))
  end.
Fixpoint cells_steps (phases : list (cells * positive)) : list loss := match phases with [] => [] | (base, n) :: phases => repeat (cell_law bits base) (Pos.to_nat n) ++ cells_steps phases end.
Lemma cells_steps_ok phases : Forall (fun p => sound_cells (fst p)) phases -> Forall ok (cells_steps phases).
Proof.
  intros H. induction H as [|[base n] phases G H IH]; cbn [cells_steps]; [constructor|]. apply Forall_app. split; [apply ok_repeat, cells_ok, G|exact IH].
Qed.
Lemma phase_cells_low n base : sound_cells base -> let '(_, x) := phase_cells n base in below_cells x (power (cell_law bits base) (Pos.to_nat n)).
Proof.
  intros S. unfold phase_cells. pose proof (run_cells_low bits t limit (cell_law bits base) (cells_ok bits base S) (digits n) fuel base base 1 S S (below_refl _)) as R.
  assert (B1 : below (cell_law bits base) (power (cell_law bits base) 1)) by (intros u Hu; rewrite (power_1 _ u); lra). specialize (R B1).
  destruct (run_cells bits t limit (digits n) fuel base base) as [[f o] x]. rewrite exponent_digits in R. exact R.
Qed.
Theorem phases_low phases : Forall (fun p => sound_cells (fst p)) phases -> let '(_, x) := phases_cells phases in below_cells x (compose_all (cells_steps phases)).
Proof.
  intros H. induction H as [|[base n] phases G H IH]; cbn [phases_cells cells_steps].
  - assert (S : sound_cells no_cells) by (pose proof (unit_pos bits); repeat split; simpl; try reflexivity; constructor; try lia; constructor). split; [exact S|].
    intros u Hu. rewrite profile_cells by assumption. cbn [no_cells q_masses p_masses sticks compose_all profile]. unfold hinge; cbn [fst snd]. rewrite Rplus_0_r, Rplus_0_r.
    rewrite <- pos_scaled by (left; apply c_pos). rewrite Rmult_1_l, Rmult_1_r. right. f_equal. pose proof (c_unit bits) as C. replace (c * (IZR (unit bits) - u * IZR (unit bits))) with ((c * IZR (unit bits)) * (1 - u)) by ring. rewrite C. ring.
  - cbn [fst] in G. pose proof (phase_cells_low n base G) as PL. destruct (phase_cells n base) as [f1 x]. destruct (phases_cells phases) as [f2 y]. set (m := Nat.min f1 f2).
    destruct (align_cells_low m _ f1 x PL) as [S1 B1]. destruct (align_cells_low m _ f2 y IH) as [S2 B2]. set (x' := align_cells m f1 x) in *. set (y' := align_cells m f2 y) in *.
    pose proof (times_cells_sound bits _ _ S1 S2) as S3. destruct (drop_low bits (small t (q_masses (times_cells bits x' y'))) (small t (rev' (q_masses (times_cells bits x' y')))) _ S3) as [S4 B4].
    split; [exact S4|]. apply below_trans with (1 := B4). apply below_trans with (1 := times_cells_low bits _ _ S1 S2).
    apply below_trans with (compose (power (cell_law bits base) (Pos.to_nat n)) (compose_all (cells_steps phases))).
    + apply compose_le; auto; [apply power_ok, cells_ok, G|apply cells_ok, S2].
    + apply same_below. intros u. rewrite <- compose_all_power. symmetry. apply compose_all_app.
Qed.
End Lower.
End Units.
