(** * Composition of continuous mechanisms, as iterated integrals

One step of the mechanism observes x, standard normal without the record, and of likelihood ratio w x with it. E h is the expectation of h x without the record: the supremum of
proper integrals against the normal density, for continuous h >= 0. The hockey-stick divergence of n steps is the iterated expectation of (w x_1 ... w x_n - u)^+. If a law is
above one step, its n-fold composition is above n steps (composition_below). *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses GaussianTail NormalLaw.
Import ListNotations.
Open Scope R_scope.

Definition cont (h : R -> R) := forall x, continuous h x.
Definition part (h : R -> R) (b : R) : R := RInt (fun x => phi x * h x) (- b) b / total.
Definition E (h : R -> R) : R := real (Lub_Rbar (fun y => exists b, 0 <= b /\ y = part h b)).

Lemma cont_phi_times h : cont h -> cont (fun x => phi x * h x).
Proof. intros H x. apply (continuous_mult (K := R_AbsRing)); [apply phi_cont|apply H]. Qed.
Lemma ex_part h a b : cont h -> ex_RInt (fun x => phi x * h x) a b.
Proof. intros H. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply cont_phi_times, H. Qed.

(** h has an expectation if its parts are bounded *)
Definition bounded (h : R -> R) := exists M, forall b, 0 <= b -> part h b <= M.

Lemma E_spec h : bounded h -> (forall b, 0 <= b -> part h b <= E h) /\ (forall M, (forall b, 0 <= b -> part h b <= M) -> E h <= M).
Proof.
  intros [M0 HM]. set (S := fun y => exists b, 0 <= b /\ y = part h b). change (E h) with (real (Lub_Rbar S)).
  destruct (Lub_Rbar_correct S) as [U L].
  assert (A : Rbar_le (Lub_Rbar S) (Finite M0)) by (apply L; intros y [b [Hb ->]]; apply HM, Hb).
  assert (B : Rbar_le (Finite (part h 0)) (Lub_Rbar S)) by (apply U; exists 0; split; [lra|reflexivity]).
  destruct (Lub_Rbar S) as [r| |]; simpl in *; try contradiction. split.
  - intros b Hb. apply (U (part h b)). exists b; auto.
  - intros M H. apply (L (Finite M)). intros y [b [Hb ->]]. simpl. auto.
Qed.

Lemma RInt_same (f g : R -> R) a b : (forall x, f x = g x) -> RInt f a b = RInt g a b.
Proof. intros H. apply RInt_ext. intros x _. apply H. Qed.

Lemma part_le h k b : cont h -> cont k -> 0 <= b -> (forall x, h x <= k x) -> part h b <= part k b.
Proof.
  intros Hh Hk Hb H. unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|].
  apply RInt_le; [lra|apply ex_part, Hh|apply ex_part, Hk|]. intros x _. apply Rmult_le_compat_l; [left; apply phi_pos|apply H].
Qed.
Lemma part_plus h k b : cont h -> cont k -> part (fun x => h x + k x) b = part h b + part k b.
Proof.
  intros Hh Hk. unfold part. rewrite <- Rdiv_plus_distr. f_equal.
  rewrite <- (RInt_plus (V := R_CompleteNormedModule)) by (apply ex_part; assumption). apply RInt_same. intros x. unfold plus; simpl. ring.
Qed.
Lemma part_scale c h b : cont h -> part (fun x => c * h x) b = c * part h b.
Proof.
  intros Hh. unfold part. unfold Rdiv. rewrite <- Rmult_assoc. f_equal.
  transitivity (RInt (fun x => scal c (phi x * h x)) (- b) b).
  - apply RInt_same. intros x. unfold scal; simpl; unfold mult; simpl. ring.
  - rewrite (RInt_scal (V := R_CompleteNormedModule)) by (apply ex_part, Hh). reflexivity.
Qed.
Lemma part_0 b : part (fun _ => 0) b = 0.
Proof.
  unfold part. rewrite (RInt_same _ (fun _ => 0)) by (intros; ring). rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
Qed.
Lemma cont_plus h k : cont h -> cont k -> cont (fun x => h x + k x).
Proof. intros Hh Hk x. apply (continuous_plus (V := R_NormedModule)); auto. Qed.
Lemma cont_scale c h : cont h -> cont (fun x => c * h x).
Proof. intros Hh x. apply (continuous_scal_r (V := R_NormedModule) c), Hh. Qed.
Lemma cont_const c : cont (fun _ => c).
Proof. intros x. apply continuous_const. Qed.

