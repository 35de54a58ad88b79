(** * Products of integer sequences by one product of large integers

Kronecker's substitution: the sequences are read as numbers in base 2^width, wide enough for every coefficient of the product, multiplied, and the digits of the result are the product.
multiply is convolve (multiply_is_convolve), and faster for long sequences where large integers are multiplied fast: in the extracted program. *)
From Coq Require Import ZArith List Lia Bool.
From Dpcmp Require Import Convolution.
Import ListNotations.
Open Scope Z_scope.

(** ** Numbers from digits, halving the list each time *)
Fixpoint join (width : Z) (l : list Z) : list Z := match l with a :: b :: l => (a + Z.shiftl b width) :: join width l | _ => l end.
Fixpoint pack (fuel : nat) (width : Z) (l : list Z) : Z :=
  match fuel with
  | O => ev l (2 ^ width)
  | S fuel => match l with [] => 0 | [a] => a | _ => pack fuel (2 * width) (join width l) end
  end.
Lemma by_twos (Q : list Z -> Prop) : Q [] -> (forall a, Q [a]) -> (forall a b l, Q l -> Q (a :: b :: l)) -> forall l, Q l.
Proof. intros Q0 Q1 Q2. assert (H : forall l, Q l /\ forall a, Q (a :: l)) by (induction l as [|b l [H1 H2]]; split; auto). intros l. apply H. Qed.
Lemma ev_join width l : 0 <= width -> ev (join width l) (2 ^ (2 * width)) = ev l (2 ^ width).
Proof.
  intros Hw. assert (S : 2 ^ (2 * width) = 2 ^ width * 2 ^ width) by (rewrite <- Z.pow_add_r by lia; f_equal; lia). rewrite S. set (X := 2 ^ width). revert l. apply by_twos.
  - reflexivity.
  - intros a. simpl. ring.
  - intros a b l IH. cbn [join ev]. rewrite IH, Z.shiftl_mul_pow2 by exact Hw. fold X. ring.
Qed.
Lemma pack_ev fuel : forall width l, 0 <= width -> pack fuel width l = ev l (2 ^ width).
Proof.
  induction fuel as [|fuel IH]; intros width l Hw; cbn [pack]; [reflexivity|]. destruct l as [|a [|b l]]; [reflexivity|simpl; ring|]. rewrite IH by lia. apply ev_join, Hw.
Qed.

(** ** Digits from numbers: not proved, but looked at below *)
Fixpoint unpack (halvings : nat) (width v : Z) (rest : list Z) : list Z :=
  match halvings with
  | O => v :: rest
  | S halvings => let w := Z.shiftl width (Z.of_nat halvings) in let high := Z.shiftr v w in unpack halvings width (v - Z.shiftl high w) (unpack halvings width high rest)
  end.
Definition are_digits (base : Z) (l : list Z) : bool := forallb (fun a => (0 <=? a) && (a <? base)) l.
Lemma digits_are_unique base l : forall m, are_digits base l = true -> are_digits base m = true -> length l = length m -> ev l base = ev m base -> l = m.
Proof.
  unfold are_digits. induction l as [|a l IH]; intros [|b m] L M H E; try discriminate; [reflexivity|]. cbn [forallb ev] in *. repeat rewrite andb_true_iff in L, M. destruct L as [[L1 L2] L]. destruct M as [[M1 M2] M].
  apply Z.leb_le in L1, M1. apply Z.ltb_lt in L2, M2. injection H as H.
  assert (A : a = b).
  { assert (K : (a + base * ev l base) mod base = (b + base * ev m base) mod base) by (rewrite E; reflexivity). rewrite !(Z.mul_comm base), !Z.mod_add, !Z.mod_small in K by lia. exact K. }
  subst b. f_equal. apply IH; auto. nia.
Qed.

