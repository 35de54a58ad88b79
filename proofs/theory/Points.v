(** * From rational points of a profile to a number, by computation

The law of the chords through rational points is rounded outwards to integers over P (masses up, z = e^(-loss) down), composed with itself exactly, and its profile summed at a
rational u, all inside Coq. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals Qround List.
From Coquelicot Require Import Rcomplements.
From Dpcmp Require Import Losses Breakpoints Lattice.
Import ListNotations.
Open Scope R_scope.

(** ** Integer laws: (n, m) is the mass n / s at z = m / s *)
Definition integer_law := list (Z * Z).
Definition real_law (s : R) (l : integer_law) : loss := map (fun a => (IZR (fst a) / s, IZR (snd a) / s)) l.
Definition scale_integers (b : Z * Z) (l : integer_law) : integer_law := map (fun a => (fst a * fst b, snd a * snd b)%Z) l.
Fixpoint compose_integers (l m : integer_law) : integer_law := match m with [] => [] | b :: m => scale_integers b l ++ compose_integers l m end.
Fixpoint power_integers (l : integer_law) (n : nat) : integer_law := match n with O => [(1, 1)%Z] | S n => compose_integers l (power_integers l n) end.

Lemma real_compose s t l m : s <> 0 -> t <> 0 -> compose (real_law s l) (real_law t m) = real_law (s * t) (compose_integers l m).
Proof.
  intros Hs Ht. induction m as [|b m IH]; simpl; [reflexivity|]. unfold real_law in *. rewrite map_app, <- IH. f_equal.
  unfold scale, scale_integers. rewrite !map_map. apply map_ext. intros a. simpl. rewrite !mult_IZR. f_equal; field; auto.
Qed.
Lemma real_power s l n : s <> 0 -> power (real_law s l) n = real_law (s ^ n) (power_integers l n).
Proof.
  intros Hs. induction n as [|n IH]; simpl.
  - unfold real_law; simpl. repeat f_equal; field.
  - rewrite IH. apply real_compose; [exact Hs|apply pow_nonzero, Hs].
Qed.

(** the profile at U / D, times s s D *)
Fixpoint sum_hinges (s u d : Z) (l : integer_law) : Z :=
  match l with [] => 0%Z | a :: l => (fst a * Z.max 0 (d * s - u * snd a) + sum_hinges s u d l)%Z end.
Lemma sum_hinges_spec s u d l : (0 < s)%Z -> (0 < d)%Z -> profile (real_law (IZR s) l) (IZR u / IZR d) = IZR (sum_hinges s u d l) / (IZR s * IZR s * IZR d).
Proof.
  intros Hs Hd. apply IZR_lt in Hs, Hd. induction l as [|a l IH]; simpl; [field; lra|]. fold (real_law (IZR s) l). rewrite IH, plus_IZR, mult_IZR.
  unfold hinge; simpl. assert (E : pos (1 - IZR u / IZR d * (IZR (snd a) / IZR s)) = IZR (Z.max 0 (d * s - u * snd a)) / (IZR s * IZR d)).
  { replace (IZR (Z.max 0 (d * s - u * snd a))) with (Rmax 0 (IZR d * IZR s - IZR u * IZR (snd a))).
    - unfold pos. replace (1 - IZR u / IZR d * (IZR (snd a) / IZR s)) with (/ (IZR s * IZR d) * (IZR d * IZR s - IZR u * IZR (snd a))) by (field; lra).
      rewrite <- (Rmult_0_r (/ (IZR s * IZR d))) at 1. rewrite RmaxRmult; [unfold Rdiv; ring|left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra].
    - rewrite <- !mult_IZR, <- minus_IZR. unfold Rmax. destruct (Rle_dec 0 (IZR (d * s - u * snd a))) as [h|h].
      + apply le_IZR in h. rewrite Z.max_r by exact h. reflexivity.
      + rewrite Z.max_l; [reflexivity|]. apply Rnot_le_lt, lt_IZR in h. lia. }
  rewrite E. field. lra.
Qed.

(** ** Points, and the law of their chords, rounded outwards *)
Definition point := (Q * Q)%type.
Definition real_points (l : list point) : list (R * R) := map (fun p => (Q2R (fst p), Q2R (snd p))) l.
Definition fall_q (u d : Q) (l : list point) : Q := match l with [] => 0%Q | (v, e) :: _ => ((d - e) / (v - u))%Q end.
Fixpoint rounded_chords (P : positive) (u d : Q) (l : list point) : integer_law :=
  match l with
  | [] => [(Qceiling (d * (Zpos P # 1)), 0%Z)]
  | (v, e) :: l' => (Qceiling (Qred (v * ((d - e) / (v - u) - fall_q v e l')) * (Zpos P # 1)), Qfloor (/ v * (Zpos P # 1))) :: rounded_chords P v e l'
  end.
Fixpoint check_points (u d : Q) (l : list point) : bool :=
  match l with
  | [] => Qle_bool 0 d
  | (v, e) :: l' => negb (Qle_bool v u) && Qle_bool (fall_q v e l') ((d - e) / (v - u)) && check_points v e l'
  end.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl. field. Qed.
Lemma not_le_lt v u : negb (Qle_bool v u) = true -> Q2R u < Q2R v /\ ~ (v - u == 0)%Q.
Proof.
  intros H. apply Bool.negb_true_iff in H. assert (K : (u < v)%Q) by (apply Qnot_le_lt; intros C; apply Qle_bool_iff in C; congruence). split; [apply Qlt_Rlt, K|].
  intros E. apply Qlt_Rlt in K. apply Qeq_eqR in E. rewrite Q2R_minus, Q2R_0 in E. lra.
Qed.
Lemma fall_real u d l : check_points u d l = true -> fall (Q2R u) (Q2R d) (real_points l) = Q2R (fall_q u d l).
Proof.
  destruct l as [|[v e] l]; simpl; [rewrite Q2R_0; reflexivity|]. intros H. repeat rewrite Bool.andb_true_iff in H. destruct H as [[H _] _].
  apply not_le_lt in H. destruct H as [H N]. rewrite Q2R_div, !Q2R_minus by exact N. reflexivity.
Qed.
Lemma check_points_sound u d l : check_points u d l = true -> rising (Q2R u) (real_points l) /\ flattening (Q2R u) (Q2R d) (real_points l).
Proof.
  revert u d. induction l as [|[v e] l IH]; intros u d H.
  - simpl in *. split; [exact I|]. apply Qle_bool_iff, Qle_Rle in H. rewrite Q2R_0 in H. exact H.
  - cbn [check_points] in H. repeat rewrite Bool.andb_true_iff in H. destruct H as [[A B] C]. destruct (IH v e C) as [R F]. pose proof (fall_real v e l C) as L.
    apply not_le_lt in A. destruct A as [A N]. apply Qle_bool_iff, Qle_Rle in B. rewrite Q2R_div, !Q2R_minus in B by exact N. simpl in *. rewrite L. auto.
Qed.

Lemma Q2R_whole n : Q2R (n # 1) = IZR n.
Proof. unfold Q2R; simpl. field. Qed.
Lemma Qceiling_real x P : Q2R x <= IZR (Qceiling (x * (Zpos P # 1))) / IZR (Zpos P).
Proof.
  pose proof (Qle_ceiling (x * (Zpos P # 1))) as H. apply Qle_Rle in H. rewrite Q2R_mult, Q2R_whole in H. unfold inject_Z in H. rewrite Q2R_whole in H.
  assert (0 < IZR (Zpos P)) by (apply IZR_lt; lia). apply Rmult_le_reg_r with (IZR (Zpos P)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma Qfloor_real x P : IZR (Qfloor (x * (Zpos P # 1))) / IZR (Zpos P) <= Q2R x.
Proof.
  pose proof (Qfloor_le (x * (Zpos P # 1))) as H. apply Qle_Rle in H. rewrite Q2R_mult, Q2R_whole in H. unfold inject_Z in H. rewrite Q2R_whole in H.
  assert (0 < IZR (Zpos P)) by (apply IZR_lt; lia). apply Rmult_le_reg_r with (IZR (Zpos P)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma atom_below w z w' z' u : 0 <= w -> w <= w' -> z' <= z -> 0 <= u -> hinge u (w, z) <= hinge u (w', z').
Proof.
  intros Hw H Z Hu. unfold hinge; simpl. assert (u * z' <= u * z) by (apply Rmult_le_compat_l; assumption).
  apply Rmult_le_compat; [exact Hw|apply Rmax_l|exact H|apply pos_mono; lra].
Qed.

Lemma Qred_real x : Q2R (Qred x) = Q2R x.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma rounded_chords_sound P u d l : 0 <= Q2R u -> check_points u d l = true ->
  ok (real_law (IZR (Zpos P)) (rounded_chords P u d l)) /\
  below (chords_law (Q2R u) (Q2R d) (real_points l)) (real_law (IZR (Zpos P)) (rounded_chords P u d l)).
Proof.
  assert (PP : 0 < IZR (Zpos P)) by (apply IZR_lt; lia).
  revert u d. induction l as [|[v e] l IH]; intros u d Hu C.
  - simpl in *. apply Qle_bool_iff, Qle_Rle in C. rewrite Q2R_0 in C. pose proof (Qceiling_real d P) as K. split.
    + constructor; [split; simpl; [lra|unfold Rdiv; lra]|constructor].
    + intros x Hx. apply Rplus_le_compat_r. apply atom_below; auto. unfold Rdiv. lra.
  - cbn [check_points] in C. repeat rewrite Bool.andb_true_iff in C. destruct C as [[A B] C]. pose proof (fall_real v e l C) as L.
    apply not_le_lt in A. destruct A as [A N]. apply Qle_bool_iff, Qle_Rle in B. rewrite Q2R_div, !Q2R_minus in B by exact N.
    destruct (IH v e ltac:(lra) C) as [O W]. assert (V : ~ (v == 0)%Q) by (intros E; apply Qeq_eqR in E; rewrite Q2R_0 in E; lra).
    pose proof (Qceiling_real (Qred (v * ((d - e) / (v - u) - fall_q v e l))) P) as K. rewrite Qred_real in K at 1.
    rewrite Q2R_mult, Q2R_minus, Q2R_div, !Q2R_minus in K by exact N.
    pose proof (Qfloor_real (/ v) P) as Z. rewrite Q2R_inv in Z by exact V.
    assert (W0 : 0 <= Q2R v * ((Q2R d - Q2R e) / (Q2R v - Q2R u) - Q2R (fall_q v e l))) by (apply Rmult_le_pos; lra).
    cbn [rounded_chords]. split.
    + constructor; [cbn [fst snd]; split; [lra|]|exact O]. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, PP]. apply IZR_le.
      change 0%Z with (Qfloor 0). apply Qfloor_resp_le. apply Rle_Qle. rewrite Q2R_0, Q2R_mult, Q2R_inv, Q2R_whole by exact V.
      apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|lra].
    + intros x Hx. simpl. rewrite L. apply Rplus_le_compat; [|apply W, Hx]. apply atom_below; assumption.
Qed.

(** ** The number *)
Definition bound (P D : positive) (n : nat) (U : Z) (l : list point) : Z :=
  sum_hinges (Zpos P ^ Z.of_nat n) U (Zpos D) (power_integers (rounded_chords P 0 1 l) n).

Lemma profile_falls l u v : ok l -> u <= v -> profile l v <= profile l u.
Proof.
  intros O H. induction O as [|a l [h1 h2] O IH]; simpl; [lra|]. apply Rplus_le_compat; [|exact IH]. unfold hinge. apply Rmult_le_compat_l; [exact h1|].
  apply pos_mono. assert (u * snd a <= v * snd a) by (apply Rmult_le_compat_r; assumption). lra.
Qed.

Theorem power_of_points P D n U l d u : check_points 0 1 l = true -> (0 <= U)%Z -> IZR U / IZR (Zpos D) <= u ->
  Qle_bool (bound P D n U l # 1) (d * ((Zpos P ^ Z.of_nat n) * (Zpos P ^ Z.of_nat n) * Zpos D # 1)) = true ->
  profile (power (chords_law 0 1 (real_points l)) n) u <= Q2R d.
Proof.
  intros C HU Hu H. assert (Q2R 0 = 0 /\ Q2R 1 = 1) as [Z0 Z1] by (unfold Q2R; simpl; split; field).
  destruct (rounded_chords_sound P 0 1 l ltac:(lra) C) as [O B]. destruct (check_points_sound 0 1 l C) as [R F]. rewrite Z0, Z1 in *.
  assert (OC : ok (chords_law 0 1 (real_points l))) by (apply chords_law_ok; auto; lra).
  assert (U0 : 0 <= IZR U / IZR (Zpos D)) by (apply Rmult_le_pos; [apply IZR_le, HU|left; apply Rinv_0_lt_compat, IZR_lt; lia]).
  eapply Rle_trans; [apply (power_le _ _ n OC O B u); lra|].
  eapply Rle_trans; [apply (profile_falls _ (IZR U / IZR (Zpos D)) u); [apply power_ok, O|exact Hu]|].
  assert (PP : (0 < Zpos P ^ Z.of_nat n)%Z) by (apply Z.pow_pos_nonneg; lia).
  rewrite real_power by (apply not_eq_sym, Rlt_not_eq, IZR_lt; lia). rewrite pow_IZR. rewrite sum_hinges_spec by lia.
  fold (bound P D n U l). apply Qle_bool_iff, Qle_Rle in H. rewrite Q2R_mult in H. rewrite !Q2R_whole, !mult_IZR in H.
  apply IZR_lt in PP. assert (0 < IZR (Zpos D)) by (apply IZR_lt; lia). apply Rcomplements.Rle_div_l; [|lra]. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
Qed.
