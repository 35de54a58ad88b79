(** * Finite privacy losses and their composition

A law is a list of atoms (w, z): mass w at the loss y with z = e^(-y); z = 0 is an infinite loss. It is a discrete PLD (privacy loss distribution); its profile is the
sum of w (1 - u z)^+, u = e^eps. An order of profiles at every u >= 0 survives composition, also of unnormalised laws, so upper laws give upper bounds and
lower laws lower bounds; moving, splitting and merging atoms go in known directions. *)
From Coq Require Import Reals Lra Lia List Permutation.
Import ListNotations.
Open Scope R_scope.

Definition pos (x : R) := Rmax 0 x.
Definition atom := (R * R)%type.              (* weight, z *)
Definition loss := list atom.
Definition ok (l : loss) := Forall (fun a => 0 <= fst a /\ 0 <= snd a) l.
Definition hinge (u : R) (a : atom) := fst a * pos (1 - u * snd a).
Fixpoint profile (l : loss) (u : R) : R := match l with [] => 0 | a :: l => hinge u a + profile l u end.
Definition scale (b : atom) (l : loss) : loss := map (fun a => (fst a * fst b, snd a * snd b)) l.
Fixpoint compose (l m : loss) : loss := match m with [] => [] | b :: m => scale b l ++ compose l m end.
Definition below (l m : loss) := forall u, 0 <= u -> profile l u <= profile m u.

Lemma profile_app l m u : profile (l ++ m) u = profile l u + profile m u.
Proof. induction l as [|a l IH]; simpl; [lra|rewrite IH; lra]. Qed.

Lemma profile_scale b l u : profile (scale b l) u = fst b * profile l (u * snd b).
Proof.
  induction l as [|a l IH]; simpl; [lra|]. rewrite IH. unfold hinge; simpl.
  replace (u * (snd a * snd b)) with (u * snd b * snd a) by ring. lra.
Qed.

(** conditioning formula *)
Fixpoint mixture (D : R -> R) (m : loss) (u : R) : R :=
  match m with [] => 0 | b :: m => fst b * D (u * snd b) + mixture D m u end.
Lemma profile_compose l m u : profile (compose l m) u = mixture (profile l) m u.
Proof. induction m as [|b m IH]; simpl; [reflexivity|]. rewrite profile_app, profile_scale, IH. reflexivity. Qed.

Lemma compose_nil_l m : compose [] m = [].
Proof. induction m; simpl; auto. Qed.

Lemma profile_compose_cons_l a l m u : profile (compose (a :: l) m) u = profile (compose l m) u + profile (scale a m) u.
Proof.
  induction m as [|b m IH]; simpl; [lra|]. rewrite !profile_app, IH. unfold hinge; simpl.
  rewrite (Rmult_comm (fst a)), (Rmult_comm (snd a)). lra.
Qed.

Lemma profile_compose_comm l m u : profile (compose l m) u = profile (compose m l) u.
Proof.
  revert m. induction l as [|a l IH]; intros m; simpl.
  - rewrite compose_nil_l. reflexivity.
  - rewrite profile_compose_cons_l, profile_app, IH. lra.
Qed.

