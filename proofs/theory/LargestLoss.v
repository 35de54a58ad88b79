(** * The largest losses of independent pairs add up

Pure DP of a list of pairs: its divergence at the product of the largest likelihood ratios is 0, and above 0 at any smaller product. Laws that hold of each pair hold of the list. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve Product Claims.
Import ListNotations.
Open Scope R_scope.

(** ** Laws above and below each pair, composed *)
Definition law_is_above (s : pair) (c : loss) := ok c /\ forall u, 0 <= u -> divergence [s] u <= profile c u.
Definition law_is_below (s : pair) (c : loss) := ok c /\ forall u, 0 <= u -> profile c u <= divergence [s] u.
Lemma compose_all_ok ls : List.Forall ok ls -> ok (compose_all ls).
Proof. intros H. induction H as [|c ls Hc H IH]; cbn [compose_all]; [apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]|apply compose_ok; assumption]. Qed.
Lemma empty_divergence u : divergence [] u = profile [(1, 1)] u.
Proof. unfold divergence, hockey, stick. cbn [product profile]. unfold hinge. cbn [fst snd]. rewrite Rmult_1_r. ring. Qed.
Theorem laws_above l ls : List.Forall2 law_is_above l ls -> forall u, 0 <= u -> divergence l u <= profile (compose_all ls) u.
Proof.
  intros H. induction H as [|s c l ls [O A] H IH]; [intros u _; rewrite empty_divergence; apply Rle_refl|]. cbn [compose_all].
  apply (product_below [s] l c (compose_all ls)); auto. apply compose_all_ok. clear -H. induction H as [|s c l ls [O _] H IH]; constructor; assumption.
Qed.
Theorem laws_below l ls : List.Forall2 law_is_below l ls -> forall u, 0 <= u -> profile (compose_all ls) u <= divergence l u.
Proof.
  intros H. induction H as [|s c l ls [O A] H IH]; [intros u _; rewrite empty_divergence; apply Rle_refl|]. cbn [compose_all].
  apply (product_above [s] l c (compose_all ls)); auto. apply compose_all_ok. clear -H. induction H as [|s c l ls [O _] H IH]; constructor; assumption.
Qed.

(** ** Pure DP *)
Definition product_of (ks : list R) : R := fold_right Rmult 1 ks.
Lemma product_of_pos ks : List.Forall (fun k => 0 < k) ks -> 0 < product_of ks.
Proof. intros H. induction H as [|k ks Hk H IH]; cbn [product_of fold_right]; [lra|]. apply Rmult_lt_0_compat; assumption. Qed.
(** 0 at k: all losses are at most log k *)
Lemma one_atom s k : 0 < k -> divergence [s] k = 0 -> law_is_above s [(1, / k)].
Proof.
  intros Hk Z. assert (IK : 0 < / k) by (apply Rinv_0_lt_compat, Hk). split; [apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]|]. intros u Hu.
  cbn [profile]. unfold hinge. cbn [fst snd]. rewrite Rmult_1_l, Rplus_0_r. destruct (Rle_dec u k) as [h|h].
  - set (t := u / k). assert (T : 0 <= t <= 1) by (unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|apply Rcomplements.Rle_div_l; lra]).
    pose proof (pp_convex _ (divergence_profile [s]) k k 0 t ltac:(lra) ltac:(lra) T) as C. replace (t * k + (1 - t) * 0) with u in C by (unfold t; field; lra).
    rewrite Z in C. pose proof (pp_0 _ (divergence_profile [s])). assert ((1 - t) * divergence [s] 0 <= (1 - t) * 1) by (apply Rmult_le_compat_l; lra).
    pose proof (Rmax_r 0 (1 - u * / k)) as M. fold (pos (1 - u * / k)) in M. change (u * / k) with t in *. lra.
  - pose proof (pp_falls _ (divergence_profile [s]) k u ltac:(lra) ltac:(lra)). pose proof (Rmax_l 0 (1 - u * / k)). unfold pos. lra.
Qed.
Lemma atoms_compose ks : List.Forall (fun k => 0 < k) ks -> compose_all (map (fun k => [(1, / k)]) ks) = [(1, / product_of ks)].
Proof.
  intros H. induction H as [|k ks Hk H IH]; cbn [map compose_all product_of fold_right]; [rewrite Rinv_1; reflexivity|]. rewrite IH. cbn [compose scale map app fst snd]. fold (product_of ks).
  pose proof (product_of_pos ks H). do 2 f_equal; [ring|]. field. split; lra.
