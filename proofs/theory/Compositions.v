(** * Different steps composed, in both orders, from above and from below

A step is its likelihood ratio w x at a standard normal x (Expectation.v). remove_profile is E (w_1 x_1 ... w_n x_n - u)^+, the hockey-stick divergence when the record is taken away;
add_profile is E (1 - u w_1 x_1 ... w_n x_n)^+, the same for the pair in the other order. A law above (below) the profile of each step composes to a law above (below) that of all steps:
remove_below, remove_above, add_below, add_above. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses GaussianTail NormalLaw GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum ShiftedNormals.
Import ListNotations.
Open Scope R_scope.

Definition likelihood (w : R -> R) := (forall x, 0 < w x) /\ cont w /\ (forall b, 0 <= b -> part w b <= 1).
Fixpoint after_all (ws : list (R -> R)) (v u : R) : R := match ws with [] => pos (v - u) | w :: ws => E (fun x => after_all ws (v * w x) u) end.
Definition remove_profile (ws : list (R -> R)) (u : R) : R := after_all ws 1 u.
Fixpoint add_profile (ws : list (R -> R)) (u : R) : R := match ws with [] => pos (1 - u) | w :: ws => E (fun x => add_profile ws (u * w x)) end.
(** one step *)
Definition one_add (w : R -> R) (u : R) : R := E (fun x => pos (1 - u * w x)).

Lemma equal_steps w n v u : after_all (repeat w n) v u = after w n v u.
Proof. revert v. induction n as [|n IH]; intros v; [reflexivity|]. cbn [repeat after_all after]. apply E_ext. intros x. apply IH. Qed.
Lemma weight_likelihood q mu : 0 < q <= 1 -> likelihood (weight q mu).
Proof. intros Hq. split; [apply weight_pos, Hq|]. split; [apply weight_cont|apply weight_mean, Hq]. Qed.
Lemma steps_are_equal q mu n u : steps q mu n u = remove_profile (repeat (weight q mu) n) u.
Proof. symmetry. apply equal_steps. Qed.

(** ** Removing the record *)
Lemma good_leaf u : 0 <= u -> good (fun v => pos (v - u)).
Proof.
  intros Hu. split.
  - intros v Hv. split; [apply pos_nonneg|]. unfold pos. apply Rmax_lub; lra.
  - intros v v' _ _. eapply Rle_trans; [apply pos_lipschitz|]. replace (v - u - (v' - u)) with (v - v') by ring. lra.
Qed.
Lemma good_after_all ws u : List.Forall likelihood ws -> 0 <= u -> good (fun v => after_all ws v u).
Proof.
  intros W Hu. induction W as [|w ws [P [C M]] W IH]; [apply good_leaf, Hu|]. exact (good_step w P C M _ IH).
Qed.
Lemma after_all_scale ws c v u : List.Forall likelihood ws -> 0 < c -> 0 <= v -> 0 <= u -> after_all ws (c * v) (c * u) = c * after_all ws v u.
Proof.
  intros W. revert v u. induction W as [|w ws [P [C M]] W IH]; intros v u Hc Hv Hu; simpl.
  - rewrite <- (pos_times c) by exact Hc. f_equal. ring.
  - rewrite <- E_scale; [|apply (good_cont w P C _ v (good_after_all ws u W Hu) Hv)|apply (good_bounded w P C M _ v (good_after_all ws u W Hu) Hv)|lra].
    apply E_ext. intros x. rewrite Rmult_assoc. apply IH; auto. apply Rmult_le_pos; [exact Hv|left; apply P].
Qed.
Lemma after_all_profile ws v u : List.Forall likelihood ws -> 0 < v -> 0 <= u -> after_all ws v u = v * remove_profile ws (u / v).
Proof.
  intros W Hv Hu. unfold remove_profile. pose proof (after_all_scale ws v 1 (u / v) W Hv ltac:(lra)) as K.
  rewrite Rmult_1_r in K. replace (v * (u / v)) with u in K by (field; lra). apply K.
  unfold Rdiv. apply Rmult_le_pos; [exact Hu|left; apply Rinv_0_lt_compat, Hv].
Qed.

Lemma hinges_nonneg l v u : ok l -> 0 <= hinges l v u.
Proof. intros O. induction O as [|a l [A B] O IH]; simpl; [lra|]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [exact A|apply pos_nonneg]|exact IH]. Qed.
Lemma hinges_bounded w l u : likelihood w -> ok l -> 0 <= u -> bounded (fun x => hinges l (w x) u).
Proof. intros [P [C M]] O Hu. exists (mixture (one w) l u). intros b Hb. apply (part_hinges w P C M); assumption. Qed.
Lemma E_0 : E (fun _ => 0) = 0.
Proof.
  destruct (E_spec (fun _ => 0)) as [U L]; [exists 0; intros; rewrite part_0; lra|]. apply Rle_antisym; [apply L; intros; rewrite part_0; lra|]. pose proof (U 0 ltac:(lra)) as K. rewrite part_0 in K. exact K.
