(** * Lower laws in integers: cells of two masses

A cell has a mass q with the record and a mass p without it, in units of 2^-bits; a lower law is a list of cells, of profile the sum of (q - u p)^+. Cells that are put together, q rounded
down and p rounded up, cells left out: each gives a profile that is no higher. So the masses of the cells i + j of a product may be put together, and its two lists are two products of
integer sequences (times_cells_low); run_cells_low squares and multiplies to the n-th power. *)
From Coq Require Import Reals Lra Lia ZArith List Bool.
From Dpcmp Require Import Losses Convolution Kronecker Certificate Lattice UpperLaws.
Import ListNotations.
Open Scope R_scope.

Fixpoint sticks (qs ps : list Z) (u : R) : R := match qs, ps with q :: qs, p :: ps => pos (IZR q - u * IZR p) + sticks qs ps u | _, _ => 0 end.
Record cells := { q_masses : list Z; p_masses : list Z }.
Definition sound_cells (x : cells) := nonneg (q_masses x) /\ nonneg (p_masses x) /\ length (q_masses x) = length (p_masses x).

Lemma pos_nonneg x : 0 <= pos x. Proof. apply Rmax_l. Qed.
Lemma pos_scaled d x : 0 <= d -> pos (d * x) = d * pos x.
Proof. intros H. unfold pos. rewrite <- RmaxRmult by lra. f_equal; ring. Qed.
Lemma pos_at_most_0 x : x <= 0 -> pos x = 0.
Proof. intros H. apply Rmax_left, H. Qed.
Lemma sticks_nonneg qs ps u : 0 <= sticks qs ps u.
Proof. revert ps. induction qs as [|q qs IH]; intros [|p ps]; simpl; try lra. pose proof (pos_nonneg (IZR q - u * IZR p)). specialize (IH ps). lra. Qed.

