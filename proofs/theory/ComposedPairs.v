(** * Composing pairs on the line by their laws

A law above the hockey-stick divergence of each step, at every u >= 0, composes to a law above every test of all n draws (laws_compose). The pair of a step may depend on what was
drawn before, as long as the law of that step is above it: this is adaptive composition of pairs that are dominated at every u. Values and tests are those of NormalSteps.v. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses GaussianTail NormalLaw GaussianCurve Expectation GaussianSum Threshold ShiftedNormals ReplaceOne NormalSteps.
Import ListNotations.
Open Scope R_scope.

Lemma density_test l A : weights_ok l -> cont A -> (forall x, 0 <= A x <= 1) -> cont (fun x => density l x * A x) /\ bounded (fun x => density l x * A x).
Proof.
  intros W C A01. assert (Ct : cont (fun x => density l x * A x)) by (apply cont_times; [apply density_cont|exact C]). split; [exact Ct|].
  exists (total_weight l). intros b Hb. eapply Rle_trans; [|apply (part_density l b W Hb)]. apply part_le; [exact Ct|apply density_cont|exact Hb|].
  intros x. pose proof (A01 x). rewrite <- (Rmult_1_r (density l x)) at 2. apply Rmult_le_compat_l; [apply density_nonneg, W|lra].
Qed.

(** the atoms of a law, each as a hockey stick of the step *)
Fixpoint sticks (l : loss) (ps qs : shifts) (u x : R) : R := match l with [] => 0 | a :: l => fst a * pos (excess ps qs (u * snd a) x) + sticks l ps qs u x end.

Lemma sticks_profile l ps qs u x : 0 < density qs x -> density qs x * profile l (u * density ps x / density qs x) = sticks l ps qs u x.
Proof.
  intros Q. induction l as [|a l IH]; simpl; [ring|]. rewrite <- IH. unfold hinge.
  assert (S : pos (excess ps qs (u * snd a) x) = density qs x * pos (1 - u * density ps x / density qs x * snd a)); [|rewrite S; ring].
  unfold pos, excess. rewrite <- RmaxRmult by lra. f_equal; [ring|field; lra].
Qed.
Lemma sticks_cont l ps qs u : cont (sticks l ps qs u).
Proof. induction l as [|a l IH]; [exact (cont_const 0)|]. apply (cont_plus (fun x => fst a * pos (excess ps qs (u * snd a) x))); [apply cont_scale, cont_pos, excess_cont|exact IH]. Qed.
Lemma part_sticks l ps qs u b : weights_ok ps -> weights_ok qs -> ok l -> 0 <= u -> 0 <= b -> part (sticks l ps qs u) b <= mixture (hockey_stick ps qs) l u.
Proof.
  intros Wp Wq O Hu Hb. induction O as [|a l [h1 h2] O IH]; simpl; [rewrite part_0; lra|].
  assert (C : cont (fun x => pos (excess ps qs (u * snd a) x))) by (apply cont_pos, excess_cont).
  rewrite part_plus, part_scale by (try exact C; try (apply cont_scale, C); apply sticks_cont).
  pose proof (proj1 (hockey_stick_spec ps qs (u * snd a) Wp Wq (Rmult_le_pos _ _ Hu h2)) b Hb) as U. apply Rmult_le_compat_l with (r := fst a) in U; [|exact h1]. lra.
Qed.

Section Laws.
Variables (h : list R -> R) (p q : mechanism) (L : nat -> loss).
Hypothesis h_range : forall l, 0 <= h l <= 1.
Hypothesis p_proper : forall n past, proper (p n past).
Hypothesis q_proper : forall n past, proper (q n past).
Hypothesis p_cont : value_cont h p.
Hypothesis q_cont : value_cont h q.
Hypothesis L_ok : forall n, ok (L n).
Hypothesis L_above : forall n past u, 0 <= u -> hockey_stick (p n past) (q n past) u <= profile (L n) u.

Fixpoint composed_law (n : nat) : loss := match n with O => [(1, 1)] | S n => compose (L n) (composed_law n) end.
Lemma composed_law_ok n : ok (composed_law n).
Proof. induction n as [|n IH]; simpl; [apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]|]. apply compose_ok; auto. Qed.