Qed.
Lemma E_hinges w l u : likelihood w -> ok l -> 0 <= u -> E (fun x => hinges l (w x) u) = mixture (one w) l u.
Proof.
  intros Lw O Hu. induction O as [|a l [h1 h2] O IH]; simpl; [apply E_0|]. destruct Lw as [P [C M]].
  assert (Z : 0 <= u * snd a) by (apply Rmult_le_pos; assumption).
  assert (Ch : cont (fun x => pos (w x - u * snd a))) by (apply cont_hinge, C).
  assert (B : bounded (fun x => pos (w x - u * snd a))) by (apply (hinge_bounded w P C M), Z).
  rewrite E_plus.
  - rewrite IH. f_equal. apply E_scale; assumption.
  - apply cont_scale, Ch.
  - apply cont_hinges, C.
  - intros x. apply Rmult_le_pos; [exact h1|apply pos_nonneg].
  - intros x. apply hinges_nonneg, O.
  - destruct B as [K B]. exists (fst a * K). intros b Hb. rewrite part_scale by exact Ch. apply Rmult_le_compat_l; auto.
  - apply hinges_bounded; [split; [exact P|split; [exact C|exact M]]|exact O|exact Hu].
Qed.

Definition law_above (w : R -> R) (l : loss) := likelihood w /\ ok l /\ forall u, 0 <= u -> one w u <= profile l u.
Definition law_below (w : R -> R) (l : loss) := likelihood w /\ ok l /\ forall u, 0 <= u -> profile l u <= one w u.

Lemma compose_all_ok ls : List.Forall ok ls -> ok (compose_all ls).
Proof. intros H. induction H as [|l ls O H IH]; simpl; [apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]|apply compose_ok; assumption]. Qed.
Lemma leaf_profile u : profile [(1, 1)] u = pos (1 - u).
Proof. cbn [profile]. unfold hinge. cbn [fst snd]. rewrite Rmult_1_r. ring. Qed.
Lemma above_parts ws ls : List.Forall2 law_above ws ls -> List.Forall likelihood ws /\ List.Forall ok ls.
Proof. induction 1 as [|w l ws ls [A [B _]] _ [IH1 IH2]]; auto. Qed.
Lemma below_parts ws ls : List.Forall2 law_below ws ls -> List.Forall likelihood ws /\ List.Forall ok ls.
Proof. induction 1 as [|w l ws ls [A [B _]] _ [IH1 IH2]]; auto. Qed.

Lemma scaled_nonneg (w : R -> R) (x u : R) : 0 < w x -> 0 <= u -> 0 <= u / w x.
Proof. intros H Hu. unfold Rdiv. apply Rmult_le_pos; [exact Hu|left; apply Rinv_0_lt_compat, H]. Qed.

Theorem remove_below ws ls : List.Forall2 law_above ws ls -> forall u, 0 <= u -> remove_profile ws u <= profile (compose_all ls) u.
Proof.
  intros F. induction F as [|w l ws ls A F IH]; intros u Hu; [rewrite leaf_profile; apply Rle_refl|].
  destruct (above_parts ws ls F) as [W O]. pose proof (compose_all_ok ls O) as Oc. destruct A as [[P [C M]] [Ol A]].
  unfold remove_profile; cbn [after_all compose_all]. rewrite profile_compose.
  apply Rle_trans with (mixture (one w) (compose_all ls) u); [|apply mixture_mono; auto].
  rewrite <- E_hinges by (try (split; [exact P|split; [exact C|exact M]]); assumption). apply E_le.
  - apply (good_cont w P C _ 1 (good_after_all ws u W Hu)); lra.
  - apply cont_hinges, C.
  - apply hinges_bounded; [split; [exact P|split; [exact C|exact M]]|exact Oc|exact Hu].
  - intros x. rewrite Rmult_1_l, after_all_profile, hinges_scale by auto. apply Rmult_le_compat_l; [left; apply P|]. apply IH, scaled_nonneg; auto.
Qed.