Qed.
Theorem largest_losses l ks : List.Forall2 (fun s k => 0 < k /\ divergence [s] k = 0) l ks -> divergence l (product_of ks) = 0.
Proof.
  intros H. assert (K : List.Forall (fun k => 0 < k) ks) by (clear -H; induction H as [|s k l ks [Hk _] H IH]; constructor; assumption).
  pose proof (product_of_pos ks K) as P. apply Rle_antisym; [|apply (pp_nonneg _ (divergence_profile l)); lra].
  eapply Rle_trans; [apply (laws_above l (map (fun k => [(1, / k)]) ks)); [|lra]|].
  - clear -H. induction H as [|s k l ks [Hk Z] H IH]; cbn [map]; constructor; [apply one_atom; assumption|exact IH].
  - rewrite atoms_compose by exact K. cbn [profile]. unfold hinge, pos. cbn [fst snd]. rewrite Rinv_r, Rmax_left by lra. lra.
Qed.
Theorem pure_dp_holds l ks eps : List.Forall2 (fun s k => 0 < k /\ divergence [s] k = 0) l ks -> product_of ks <= exp eps -> holds (divergence l) (PureDp eps).
Proof.
  intros H L. simpl. rewrite <- (largest_losses l ks H). apply (pp_falls _ (divergence_profile l)); [|exact L]. left. apply product_of_pos.
  clear -H; induction H as [|s k l ks [Hk _] H IH]; constructor; assumption.
Qed.

(** above 0 at each k: there is a test of the pair with power A above k B *)
Lemma one_test s k : 0 < k -> 0 < divergence [s] k -> exists A B, 0 <= B /\ k * B < A /\ beneath [s] [(A, B)].
Proof.
  intros Hk P. destruct (profile_support _ (divergence_profile [s]) k Hk) as [B [HB S]]. exists (divergence [s] k + k * B), B. split; [lra|]. split; [lra|].
  assert (0 <= k * B) by (apply Rmult_le_pos; lra). apply beneath_iff; [apply List.Forall_cons; [simpl; lra|apply List.Forall_nil]|]. intros u Hu. cbn [spread fst snd]. rewrite Rplus_0_r, Rmult_1_l.
  unfold pos. apply Rmax_lub; [apply (pp_nonneg _ (divergence_profile [s])), Hu|]. specialize (S u Hu). lra.
Qed.
Theorem smaller_losses l ks : l <> [] -> List.Forall2 (fun s k => 0 < k /\ 0 < divergence [s] k) l ks -> 0 < divergence l (product_of ks).
Proof.
  intros Ne H. assert (G : l = [] \/ exists A B, 0 <= B /\ product_of ks * B < A /\ beneath l [(A, B)]).
  { clear Ne. induction H as [|s k l ks [Hk P] H IH]; [left; reflexivity|]. right. destruct (one_test s k Hk P) as (A & B & HB & AB & L). destruct IH as [->|(A' & B' & HB' & AB' & L')].
    - inversion H. exists A, B. cbn [product_of fold_right]. rewrite Rmult_1_r. auto.
    - assert (K : 0 < product_of ks) by (apply product_of_pos; clear -H; induction H as [|s k l ks [Hk _] H IH]; constructor; assumption).
      assert (0 <= k * B) by (apply Rmult_le_pos; lra). assert (0 <= product_of ks * B') by (apply Rmult_le_pos; lra).
      exists (A * A'), (B * B'). split; [apply Rmult_le_pos; assumption|]. cbn [product_of fold_right]. fold (product_of ks). split.
      + replace (k * product_of ks * (B * B')) with ((k * B) * (product_of ks * B')) by ring. apply Rle_lt_trans with (A * (product_of ks * B')); [apply Rmult_le_compat_r; lra|apply Rmult_lt_compat_l; lra].
      + pose proof (beneath_app [s] l [(A, B)] [(A', B')]) as C. cbn [app compose_cells times_cell map fst snd] in C. apply C; auto; apply List.Forall_cons; try apply List.Forall_nil; simpl; lra. }
  destruct G as [G|(A & B & HB & AB & L)]; [contradiction|].
  assert (K : 0 < product_of ks) by (apply product_of_pos; clear -H; induction H as [|s k l ks [Hk _] H IH]; constructor; assumption).
  specialize (L (product_of ks) 1 ltac:(lra) ltac:(lra)). cbn [spread fst snd] in L. unfold divergence. pose proof (Rmax_r 0 (1 * A - product_of ks * B)) as M. unfold pos in L. lra.
Qed.
Theorem pure_dp_fails_by_losses l ks eps : l <> [] -> List.Forall2 (fun s k => 0 < k /\ 0 < divergence [s] k) l ks -> exp eps <= product_of ks -> ~ holds (divergence l) (PureDp eps).
Proof.
  intros Ne H L. simpl. pose proof (smaller_losses l ks Ne H). pose proof (pp_falls _ (divergence_profile l) (exp eps) (product_of ks) ltac:(left; apply exp_pos) L). lra.
Qed.
