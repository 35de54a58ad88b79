(** * What each kind of proof computes, and why it is enough

Parts of the proved checker (ProvedCheck.v): lines and points of trade-off functions, tests from cells, largest losses, the mu of Gaussian noise. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qpower Qreals List Bool.
From Dpcmp Require Import Tradeoff Breakpoints Losses Convolution Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve.
From Dpcmp Require Import UpperLaws LowerLaws FixedPoint FixedSeries Numbers NormalTail StepProfiles OtherProfiles SamplingPairs Product ProductPairs LargestLoss.
From Dpcmp Require Import GaussianProducts StrictProducts Claims GdpClaims GdpCheck StepKinds StepLaws.
From Dpcmp Require SampledNumbers SampledCheck.
Import ListNotations.
Open Scope R_scope.
Notation order := SampledNumbers.order.
Notation Remove := SampledNumbers.Remove.
Notation Add := SampledNumbers.Add.

Lemma exp_log_level e : level_R (Log e) = exp (Q2R e).
Proof. reflexivity. Qed.
(** of both orders *)
Definition profile_of (l : list pair) (adj : adjacency) : R -> R := of_orders (divergence l) (divergence (map swap l)) adj.
Definition about (adj : adjacency) (o : order) : bool := match adj, o with Claims.Remove, Add => false | Claims.Add, Remove => false | _, _ => true end.
Lemma every_order l adj u b : (forall o, about adj o = true -> divergence (in_direction o l) u <= b) -> profile_of l adj u <= b.
Proof.
  intros H. destruct adj; cbn [profile_of of_orders]; [exact (H Remove eq_refl)|exact (H Add eq_refl)|]. unfold profile_of; cbn [of_orders]. apply Rmax_lub; [exact (H Remove eq_refl)|exact (H Add eq_refl)].
Qed.
Lemma one_order l adj o u : about adj o = true -> divergence (in_direction o l) u <= profile_of l adj u.
Proof.
  unfold profile_of. destruct adj, o; try discriminate; intros _; cbn [of_orders in_direction]; try apply Rle_refl; [apply Rmax_l|apply Rmax_r].
Qed.
Lemma profile_of_profile l adj : privacy_profile (profile_of l adj).
Proof. apply of_orders_profile. Qed.
Lemma advantage_of_either l adj : profile_of l adj 1 = divergence l 1.
Proof.
  pose proof (advantage_either _ _ (orders_of l)) as E. unfold profile_of. destruct adj; cbn [of_orders]; [reflexivity|symmetry; exact E|rewrite <- E; apply Rmax_left, Rle_refl].
Qed.
Definition other_order (adj : adjacency) : adjacency := match adj with Claims.Remove => Claims.Add | Claims.Add => Claims.Remove | AddRemove => AddRemove end.
Lemma orders_profile l adj : orders (profile_of l adj) (profile_of l (other_order adj)).
Proof. unfold profile_of. destruct adj; cbn [of_orders other_order]; [apply orders_of|apply orders_swap, orders_of|apply orders_max, orders_of]. Qed.

(** ** Tests from cells: all from the n-th on, of that one the part t *)
Fixpoint test_of (n : nat) (t : Q) (qs ps : list Z) {struct qs} : Q * Q :=
  match qs, ps with
  | q :: qs, p :: ps =>
      match n with
      | S n => test_of n t qs ps
      | O => (t * inject_Z q + inject_Z (UpperLaws.sum qs), t * inject_Z p + inject_Z (UpperLaws.sum ps))%Q
      end
  | _, _ => (0, 0)%Q
  end.
Lemma sums_below u qs : forall ps, length qs = length ps -> IZR (UpperLaws.sum qs) - u * IZR (UpperLaws.sum ps) <= sticks qs ps u.
Proof.
  induction qs as [|q qs IH]; intros [|p ps] H; try discriminate; cbn [UpperLaws.sum sticks]; [simpl; lra|]. injection H as H. specialize (IH ps H). rewrite !plus_IZR.
  pose proof (Rmax_r 0 (IZR q - u * IZR p)). unfold pos. lra.
Qed.
Lemma test_of_below u t : 0 <= Q2R t <= 1 -> forall qs ps n, length qs = length ps -> Q2R (fst (test_of n t qs ps)) - u * Q2R (snd (test_of n t qs ps)) <= sticks qs ps u.
Proof.
  intros Ht. induction qs as [|q qs IH]; intros [|p ps] n H; try discriminate; cbn [test_of sticks fst snd]; [rewrite Q0; lra|]. injection H as H. pose proof (Rmax_l 0 (IZR q - u * IZR p)) as M0. destruct n as [|n].
  - cbn [fst snd]. rewrite !Q2R_plus, !Q2R_mult, !SampledCheck.Q2R_whole. pose proof (sums_below u qs ps H).
    assert (Q2R t * (IZR q - u * IZR p) <= pos (IZR q - u * IZR p)); [|lra]. unfold pos. destruct (Rle_dec 0 (IZR q - u * IZR p)) as [h|h].
    + assert (Q2R t * (IZR q - u * IZR p) <= 1 * (IZR q - u * IZR p)) by (apply Rmult_le_compat_r; lra). pose proof (Rmax_r 0 (IZR q - u * IZR p)). lra.
    + assert (0 <= Q2R t * - (IZR q - u * IZR p)) by (apply Rmult_le_pos; lra). lra.
  - specialize (IH ps n H). unfold pos. lra.
Qed.
Definition in_units (bits : positive) (x : Q) : Q := (x * (1 # (2 ^ bits)))%Q.
Lemma in_units_real bits x : Q2R (in_units bits x) = UpperLaws.c bits * Q2R x.
Proof.
  unfold in_units. rewrite Q2R_mult, Rmult_comm. f_equal. unfold UpperLaws.c, UpperLaws.unit, Q2R; cbn [Qnum Qden]. rewrite Rmult_1_l, Pos2Z.inj_pow. reflexivity.
Qed.
Definition test_at (p : SampledCheck.lower_plan) (y : LowerLaws.cells) (n : nat) (t : Q) : Q * Q :=
  let (a, b) := test_of n t (q_masses y) (p_masses y) in (in_units (SampledCheck.low_bits p) a, in_units (SampledCheck.low_bits p) b).
Theorem test_at_sound p o m l y n t A B : pairs_of m l -> composed_below p o m = Some y -> 0 <= Q2R t <= 1 -> test_at p y n t = (A, B) -> test (divergence (in_direction o l)) (Q2R A) (Q2R B).
Proof.
  intros Hl C Ht. destruct (composed_below_sound p o m l y Hl C) as [S L]. unfold test_at. destruct (test_of n t (q_masses y) (p_masses y)) as [a b] eqn:T. intros H. injection H as <- <-. intros u Hu.
  rewrite !in_units_real. eapply Rle_trans; [|apply L, Hu]. rewrite profile_cells by assumption. pose proof (test_of_below u t Ht (q_masses y) (p_masses y) n (proj2 (proj2 S))) as K. rewrite T in K. cbn [fst snd] in K.
  pose proof (c_pos (SampledCheck.low_bits p)) as P. apply Rmult_le_compat_l with (r := UpperLaws.c (SampledCheck.low_bits p)) in K; [|lra]. lra.
Qed.

(** ** Largest losses: at most exp e times v, in the order o *)
Definition up_to (w : positive) (i : Z * Z) : Q := (inject_Z (snd i) * (1 # (2 ^ w)))%Q.
Lemma up_to_sound w i x : encl w i x -> x <= Q2R (up_to w i).
Proof.
  intros [_ H]. unfold up_to. rewrite Q2R_mult, SampledCheck.Q2R_whole. assert (E : Q2R (1 # 2 ^ w) = / unit w) by (unfold Q2R, unit; cbn [Qnum Qden]; rewrite Rmult_1_l, Pos2Z.inj_pow; reflexivity). rewrite E.
  pose proof (unit_pos w). apply Rmult_le_reg_l with (unit w); [assumption|]. replace (unit w * (IZR (snd i) * / unit w)) with (IZR (snd i)) by (field; lra). exact H.
Qed.
Fixpoint largest_ratio (l : list (Q * Q)) : option Q :=
  match l with
  | [] => Some 0%Q
  | (q, p) :: l =>
      match largest_ratio l with
      | None => None
      | Some v => if Qle_bool q 0 then Some v else if Qle_bool p 0 then None else let r := Qred (q / p) in Some (if Qle_bool r v then v else r)
      end
  end.
Lemma largest_ratio_sound l v : largest_ratio l = Some v -> 0 <= Q2R v /\ forall u, Q2R v <= u -> List.Forall (fun x => 0 <= Q2R (snd x)) l -> spread (real_cells l) u 1 = 0.
Proof.
  revert v. induction l as [|[q p] l IH]; intros v H; cbn [largest_ratio] in H.
  - apply some_inj in H. subst v. rewrite Q0. split; [lra|]. intros; reflexivity.
  - destruct (largest_ratio l) as [v'|]; [|discriminate]. destruct (IH v' eq_refl) as [V0 S]. destruct (Qle_bool q 0) eqn:C.
    + apply some_inj in H. subst v'. split; [exact V0|]. intros u Hu F. inversion F as [|? ? Hp F']; subst. cbn [real_cells map spread fst snd] in *. fold (real_cells l). rewrite S by assumption. apply Qle_real in C. rewrite Q0 in C.
      unfold pos. rewrite Rmax_left; [ring|]. assert (0 <= u * Q2R p) by (apply Rmult_le_pos; lra). lra.
    + destruct (Qle_bool p 0) eqn:C'; [discriminate|]. apply Qlt_real in C, C'. rewrite Q0 in C, C'. set (r := Qred (q / p)) in *.
      assert (Np : ~ (p == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q0 in Z; lra). assert (R : Q2R r = Q2R q / Q2R p) by (unfold r; rewrite (Qeq_eqR _ _ (Qred_correct _)); apply Q2R_div, Np).
      apply some_inj in H. assert (V : Q2R v' <= Q2R v /\ Q2R r <= Q2R v) by (destruct (Qle_bool r v') eqn:M; subst v; [apply Qle_real in M|apply Qlt_real in M]; lra). split; [lra|].
      intros u Hu F. inversion F as [|? ? Hp F']; subst. cbn [real_cells map spread fst snd] in *. fold (real_cells l). rewrite S by (try assumption; lra). unfold pos. rewrite Rmax_left; [ring|].
      assert (Q2R q <= u * Q2R p); [|lra]. apply (proj1 (Rcomplements.Rle_div_l (Q2R q) u (Q2R p) C')). lra.
Qed.
(** (e, v): no loss is above e + ln v *)
Definition noise_loss (o : order) (n : noise) : option (Q * Q) :=
  match n with
  | Laplace d => Some (d, 1%Q)
  | Response (Log e) _ => Some (e, 1%Q)
  | Response (Ratio v) _ => Some (0%Q, v)
  | Outcomes l => if nonneg_cells (in_order o l) then match largest_ratio (in_order o l) with Some v => if Qle_bool v 0 then None else Some (0%Q, v) | None => None end else None
  end.
Definition loss_level (k : Q * Q) : R := exp (Q2R (fst k)) * Q2R (snd k).
Lemma noise_loss_sound o n x k : noise_pair n x -> noise_loss o n = Some k -> 0 < loss_level k /\ divergence [ordered o x] (loss_level k) = 0.
Proof.
  unfold loss_level. destruct n as [d|v j|l]; cbn [noise_pair noise_loss].
  - intros (Hd & ->) H. apply some_inj in H. subst k. cbn [fst snd]. rewrite Q1, Rmult_1_r. pose proof (exp_pos (Q2R d)). split; [assumption|].
    assert (Z : divergence [laplace_pair (Q2R d) Hd] (exp (Q2R d)) = 0) by apply laplace_divergence_0, Rle_refl. destruct o; cbn [ordered]; [exact Z|]. rewrite <- Z. apply (laplace_orders (Q2R d) Hd). lra.
  - intros (Hv & ->) H. assert (E : 0 < loss_level k /\ loss_level k = level_R v) by (unfold loss_level; destruct v as [e|v]; apply some_inj in H; subst k; cbn [fst snd level_R] in *; rewrite ?Q0, ?Q1, ?exp_0; [pose proof (exp_pos (Q2R e))|]; lra).
    fold (loss_level k). destruct E as [P E]. split; [exact P|]. rewrite E. assert (D : divergence [response_pair (level_R v) j Hv] (level_R v) = 0).
    { rewrite response_divergence. unfold pos. rewrite !Rmax_left; [unfold Rdiv; ring|lra| |lra]. assert (1 * 1 <= level_R v * level_R v) by (apply Rmult_le_compat; lra). lra. }
    destruct o; cbn [ordered]; [exact D|]. rewrite <- D. apply (response_orders (level_R v) j Hv). lra.
  - intros (O & Sq & Sp & ->) H. destruct (nonneg_cells (in_order o l)) eqn:N; [|discriminate]. destruct (largest_ratio (in_order o l)) as [v|] eqn:L; [|discriminate]. destruct (Qle_bool v 0) eqn:V; [discriminate|].
    apply some_inj in H. subst k. cbn [fst snd]. rewrite Q0, exp_0, Rmult_1_l. apply Qlt_real in V. rewrite Q0 in V. split; [exact V|]. destruct (largest_ratio_sound _ v L) as [_ S].
    assert (F : List.Forall (fun x => 0 <= Q2R (snd x)) (in_order o l)).
    { apply List.Forall_forall. intros z Hz. unfold nonneg_cells in N. rewrite forallb_forall in N. specialize (N z Hz). apply andb_prop in N. destruct N as [_ N]. apply Qle_real in N. rewrite Q0 in N. exact N. }
    specialize (S (Q2R v) (Rle_refl _) F). destruct o; cbn [ordered in_order] in *; [rewrite finite_divergence|rewrite finite_swapped]; exact S.
Qed.
(** on a sample: 1 - r + r k (remove), 1 / (1 - r + r / k) (add), by an upper bound of k; of Gaussian noise 1 / (1 - r) (add) *)
Definition step_loss (w : positive) (o : order) (s : step) : option (Q * Q) :=
  match s with
  | Gaussian r _ => match o with Remove => None | Add => if Qle_bool 1 r then None else Some (0%Q, Qred (/ (1 - r))) end
  | Replaced _ _ | Mixture _ => None
  | Sampled r n =>
      match noise_loss o n with
      | None => None
      | Some (e, v) =>
          if Qeq_bool r 1 then Some (e, v) else
          match exp_Z w (of_Q w e) with
          | None => None
          | Some i => let k := Qred (up_to w i * v) in
                      match o with Remove => Some (0%Q, Qred (1 - r + r * k)) | Add => Some (0%Q, Qred (k / ((1 - r) * k + r))) end
          end
      end
  end.
Lemma zero_beyond D k k' : privacy_profile D -> 0 <= k -> k <= k' -> D k = 0 -> D k' = 0.
Proof. intros HD Hk L Z. pose proof (pp_falls D HD k k' Hk L). pose proof (pp_nonneg D HD k' ltac:(lra)). lra. Qed.
Lemma step_loss_sound w o s x k : step_pair s x -> step_loss w o s = Some k -> 0 < loss_level k /\ divergence [ordered o x] (loss_level k) = 0.
Proof.
  destruct s as [r m|r m|l|r n]; cbn [step_pair step_loss]; [|discriminate|discriminate|].
  { intros (Hr & Hm & ->) H. destruct o; [discriminate|]. destruct (Qle_bool 1 r) eqn:R; [discriminate|]. apply Qlt_real in R. rewrite Q1 in R. apply some_inj in H. subst k.
    assert (N : ~ (1 - r == 0)%Q) by (intros C; apply Qeq_eqR in C; rewrite Q2R_minus, Q1, Q0 in C; lra).
    unfold loss_level. cbn [fst snd ordered]. rewrite Q0, exp_0, Rmult_1_l, (Qeq_eqR _ _ (Qred_correct _)), Q2R_inv, Q2R_minus, Q1 by exact N. assert (P : 0 < / (1 - Q2R r)) by (apply Rinv_0_lt_compat; lra). split; [exact P|].
    unfold remove_pair. change [swap ?x] with (map swap [x]). rewrite order_swap, Rinv_inv by exact P. rewrite gaussian_one by lra. rewrite step_low by lra. field. lra. }
  intros (Hr & y & N & ->). destruct (noise_loss o n) as [[e v]|] eqn:NL; [|discriminate]. destruct (noise_loss_sound o n y (e, v) N NL) as [P Z].
  set (K := loss_level (e, v)) in *. destruct (Qeq_bool r 1) eqn:R.
  - intros H. apply some_inj in H. subst k. fold K. split; [exact P|]. apply Qeq_bool_iff, Qeq_eqR in R. rewrite Q1 in R. destruct o; cbn [ordered] in *.
    + rewrite sampled_above by lra. rewrite R. replace ((K - (1 - 1)) / 1) with K by field. rewrite Z. ring.
    + assert (E : rest (Q2R r) K = 1) by (unfold rest; rewrite R; ring). rewrite add_above by (rewrite ?E; lra). rewrite E, R. replace (K * 1 / 1) with K by field. rewrite Z. ring.
  - destruct (exp_Z w (of_Q w e)) as [i|] eqn:X; [|discriminate]. apply (exp_sound w _ _ _ (encl_Q w e)) in X. apply up_to_sound in X. set (k0 := Qred (up_to w i * v)) in *.
    assert (V : 0 < Q2R v) by (unfold K, loss_level in P; cbn [fst snd] in P; pose proof (exp_pos (Q2R e)); apply Rmult_lt_reg_l with (exp (Q2R e)); lra).
    assert (K0 : K <= Q2R k0) by (unfold k0; rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult; unfold K, loss_level; cbn [fst snd]; apply Rmult_le_compat_r; lra).
    pose proof (zero_beyond _ K (Q2R k0) (divergence_profile [ordered o y]) ltac:(lra) K0 Z) as Z0. intros H. unfold loss_level. destruct o; apply some_inj in H; subst k; cbn [fst snd ordered] in *; rewrite Q0, exp_0, Rmult_1_l, (Qeq_eqR _ _ (Qred_correct _)).
    + rewrite Q2R_plus, Q2R_mult, left_over. assert (0 < Q2R r * Q2R k0) by (apply Rmult_lt_0_compat; lra). split; [lra|]. rewrite sampled_above by lra.
      replace ((1 - Q2R r + Q2R r * Q2R k0 - (1 - Q2R r)) / Q2R r) with (Q2R k0) by (field; lra). rewrite Z0. ring.
    + set (d := ((1 - r) * k0 + r)%Q). assert (D0 : Q2R d = (1 - Q2R r) * Q2R k0 + Q2R r) by (unfold d; rewrite Q2R_plus, Q2R_mult, left_over; reflexivity).
      assert (P0 : 0 <= (1 - Q2R r) * Q2R k0) by (apply Rmult_le_pos; lra). assert (D1 : 0 < Q2R d) by lra. assert (Nd : ~ (d == 0)%Q) by (intros C; apply Qeq_eqR in C; rewrite Q0 in C; lra). rewrite Q2R_div by exact Nd.
      assert (Q : 0 < Q2R k0 / Q2R d) by (apply Rdiv_lt_0_compat; lra). split; [exact Q|].
      assert (E : rest (Q2R r) (Q2R k0 / Q2R d) = Q2R r / Q2R d) by (unfold rest; rewrite D0 in *; field; lra).
      rewrite add_above; [|lra|rewrite E; apply Rdiv_lt_0_compat; lra]. rewrite E. replace (Q2R k0 / Q2R d * Q2R r / (Q2R r / Q2R d)) with (Q2R k0) by (field; lra). rewrite Z0. ring.
Qed.
Fixpoint losses (w : positive) (o : order) (m : mechanism) : option (Q * Q) :=
  match m with
  | [] => Some (0, 1)%Q
  | f :: m => match step_loss w o (fst f), losses w o m with
              | Some (e, v), Some (e', v') => Some (Qred (inject_Z (Zpos (snd f)) * e + e'), Qred (Qpower_positive v (snd f) * v'))
              | _, _ => None
              end
  end.
Lemma power_real v n : Q2R (Qpower_positive v n) = Q2R v ^ Pos.to_nat n.
Proof.
  induction n as [|n IH] using Pos.peano_ind; [simpl; ring|]. rewrite Pos2Nat.inj_succ. cbn [pow]. rewrite <- IH, <- Q2R_mult. apply Qeq_eqR. rewrite <- Pos.add_1_r, Qpower_plus_positive. simpl. ring.
Qed.
Lemma losses_sound w o m : forall l k, pairs_of m l -> losses w o m = Some k -> 0 < loss_level k /\ exists ks, product_of ks = loss_level k /\ List.Forall2 (fun s k => 0 < k /\ divergence [s] k = 0) (in_direction o l) ks.
Proof.
  induction m as [|f m IH]; intros l k Hl H; cbn [losses] in H.
  - apply some_inj in H. subst k. inversion Hl. subst. unfold loss_level. cbn [fst snd]. rewrite Q0, Q1, exp_0. split; [lra|]. exists []. split; [cbn [product_of fold_right]; ring|destruct o; constructor].
  - destruct (step_loss w o (fst f)) as [[e v]|] eqn:S; [|discriminate]. destruct (losses w o m) as [[e' v']|] eqn:L; [|discriminate]. apply some_inj in H. subst k.
    destruct (pairs_split f m l Hl) as (l1 & l2 & -> & H1 & H2). destruct (IH l2 (e', v') H2 eq_refl) as [P (ks & E & F)]. set (n := Pos.to_nat (snd f)) in *.
    assert (K0 : 0 < loss_level (e, v)). { destruct (Pos2Nat.is_succ (snd f)) as [j J]. unfold n in H1. rewrite J in H1. inversion H1; subst. eapply step_loss_sound; eassumption. }
    assert (X : loss_level (Qred (inject_Z (Zpos (snd f)) * e + e'), Qred (Qpower_positive v (snd f) * v')) = loss_level (e, v) ^ n * loss_level (e', v')).
    { unfold loss_level. cbn [fst snd]. rewrite !(Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, !Q2R_mult, SampledCheck.Q2R_whole, power_real, exp_plus, Rpow_mult_distr. fold n.
      assert (Y : exp (IZR (Zpos (snd f)) * Q2R e) = exp (Q2R e) ^ n); [|rewrite Y; ring]. rewrite <- positive_nat_Z, <- INR_IZR_INZ. fold n. clear. induction n as [|j I]; [simpl; rewrite Rmult_0_l; apply exp_0|].
      rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, I. cbn [pow]. ring. }
    rewrite X. split; [apply Rmult_lt_0_compat; [apply pow_lt, K0|exact P]|]. exists (repeat (loss_level (e, v)) n ++ ks). split.
    + rewrite <- E. unfold product_of. rewrite fold_right_app. generalize (fold_right Rmult 1 ks). intros z. clear. induction n as [|j I]; cbn [repeat fold_right pow]; [ring|]. rewrite I. ring.
    + rewrite in_direction_app. apply List.Forall2_app; [|exact F]. rewrite in_direction_map. clear -S H1. revert l1 H1. induction n as [|j I]; intros l1 H1; inversion H1; subst; cbn [map repeat]; constructor; [eapply step_loss_sound; eassumption|apply I; assumption].
Qed.
(** is the largest loss at most this level? *)
Definition losses_below (w : positive) (o : order) (m : mechanism) (eps : level) : bool :=
  match losses w o m, eps with
  | Some (e, v), Log x => Qle_bool v 1 && Qle_bool e x || match exp_Z w (of_Q w (x - e)) with Some i => (snd (of_Q w v) <=? fst i)%Z | None => false end
  | Some (e, v), Ratio u => Qle_bool e 0 && Qle_bool v u || match exp_Z w (of_Q w (- e)) with Some i => (snd (of_Q w v) <=? fst (mul_Z w (of_Q w u) i))%Z | None => false end
  | None, _ => false
  end.
Theorem losses_below_sound w o m l eps : pairs_of m l -> losses_below w o m eps = true -> divergence (in_direction o l) (level_R eps) <= 0.
Proof.
  intros Hl. unfold losses_below. destruct (losses w o m) as [[e v]|] eqn:L; [|discriminate]. destruct (losses_sound w o m l (e, v) Hl L) as [P (ks & E & F)]. intros H.
  assert (V : 0 < Q2R v) by (unfold loss_level in P; cbn [fst snd] in P; pose proof (exp_pos (Q2R e)); apply Rmult_lt_reg_l with (exp (Q2R e)); lra).
  assert (K : loss_level (e, v) <= level_R eps).
  { unfold loss_level. cbn [fst snd]. pose proof (exp_pos (Q2R e)) as X. destruct eps as [x|u]; cbn [level_R]; apply orb_prop in H; destruct H as [H|H].
    - apply andb_prop in H. destruct H as [A B]. apply Qle_real in A, B. rewrite Q1 in A. assert (exp (Q2R e) <= exp (Q2R x)) by (apply exp_le_mono, B). assert (exp (Q2R e) * Q2R v <= exp (Q2R e) * 1) by (apply Rmult_le_compat_l; lra). lra.
    - destruct (exp_Z w (of_Q w (x - e))) as [i|] eqn:Y; [|discriminate]. apply (exp_sound w _ _ _ (encl_Q w _)) in Y. rewrite Q2R_minus in Y. pose proof (encl_apart w _ _ _ _ (encl_Q w v) Y H) as A.
      apply Rmult_le_compat_l with (r := exp (Q2R e)) in A; [|lra]. rewrite <- exp_plus in A. replace (Q2R e + (Q2R x - Q2R e)) with (Q2R x) in A by ring. exact A.
    - apply andb_prop in H. destruct H as [A B]. apply Qle_real in A, B. rewrite Q0 in A. assert (exp (Q2R e) <= 1) by (rewrite <- exp_0; apply exp_le_mono, A). assert (exp (Q2R e) * Q2R v <= 1 * Q2R v) by (apply Rmult_le_compat_r; lra). lra.
    - destruct (exp_Z w (of_Q w (- e))) as [i|] eqn:Y; [|discriminate]. apply (exp_sound w _ _ _ (encl_Q w _)) in Y. rewrite Q2R_opp in Y. pose proof (encl_apart w _ _ _ _ (encl_Q w v) (encl_mul w _ _ _ _ (encl_Q w u) Y) H) as A.
      apply Rmult_le_compat_l with (r := exp (Q2R e)) in A; [|lra]. rewrite <- Rmult_assoc, (Rmult_comm (exp (Q2R e)) (Q2R u)), Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0 in A. lra. }
  rewrite <- (largest_losses _ ks F). rewrite E. apply (pp_falls _ (divergence_profile _)); [lra|exact K].
Qed.

(** *** From below: each step has a loss above one of these numbers *)
Fixpoint losses_above (w : positive) (o : order) (m : mechanism) (es : list Q) : option Q :=
  match m, es with
  | [], [] => Some 0%Q
  | f :: m, e :: es =>
      match point_at w (SampledNumbers.inverse_total w) o (fst f) e, losses_above w o m es with
      | Some (_, (d, _)), Some t => if (0 <? fst d)%Z then Some (Qred (inject_Z (Zpos (snd f)) * e + t)) else None
      | _, _ => None
      end
  | _, _ => None
  end.
Lemma losses_above_sound w o m : forall es l t, pairs_of m l -> losses_above w o m es = Some t -> exists ks, product_of ks = exp (Q2R t) /\ List.Forall2 (fun s k => 0 < k /\ 0 < divergence [s] k) (in_direction o l) ks.
Proof.
  induction m as [|f m IH]; intros [|e es] l t Hl H; cbn [losses_above] in H; try discriminate.
  - apply some_inj in H. subst t. inversion Hl. subst. exists []. split; [rewrite Q0, exp_0; reflexivity|destruct o; constructor].
  - destruct (point_at w (SampledNumbers.inverse_total w) o (fst f) e) as [[iu [d s]]|] eqn:P; [|discriminate]. destruct (losses_above w o m es) as [t'|] eqn:L; [|discriminate]. destruct (0 <? fst d)%Z eqn:D; [|discriminate].
    apply some_inj in H. subst t. destruct (pairs_split f m l Hl) as (l1 & l2 & -> & H1 & H2). destruct (IH es l2 t' H2 L) as (ks & E & F). set (n := Pos.to_nat (snd f)) in *.
    exists (repeat (exp (Q2R e)) n ++ ks). split.
    + rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, Q2R_mult, SampledCheck.Q2R_whole, exp_plus, <- E, <- positive_nat_Z, <- INR_IZR_INZ. fold n. unfold product_of. rewrite fold_right_app. generalize (fold_right Rmult 1 ks). intros z. clear.
      induction n as [|j I]; cbn [repeat fold_right]; [simpl; rewrite Rmult_0_l, exp_0; ring|]. rewrite I, S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. ring.
    + rewrite in_direction_app. apply List.Forall2_app; [|exact F]. rewrite in_direction_map. clear -P D H1. revert l1 H1. induction n as [|j I]; intros l1 H1; inversion H1 as [|? x ? ? S H1']; subst; cbn [map repeat]; constructor; [|apply I; assumption].
      split; [apply exp_pos|]. destruct (point_at_sound w (SampledNumbers.inverse_total w) o (fst f) x (SampledNumbers.inverse_total_encl w) S e iu d s P) as (_ & Ed & _). exact (encl_positive w _ _ Ed D).
Qed.
Definition loss_exceeds (w : positive) (o : order) (m : mechanism) (es : list Q) (eps : level) : bool :=
  match m with [] => false | _ =>
    match losses_above w o m es, eps with
    | Some t, Log e => Qle_bool e t
    | Some t, Ratio v => match exp_Z w (of_Q w t) with Some i => (snd (of_Q w v) <=? fst i)%Z | None => false end
    | None, _ => false
    end
  end.
Theorem loss_exceeds_sound w o m es eps l : pairs_of m l -> 0 <= level_R eps -> loss_exceeds w o m es eps = true -> 0 < divergence (in_direction o l) (level_R eps).
Proof.
  intros Hl X. unfold loss_exceeds. destruct m as [|f m]; [discriminate|]. destruct (losses_above w o (f :: m) es) as [t|] eqn:L; [|discriminate]. intros H. destruct (losses_above_sound w o _ es l t Hl L) as (ks & E & F).
  assert (K : level_R eps <= exp (Q2R t)).
  { destruct eps as [e|v]; cbn [level_R] in *; [apply exp_le_mono, Qle_real, H|]. destruct (exp_Z w (of_Q w t)) as [i|] eqn:Y; [|discriminate]. apply (exp_sound w _ _ _ (encl_Q w _)) in Y. exact (encl_apart w _ _ _ _ (encl_Q w v) Y H). }
  assert (N : in_direction o l <> []).
  { destruct (pairs_split f m l Hl) as (l1 & l2 & -> & H1 & _). destruct (Pos2Nat.is_succ (snd f)) as [j J]. rewrite J in H1. inversion H1; subst. destruct o; discriminate. }
  pose proof (smaller_losses _ ks N F) as S. rewrite E in S. pose proof (pp_falls _ (divergence_profile (in_direction o l)) _ _ X K). lra.
Qed.

(** ** Gaussian noise: the square of its mu, of the steps until another one *)
Fixpoint gaussian_square (m : mechanism) : Q := match m with (Gaussian _ sq, n) :: m => Qred (inject_Z (Zpos n) * sq + gaussian_square m) | _ => 0%Q end.
Definition all_gaussian (m : mechanism) : bool := forallb (fun f => match fst f with Gaussian _ _ => true | _ => false end) m.
Lemma gaussian_prefix m : forall l, pairs_of m l -> exists l1 l2 params, l = l1 ++ l2 /\ positive_pairs l1 params /\ square_sum params = Q2R (gaussian_square m) /\ (all_gaussian m = true -> l2 = []).
Proof.
  induction m as [|[s n] m IH]; intros l Hl.
  - inversion Hl. subst. exists [], [], []. repeat split; try constructor. cbn [square_sum fold_right gaussian_square]. symmetry. apply Q0.
  - destruct s as [r sq|r sq|mix|r ns]; [|exists [], l, []; repeat split; try constructor; [cbn [square_sum fold_right gaussian_square]; symmetry; apply Q0|discriminate]..].
    destruct (pairs_split (Gaussian r sq, n) m l Hl) as (l1 & l2 & -> & H1 & H2). cbn [fst snd] in H1. destruct (IH l2 H2) as (l3 & l4 & params & -> & [S3 P3] & Q3 & A).
    set (k := Pos.to_nat n) in *. assert (M0 : 0 < sqrt (Q2R sq)). { destruct (Pos2Nat.is_succ n) as [j J]. unfold k in H1. rewrite J in H1. inversion H1 as [|? ? ? ? K]; subst. destruct K as (_ & K & _). exact K. }
    assert (M1 : 0 <= Q2R sq) by (apply Rnot_lt_le; intros C; rewrite sqrt_neg_0 in M0 by lra; lra).
    exists (l1 ++ l3), l4, (repeat (Q2R r, sqrt (Q2R sq)) k ++ params). split; [rewrite app_assoc; reflexivity|]. split; [split|split].
    + apply List.Forall2_app; [|exact S3]. clear -H1. revert l1 H1. induction k as [|j I]; intros l1 H1; inversion H1 as [|? x ? ? K H1']; subst; cbn [repeat]; constructor; [|apply I; assumption].
      destruct K as (Hr & Hm & ->). cbn [fst snd]. exists Hr, (Rlt_le _ _ Hm). reflexivity.
    + apply List.Forall_app. split; [|exact P3]. apply List.Forall_forall. intros z Hz. apply repeat_spec in Hz. subst z. exact M0.
    + cbn [gaussian_square]. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, Q2R_mult, SampledCheck.Q2R_whole, <- Q3, <- positive_nat_Z, <- INR_IZR_INZ. fold k. clear -M1.
      unfold square_sum. rewrite fold_right_app. fold (square_sum params). generalize (square_sum params). intros z. induction k as [|j I]; cbn [repeat fold_right snd]; [simpl; ring|]. rewrite I, sqrt_sqrt, S_INR by exact M1. ring.
    + cbn [all_gaussian forallb fst]. exact A.
Qed.
Theorem gaussian_mu_holds m l adj mu : pairs_of m l -> all_gaussian m = true -> 0 <= Q2R mu -> Qle_bool (gaussian_square m) (mu * mu) = true -> holds (profile_of l adj) (Gdp (Q2R mu) 0).
Proof.
  intros Hl A Hm H. apply Qle_real in H. rewrite Q2R_mult in H. destruct (gaussian_prefix m l Hl) as (l1 & l2 & params & -> & [S _] & Q & E). rewrite (E A), app_nil_r. apply (sampled_gdp l1 params adj (Q2R mu) S). rewrite Q.
  rewrite <- (sqrt_square (Q2R mu)) by exact Hm. apply sqrt_le_1_alt, H.
Qed.
Theorem gaussian_mu_fails m l adj mu : pairs_of m l -> 0 <= Q2R mu -> Qle_bool (gaussian_square m) (mu * mu) = false -> ~ holds (profile_of l adj) (Gdp (Q2R mu) 0).
Proof.
  intros Hl Hm H. apply Qlt_real in H. rewrite Q2R_mult in H. destruct (gaussian_prefix m l Hl) as (l1 & l2 & params & -> & P & Q & _).
  assert (L : Q2R mu < sqrt (square_sum params)). { rewrite Q. rewrite <- (sqrt_square (Q2R mu)) by exact Hm. apply sqrt_lt_1_alt. split; [apply Rmult_le_pos; exact Hm|exact H]. }
  apply (sampled_not_gdp l1 params l2 adj (Q2R mu) P); [|exact Hm|exact L]. intros ->. destruct P as [S _]. inversion S. subst. cbn [square_sum fold_right] in L. rewrite sqrt_0 in L. lra.
Qed.
(** strict is more than with a tolerance or an error floor *)
Lemma strict_is_more D mu tau : 0 <= mu -> 0 <= tau -> holds D (Gdp mu 0) -> holds D (Gdp mu tau).
Proof. intros Hm Ht H a Ha. specialize (H a Ha). cbn beta in H. rewrite Rplus_0_r, Rminus_0_r in H. pose proof (G_falls_in_a mu a (a + tau) Hm ltac:(lra)). lra. Qed.
Lemma strict_is_more_floor D mu e : holds D (Gdp mu 0) -> holds D (GdpFloor mu e).
Proof. intros H a Ha _ _. specialize (H a Ha). cbn beta in H. rewrite Rplus_0_r, Rminus_0_r in H. exact H. Qed.

(** ** Two vectors, exactly: the profile at a fraction, and a test of parts of the outcomes (T4) *)
Definition outcomes_of (m : mechanism) : option (list (Q * Q)) := match m with [(Sampled r (Outcomes l), 1%positive)] => if Qeq_bool r 1 then Some l else None | _ => None end.
Fixpoint spread_Q (u : Q) (l : list (Q * Q)) : Q := match l with [] => 0%Q | x :: l => let d := (fst x - u * snd x)%Q in Qred ((if Qle_bool d 0 then 0 else d) + spread_Q u l) end.
Lemma spread_Q_sound u l : Q2R (spread_Q u l) = spread (real_cells l) (Q2R u) 1.
Proof.
  induction l as [|x l IH]; cbn [spread_Q real_cells map spread fst snd]; [apply Q0|]. fold (real_cells l). cbv zeta. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, IH, Rmult_1_l. f_equal.
  assert (E : Q2R (fst x - u * snd x) = Q2R (fst x) - Q2R u * Q2R (snd x)) by (rewrite Q2R_minus, Q2R_mult; reflexivity). rewrite <- E. unfold pos.
  destruct (Qle_bool (fst x - u * snd x) 0) eqn:L; [apply Qle_real in L|apply Qlt_real in L]; rewrite Q0 in L; [rewrite Rmax_left by exact L; apply Q0|rewrite Rmax_right by lra; reflexivity].
Qed.
Lemma outcomes_divergence m l o cs u : pairs_of m l -> outcomes_of m = Some cs -> 0 <= u -> divergence (in_direction o l) u = spread (real_cells (in_order o cs)) u 1.
Proof.
  intros Hl H Hu. destruct m as [|[[r sq|r sq|mix|r [d|v k|os]] n] m]; try discriminate. destruct n; destruct m; try discriminate. cbn [outcomes_of] in H. destruct (Qeq_bool r 1) eqn:R; [|discriminate]. apply some_inj in H. subst os.
  apply Qeq_bool_iff, Qeq_eqR in R. rewrite Q1 in R. unfold pairs_of, all_steps in Hl. cbn [flat_map app fst snd] in Hl. change (Pos.to_nat 1) with 1%nat in Hl. cbn [repeat app] in Hl. inversion Hl as [|? x ? ? S N]; subst. inversion N; subst. clear Hl N.
  destruct S as (Hr & y & (O & Sq & Sp & ->) & ->). destruct o; cbn [in_direction map ordered in_order].
  - rewrite <- (finite_divergence _ O Sq Sp u). destruct Hu as [Hu|<-]; [|rewrite !profile_at_0 by apply divergence_profile; reflexivity]. rewrite sampled_above by lra. rewrite R. replace ((u - (1 - 1)) / 1) with u by field. ring.
  - rewrite <- (finite_swapped cs O Sq Sp u). assert (E : rest (Q2R r) u = 1) by (unfold rest; rewrite R; ring). rewrite add_above by (rewrite ?E; lra). rewrite E, R. replace (u * 1 / 1) with u by field. ring.
Qed.
Definition exact_below (m : mechanism) (o : order) (u b : Q) : bool := match outcomes_of m with Some cs => Qle_bool 0 u && Qle_bool (spread_Q u (in_order o cs)) b | None => false end.
Lemma exact_below_sound m o u b l : pairs_of m l -> exact_below m o u b = true -> 0 <= Q2R u /\ divergence (in_direction o l) (Q2R u) <= Q2R b.
Proof.
  intros Hl. unfold exact_below. destruct (outcomes_of m) as [cs|] eqn:C; [|discriminate]. intros H. apply andb_prop in H. destruct H as [A B]. apply Qle_real in A, B. rewrite Q0 in A. split; [exact A|].
  rewrite (outcomes_divergence m l o cs _ Hl C A), <- spread_Q_sound. exact B.
Qed.
Fixpoint outcomes_test (ts : list Q) (l : list (Q * Q)) : Q * Q :=
  match ts, l with t :: ts, x :: l => let (a, b) := outcomes_test ts l in (Qred (t * fst x + a), Qred (t * snd x + b)) | _, _ => (0, 0)%Q end.
Lemma outcomes_test_below u l : forall ts, List.Forall (fun t => 0 <= Q2R t <= 1) ts -> Q2R (fst (outcomes_test ts l)) - u * Q2R (snd (outcomes_test ts l)) <= spread (real_cells l) u 1.
Proof.
  induction l as [|x l IH]; intros [|t ts] F; cbn [outcomes_test real_cells map spread fst snd].
  - rewrite Q0. lra.
  - rewrite Q0. lra.
  - fold (real_cells l). specialize (IH [] (List.Forall_nil _)). assert (E : outcomes_test [] l = (0, 0)%Q) by (destruct l; reflexivity). rewrite E in IH. cbn [fst snd] in IH. rewrite Q0 in *.
    pose proof (Rmax_l 0 (1 * Q2R (fst x) - u * Q2R (snd x))). unfold pos. lra.
  - fold (real_cells l). inversion F as [|? ? Ht F']; subst. specialize (IH ts F'). destruct (outcomes_test ts l) as [a b]. cbn [fst snd] in *. rewrite !(Qeq_eqR _ _ (Qred_correct _)), !Q2R_plus, !Q2R_mult, Rmult_1_l.
    set (d := Q2R (fst x) - u * Q2R (snd x)). assert (Q2R t * d <= pos d).
    { unfold pos. destruct (Rle_dec 0 d) as [h|h]; [assert (Q2R t * d <= 1 * d) by (apply Rmult_le_compat_r; lra); pose proof (Rmax_r 0 d); lra|].
      assert (0 <= Q2R t * - d) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 d). lra. }
    unfold d in *. lra.
Qed.
Definition exact_test (m : mechanism) (o : order) (ts : list Q) : option (Q * Q) :=
  match outcomes_of m with Some cs => if forallb (fun t => Qle_bool 0 t && Qle_bool t 1) ts then Some (outcomes_test ts (in_order o cs)) else None | None => None end.
Lemma exact_test_sound m o ts A B l : pairs_of m l -> exact_test m o ts = Some (A, B) -> test (divergence (in_direction o l)) (Q2R A) (Q2R B).
Proof.
  intros Hl. unfold exact_test. destruct (outcomes_of m) as [cs|] eqn:C; [|discriminate]. destruct (forallb (fun t => Qle_bool 0 t && Qle_bool t 1) ts) eqn:T; [|discriminate]. intros H. apply some_inj in H.
  assert (F : List.Forall (fun t => 0 <= Q2R t <= 1) ts).
  { apply List.Forall_forall. intros t Ht. rewrite forallb_forall in T. specialize (T t Ht). apply andb_prop in T. destruct T as [T0 T1]. apply Qle_real in T0, T1. rewrite Q0 in T0. rewrite Q1 in T1. auto. }
  intros u Hu. rewrite (outcomes_divergence m l o cs u Hl C Hu). pose proof (outcomes_test_below u (in_order o cs) ts F) as K. rewrite <- H in K. exact K.
Qed.