Theorem remove_above ws ls : List.Forall2 law_below ws ls -> forall u, 0 <= u -> profile (compose_all ls) u <= remove_profile ws u.
Proof.
  intros F. induction F as [|w l ws ls A F IH]; intros u Hu; [rewrite leaf_profile; apply Rle_refl|].
  destruct (below_parts ws ls F) as [W O]. pose proof (compose_all_ok ls O) as Oc. destruct A as [[P [C M]] [Ol A]].
  unfold remove_profile; cbn [after_all compose_all]. rewrite profile_compose.
  apply Rle_trans with (mixture (one w) (compose_all ls) u); [apply mixture_mono; auto|].
  rewrite <- E_hinges by (try (split; [exact P|split; [exact C|exact M]]); assumption). apply E_le.
  - apply cont_hinges, C.
  - apply (good_cont w P C _ 1 (good_after_all ws u W Hu)); lra.
  - apply (good_bounded w P C M _ 1 (good_after_all ws u W Hu)); lra.
  - intros x. rewrite Rmult_1_l, after_all_profile, hinges_scale by auto. apply Rmult_le_compat_l; [left; apply P|]. apply IH, scaled_nonneg; auto.
Qed.

(** ** Adding it: a function of u times the likelihood ratio so far *)
Definition steady (F : R -> R) := (forall u, 0 <= u -> 0 <= F u <= 1) /\ (forall u v, 0 <= u -> 0 <= v -> F u <= F v + Rabs (u - v)).
Lemma steady_leaf : steady (fun u => pos (1 - u)).
Proof.
  split.
  - intros u Hu. split; [apply pos_nonneg|]. unfold pos. apply Rmax_lub; lra.
  - intros u v _ _. eapply Rle_trans; [apply pos_lipschitz|]. replace (1 - u - (1 - v)) with (v - u) by ring. rewrite Rabs_minus_sym. lra.
Qed.
Lemma steady_cont w F u : likelihood w -> steady F -> 0 <= u -> cont (fun x => F (u * w x)).
Proof.
  intros [P [C M]] [_ L] Hu x. apply filterlim_locally. intros eps.
  pose proof (proj1 (filterlim_locally (F := locally x) (fun y => u * w y) (u * w x)) (cont_scale u w C x) eps) as K.
  revert K. apply filter_imp. intros y By. unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
  assert (N : forall z, 0 <= u * w z) by (intros z; apply Rmult_le_pos; [exact Hu|left; apply P]).
  pose proof (L _ _ (N y) (N x)) as A. pose proof (L _ _ (N x) (N y)) as B. rewrite (Rabs_minus_sym (u * w x)) in B.
  assert (K : Rabs (F (u * w y) - F (u * w x)) <= Rabs (u * w y - u * w x)) by (apply Rabs_le; lra). unfold Rminus in K. lra.
Qed.
Lemma bounded_by_1 h : cont h -> (forall x, h x <= 1) -> bounded h.
Proof. intros C H. exists 1. intros b Hb. eapply Rle_trans; [apply (part_le h (fun _ => 1) b C (cont_const 1) Hb H)|apply part_1_le, Hb]. Qed.
Lemma steady_bounded w F u : likelihood w -> steady F -> 0 <= u -> bounded (fun x => F (u * w x)).
Proof.
  intros Lw S Hu. apply bounded_by_1; [apply steady_cont; assumption|]. intros x. apply S. apply Rmult_le_pos; [exact Hu|left; apply Lw].