(** h <= k + c w: what comparison is needed below *)
Lemma E_le h k : cont h -> cont k -> bounded k -> (forall x, h x <= k x) -> E h <= E k.
Proof.
  intros Hh Hk B H. destruct (E_spec k B) as [U _].
  assert (P : forall b, 0 <= b -> part h b <= E k) by (intros b Hb; eapply Rle_trans; [apply (part_le h k b); auto|apply U, Hb]).
  apply (E_spec h); [exists (E k); exact P|exact P].
Qed.
Lemma E_ext h k : (forall x, h x = k x) -> E h = E k.
Proof.
  intros H. unfold E. f_equal. apply Lub_Rbar_eqset. intros y. assert (P : forall b, part h b = part k b).
  { intros b. unfold part. f_equal. apply RInt_same. intros x. rewrite H. reflexivity. }
  split; intros [b [Hb ->]]; exists b; split; auto.
Qed.

Section Step.
Variable w : R -> R.
Hypothesis w_pos : forall x, 0 < w x.
Hypothesis w_cont : cont w.
Hypothesis w_mean : forall b, 0 <= b -> part w b <= 1.

Lemma bounded_by_w h c : cont h -> 0 <= c -> (forall x, h x <= c * w x) -> bounded h.
Proof.
  intros Hh Hc H. exists c. intros b Hb. eapply Rle_trans; [apply (part_le h (fun x => c * w x) b); auto; apply cont_scale, w_cont|].
  rewrite part_scale by exact w_cont. specialize (w_mean b Hb). rewrite <- (Rmult_1_r c) at 2. apply Rmult_le_compat_l; assumption.
Qed.

(** ** n steps after a likelihood ratio of v so far *)
Fixpoint after (n : nat) (v u : R) : R := match n with O => pos (v - u) | S n => E (fun x => after n (v * w x) u) end.
Definition composed (n : nat) (u : R) : R := after n 1 u.

Lemma pos_lipschitz x y : pos x <= pos y + Rabs (x - y).
Proof. unfold pos, Rmax. repeat destruct Rle_dec; unfold Rabs; destruct Rcase_abs; lra. Qed.
Lemma pos_nonneg x : 0 <= pos x.
Proof. apply Rmax_l. Qed.

(** non-negative, at most v, and 1-Lipschitz in v, so continuous in x *)
Definition good (F : R -> R) := (forall v, 0 <= v -> 0 <= F v <= v) /\ (forall v v', 0 <= v -> 0 <= v' -> F v <= F v' + Rabs (v - v')).

Lemma good_cont F v : good F -> 0 <= v -> cont (fun x => F (v * w x)).
Proof.
  intros [_ L] Hv x. apply filterlim_locally. intros eps.
  pose proof (proj1 (filterlim_locally (F := locally x) (fun y => v * w y) (v * w x)) (cont_scale v w w_cont x) eps) as C.
  revert C. apply filter_imp. intros y By. unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
  assert (P : forall z, 0 <= v * w z) by (intros z; apply Rmult_le_pos; [exact Hv|left; apply w_pos]).
  pose proof (L _ _ (P y) (P x)) as A. pose proof (L _ _ (P x) (P y)) as B. rewrite (Rabs_minus_sym (v * w x)) in B.
  assert (K : Rabs (F (v * w y) - F (v * w x)) <= Rabs (v * w y - v * w x)) by (apply Rabs_le; lra). unfold Rminus in K. lra.
Qed.

Lemma good_bounded F v : good F -> 0 <= v -> bounded (fun x => F (v * w x)).
Proof.
  intros G Hv. apply (bounded_by_w _ v); [apply good_cont; assumption|exact Hv|]. intros x. apply G. apply Rmult_le_pos; [exact Hv|left; apply w_pos].
Qed.

