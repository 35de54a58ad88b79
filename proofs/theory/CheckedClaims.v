(** * What the proved checker accepts, as claims about pairs

check_sound (SampledCheck.v) speaks of iterated integrals of likelihood ratios; here are the same answers for the claims of Claims.v, which hold of the list of pairs of the steps (PhaseClaims.v). *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List.
From Dpcmp Require Import SampledNumbers SampledCheck.
From Dpcmp Require Claims PhaseClaims.
Import ListNotations.
Open Scope R_scope.

Definition parameters (m : list phase) : list (R * R) := flat_map (fun f => repeat (Q2R (rate f), Q2R (inverse_noise f)) (Pos.to_nat (steps_done f))) m.
Lemma parameters_weights m : PhaseClaims.weights_of (parameters m) = likelihoods m.
Proof.
  unfold PhaseClaims.weights_of. induction m as [|f m IH]; [reflexivity|]. cbn [parameters flat_map likelihoods]. rewrite map_app. unfold parameters in IH. rewrite IH. f_equal.
  induction (Pos.to_nat (steps_done f)) as [|n I]; [reflexivity|]. simpl. rewrite I. reflexivity.
Qed.
Definition adjacency_of (o : orders) : Claims.adjacency := match o with One Remove => Claims.Remove | One Add => Claims.Add | Both => Claims.AddRemove end.
Lemma private_is m c : private m c <-> Claims.of_orders (divergence m Remove) (divergence m Add) (adjacency_of (about c)) (exp (Q2R (epsilon c))) <= Q2R (delta c).
Proof.
  unfold private, at_most. destruct (about c) as [[|]|]; cbn [adjacency_of Claims.of_orders]; try tauto.
  split; [intros [A B]; apply Rmax_lub; assumption|]. intros H. split; eapply Rle_trans; try exact H; [apply Rmax_l|apply Rmax_r].
Qed.
Definition answers (m : list phase) (c : claim) (said : Claims.claim) : Prop :=
  match says c with Verified => PhaseClaims.steps_satisfy (parameters m) (adjacency_of (about c)) said | Refuted => ~ PhaseClaims.steps_satisfy (parameters m) (adjacency_of (about c)) said end.
Lemma satisfied m c said : (Claims.holds (Claims.of_orders (divergence m Remove) (divergence m Add) (adjacency_of (about c))) said <-> private m c) -> holds m c -> answers m c said.
Proof.
  intros E H. unfold answers, holds, PhaseClaims.steps_satisfy in *. rewrite parameters_weights. change (Compositions.remove_profile (likelihoods m)) with (divergence m Remove). change (Compositions.add_profile (likelihoods m)) with (divergence m Add).
  destruct (says c); [apply E, H|]. intros K. apply H, E, K.
Qed.
Theorem check_approx_dp m c p : check m c p = true -> answers m c (Claims.ApproxDp (Q2R (epsilon c)) (Q2R (delta c))).
Proof. intros H. apply satisfied; [|exact (check_sound m c p H)]. rewrite private_is. reflexivity. Qed.
Theorem check_advantage m c p : check m c p = true -> (epsilon c == 0)%Q -> answers m c (Claims.Advantage (Q2R (delta c))).
Proof.
  intros H E. apply satisfied; [|exact (check_sound m c p H)]. rewrite private_is. apply Qeq_eqR in E. rewrite E. replace (Q2R 0) with 0 by (unfold Q2R; simpl; field). rewrite exp_0. reflexivity.
Qed.
Theorem check_pure_dp m c p : check m c p = true -> says c = Refuted -> (delta c == 0)%Q -> answers m c (Claims.PureDp (Q2R (epsilon c))).
Proof.
  intros H S E. pose proof (check_sound m c p H) as K. unfold answers, holds in *. rewrite S in *. rewrite private_is in K. unfold PhaseClaims.steps_satisfy. rewrite parameters_weights.
  change (Compositions.remove_profile (likelihoods m)) with (divergence m Remove). change (Compositions.add_profile (likelihoods m)) with (divergence m Add). apply Qeq_eqR in E. rewrite E in K. replace (Q2R 0) with 0 in K by (unfold Q2R; simpl; field).
  intros C. apply K. cbn [Claims.holds] in C. lra.
Qed.
