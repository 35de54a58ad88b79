(** * Products of integer sequences

convolve is the product of polynomials given as lists of coefficients, and convolve_power its powers; both run inside Coq. Machine integers would be faster,
but they are axioms to Coq, and the claims proved here do not need them. *)
From Coq Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Fixpoint add_lists (l m : list Z) : list Z :=
  match l, m with [], _ => m | _, [] => l | a :: l, b :: m => (a + b) :: add_lists l m end.
Definition scale_list (c : Z) (l : list Z) := map (Z.mul c) l.
Fixpoint convolve (l m : list Z) : list Z :=
  match l with [] => [] | a :: l => add_lists (scale_list a m) (0 :: convolve l m) end.
Fixpoint convolve_power (l : list Z) (n : nat) : list Z :=
  match n with O => [1] | S n => convolve l (convolve_power l n) end.

(** ** They are products of polynomials *)
Fixpoint ev (l : list Z) (x : Z) : Z := match l with [] => 0 | a :: l => a + x * ev l x end.
Lemma ev_add_lists l m x : ev (add_lists l m) x = ev l x + ev m x.
Proof. revert m. induction l as [|a l IH]; intros [|b m]; simpl; try lia. rewrite IH. lia. Qed.
Lemma ev_scale_list c l x : ev (scale_list c l) x = c * ev l x.
Proof. induction l as [|a l IH]; simpl; [lia|]. rewrite IH. lia. Qed.
Theorem ev_convolve l m x : ev (convolve l m) x = ev l x * ev m x.
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite ev_add_lists, ev_scale_list. simpl. rewrite IH. ring. Qed.

(** ** Non-negative coefficients *)
Definition nonneg (l : list Z) := Forall (fun a => 0 <= a) l.
Lemma nonneg_add_lists l m : nonneg l -> nonneg m -> nonneg (add_lists l m).
Proof.
  intros H; revert m; induction H as [|a l Ha H IH]; intros m Hm; simpl; [destruct m; auto|].
  destruct Hm as [|b m Hb Hm]; [constructor; auto|]. constructor; [lia|]. apply IH, Hm.
Qed.
Lemma nonneg_convolve l m : nonneg l -> nonneg m -> nonneg (convolve l m).
Proof.
  intros Hl Hm; induction Hl as [|a l Ha H IH]; simpl; [constructor|].
  apply nonneg_add_lists; [|constructor; [lia|auto]].
  apply Forall_forall. intros x Hx. apply in_map_iff in Hx. destruct Hx as [b [<- Hb]].
  pose proof (proj1 (Forall_forall _ _) Hm b Hb). simpl in *; nia.
Qed.
Lemma nonneg_power l n : nonneg l -> nonneg (convolve_power l n).
Proof. intros H; induction n as [|n IH]; simpl; [repeat constructor; lia|apply nonneg_convolve; auto]. Qed.