Lemma good_step F : good F -> good (fun v => E (fun x => F (v * w x))).
Proof.
  intros G. assert (P : forall v x, 0 <= v -> 0 <= v * w x) by (intros v x Hv; apply Rmult_le_pos; [exact Hv|left; apply w_pos]). split.
  - intros v Hv. destruct (E_spec _ (good_bounded F v G Hv)) as [U L]. split.
    + eapply Rle_trans; [|apply (U 0); lra]. unfold part. rewrite Ropp_0, RInt_point. unfold zero; simpl. unfold Rdiv. lra.
    + apply L. intros b Hb. eapply Rle_trans; [apply (part_le _ (fun x => v * w x) b); auto; [apply good_cont; assumption|apply cont_scale, w_cont|intros x; apply G, P, Hv]|].
      rewrite part_scale by exact w_cont. specialize (w_mean b Hb). rewrite <- (Rmult_1_r v) at 2. apply Rmult_le_compat_l; assumption.
  - intros v v' Hv Hv'. destruct (E_spec _ (good_bounded F v G Hv)) as [_ L]. destruct (E_spec _ (good_bounded F v' G Hv')) as [U _].
    apply L. intros b Hb. specialize (U b Hb).
    eapply Rle_trans; [apply (part_le _ (fun x => F (v' * w x) + Rabs (v - v') * w x) b); auto|].
    + apply good_cont; assumption.
    + apply cont_plus; [apply good_cont; assumption|apply cont_scale, w_cont].
    + intros x. destruct G as [_ G]. specialize (G _ _ (P v x Hv) (P v' x Hv')). replace (v * w x - v' * w x) with ((v - v') * w x) in G by ring.
      rewrite Rabs_mult, (Rabs_pos_eq (w x)) in G by (left; apply w_pos). exact G.
    + rewrite part_plus, part_scale by (try apply good_cont; try apply cont_scale; assumption).
      specialize (w_mean b Hb). assert (Rabs (v - v') * part w b <= Rabs (v - v') * 1) by (apply Rmult_le_compat_l; [apply Rabs_pos|exact w_mean]). lra.
Qed.