(** ** Sums, products and parts of lists of cells *)
Lemma sticks_add A : forall A' B B' u, length A = length B -> length A' = length B' -> sticks (add_lists A A') (add_lists B B') u <= sticks A B u + sticks A' B' u.
Proof.
  induction A as [|a A IH]; intros A' [|b B] B' u H H'; try discriminate; [simpl; destruct A'; simpl; lra|].
  destruct A' as [|a' A'], B' as [|b' B']; try discriminate; [simpl; lra|]. cbn [add_lists sticks]. injection H as H. injection H' as H'. specialize (IH A' B B' u H H').
  pose proof (cell_merge (IZR a) (IZR b) (IZR a') (IZR b') u) as M. rewrite !plus_IZR. lra.
Qed.
Lemma length_add_lists A : forall B, length (add_lists A B) = Nat.max (length A) (length B).
Proof. induction A as [|a A IH]; intros [|b B]; simpl; try reflexivity. rewrite IH. reflexivity. Qed.
Lemma length_convolve l : forall l' m m', length l = length l' -> length m = length m' -> length (convolve l m) = length (convolve l' m').
Proof.
  induction l as [|a l IH]; intros [|a' l'] m m' H H'; try discriminate; [reflexivity|]. cbn [convolve]. injection H as H. unfold scale_list. rewrite !length_add_lists, !map_length. cbn [length].
  rewrite (IH l' m m' H H'), H'. reflexivity.
Qed.
Lemma sticks_skip i : forall qs ps u, sticks (skipn i qs) (skipn i ps) u <= sticks qs ps u.
Proof.
  induction i as [|i IH]; intros qs ps u; [simpl; lra|]. destruct qs as [|q qs], ps as [|p ps]; simpl; try lra.
  - destruct (skipn i qs); simpl; lra.
  - pose proof (pos_nonneg (IZR q - u * IZR p)). specialize (IH qs ps u). lra.
Qed.
Lemma sticks_first n : forall qs ps u, sticks (firstn n qs) (firstn n ps) u <= sticks qs ps u.
Proof.
  induction n as [|n IH]; intros qs ps u; [simpl; apply sticks_nonneg|]. destruct qs as [|q qs], ps as [|p ps]; simpl; try lra. specialize (IH qs ps u). lra.
Qed.
(** neighbours put together *)
Fixpoint pairs (l : list Z) : list Z := match l with a :: b :: l => (a + b)%Z :: pairs l | _ => l end.
Lemma sticks_pairs qs : forall ps u, length qs = length ps -> sticks (pairs qs) (pairs ps) u <= sticks qs ps u.
Proof.
  apply (two_steps (fun qs => forall ps u, length qs = length ps -> sticks (pairs qs) (pairs ps) u <= sticks qs ps u)); clear qs.
  - intros [|p ps] u H; [simpl; lra|discriminate].
  - intros q [|p [|p' ps]] u H; try discriminate. simpl; lra.
  - intros q q' qs IH [|p [|p' ps]] u H; try discriminate. injection H as H. specialize (IH ps u H). cbn [pairs sticks].
    pose proof (cell_merge (IZR q) (IZR p) (IZR q') (IZR p') u). rewrite !plus_IZR. lra.
Qed.
Lemma nonneg_pairs l : nonneg l -> nonneg (pairs l).
Proof.
  apply (two_steps (fun l => nonneg l -> nonneg (pairs l))).
  - intros H; exact H.
  - intros a H; exact H.
  - intros a b l' IH N. inversion N as [|? ? Ha N1]; subst. inversion N1 as [|? ? Hb Nl]; subst. cbn [pairs]. constructor; [lia|apply IH, Nl].
Qed.
Lemma length_pairs l : forall m, length l = length m -> length (pairs l) = length (pairs m).
Proof.
  apply (two_steps (fun l => forall m, length l = length m -> length (pairs l) = length (pairs m))).
  - intros [|b m]; [auto|discriminate].
  - intros a [|b [|b' m]] H; try discriminate; auto.
  - intros a a' l' IH [|b [|b' m]] H; try discriminate. simpl in *. f_equal. apply IH. lia.
Qed.

Lemma nonneg_map f l : (forall n, (0 <= n)%Z -> (0 <= f n)%Z) -> nonneg l -> nonneg (map f l).
Proof. intros F H. induction H; simpl; constructor; auto. Qed.

Section Units.
Variable bits : positive.
Notation P := (unit bits).
Notation c := (c bits).

(** ** As laws *)
Definition cell_atom (q p : Z) : atom := (c * IZR q, if Z.eqb q 0 then 0 else IZR p / IZR q).
Fixpoint cell_law_of (qs ps : list Z) : loss := match qs, ps with q :: qs, p :: ps => cell_atom q p :: cell_law_of qs ps | _, _ => [] end.
Definition cell_law (x : cells) : loss := cell_law_of (q_masses x) (p_masses x).

Lemma z_nonneg q p : (0 <= q)%Z -> (0 <= p)%Z -> 0 <= snd (cell_atom q p).
Proof.
  intros Hq Hp. unfold cell_atom; simpl. destruct (Z.eqb_spec q 0) as [->|N]; [lra|]. apply Rmult_le_pos; [apply IZR_le, Hp|left; apply Rinv_0_lt_compat, IZR_lt; lia].
Qed.
Lemma cell_pos q p u d : (0 <= q)%Z -> (0 <= p)%Z -> 0 <= u -> IZR q * pos (d - u * snd (cell_atom q p)) = pos (IZR q * d - u * (IZR p * (if Z.eqb q 0 then 0 else 1))).
Proof.
  intros Hq Hp Hu. unfold cell_atom; simpl. destruct (Z.eqb_spec q 0) as [->|N].
  - rewrite !Rmult_0_l, !Rmult_0_r, Rminus_0_r. symmetry. apply pos_at_most_0. lra.
  - assert (0 < IZR q) by (apply IZR_lt; lia). rewrite <- pos_scaled by lra. f_equal. field. lra.
Qed.
Lemma cells_ok_of qs : forall ps, nonneg qs -> nonneg ps -> ok (cell_law_of qs ps).
Proof.
  induction qs as [|q qs IH]; intros [|p ps] Nq Np; try constructor.
  - inversion Nq; inversion Np; subst. split; [apply c_nonneg; assumption|apply z_nonneg; assumption].
  - inversion Nq; inversion Np; subst. apply IH; assumption.
Qed.
Lemma profile_cells_of qs : forall ps u, nonneg qs -> nonneg ps -> 0 <= u -> profile (cell_law_of qs ps) u = c * sticks qs ps u.
Proof.
  induction qs as [|q qs IH]; intros [|p ps] u Nq Np Hu; simpl; try ring. inversion Nq; inversion Np; subst. rewrite IH by assumption.
  assert (hinge u (cell_atom q p) = c * pos (IZR q - u * IZR p)); [|lra]. unfold hinge. change (fst (cell_atom q p)) with (c * IZR q). rewrite Rmult_assoc. f_equal.
  rewrite cell_pos by assumption. rewrite Rmult_1_r. destruct (Z.eqb_spec q 0) as [->|N]; [|rewrite Rmult_1_r; reflexivity].
  assert (0 <= IZR p) by (apply IZR_le; assumption). assert (0 <= u * IZR p) by (apply Rmult_le_pos; assumption). rewrite !pos_at_most_0 by lra. reflexivity.
Qed.
Lemma cells_ok x : sound_cells x -> ok (cell_law x).
Proof. intros [A [B _]]. apply cells_ok_of; assumption. Qed.
Lemma profile_cells x u : sound_cells x -> 0 <= u -> profile (cell_law x) u = c * sticks (q_masses x) (p_masses x) u.
Proof. intros [A [B _]] Hu. apply profile_cells_of; assumption. Qed.

Lemma sticks_scale q p u : (0 <= q)%Z -> (0 <= p)%Z -> 0 <= u -> forall qs ps, nonneg ps ->
  sticks (scale_list q qs) (scale_list p ps) u <= IZR q * sticks qs ps (u * snd (cell_atom q p)).
Proof.
  intros Hq Hp Hu. unfold scale_list. induction qs as [|a qs IH]; intros [|b ps] N; simpl; try lra. fold (snd (cell_atom q p)). inversion N as [|? ? Hb Nb]; subst. specialize (IH ps Nb).
  change (if (q =? 0)%Z then 0 else IZR p / IZR q) with (snd (cell_atom q p)) in *. rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|exact IH].
  assert (Hb' : 0 <= IZR b) by (apply IZR_le, Hb). rewrite Rmult_assoc, (Rmult_comm (snd _)), <- Rmult_assoc. rewrite (cell_pos q p (u * IZR b) (IZR a)) by (try assumption; apply Rmult_le_pos; assumption).
  apply pos_mono. rewrite !mult_IZR. destruct (q =? 0)%Z; [|right; ring]. rewrite Rmult_0_r, Rmult_0_r. assert (0 <= IZR p) by (apply IZR_le, Hp). assert (0 <= u * (IZR p * IZR b)) by (apply Rmult_le_pos; [exact Hu|apply Rmult_le_pos; assumption]). lra.
Qed.
Lemma compose_sticks qs : forall ps qs' ps' u, nonneg qs -> nonneg ps -> nonneg qs' -> nonneg ps' -> length qs = length ps -> length qs' = length ps' -> 0 <= u ->
  c * c * sticks (convolve qs qs') (convolve ps ps') u <= profile (compose (cell_law_of qs ps) (cell_law_of qs' ps')) u.
Proof.
  induction qs as [|q qs IH]; intros [|p ps] qs' ps' u Nq Np Nq' Np' L L' Hu; try discriminate.
  - simpl. rewrite compose_nil_l. simpl. lra.
  - inversion Nq as [|? ? Hq Nq1]; inversion Np as [|? ? Hp Np1]; subst. injection L as L. cbn [cell_law_of convolve]. rewrite profile_compose_cons_l, profile_scale.
    specialize (IH ps qs' ps' u Nq1 Np1 Nq' Np' L L' Hu). pose proof (z_nonneg q p Hq Hp) as Z. rewrite profile_cells_of by (try assumption; apply Rmult_le_pos; assumption).
    pose proof (sticks_scale q p u Hq Hp Hu qs' ps' Np') as S.
    pose proof (sticks_add (scale_list q qs') (0%Z :: convolve qs qs') (scale_list p ps') (0%Z :: convolve ps ps') u) as A.
    specialize (A ltac:(unfold scale_list; rewrite !map_length; exact L') ltac:(simpl; f_equal; apply length_convolve; assumption)). cbn [sticks] in A.
    rewrite Rmult_0_r, Rminus_0_r, (pos_at_most_0 0) in A by lra. change (fst (cell_atom q p)) with (c * IZR q). pose proof (c_pos bits) as C.
    assert (0 < c * c) by (apply Rmult_lt_0_compat; assumption).
    assert (c * c * sticks (add_lists (scale_list q qs') (0%Z :: convolve qs qs')) (add_lists (scale_list p ps') (0%Z :: convolve ps ps')) u <=
      c * c * (IZR q * sticks qs' ps' (u * snd (cell_atom q p)) + sticks (convolve qs qs') (convolve ps ps') u)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma sticks_round u : 0 <= u -> forall qs ps, c * sticks (map (down bits) qs) (map (up bits) ps) u <= c * c * sticks qs ps u.
Proof.
  intros Hu. pose proof (c_pos bits) as C. induction qs as [|q qs IH]; intros [|p ps]; simpl; try lra. specialize (IH ps).
  assert (c * pos (IZR (down bits q) - u * IZR (up bits p)) <= c * c * pos (IZR q - u * IZR p)); [|lra].
  rewrite <- !pos_scaled by (try apply Rmult_le_pos; lra). apply pos_mono. pose proof (down_spec bits q). pose proof (up_spec bits p) as U.
  apply Rmult_le_compat_l with (r := u) in U; [|exact Hu]. lra.
Qed.

(** ** Products *)
Definition times_cells (x y : cells) : cells :=
  {| q_masses := map (down bits) (multiply (q_masses x) (q_masses y)); p_masses := map (up bits) (multiply (p_masses x) (p_masses y)) |}.
Lemma times_cells_sound x y : sound_cells x -> sound_cells y -> sound_cells (times_cells x y).
Proof.
  intros [A [B L]] [A' [B' L']]. unfold times_cells. rewrite !multiply_is_convolve by assumption. split; [|split]; cbn [q_masses p_masses].
  - apply nonneg_map; [exact (down_nonneg bits)|apply nonneg_convolve; assumption].
  - apply nonneg_map; [exact (up_nonneg bits)|apply nonneg_convolve; assumption].
  - rewrite !map_length. apply length_convolve; assumption.
Qed.
Theorem times_cells_low x y : sound_cells x -> sound_cells y -> below (cell_law (times_cells x y)) (compose (cell_law x) (cell_law y)).
Proof.
  intros Sx Sy u Hu. rewrite profile_cells by (auto using times_cells_sound). destruct Sx as [A [B L]]. destruct Sy as [A' [B' L']].
  unfold times_cells; cbn [q_masses p_masses]. rewrite !multiply_is_convolve by assumption. eapply Rle_trans; [apply sticks_round, Hu|]. apply compose_sticks; assumption.
Qed.

(** ** Trimming and coarsening *)
Definition drop (i j : nat) (x : cells) : cells :=
  let n := (length (q_masses x) - j)%nat in {| q_masses := skipn i (firstn n (q_masses x)); p_masses := skipn i (firstn n (p_masses x)) |}.
Lemma drop_low i j x : sound_cells x -> sound_cells (drop i j x) /\ below (cell_law (drop i j x)) (cell_law x).
Proof.
  intros S. assert (N : sound_cells (drop i j x)).
  { destruct S as [A [B L]]. assert (K : forall l n, nonneg l -> nonneg (skipn i (firstn n l))).
    { intros l n H. rewrite <- (firstn_skipn n l) in H. apply nonneg_app in H. destruct H as [H _]. rewrite <- (firstn_skipn i (firstn n l)) in H. apply nonneg_app in H. apply H. }
    split; [|split]; cbn [q_masses p_masses drop]; try (apply K; assumption). rewrite !skipn_length, !firstn_length, L. reflexivity. }
  split; [exact N|]. intros u Hu. rewrite !profile_cells by assumption. apply Rmult_le_compat_l; [left; apply c_pos|]. cbn [q_masses p_masses drop].
  eapply Rle_trans; [apply sticks_skip|apply sticks_first].
Qed.
Definition drop_small (t : Z) (x : cells) : cells := drop (small t (q_masses x)) (small t (rev' (q_masses x))) x.
Definition pair_cells (x : cells) : cells := {| q_masses := pairs (q_masses x); p_masses := pairs (p_masses x) |}.
Lemma pair_low x : sound_cells x -> sound_cells (pair_cells x) /\ below (cell_law (pair_cells x)) (cell_law x).
Proof.
  intros S. assert (N : sound_cells (pair_cells x)) by (destruct S as [A [B L]]; split; [|split]; cbn; auto using nonneg_pairs, length_pairs). split; [exact N|].
  intros u Hu. rewrite !profile_cells by assumption. apply Rmult_le_compat_l; [left; apply c_pos|]. destruct S as [_ [_ L]]. apply sticks_pairs, L.
Qed.
Fixpoint settle_cells (limit : Z) (fuel : nat) (x y : cells) : nat * cells * cells :=
  match fuel with
  | O => (O, x, y)
  | S rest => if (limit <? Z.of_nat (length (q_masses x)))%Z then settle_cells limit rest (pair_cells x) (pair_cells y) else (fuel, x, y)
  end.
Lemma settle_cells_low limit fuel : forall x y, sound_cells x -> sound_cells y ->
  let '(_, x', y') := settle_cells limit fuel x y in sound_cells x' /\ sound_cells y' /\ below (cell_law x') (cell_law x) /\ below (cell_law y') (cell_law y).
Proof.
  induction fuel as [|fuel IH]; intros x y Sx Sy; cbn [settle_cells]; [auto using below_refl|]. destruct (limit <? _)%Z; [|auto using below_refl].
  destruct (pair_low x Sx) as [Sx' Bx]. destruct (pair_low y Sy) as [Sy' By]. specialize (IH _ _ Sx' Sy'). destruct (settle_cells limit fuel (pair_cells x) (pair_cells y)) as [[f x'] y'].
  destruct IH as [A [B [C D]]]. repeat split; try apply A; try apply B; eapply below_trans; eassumption.
Qed.

(** ** Powers *)
Fixpoint run_cells (t limit : Z) (digits : list bool) (fuel : nat) (once cur : cells) : nat * cells * cells :=
  match digits with
  | [] => (fuel, once, cur)
  | b :: digits =>
      let '(fuel, square, once) := settle_cells limit fuel (drop_small t (times_cells cur cur)) once in
      run_cells t limit digits fuel once (if b then drop_small t (times_cells square once) else square)
  end.
Theorem run_cells_low t limit l : ok l -> forall digits fuel once cur n, sound_cells once -> sound_cells cur -> below (cell_law once) l -> below (cell_law cur) (power l n) ->
  let '(_, _, last) := run_cells t limit digits fuel once cur in sound_cells last /\ below (cell_law last) (power l (exponent digits n)).
Proof.
  intros Hl. induction digits as [|b digits IH]; intros fuel once cur n So Sc Bo Bc; cbn [run_cells exponent]; [split; assumption|].
  pose proof (power_ok l n Hl) as Hc. pose proof (times_cells_sound _ _ Sc Sc) as St. destruct (drop_low (small t (q_masses (times_cells cur cur))) (small t (rev' (q_masses (times_cells cur cur)))) _ St) as [Ss Bs].
  fold (drop_small t (times_cells cur cur)) in *. set (x := drop_small t (times_cells cur cur)) in *.
  assert (B2 : below (cell_law x) (power l (n + n))).
  { apply below_trans with (1 := Bs). apply below_trans with (1 := times_cells_low _ _ Sc Sc). apply below_trans with (compose (power l n) (power l n)).
    - apply compose_le; auto. apply cells_ok, Sc.
    - apply same_below. intros u. symmetry. apply power_add. }
  pose proof (settle_cells_low limit fuel x once Ss So) as S. destruct (settle_cells limit fuel x once) as [[f2 square] once2]. destruct S as [S2 [S3 [B3 B4]]].
  assert (B5 : below (cell_law square) (power l (n + n))) by (eapply below_trans; eassumption). assert (B6 : below (cell_law once2) l) by (eapply below_trans; eassumption).
  destruct b; [|apply IH; assumption]. pose proof (times_cells_sound _ _ S2 S3) as S4.
  destruct (drop_low (small t (q_masses (times_cells square once2))) (small t (rev' (q_masses (times_cells square once2)))) _ S4) as [S5 B7]. apply IH; auto.
  apply below_trans with (1 := B7). apply below_trans with (1 := times_cells_low _ _ S2 S3).
  intros u Hu. change (power l (S (n + n))) with (compose l (power l (n + n))). rewrite profile_compose_comm.
  revert u Hu. apply compose_le; auto. apply cells_ok, S2.
Qed.

(** ** The profile at u <= w / 2^bits, in units of 2^-(2 bits) *)
Fixpoint sum_sticks (w : Z) (qs ps : list Z) : Z := match qs, ps with q :: qs, p :: ps => (Z.max 0 (q * P - w * p) + sum_sticks w qs ps)%Z | _, _ => 0%Z end.
Lemma sum_sticks_low w u : IZR P * u <= IZR w -> forall qs ps, nonneg ps -> IZR (sum_sticks w qs ps) <= IZR P * sticks qs ps u.
Proof.
  intros Hw. pose proof (IZR_unit_pos bits) as U. induction qs as [|q qs IH]; intros [|p ps] N; cbn [sum_sticks sticks]; try lra. inversion N as [|? ? Hp Np]; subst. specialize (IH ps Np).
  rewrite plus_IZR. assert (0 <= IZR p) by (apply IZR_le, Hp). assert (IZR (Z.max 0 (q * P - w * p)) <= IZR P * pos (IZR q - u * IZR p)); [|lra].
  rewrite <- pos_scaled by lra. unfold pos. destruct (Z.max_spec 0 (q * P - w * p)) as [[_ ->]|[_ ->]]; [|apply Rmax_l].
  eapply Rle_trans; [|apply Rmax_r]. rewrite minus_IZR, !mult_IZR. assert (IZR P * u * IZR p <= IZR w * IZR p) by (apply Rmult_le_compat_r; assumption). lra.
Qed.
Theorem cells_at_least w u d x : sound_cells x -> 0 <= u -> IZR P * u <= IZR w -> (d <= sum_sticks w (q_masses x) (p_masses x))%Z -> c * c * IZR d <= profile (cell_law x) u.
Proof.
  intros S Hu Hw Hd. rewrite profile_cells by assumption. destruct S as [_ [B _]]. pose proof (sum_sticks_low w u Hw (q_masses x) (p_masses x) B) as K. apply IZR_le in Hd.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply c_pos|]. apply Rmult_le_reg_l with (IZR P); [apply IZR_unit_pos|].
  rewrite <- Rmult_assoc, (Rmult_comm (IZR P) c), c_unit, Rmult_1_l. lra.
Qed.
End Units.