Lemma mixture_mono D D' m u : ok m -> 0 <= u -> (forall v, 0 <= v -> D v <= D' v) -> mixture D m u <= mixture D' m u.
Proof.
  intros Hm Hu H. induction Hm as [|b m [h1 h2] Hm IH]; simpl; [lra|].
  assert (D (u * snd b) <= D' (u * snd b)) by (apply H, Rmult_le_pos; auto).
  assert (fst b * D (u * snd b) <= fst b * D' (u * snd b)) by (apply Rmult_le_compat_l; auto). lra.
Qed.

(** composition preserves pointwise dominance, on either side, hence on both *)
Theorem compose_le_l l l' m : ok m -> below l l' -> below (compose l m) (compose l' m).
Proof. intros Hm H u Hu. rewrite !profile_compose. apply mixture_mono; auto. Qed.

Theorem compose_le_r l m m' : ok l -> below m m' -> below (compose l m) (compose l m').
Proof. intros Hl H u Hu. rewrite (profile_compose_comm l m), (profile_compose_comm l m'). apply compose_le_l; auto. Qed.

Lemma scale_ok b l : 0 <= fst b -> 0 <= snd b -> ok l -> ok (scale b l).
Proof.
  intros h1 h2 H. apply Forall_forall. intros x Hx. apply in_map_iff in Hx. destruct Hx as [a [<- Ha]].
  destruct (proj1 (Forall_forall _ _) H a Ha). simpl. split; apply Rmult_le_pos; auto.
Qed.
Lemma compose_ok l m : ok l -> ok m -> ok (compose l m).
Proof.
  intros Hl Hm. induction Hm as [|b m [h1 h2] Hm IH]; simpl; [constructor|].
  apply Forall_app. split; [apply scale_ok; auto|exact IH].
Qed.

Theorem compose_le l l' m m' : ok l' -> ok m -> below l l' -> below m m' -> below (compose l m) (compose l' m').
Proof.
  intros Hl Hm H K u Hu.
  apply Rle_trans with (profile (compose l' m) u); [apply compose_le_l | apply compose_le_r]; auto.
Qed.

(** T-fold self-composition *)
Fixpoint power (l : loss) (n : nat) : loss := match n with O => [(1, 1)] | S n => compose l (power l n) end.
Lemma power_ok l n : ok l -> ok (power l n).
Proof.
  intros H. induction n; simpl; [|apply compose_ok; auto].
  constructor; [simpl; lra|constructor].
Qed.
Theorem power_le l l' n : ok l -> ok l' -> below l l' -> below (power l n) (power l' n).
Proof.
  intros Hl Hl' H. induction n; simpl; [intros u _; apply Rle_refl|].
  apply compose_le; auto. apply power_ok; auto.
Qed.

(** heterogeneous composition *)
Fixpoint compose_all (ls : list loss) : loss := match ls with [] => [(1,1)] | l :: ls => compose l (compose_all ls) end.
Theorem compose_all_le ls ls' : Forall2 (fun l l' => ok l /\ ok l' /\ below l l') ls ls' -> ok (compose_all ls) /\ below (compose_all ls) (compose_all ls').
Proof.
  induction 1 as [|l l' ls ls' [h1 [h2 h3]] _ [IH1 IH2]]; simpl.
  - split; [constructor; [simpl; lra|constructor]|intros u _; apply Rle_refl].
  - split; [apply compose_ok; auto|apply compose_le; auto].
Qed.

(** moving mass up in y (down in z) increases delta *)
Lemma pos_mono x y : x <= y -> pos x <= pos y.
Proof. intros H. unfold pos. apply Rmax_lub; [apply Rmax_l|]. apply Rle_trans with y; [exact H|apply Rmax_r]. Qed.

Theorem move_up w z z' l : 0 <= w -> z' <= z -> below ((w, z) :: l) ((w, z') :: l).
Proof.
  intros Hw Hz u Hu. simpl. unfold hinge; simpl.
  assert (pos (1 - u * z) <= pos (1 - u * z')).
  { apply pos_mono. assert (u * z' <= u * z) by (apply Rmult_le_compat_l; auto). lra. }
  assert (w * pos (1 - u * z) <= w * pos (1 - u * z')) by (apply Rmult_le_compat_l; auto). lra.
Qed.

(** same statement in loss coordinates *)
Corollary move_up_y w y y' l : 0 <= w -> y <= y' -> below ((w, exp (- y)) :: l) ((w, exp (- y')) :: l).
Proof.
  intros Hw [H| ->]; [|intros u _; apply Rle_refl]. apply move_up; auto. left. apply exp_increasing. lra.
Qed.

(** splitting an atom with both sum w and sum w z preserved increases delta (Jensen) *)
Theorem split_up w z w1 z1 w2 z2 l : 0 <= w1 -> 0 <= w2 ->
  w1 + w2 = w -> w1 * z1 + w2 * z2 = w * z -> below ((w, z) :: l) ((w1, z1) :: (w2, z2) :: l).
Proof.
  intros h1 h2 E M u Hu. simpl. unfold hinge; simpl. subst w.
  assert (K : (w1 + w2) * pos (1 - u * z) <= w1 * pos (1 - u * z1) + w2 * pos (1 - u * z2)); [|lra].
  unfold pos. pose proof (Rmax_l 0 (1 - u * z1)); pose proof (Rmax_r 0 (1 - u * z1)).
  pose proof (Rmax_l 0 (1 - u * z2)); pose proof (Rmax_r 0 (1 - u * z2)).
  set (A := Rmax 0 (1 - u * z1)) in *. set (B := Rmax 0 (1 - u * z2)) in *.
  assert (0 <= w1 * A) by (apply Rmult_le_pos; auto). assert (0 <= w2 * B) by (apply Rmult_le_pos; auto).
  assert (w1 * (1 - u * z1) <= w1 * A) by (apply Rmult_le_compat_l; auto).
  assert (w2 * (1 - u * z2) <= w2 * B) by (apply Rmult_le_compat_l; auto).
  apply (Rmax_case_strong 0 (1 - u * z)); intros C; [rewrite Rmult_0_r; lra|].
  replace ((w1 + w2) * (1 - u * z)) with (w1 * (1 - u * z1) + w2 * (1 - u * z2)) by
   (replace ((w1 + w2) * (1 - u * z)) with (w1 + w2 - u * ((w1 + w2) * z)) by ring; rewrite <- M; ring).
  lra.
Qed.

(** and conversely merging two atoms this way decreases it; merging upward (to the larger y) increases it. *)
Theorem merge_up w1 z1 w2 z2 l : 0 <= w2 -> z1 <= z2 -> below ((w1, z1) :: (w2, z2) :: l) ((w1 + w2, z1) :: l).
Proof.
  intros h2 Hz u Hu. pose proof (move_up w2 z2 z1 l h2 Hz u Hu) as M. simpl in *. unfold hinge in *; simpl in *. lra.
Qed.

(** the weights of a split onto a given grid y1 < y < y2 *)
Lemma split_weights w z z1 z2 : z2 < z1 -> z2 <= z <= z1 -> 0 <= w ->
  let w1 := w * (z - z2) / (z1 - z2) in let w2 := w * (z1 - z) / (z1 - z2) in
  0 <= w1 /\ 0 <= w2 /\ w1 + w2 = w /\ w1 * z1 + w2 * z2 = w * z.
Proof.
  intros H12 Hz Hw. cbv zeta. assert (0 < / (z1 - z2)) by (apply Rinv_0_lt_compat; lra).
  repeat split.
  - unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
  - unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
  - field; lra.
  - field; lra.
Qed.

Lemma below_perm l m : Permutation l m -> below l m.
Proof.
  intros P u _. right. induction P; simpl; lra.
Qed.
Lemma below_trans l m n : below l m -> below m n -> below l n.
Proof. intros A B u Hu. apply Rle_trans with (profile m u); auto. Qed.
Lemma below_app l l' m m' : below l l' -> below m m' -> below (l ++ m) (l' ++ m').
Proof. intros A B u Hu. rewrite !profile_app. apply Rplus_le_compat; auto. Qed.