(** ** The coefficients of a product *)
Fixpoint all (l : list Z) : Z := match l with [] => 0 | a :: l => a + all l end.
Lemma ev_1 l : ev l 1 = all l.
Proof. induction l as [|a l IH]; cbn [ev all]; [reflexivity|]. rewrite IH. ring. Qed.
Lemma all_nonneg l : nonneg l -> 0 <= all l.
Proof. induction 1; simpl; lia. Qed.
Lemma digits_below l base : nonneg l -> all l < base -> are_digits base l = true.
Proof.
  intros N. induction N as [|a l Ha N IH]; intros H; [reflexivity|]. simpl in H. pose proof (all_nonneg l N). cbn [are_digits forallb]. repeat rewrite andb_true_iff. repeat split; [apply Z.leb_le; lia|apply Z.ltb_lt; lia|apply IH; lia].
Qed.
Lemma length_add l : forall m, length (add_lists l m) = Nat.max (length l) (length m).
Proof. induction l as [|a l IH]; intros [|b m]; simpl; try reflexivity. rewrite IH. reflexivity. Qed.
Lemma length_product l m : l <> [] -> m <> [] -> length (convolve l m) = (length l + length m - 1)%nat.
Proof.
  intros Hl Hm. assert (M : (1 <= length m)%nat) by (destruct m; [contradiction|simpl; lia]). induction l as [|a l IH]; [contradiction|]. cbn [convolve]. rewrite length_add. unfold scale_list. rewrite map_length. cbn [length].
  destruct l as [|b l]; [simpl; lia|]. rewrite IH by discriminate. cbn [length]. lia.
Qed.

(** lists of fewer products than this are multiplied one by one *)
Definition few : Z := 2 ^ 18.
Definition multiply (l m : list Z) : list Z :=
  let n := (length l + length m - 1)%nat in
  if (Z.of_nat (length l) * Z.of_nat (length m) <? few) then convolve l m else
  let s := all l * all m in let width := Z.log2 s + 1 in let base := 2 ^ width in let fuel := Z.to_nat (Z.log2 (Z.of_nat n) + 2) in
  let v := pack fuel width l * pack fuel width m in
  let found := firstn n (unpack (Z.to_nat (Z.log2 (Z.of_nat n) + 1)) width v []) in
  if (length found =? n)%nat && are_digits base found && (pack fuel width found =? v) then found else convolve l m.
Theorem multiply_is_convolve l m : nonneg l -> nonneg m -> multiply l m = convolve l m.
Proof.
  intros Nl Nm. unfold multiply. destruct (Z.of_nat (length l) * Z.of_nat (length m) <? few) eqn:F; [reflexivity|]. apply Z.ltb_ge in F.
  set (n := (length l + length m - 1)%nat). set (s := all l * all m). set (width := Z.log2 s + 1). set (fuel := Z.to_nat (Z.log2 (Z.of_nat n) + 2)).
  set (found := firstn n (unpack (Z.to_nat (Z.log2 (Z.of_nat n) + 1)) width (pack fuel width l * pack fuel width m) [])).
  destruct ((length found =? n)%nat && are_digits (2 ^ width) found && (pack fuel width found =? pack fuel width l * pack fuel width m)) eqn:C; [|reflexivity].
  repeat rewrite andb_true_iff in C. destruct C as [[C1 C2] C3]. apply Nat.eqb_eq in C1. apply Z.eqb_eq in C3. pose proof (Z.log2_nonneg s) as W. assert (Hw : 0 <= width) by (unfold width; lia).
  rewrite !pack_ev, <- ev_convolve in C3 by exact Hw.
  assert (Ll : l <> []) by (intros ->; simpl in F; unfold few in F; lia). assert (Lm : m <> []) by (intros ->; simpl in F; unfold few in F; lia).
  assert (S : all (convolve l m) < 2 ^ width).
  { rewrite <- ev_1, ev_convolve, !ev_1. fold s. destruct (Z_lt_le_dec 0 s) as [P|P]; [apply Z.log2_spec in P; exact (proj2 P)|]. pose proof (Z.pow_pos_nonneg 2 width ltac:(lia) Hw). lia. }
  apply (digits_are_unique (2 ^ width)); [exact C2|apply digits_below; [apply nonneg_convolve; assumption|exact S]| |exact C3].
  rewrite length_product by assumption. exact C1.
Qed.
