(** * Laws of one step, checked in integers

Upper: a law on a lattice whose profile at each knot e^(k s) is at least that of the step; base_above: then it is at every u >= 0, by the chords between the knots. One pass over
the masses checks it (scan). Lower: cells of the masses between neighbouring thresholds; intervals_below: their profile is below that of the step. *)
From Coq Require Import Reals Lra Lia ZArith List Bool.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Convolution Certificate Breakpoints Lattice GaussianTail NormalLaw GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum ShiftedNormals
  Compositions UpperLaws LowerLaws.
Import ListNotations.
Open Scope R_scope.

(** ** The profile of a law on a lattice is a polygon with the knots of the lattice *)
Lemma hinge_affine lo hi a : lo <= hi -> 0 <= snd a -> 1 <= lo * snd a \/ hi * snd a <= 1 -> affine_on lo hi (fun u => hinge u a).
Proof.
  intros H Z C t Ht. unfold hinge, pos.
  assert (A : lo * snd a <= (t * lo + (1 - t) * hi) * snd a <= hi * snd a) by (split; apply Rmult_le_compat_r; nra).
  assert (B : lo * snd a <= hi * snd a) by (apply Rmult_le_compat_r; lra).
  destruct C as [C|C]; [rewrite !Rmax_left by lra; ring|rewrite !Rmax_right by lra; ring].
Qed.
Lemma profile_affine lo hi l : lo <= hi -> List.Forall (fun a => 0 <= snd a /\ (1 <= lo * snd a \/ hi * snd a <= 1)) l -> affine_on lo hi (profile l).
Proof.
  intros H F. induction F as [|a l [Z C] F IH]; intros t Ht; simpl; [ring|].
  rewrite (IH t Ht). rewrite (hinge_affine lo hi a H Z C t Ht). ring.