Lemma good_after n u : 0 <= u -> good (fun v => after n v u).
Proof.
  intros Hu. induction n as [|n IH]; [|exact (good_step _ IH)]. split; simpl.
  - intros v Hv. split; [apply pos_nonneg|]. unfold pos. apply Rmax_lub; lra.
  - intros v v' _ _. eapply Rle_trans; [apply pos_lipschitz|]. replace (v - u - (v' - u)) with (v - v') by ring. lra.
Qed.

(** ** A law above one step composes to a law above n steps *)
Definition one (u : R) : R := E (fun x => pos (w x - u)).

Fixpoint hinges (l : loss) (v u : R) : R := match l with [] => 0 | a :: l => fst a * pos (v - u * snd a) + hinges l v u end.
Lemma hinges_scale l v u : 0 < v -> hinges l v u = v * profile l (u / v).
Proof.
  intros Hv. induction l as [|a l IH]; simpl; [ring|]. rewrite IH. unfold hinge.
  assert (S : pos (v - u * snd a) = v * pos (1 - u / v * snd a)); [|rewrite S; ring].
  unfold pos. rewrite <- RmaxRmult by lra. f_equal; [ring|field; lra].
Qed.

Lemma cont_hinge c : cont (fun x => pos (w x - c)).
Proof.
  intros x. apply (continuous_comp (fun y => w y - c) pos).
  - apply (continuous_minus (V := R_NormedModule)); [apply w_cont|apply continuous_const].
  - unfold pos. apply filterlim_locally. intros eps. exists eps. intros y By. unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
    pose proof (pos_lipschitz y (w x - c)) as A. pose proof (pos_lipschitz (w x - c) y) as B. rewrite (Rabs_minus_sym (w x - c)) in B. unfold pos in A, B.
    assert (K : Rabs (Rmax 0 y - Rmax 0 (w x - c)) <= Rabs (y - (w x - c))) by (apply Rabs_le; lra). unfold Rminus in *. lra.
Qed.
Lemma cont_hinges l u : cont (fun x => hinges l (w x) u).
Proof. induction l as [|a l IH]; [exact (cont_const 0)|]. apply (cont_plus _ (fun x => hinges l (w x) u)); [apply cont_scale, cont_hinge|exact IH]. Qed.

Lemma hinge_bounded c : 0 <= c -> bounded (fun x => pos (w x - c)).
Proof.
  intros Hc. apply (bounded_by_w _ 1); [apply cont_hinge|lra|]. intros x. unfold pos. apply Rmax_lub; [|lra]. pose proof (w_pos x). lra.
Qed.

Lemma part_hinges l u b : ok l -> 0 <= u -> 0 <= b -> part (fun x => hinges l (w x) u) b <= mixture one l u.
Proof.
  intros O Hu Hb. induction O as [|a l [h1 h2] O IH]; simpl; [rewrite part_0; lra|].
  rewrite part_plus by (try apply cont_scale, cont_hinge; apply cont_hinges). rewrite part_scale by apply cont_hinge.
  assert (Z : 0 <= u * snd a) by (apply Rmult_le_pos; assumption).
  destruct (E_spec _ (hinge_bounded _ Z)) as [U _]. specialize (U b Hb). fold (one (u * snd a)) in U.
  assert (fst a * part (fun x => pos (w x - u * snd a)) b <= fst a * one (u * snd a)) by (apply Rmult_le_compat_l; assumption). lra.
Qed.

Lemma pos_times c x : 0 < c -> pos (c * x) = c * pos x.
Proof. intros H. unfold pos. rewrite <- RmaxRmult by lra. f_equal; ring. Qed.

Lemma after_scale n v u : 0 < v -> 0 <= u -> after n v u = v * composed n (u / v).
Proof.
  unfold composed. revert v u. assert (K : forall m v c u, 0 < c -> 0 <= v -> 0 <= u -> after m (c * v) (c * u) = c * after m v u).
  { clear n. intros n. induction n as [|n IH]; intros v c u Hc Hv Hu; simpl.
    - rewrite <- (pos_times c) by exact Hc. f_equal. ring.
    - assert (Hcu : 0 <= c * u) by (apply Rmult_le_pos; lra). assert (Hcv : 0 <= c * v) by (apply Rmult_le_pos; lra).
      destruct (E_spec _ (good_bounded _ _ (good_after n (c * u) Hcu) Hcv)) as [U L].
      destruct (E_spec _ (good_bounded _ _ (good_after n u Hu) Hv)) as [U' L'].
      assert (P : forall b, part (fun x => after n (c * v * w x) (c * u)) b = c * part (fun x => after n (v * w x) u) b).
      { intros b. rewrite <- part_scale by (apply (good_cont _ _ (good_after n u Hu) Hv)). unfold part. f_equal. apply RInt_same. intros x. f_equal.
        rewrite Rmult_assoc. apply IH; auto. apply Rmult_le_pos; [exact Hv|left; apply w_pos]. }
      apply Rle_antisym.
      + apply L. intros b Hb. rewrite P. apply Rmult_le_compat_l; [lra|apply U', Hb].
      + apply Rmult_le_reg_l with (/ c); [apply Rinv_0_lt_compat, Hc|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. apply L'. intros b Hb.
        specialize (U b Hb). rewrite P in U. apply Rmult_le_reg_l with c; [exact Hc|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact U. }
  intros v u Hv Hu. specialize (K n 1 v (u / v) Hv ltac:(lra)). rewrite Rmult_1_r in K. replace (v * (u / v)) with u in K by (field; lra).
  apply K. unfold Rdiv. apply Rmult_le_pos; [exact Hu|left; apply Rinv_0_lt_compat, Hv].
Qed.

Theorem composition_below l n : ok l -> (forall u, 0 <= u -> one u <= profile l u) ->
  forall u, 0 <= u -> composed n u <= profile (power l n) u.
Proof.
  intros O H. induction n as [|n IH]; intros u Hu; unfold composed; simpl.
  - unfold hinge; simpl. rewrite Rmult_1_r. lra.
  - assert (On : ok (power l n)) by (apply power_ok, O).
    apply Rle_trans with (mixture one (power l n) u).
    + destruct (E_spec _ (good_bounded _ 1 (good_after n u Hu) Rle_0_1)) as [_ L]. apply L. intros b Hb.
      eapply Rle_trans; [|apply (part_hinges (power l n) u b On Hu Hb)].
      apply part_le; [apply (good_cont _ 1 (good_after n u Hu)); lra|apply cont_hinges|exact Hb|].
      intros x. rewrite Rmult_1_l, after_scale, hinges_scale by (auto; apply w_pos). apply Rmult_le_compat_l; [left; apply w_pos|]. apply IH.
      unfold Rdiv. apply Rmult_le_pos; [exact Hu|left; apply Rinv_0_lt_compat, w_pos].
    + rewrite profile_compose. apply mixture_mono; auto.
Qed.
End Step.