Theorem laws_compose n past u : 0 <= u -> value h q n past - u * value h p n past <= profile (composed_law n) u.
Proof.
  revert past u. induction n as [|n IH]; intros past u Hu; cbn [value composed_law].
  - specialize (h_range past). simpl. unfold hinge, pos; simpl. rewrite Rmult_1_r. destruct (Rle_dec u 1) as [k|k].
    + assert ((1 - u) * h past <= (1 - u) * 1) by (apply Rmult_le_compat_l; lra). pose proof (Rmax_r 0 (1 - u)). lra.
    + assert (0 <= (u - 1) * h past) by (apply Rmult_le_pos; lra). pose proof (Rmax_l 0 (1 - u)). lra.
  - destruct (p_proper n past) as [Wp Tp]. destruct (q_proper n past) as [Wq Tq]. set (ps := p n past) in *. set (qs := q n past) in *.
    pose proof (value_range h p h_range p_proper p_cont n) as Rp. pose proof (value_range h q h_range q_proper q_cont n) as Rq.
    destruct (density_test ps _ Wp (p_cont n past) (fun x => Rp (x :: past))) as [Cp Bp]. destruct (density_test qs _ Wq (q_cont n past) (fun x => Rq (x :: past))) as [Cq Bq].
    rewrite profile_compose. set (D := mixture (profile (L n)) (composed_law n) u).
    set (VQ := E (fun x => density qs x * value h q n (x :: past))). set (VP := E (fun x => density ps x * value h p n (x :: past))).
    assert (K : VQ <= D + u * VP); [|lra]. apply (E_spec _ Bq). intros b Hb.
    apply Rle_trans with (part (fun x => sticks (composed_law n) ps qs u x + u * (density ps x * value h p n (x :: past))) b).
    + apply part_le; [exact Cq|apply cont_plus; [apply sticks_cont|apply cont_scale, Cp]|exact Hb|]. intros x. pose proof (density_pos qs x Wq ltac:(lra)) as Q. pose proof (density_nonneg ps x Wp) as P.
      assert (W : 0 <= u * density ps x / density qs x) by (apply Rcomplements.Rdiv_le_0_compat; [apply Rmult_le_pos; assumption|exact Q]).
      specialize (IH (x :: past) _ W). apply Rmult_le_compat_l with (r := density qs x) in IH; [|lra]. rewrite sticks_profile in IH by exact Q.
      replace (density qs x * (value h q n (x :: past) - u * density ps x / density qs x * value h p n (x :: past)))
        with (density qs x * value h q n (x :: past) - u * (density ps x * value h p n (x :: past))) in IH by (field; lra). lra.
    + rewrite part_plus, part_scale by (try exact Cp; try apply sticks_cont; apply cont_scale, Cp).
      pose proof (part_sticks (composed_law n) ps qs u b Wp Wq (composed_law_ok n) Hu Hb) as S.
      assert (M : mixture (hockey_stick ps qs) (composed_law n) u <= D) by (apply mixture_mono; [apply composed_law_ok|exact Hu|intros v Hv; apply L_above, Hv]).
      pose proof (proj1 (E_spec _ Bp) b Hb) as U. fold VP in U. apply Rmult_le_compat_l with (r := u) in U; [|exact Hu]. lra.
Qed.
End Laws.

Lemma composed_law_power l n : composed_law (fun _ => l) n = power l n.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

(** n steps with one record replaced: a law above one step at every u >= 0, n times *)
Corollary replace_composes q r h n l u : 0 < q <= 1 -> 0 < r -> (forall l, 0 <= h l <= 1) ->
  value_cont h (fun _ _ => without q r) -> value_cont h (fun _ _ => with_record q r) -> ok l -> (forall v, 0 <= v -> replace_profile q r v <= profile l v) -> 0 <= u ->
  value h (fun _ _ => with_record q r) n [] - u * value h (fun _ _ => without q r) n [] <= profile (power l n) u.
Proof.
  intros Hq Hr Hh Cp Cq O A Hu. rewrite <- composed_law_power. apply laws_compose; auto; intros k past.
  - split; [apply (weights_without q r Hq)|simpl; ring].
  - split; [apply (weights_with q r Hq)|simpl; ring].
Qed.