Qed.
Section Knots.
Variables (bits : positive) (s : R).
Hypothesis Hs : 0 < s.
Notation P := (unit bits).
Notation c := (c bits).
Notation real := (real bits s).
Fixpoint knots (k : Z) (n : nat) : list R := match n with O => [] | S n => exp (s * IZR k) :: knots (k + 1) n end.
Definition on_lattice (k : Z) (a : atom) := snd a = 0 \/ exists i, (k <= i)%Z /\ snd a = exp (- (s * IZR i)).
Lemma lattice_on k : forall l k', (k <= k')%Z -> List.Forall (on_lattice k) (lattice_law c (exp (- (s * IZR k'))) (exp (- s)) l).
Proof.
  induction l as [|a l IH]; intros k' Hk; simpl; [apply List.Forall_nil|apply List.Forall_cons].
  - right. exists k'. auto.
  - replace (exp (- (s * IZR k')) * exp (- s)) with (exp (- (s * IZR (k' + 1)))) by (rewrite <- exp_plus, plus_IZR; f_equal; ring). apply IH. lia.
Qed.
Lemma real_on x : List.Forall (on_lattice (first x)) (real x).
Proof. apply List.Forall_cons; [left; reflexivity|]. apply lattice_on. lia. Qed.
Lemma exp_at_least_1 x : 0 <= x -> 1 <= exp x.
Proof. intros H. pose proof (exp_ineq1_le x). lra. Qed.
Lemma exp_at_most_1 x : x <= 0 -> exp x <= 1.
Proof. intros [H|H]; [left; rewrite <- exp_0; apply exp_increasing, H|rewrite H, exp_0; lra]. Qed.
Lemma segment k0 k l : List.Forall (on_lattice k0) l -> affine_on (exp (s * IZR k)) (exp (s * IZR (k + 1))) (profile l).
Proof.
  intros F. apply profile_affine.
  - left. apply exp_increasing. apply Rmult_lt_compat_l; [exact Hs|]. apply IZR_lt. lia.
  - apply List.Forall_impl with (2 := F). intros a [Z|[i [_ Z]]]; rewrite Z; [split; [lra|right; lra]|]. split; [left; apply exp_pos|].
    rewrite <- !exp_plus. destruct (Z_le_gt_dec i k) as [C|C].
    + left. apply exp_at_least_1. assert (IZR i <= IZR k) by (apply IZR_le; exact C). nra.
    + right. apply exp_at_most_1. assert (IZR (k + 1) <= IZR i) by (apply IZR_le; lia). nra.
Qed.
Lemma first_segment k l : List.Forall (on_lattice k) l -> affine_on 0 (exp (s * IZR k)) (profile l).
Proof.
  intros F. apply profile_affine; [left; apply exp_pos|]. apply List.Forall_impl with (2 := F). intros a [Z|[i [Hi Z]]]; rewrite Z; [split; [lra|right; lra]|]. split; [left; apply exp_pos|].
  right. rewrite <- exp_plus. apply exp_at_most_1. assert (IZR k <= IZR i) by (apply IZR_le; exact Hi). nra.
Qed.
Lemma knots_polygon k0 l n : List.Forall (on_lattice k0) l -> forall k, polygon (profile l) (exp (s * IZR k)) (knots (k + 1) n).
Proof.
  intros F. induction n as [|n IH]; intros k; simpl; [exact I|]. split; [|split; [apply (segment k0), F|apply IH]].
  apply exp_increasing. apply Rmult_lt_compat_l; [exact Hs|]. apply IZR_lt. lia.
Qed.
Lemma last_knot k n : last_point 0 (knots k (S n)) = exp (s * IZR (k + Z.of_nat n)).
Proof.
  assert (G : forall n x k, last_point x (knots k (S n)) = exp (s * IZR (k + Z.of_nat n))); [|apply G].
  clear. induction n as [|n IH]; intros x k; [simpl; rewrite Z.add_0_r; reflexivity|]. change (knots k (S (S n))) with (exp (s * IZR k) :: knots (k + 1) (S n)).
  cbn [last_point]. rewrite IH. do 3 f_equal. lia.
Qed.

(** ** From below at the knots, in one pass from the last: (all masses from here on, those by e^(-loss) from here on, is all well) *)
Fixpoint scan (rhi t : Z) (l ds : list Z) : Z * Z * bool :=
  match l, ds with
  | [], [] => (t, 0%Z, true)
  | a :: l, d :: ds => let '(all, weighted, fine) := scan rhi t l ds in let w := (a + up bits (rhi * weighted))%Z in ((a + all)%Z, w, fine && (d <=? a + all - w)%Z)
  | _, _ => (0%Z, 0%Z, false)
  end.
Fixpoint discounted (r : R) (l : list Z) : R := match l with [] => 0 | a :: l => IZR a + r * discounted r l end.
Lemma line_below r l u : forall z, 0 <= u -> nonneg l -> c * (IZR (sum l) - u * z * discounted r l) <= profile (lattice_law c z r l) u.
Proof.
  induction l as [|a l IH]; intros z Hu N; simpl; [lra|]. inversion N as [|? ? Ha Nl]; subst. specialize (IH (z * r) Hu Nl). rewrite plus_IZR. unfold hinge, pos; simpl.
  pose proof (c_nonneg bits a Ha) as A. pose proof (Rmax_r 0 (1 - u * z)) as M. apply Rmult_le_compat_l with (r := c * IZR a) in M; [|exact A].
  replace (u * (z * r) * discounted r l) with (u * z * (r * discounted r l)) in IH by ring. lra.
Qed.
Lemma discounted_nonneg r l : 0 <= r -> nonneg l -> 0 <= discounted r l.
Proof. intros Hr N. induction N as [|a l Ha N IH]; simpl; [lra|]. apply Rplus_le_le_0_compat; [apply IZR_le, Ha|apply Rmult_le_pos; assumption]. Qed.
Lemma scan_sound rhi t r : 0 <= r -> IZR P * r <= IZR rhi -> forall l ds, nonneg l -> forall all w, scan rhi t l ds = (all, w, true) ->
  all = (t + sum l)%Z /\ discounted r l <= IZR w /\ length l = length ds.
Proof.
  intros Hr Er. induction l as [|a l IH]; intros [|d ds] N all w H; cbn [scan] in H; try discriminate.
  - injection H as <- <-. simpl. repeat split; [lia|lra].
  - inversion N as [|? ? Ha Nl]; subst. destruct (scan rhi t l ds) as [[all' w'] fine] eqn:S. injection H as <- <- H. apply andb_true_iff in H. destruct H as [-> H].
    destruct (IH ds Nl all' w' S) as [-> [W L]]. simpl. repeat split; [lia| |f_equal; exact L]. rewrite plus_IZR. apply Rplus_le_compat_l.
    pose proof (up_div bits (rhi * w')) as U. apply IZR_le in U. rewrite !mult_IZR in U. pose proof (IZR_unit_pos bits) as PP. pose proof (discounted_nonneg r l Hr Nl) as D.
    apply Rmult_le_reg_l with (IZR P); [exact PP|]. assert (IZR P * r * discounted r l <= IZR rhi * IZR w') by (apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra). lra.
Qed.

Fixpoint bounded_at (D : R -> R) (k : Z) (ds : list Z) : Prop := match ds with [] => True | d :: ds => D (exp (s * IZR k)) <= c * IZR d /\ bounded_at D (k + 1) ds end.
Lemma knots_bounded D rhi t : IZR P * exp (- s) <= IZR rhi -> forall l k ds pre, nonneg l -> (forall u, 0 <= u -> 0 <= profile pre u) -> (exists all w, scan rhi t l ds = (all, w, true)) -> bounded_at D k ds ->
  List.Forall (fun u => D u <= profile ((c * IZR t, 0) :: pre ++ lattice_law c (exp (- (s * IZR k))) (exp (- s)) l) u) (knots k (length ds)).
Proof.
  intros Er. induction l as [|a l IH]; intros k [|d ds] pre N Hp C B; cbn [length knots]; try apply List.Forall_nil; destruct C as [all [w C]]; cbn [scan] in C; try discriminate.
  inversion N as [|? ? Ha Nl]; subst. destruct (scan rhi t l ds) as [[all' w'] fine] eqn:S. injection C as C0 C1 C. apply andb_true_iff in C. destruct C as [-> C]. apply Z.leb_le in C.
  destruct B as [B1 B2]. apply List.Forall_cons.
  - rewrite profile_top, profile_app. pose proof (Hp (exp (s * IZR k)) ltac:(left; apply exp_pos)) as Pp.
    assert (F : scan rhi t (a :: l) (d :: ds) = ((a + all')%Z, (a + up bits (rhi * w'))%Z, true)) by (cbn [scan]; rewrite S; apply Z.leb_le in C; rewrite C; reflexivity).
    destruct (scan_sound rhi t (exp (- s)) ltac:(left; apply exp_pos) Er (a :: l) (d :: ds) N _ _ F) as [A [W _]].
    pose proof (line_below (exp (- s)) (a :: l) (exp (s * IZR k)) (exp (- (s * IZR k))) ltac:(left; apply exp_pos) N) as L. rewrite <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_l in L.
    apply IZR_le in C. rewrite minus_IZR, A, plus_IZR in C. pose proof (c_pos bits) as CP.
    assert (c * IZR d <= c * (IZR t + (IZR (sum (a :: l)) - discounted (exp (- s)) (a :: l)))) by (apply Rmult_le_compat_l; lra). lra.
  - cbn [lattice_law]. specialize (IH (k + 1)%Z ds (pre ++ [(c * IZR a, exp (- (s * IZR k)))]) Nl).
    replace (exp (- (s * IZR k)) * exp (- s)) with (exp (- (s * IZR (k + 1)))) by (rewrite <- exp_plus, plus_IZR; f_equal; ring).
    rewrite <- app_assoc in IH. apply IH; [|eauto|exact B2]. intros u Hu. rewrite profile_app. apply Rplus_le_le_0_compat; [apply Hp, Hu|]. simpl. rewrite Rplus_0_r. unfold hinge; simpl.
    apply Rmult_le_pos; [apply c_nonneg, Ha|apply Rmax_l].
Qed.

Definition base_is_above (rhi : Z) (x : law) (ds : list Z) : bool :=
  let '(all, _, fine) := scan rhi (top x) (masses x) ds in fine && (P <=? all)%Z && negb (Nat.eqb (length ds) 0) && forallb (Z.leb 0) (masses x) && (0 <=? top x)%Z.
Theorem base_above D rhi x ds : convex_from_0 D -> (forall u v, 0 <= u -> u <= v -> D v <= D u) -> D 0 <= 1 ->
  IZR P * exp (- s) <= IZR rhi -> base_is_above rhi x ds = true -> bounded_at D (first x) ds -> good x /\ forall u, 0 <= u -> D u <= profile (real x) u.
Proof.
  intros C M D0 Er K B. unfold base_is_above in K. destruct (scan rhi (top x) (masses x) ds) as [[all w] fine] eqn:Sc. repeat rewrite andb_true_iff in K. destruct K as [[[[-> K1] K2] K3] K4].
  apply Z.leb_le in K1, K4. apply negb_true_iff, Nat.eqb_neq in K2.
  assert (G1 : nonneg (masses x)) by (apply Forall_forall; intros n Hn; apply Z.leb_le; rewrite forallb_forall in K3; apply K3, Hn). split; [split; assumption|]. intros u Hu.
  destruct (scan_sound rhi (top x) (exp (- s)) ltac:(left; apply exp_pos) Er (masses x) ds G1 all w Sc) as [A [_ Len]].
  pose proof (knots_bounded D rhi (top x) Er (masses x) (first x) ds [] G1 ltac:(intros; simpl; lra) ltac:(eauto) B) as F. cbn [app] in F. fold (real x) in F.
  assert (Z : D 0 <= profile (real x) 0).
  { unfold UpperLaws.real. rewrite profile_top, profile_0. apply Rle_trans with (1 := D0). rewrite <- Rmult_plus_distr_l, <- plus_IZR, <- A, <- (c_unit bits).
    apply Rmult_le_compat_l; [left; apply c_pos|apply IZR_le, K1]. }
  destruct ds as [|d ds]; [contradiction K2; reflexivity|]. set (n := length ds) in *. cbn [length] in F. fold n in F.
  destruct (Rle_dec u (last_point 0 (knots (first x) (S n)))) as [c0|c0].
  - apply (proj2 (proposition_C1 (profile (real x)) D 0 (knots (first x) (S n))
      (conj (exp_pos _) (conj (first_segment _ _ (real_on x)) (knots_polygon _ _ n (real_on x) (first x)))) (C _))); [apply List.Forall_cons; assumption|lra].
  - apply Rnot_le_lt in c0. rewrite last_knot in c0. set (L := exp (s * IZR (first x + Z.of_nat n))) in *.
    assert (FL : D L <= profile (real x) L).
    { rewrite List.Forall_forall in F. apply F. unfold L. assert (G : forall n k, In (exp (s * IZR (k + Z.of_nat n))) (knots k (S n))); [|apply G].
      clear. induction n as [|m IH]; intros k; [left; rewrite Z.add_0_r; reflexivity|]. right. replace (k + Z.of_nat (S m))%Z with (k + 1 + Z.of_nat m)%Z by lia. apply IH. }
    apply Rle_trans with (D L); [apply M; [left; apply exp_pos|lra]|]. apply Rle_trans with (1 := FL).
    (* beyond the last knot only the mass at infinity is left *)
    unfold UpperLaws.real. rewrite !profile_top. apply Rplus_le_compat_l.
    assert (E : profile (lattice_law c (exp (- (s * IZR (first x)))) (exp (- s)) (masses x)) L = 0); [|rewrite E; apply profile_nonneg, lattice_ok; auto; left; apply exp_pos].
    simpl in Len. fold n in Len. unfold L. clearbody n. clear -Len Hs. revert n Len. generalize (first x). induction (masses x) as [|a l IH]; intros k n K; [reflexivity|]. cbn [lattice_law profile].
    injection K as K. destruct n as [|n].
    + destruct l; [|discriminate]. simpl. unfold hinge, pos; simpl. rewrite Z.add_0_r, <- exp_plus, Rplus_opp_r, exp_0, Rmax_left by lra. ring.
    + replace (exp (- (s * IZR k)) * exp (- s)) with (exp (- (s * IZR (k + 1)))) by (rewrite <- exp_plus, plus_IZR; f_equal; ring).
      replace (k + Z.of_nat (S n))%Z with (k + 1 + Z.of_nat n)%Z by lia. rewrite (IH (k + 1)%Z n K). unfold hinge, pos; simpl. rewrite <- exp_plus, Rmax_left; [ring|].
      assert (1 <= exp (s * IZR (k + 1 + Z.of_nat n) + - (s * IZR k))); [|lra]. apply exp_at_least_1. rewrite !plus_IZR, <- INR_IZR_INZ. pose proof (pos_INR n). nra.
Qed.
End Knots.

(** ** The profile of a step in the order add is convex and falls from at most 1 *)
Section Add.
Variable w : R -> R.
Hypothesis Lw : likelihood w.
Lemma add_falls u v : 0 <= u -> u <= v -> one_add w v <= one_add w u.
Proof.
  intros Hu H. apply E_le; [apply one_add_cont, Lw|apply one_add_cont, Lw|apply one_add_bounded; [exact Lw|exact Hu]|]. intros x. apply pos_mono.
  assert (u * w x <= v * w x) by (apply Rmult_le_compat_r; [left; apply Lw|exact H]). lra.
Qed.
Lemma add_0 : one_add w 0 <= 1.
Proof.
  rewrite <- E_1. apply E_le; [apply one_add_cont, Lw|apply cont_const|apply bounded_by_1; [apply cont_const|intros; lra]|]. intros x. rewrite Rmult_0_l, Rminus_0_r. unfold pos. apply Rmax_lub; lra.
Qed.
Lemma add_convex : convex_from_0 (one_add w).
Proof.
  intros hi x y t Hx Hy Ht. pose proof (one_add_cont w x Lw) as Cx. pose proof (one_add_cont w y Lw) as Cy. pose proof (one_add_bounded w x Lw ltac:(lra)) as Bx. pose proof (one_add_bounded w y Lw ltac:(lra)) as By.
  assert (T : forall r z, 0 <= r -> cont (fun x => pos (1 - z * w x)) -> bounded (fun x => pos (1 - z * w x)) -> bounded (fun x => r * pos (1 - z * w x))).
  { intros r z Hr C [K B]. exists (r * K). intros b Hb. rewrite part_scale by exact C. apply Rmult_le_compat_l; auto. }
  pose proof (T t x ltac:(lra) Cx Bx) as B1. pose proof (T (1 - t) y ltac:(lra) Cy By) as B2. unfold one_add.
  rewrite <- (E_scale t), <- (E_scale (1 - t)) by (assumption || lra). rewrite <- E_plus; try assumption; try (apply cont_scale; assumption); try (intros z; apply Rmult_le_pos; [lra|apply Rmax_l]). apply E_le.
  - apply one_add_cont, Lw.
  - apply cont_plus; apply cont_scale; assumption.
  - destruct B1 as [K1 B1]. destruct B2 as [K2 B2]. exists (K1 + K2). intros b Hb. rewrite part_plus by (apply cont_scale; assumption). specialize (B1 b Hb). specialize (B2 b Hb). lra.
  - intros z. unfold pos. pose proof (Rmax_l 0 (1 - x * w z)); pose proof (Rmax_r 0 (1 - x * w z)); pose proof (Rmax_l 0 (1 - y * w z)); pose proof (Rmax_r 0 (1 - y * w z)).
    assert (t * (1 - x * w z) <= t * Rmax 0 (1 - x * w z)) by (apply Rmult_le_compat_l; lra). assert ((1 - t) * (1 - y * w z) <= (1 - t) * Rmax 0 (1 - y * w z)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= t * Rmax 0 (1 - x * w z)) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * Rmax 0 (1 - y * w z)) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra.
Qed.
End Add.

(** ** Lower: the masses of intervals *)
Section Intervals.
Variable g : R -> R.
Hypothesis Cg : cont g.
Hypothesis Bg : bounded (fun x => pos (g x)).
Definition mass (a b : R) := RInt (fun x => phi x * g x) a b / total.
Lemma interval_below a b : a <= b -> pos (mass a b) <= RInt (fun x => phi x * pos (g x)) a b / total.
Proof.
  intros H. pose proof (Rinv_0_lt_compat _ total_pos) as T. pose proof (cont_pos g Cg) as Cp.
  assert (X : ex_RInt (fun x => phi x * pos (g x)) a b) by (apply ex_part, Cp). unfold pos at 1. apply Rmax_lub.
  - apply Rmult_le_pos; [|lra]. apply RInt_ge_0; [exact H|exact X|]. intros x _. apply Rmult_le_pos; [left; apply phi_pos|apply Rmax_l].
  - unfold mass, Rdiv. apply Rmult_le_compat_r; [lra|]. apply RInt_le; [exact H|apply ex_part, Cg|exact X|]. intros x _. apply Rmult_le_compat_l; [left; apply phi_pos|apply Rmax_r].
Qed.
(** between a and the points of l that follow it *)
Fixpoint all_masses (a : R) (l : list R) : R := match l with [] => 0 | b :: l => pos (mass a b) + all_masses b l end.
Fixpoint increasing (a : R) (l : list R) : Prop := match l with [] => True | b :: l => a <= b /\ increasing b l end.
Lemma all_masses_below l : forall a, increasing a l -> exists b, a <= b /\ all_masses a l <= RInt (fun x => phi x * pos (g x)) a b / total.
Proof.
  induction l as [|b l IH]; intros a I.
  - exists a. split; [lra|]. rewrite RInt_point. unfold zero; simpl. lra.
  - destruct I as [H I]. destruct (IH b I) as [d [Hd K]]. exists d. split; [lra|]. cbn [all_masses]. pose proof (interval_below a b H) as L.
    rewrite <- (RInt_Chasles (fun x => phi x * pos (g x)) a b d) by (apply ex_part, cont_pos, Cg). unfold plus; simpl. lra.
Qed.
Theorem intervals_below a l : increasing a l -> all_masses a l <= E (fun x => pos (g x)).
Proof.
  intros I. destruct (all_masses_below l a I) as [b [H K]]. eapply Rle_trans; [exact K|]. set (m := Rmax (Rabs a) (Rabs b)).
  assert (M : 0 <= m /\ - m <= a /\ b <= m). { unfold m. pose proof (Rmax_l (Rabs a) (Rabs b)). pose proof (Rmax_r (Rabs a) (Rabs b)). pose proof (Rabs_pos a). pose proof (Rle_abs b). pose proof (Rle_abs (- a)). rewrite Rabs_Ropp in *. lra. }
  destruct M as [M0 [M1 M2]]. eapply Rle_trans; [|apply (proj1 (E_spec _ Bg) m M0)]. unfold part. set (h := fun x => phi x * pos (g x)).
  assert (X : forall x y, ex_RInt h x y) by (intros; apply ex_part, cont_pos, Cg). assert (N : forall x, 0 <= h x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply Rmax_l]).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. rewrite <- (RInt_Chasles h (- m) a m), <- (RInt_Chasles h a b m) by apply X. unfold plus; simpl.
  assert (0 <= RInt h (- m) a) by (apply RInt_ge_0; auto). assert (0 <= RInt h b m) by (apply RInt_ge_0; auto). lra.
Qed.
End Intervals.

(** ** The cells of a sampled Gaussian step *)
Section Cells.
Variables (bits : positive) (q mu : R).
Hypothesis Hq : 0 < q <= 1.
Hypothesis Hmu : 0 <= mu.
Notation c := (c bits).
Definition p_mass (a b : R) := tail a - tail b.
Definition q_mass (a b : R) := (1 - q) * (tail a - tail b) + q * (tail (a - mu) - tail (b - mu)).
Lemma mass_remove u a b : a <= b -> mass (fun x => weight q mu x - u) a b = q_mass a b - u * p_mass a b.
Proof. intros H. unfold mass. rewrite mass_between by exact H. unfold q_mass, p_mass. ring. Qed.
Lemma mass_add u a b : a <= b -> mass (fun x => 1 - u * weight q mu x) a b = p_mass a b - u * q_mass a b.
Proof.
  intros H. pose proof (mass_remove 0 a b H) as K. unfold mass in *. pose proof (cont_scale (- u) (weight q mu) (weight_cont q mu)) as Cs.
  rewrite (RInt_same _ (fun x => plus (phi x) (scal (- u) (phi x * (weight q mu x - 0))))) by (intros x; unfold plus, scal; simpl; unfold mult; simpl; ring).
  assert (X : ex_RInt (fun x => phi x * (weight q mu x - 0)) a b).
  { apply (ex_part (fun x => weight q mu x - 0)). intros x. apply (continuous_minus (V := R_NormedModule)); [apply weight_cont|apply continuous_const]. }
  rewrite (RInt_plus (V := R_CompleteNormedModule)) by (try apply ex_phi; apply (ex_RInt_scal (V := R_NormedModule)), X). rewrite (RInt_scal (V := R_CompleteNormedModule)) by exact X.
  unfold plus, scal; simpl; unfold mult; simpl. unfold Rdiv in *. rewrite Rmult_plus_distr_r, Rmult_assoc, K. pose proof (tail_part a b H) as T. unfold p_mass at 2. rewrite T. unfold Rdiv. ring.
Qed.

(** integers that are below the masses q and above the masses p (below p and above q for the other order) of the intervals from a on *)
Fixpoint cells_of (l_mass h_mass : R -> R -> R) (a : R) (l : list R) (ls hs : list Z) : Prop :=
  match l, ls, hs with
  | [], [], [] => True
  | b :: l, x :: ls, y :: hs => a <= b /\ c * IZR x <= l_mass a b /\ h_mass a b <= c * IZR y /\ cells_of l_mass h_mass b l ls hs
  | _, _, _ => False
  end.
Lemma cells_increasing f h l : forall a ls hs, cells_of f h a l ls hs -> increasing a l.
Proof. induction l as [|b l IH]; intros a [|x ls] [|y hs] H; simpl in *; try contradiction; auto. destruct H as [A [_ [_ H]]]. split; [exact A|]. eapply IH, H. Qed.
Lemma cells_masses f h g u l : 0 <= u -> (forall a b, a <= b -> mass g a b = f a b - u * h a b) -> forall a ls hs, cells_of f h a l ls hs -> c * sticks ls hs u <= all_masses g a l.
Proof.
  intros Hu G. induction l as [|b l IH]; intros a [|x ls] [|y hs] H; simpl in H; try contradiction; [simpl; lra|]. destruct H as [A [X [Y H]]]. cbn [sticks all_masses]. specialize (IH b ls hs H).
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|exact IH]. rewrite <- pos_scaled by (left; apply c_pos). apply pos_mono. rewrite G by exact A.
  apply Rmult_le_compat_l with (r := u) in Y; [|exact Hu]. lra.
Qed.
Theorem cells_below_remove a l x : sound_cells x -> cells_of q_mass p_mass a l (q_masses x) (p_masses x) -> law_below (weight q mu) (cell_law bits x).
Proof.
  intros S H. pose proof (weight_likelihood q mu Hq) as Lw. split; [exact Lw|]. split; [apply cells_ok, S|]. intros u Hu. rewrite profile_cells by assumption. destruct Lw as [P [C M]].
  eapply Rle_trans; [apply (cells_masses _ _ _ u l Hu (mass_remove u) a _ _ H)|]. apply (intervals_below (fun x => weight q mu x - u)).
  - intros z. apply (continuous_minus (V := R_NormedModule)); [apply C|apply continuous_const].
  - apply (hinge_bounded _ P C M u Hu).
  - eapply cells_increasing, H.
Qed.
Theorem cells_below_add a l x : sound_cells x -> cells_of p_mass q_mass a l (q_masses x) (p_masses x) -> add_law_below (weight q mu) (cell_law bits x).
Proof.
  intros S H. pose proof (weight_likelihood q mu Hq) as Lw. split; [exact Lw|]. split; [apply cells_ok, S|]. intros u Hu. rewrite profile_cells by assumption.
  eapply Rle_trans; [apply (cells_masses _ _ _ u l Hu (mass_add u) a _ _ H)|]. apply (intervals_below (fun x => 1 - u * weight q mu x)).
  - intros z. apply (continuous_ext (fun x => 1 + (- u) * weight q mu x)); [intros y; simpl; ring|]. apply (cont_plus (fun _ => 1) (fun x => - u * weight q mu x)); [apply cont_const|apply cont_scale, Lw].
  - apply one_add_bounded; assumption.
  - eapply cells_increasing, H.
Qed.
End Cells.