Qed.
Lemma E_nonneg h : cont h -> bounded h -> 0 <= E h.
Proof. intros C B. eapply Rle_trans; [|apply (proj1 (E_spec h B) 0); lra]. unfold part. rewrite Ropp_0, RInt_point. unfold zero; simpl. unfold Rdiv. lra. Qed.
Lemma steady_step w F : likelihood w -> steady F -> steady (fun u => E (fun x => F (u * w x))).
Proof.
  intros Lw S. assert (N : forall u x, 0 <= u -> 0 <= u * w x) by (intros u x Hu; apply Rmult_le_pos; [exact Hu|left; apply Lw]). split.
  - intros u Hu. pose proof (steady_cont w F u Lw S Hu) as C. pose proof (steady_bounded w F u Lw S Hu) as B. split; [apply E_nonneg; assumption|].
    apply (E_spec _ B). intros b Hb. eapply Rle_trans; [apply (part_le _ (fun _ => 1) b C (cont_const 1) Hb)|apply part_1_le, Hb]. intros x. apply S, N, Hu.
  - intros u v Hu Hv. pose proof (steady_cont w F u Lw S Hu) as C. pose proof (steady_cont w F v Lw S Hv) as C'. pose proof (steady_bounded w F v Lw S Hv) as B'.
    apply (E_spec _ (steady_bounded w F u Lw S Hu)). intros b Hb. destruct Lw as [P [Cw M]].
    eapply Rle_trans; [apply (part_le _ (fun x => F (v * w x) + Rabs (u - v) * w x) b C); [apply cont_plus; [exact C'|apply cont_scale, Cw]|exact Hb|]|].
    + intros x. destruct S as [_ L]. specialize (L _ _ (N u x Hu) (N v x Hv)). replace (u * w x - v * w x) with ((u - v) * w x) in L by ring.
      rewrite Rabs_mult, (Rabs_pos_eq (w x)) in L by (left; apply P). exact L.
    + rewrite part_plus, part_scale by (try exact C'; try apply cont_scale; exact Cw). pose proof (M b Hb) as Mb. pose proof (proj1 (E_spec _ B') b Hb) as U.
      assert (Rabs (u - v) * part w b <= Rabs (u - v) * 1) by (apply Rmult_le_compat_l; [apply Rabs_pos|exact Mb]). lra.
Qed.
Lemma steady_add ws : List.Forall likelihood ws -> steady (add_profile ws).
Proof. intros W. induction W as [|w ws Lw W IH]; [exact steady_leaf|]. exact (steady_step w _ Lw IH). Qed.

Lemma profile_steps_cont w l u : likelihood w -> cont (fun x => profile l (u * w x)).
Proof.
  intros [P [C M]]. induction l as [|a l IH]; [exact (cont_const 0)|]. cbn [profile]. unfold hinge.
  apply (cont_plus (fun x => fst a * pos (1 - u * w x * snd a)) (fun x => profile l (u * w x))); [|exact IH]. apply cont_scale.
  apply (cont_pos (fun x => 1 - u * w x * snd a)). intros x.
  apply (continuous_ext (fun x => 1 + (- (u * snd a)) * w x)); [intros y; simpl; ring|]. apply (cont_plus (fun _ => 1) (fun x => - (u * snd a) * w x)); [apply cont_const|apply cont_scale, C].
Qed.
Lemma profile_nonneg l u : ok l -> 0 <= profile l u.
Proof. intros O. induction O as [|a l [A B] O IH]; simpl; [lra|]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [exact A|apply pos_nonneg]|exact IH]. Qed.
Lemma one_add_cont w c : likelihood w -> cont (fun x => pos (1 - c * w x)).
Proof.
  intros [_ [C _]]. apply (cont_pos (fun x => 1 - c * w x)). intros x. apply (continuous_ext (fun x => 1 + (- c) * w x)); [intros y; simpl; ring|].
  apply (cont_plus (fun _ => 1) (fun x => - c * w x)); [apply cont_const|apply cont_scale, C].
Qed.
Lemma one_add_bounded w c : likelihood w -> 0 <= c -> bounded (fun x => pos (1 - c * w x)).
Proof. intros Lw Hc. apply bounded_by_1; [apply one_add_cont, Lw|]. intros x. unfold pos. apply Rmax_lub; [lra|]. assert (0 <= c * w x) by (apply Rmult_le_pos; [exact Hc|left; apply Lw]). lra. Qed.

Lemma E_profile w l u : likelihood w -> ok l -> 0 <= u -> bounded (fun x => profile l (u * w x)) /\ E (fun x => profile l (u * w x)) = mixture (one_add w) l u.
Proof.
  intros Lw O Hu. induction O as [|a l [h1 h2] O [IB IH]]; [split; [exists 0; intros; simpl; rewrite part_0; lra|apply E_0]|]. cbn [profile mixture]. unfold hinge.
  assert (Z : 0 <= u * snd a) by (apply Rmult_le_pos; assumption).
  pose proof (one_add_cont w (u * snd a) Lw) as Ch. pose proof (one_add_bounded w (u * snd a) Lw Z) as B.
  assert (X : forall x, fst a * pos (1 - u * w x * snd a) + profile l (u * w x) = fst a * pos (1 - u * snd a * w x) + profile l (u * w x)) by (intros x; do 3 f_equal; ring).
  assert (Bs : bounded (fun x => fst a * pos (1 - u * snd a * w x))) by (destruct B as [K B]; exists (fst a * K); intros b Hb; rewrite part_scale by exact Ch; apply Rmult_le_compat_l; auto).
  pose proof (profile_steps_cont w l u Lw) as Cp. split.
  - destruct Bs as [K1 B1]. destruct IB as [K2 B2]. exists (K1 + K2). intros b Hb. specialize (B1 b Hb). specialize (B2 b Hb).
    assert (Q : part (fun x => fst a * pos (1 - u * w x * snd a) + profile l (u * w x)) b = part (fun x => fst a * pos (1 - u * snd a * w x) + profile l (u * w x)) b) by (unfold part; f_equal; apply RInt_same; intros x; rewrite X; reflexivity).
    rewrite Q, part_plus by (try exact Cp; apply cont_scale, Ch). lra.
  - rewrite (E_ext _ _ X), E_plus.
    + rewrite IH. f_equal. rewrite E_scale by assumption. reflexivity.
    + apply cont_scale, Ch.
    + exact Cp.
    + intros x. apply Rmult_le_pos; [exact h1|apply pos_nonneg].
    + intros x. apply profile_nonneg, O.
    + exact Bs.
    + exact IB.
Qed.

Definition add_law_above (w : R -> R) (l : loss) := likelihood w /\ ok l /\ forall u, 0 <= u -> one_add w u <= profile l u.
Definition add_law_below (w : R -> R) (l : loss) := likelihood w /\ ok l /\ forall u, 0 <= u -> profile l u <= one_add w u.
Lemma add_above_parts ws ls : List.Forall2 add_law_above ws ls -> List.Forall likelihood ws /\ List.Forall ok ls.
Proof. induction 1 as [|w l ws ls [A [B _]] _ [IH1 IH2]]; auto. Qed.
Lemma add_below_parts ws ls : List.Forall2 add_law_below ws ls -> List.Forall likelihood ws /\ List.Forall ok ls.
Proof. induction 1 as [|w l ws ls [A [B _]] _ [IH1 IH2]]; auto. Qed.

Theorem add_below ws ls : List.Forall2 add_law_above ws ls -> forall u, 0 <= u -> add_profile ws u <= profile (compose_all ls) u.
Proof.
  intros F. induction F as [|w l ws ls A F IH]; intros u Hu; [rewrite leaf_profile; apply Rle_refl|].
  destruct (add_above_parts ws ls F) as [W O]. pose proof (compose_all_ok ls O) as Oc. destruct A as [Lw [Ol A]].
  cbn [add_profile compose_all]. rewrite profile_compose. destruct (E_profile w (compose_all ls) u Lw Oc Hu) as [B X].
  apply Rle_trans with (mixture (one_add w) (compose_all ls) u); [|apply mixture_mono; auto]. rewrite <- X. apply E_le.
  - apply (steady_cont w _ u Lw (steady_add ws W) Hu).
  - apply profile_steps_cont, Lw.
  - exact B.
  - intros x. apply IH, Rmult_le_pos; [exact Hu|left; apply Lw].
Qed.

Theorem add_above ws ls : List.Forall2 add_law_below ws ls -> forall u, 0 <= u -> profile (compose_all ls) u <= add_profile ws u.
Proof.
  intros F. induction F as [|w l ws ls A F IH]; intros u Hu; [rewrite leaf_profile; apply Rle_refl|].
  destruct (add_below_parts ws ls F) as [W O]. pose proof (compose_all_ok ls O) as Oc. destruct A as [Lw [Ol A]].
  cbn [add_profile compose_all]. rewrite profile_compose. destruct (E_profile w (compose_all ls) u Lw Oc Hu) as [B X].
  apply Rle_trans with (mixture (one_add w) (compose_all ls) u); [apply mixture_mono; auto|]. rewrite <- X. apply E_le.
  - apply profile_steps_cont, Lw.
  - apply (steady_cont w _ u Lw (steady_add ws W) Hu).
  - apply (steady_bounded w _ u Lw (steady_add ws W) Hu).
  - intros x. apply IH, Rmult_le_pos; [exact Hu|left; apply Lw].
Qed.

(** ** Equal steps *)
Lemma compose_all_repeat l n : compose_all (repeat l n) = power l n.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma repeat_forall2 {A B} (R : A -> B -> Prop) a b n : R a b -> List.Forall2 R (repeat a n) (repeat b n).
Proof. intros H. induction n; simpl; auto. Qed.
Theorem composition_below_add w l n : add_law_above w l -> forall u, 0 <= u -> add_profile (repeat w n) u <= profile (power l n) u.
Proof. intros A u Hu. rewrite <- compose_all_repeat. apply add_below; [apply repeat_forall2, A|exact Hu]. Qed.
