(** * Few steps of a Poisson-subsampled Gaussian: an upper bound by computation

The step is N(0, 1) against (1 - q) N(0, 1) + q N(mu, 1), mu = 1/sigma, in the direction that removes the record. Its profile is bounded at finitely many knots (by numerical
integration in Coq-Interval, in the files of claims/), the dots are connected, the law is rounded outwards to integers, composed with itself exactly,
and its profile is summed: sampled_gaussian_by_points. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals Qround List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Breakpoints Lattice GaussianTail NormalLaw StrictGdp GaussianCurve Expectation Points.
Import ListNotations.
Open Scope R_scope.

(** ** The likelihood ratio of a step *)
Section Step.
Variables q mu : R.
Hypothesis Hq : 0 < q <= 1.
Hypothesis Hmu : 0 <= mu.
Definition weight (x : R) := (1 - q) + q * ratio mu x.

Lemma weight_pos x : 0 < weight x.
Proof. unfold weight. pose proof (ratio_pos mu x). assert (0 < q * ratio mu x) by (apply Rmult_lt_0_compat; lra). lra. Qed.
Lemma cont_ratio : cont (ratio mu).
Proof. intros x. apply (ex_derive_continuous (V := R_NormedModule)). unfold ratio. auto_derive. exact I. Qed.
Lemma weight_cont : cont weight.
Proof. apply (cont_plus (fun _ => 1 - q) (fun x => q * ratio mu x)); [apply cont_const|apply cont_scale, cont_ratio]. Qed.
Lemma weight_rises x y : x <= y -> weight x <= weight y.
Proof. intros H. unfold weight. pose proof (ratio_rises mu x y Hmu H). assert (q * ratio mu x <= q * ratio mu y) by (apply Rmult_le_compat_l; lra). lra. Qed.

(** the mass of w - u between a and b *)
Lemma mass_between u a b : a <= b ->
  RInt (fun x => phi x * (weight x - u)) a b / total = q * (tail (a - mu) - tail (b - mu)) - (u - 1 + q) * (tail a - tail b).
Proof.
  intros H. destruct (tail_shift mu a b H) as [S X]. rewrite S, (tail_part a b H).
  rewrite (RInt_same _ (fun x => plus (scal q (ratio mu x * phi x)) (scal (1 - q - u) (phi x)))).
  2:{ intros x. unfold weight, plus, scal; simpl; unfold mult; simpl. ring. }
  rewrite (RInt_plus (V := R_CompleteNormedModule)) by (apply (ex_RInt_scal (V := R_NormedModule)); auto; apply ex_phi).
  rewrite !(RInt_scal (V := R_CompleteNormedModule)) by (auto; apply ex_phi). unfold plus, scal; simpl; unfold mult; simpl. pose proof total_pos. field. lra.
Qed.

Lemma weight_mean b : 0 <= b -> part weight b <= 1.
Proof.
  intros Hb. unfold part. rewrite (RInt_same _ (fun x => phi x * (weight x - 0))) by (intros; ring). rewrite mass_between by lra.
  pose proof (tail_pos (b - mu)). pose proof (tail_lt_1 (- b - mu)). pose proof (tail_pos b). pose proof (tail_lt_1 (- b)).
  assert (q * (tail (- b - mu) - tail (b - mu)) <= q * 1) by (apply Rmult_le_compat_l; lra).
  assert ((1 - q) * (tail (- b) - tail b) <= (1 - q) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Definition step := one weight.
Definition steps (n : nat) (u : R) := composed weight n u.

(** ** The profile of one step is convex and falls from at most 1 *)
Lemma step_spec u : 0 <= u -> (forall b, 0 <= b -> part (fun x => pos (weight x - u)) b <= step u) /\
  (forall M, (forall b, 0 <= b -> part (fun x => pos (weight x - u)) b <= M) -> step u <= M).
Proof. intros Hu. apply E_spec, (hinge_bounded weight weight_pos weight_cont weight_mean u Hu). Qed.

Lemma step_0 : step 0 <= 1.
Proof.
  apply step_spec; [lra|]. intros b Hb. eapply Rle_trans; [|apply (weight_mean b Hb)]. apply part_le; auto; [apply (cont_hinge weight weight_cont)|apply weight_cont|].
  intros x. pose proof (weight_pos x). unfold pos. apply Rmax_lub; lra.
Qed.
Lemma step_falls x y : 0 <= x -> x <= y -> step y <= step x.
Proof.
  intros Hx H. apply step_spec; [lra|]. intros b Hb. eapply Rle_trans; [|apply (proj1 (step_spec x Hx) b Hb)].
  apply part_le; auto; try apply (cont_hinge weight weight_cont). intros z. apply pos_mono. lra.
Qed.
Lemma step_convex : convex_from_0 step.
Proof.
  intros hi x y t Hx Hy Ht. assert (0 <= t * x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra).
  apply step_spec; [lra|]. intros b Hb. pose proof (proj1 (step_spec x ltac:(lra)) b Hb) as A. pose proof (proj1 (step_spec y ltac:(lra)) b Hb) as B.
  pose proof (cont_hinge weight weight_cont x) as Cx. pose proof (cont_hinge weight weight_cont y) as Cy.
  apply Rle_trans with (part (fun z => t * pos (weight z - x) + (1 - t) * pos (weight z - y)) b).
  - apply part_le; auto; [apply (cont_hinge weight weight_cont)|apply cont_plus; apply cont_scale; assumption|]. intros z. unfold pos.
    pose proof (Rmax_l 0 (weight z - x)); pose proof (Rmax_r 0 (weight z - x)); pose proof (Rmax_l 0 (weight z - y)); pose proof (Rmax_r 0 (weight z - y)).
    assert (t * (weight z - x) <= t * Rmax 0 (weight z - x)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - t) * (weight z - y) <= (1 - t) * Rmax 0 (weight z - y)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= t * Rmax 0 (weight z - x)) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * Rmax 0 (weight z - y)) by (apply Rmult_le_pos; lra).
    apply Rmax_lub; lra.
  - rewrite part_plus, !part_scale by (try apply cont_scale; assumption).
    apply Rmult_le_compat_l with (r := t) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in B; [|lra]. lra.
Qed.

(** ** Its value: above the threshold t where w = u it is q tail (t - mu) - (u - 1 + q) tail t; t need only be known between s and t. *)
Lemma ratio_tail s : ratio mu s * tail s <= tail (s - mu).
Proof.
  apply le_epsilon. intros e He. pose proof (ratio_pos mu s) as P. destruct (tail_small (e / ratio mu s)) as [t H]; [apply Rdiv_lt_0_compat; lra|].
  set (m := Rmax s t). specialize (H m (Rmax_r s t)). pose proof (power_gain_lower mu s m Hmu (Rmax_l s t)). pose proof (tail_pos (m - mu)).
  assert (ratio mu s * tail m <= ratio mu s * (e / ratio mu s)) by (apply Rmult_le_compat_l; lra).
  replace (ratio mu s * (e / ratio mu s)) with e in H2 by (field; lra). lra.
Qed.

Theorem step_at s t u : 1 - q <= u -> s <= t -> weight s <= u -> u <= weight t -> step u <= q * tail (s - mu) - (u - 1 + q) * tail t.
Proof.
  intros Hu Hst Hs Ht. apply step_spec; [lra|]. intros b Hb.
  set (h := fun x => phi x * pos (weight x - u)).
  assert (C : forall x y, ex_RInt h x y) by (intros; apply ex_part, (cont_hinge weight weight_cont)).
  assert (P : forall x, 0 <= h x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply pos_nonneg]).
  (* a larger interval from lo <= s to hi >= t *)
  set (lo := Rmin (- b) s). set (hi := Rmax b t).
  assert (lo1 : lo <= - b) by apply Rmin_l. assert (lo2 : lo <= s) by apply Rmin_r. assert (hi1 : b <= hi) by apply Rmax_l. assert (hi2 : t <= hi) by apply Rmax_r.
  assert (A : RInt h (- b) b <= RInt h lo hi).
  { rewrite <- (RInt_Chasles h lo (- b) hi), <- (RInt_Chasles h (- b) b hi) by apply C. unfold plus; simpl.
    assert (0 <= RInt h lo (- b)) by (apply RInt_ge_0; auto). assert (0 <= RInt h b hi) by (apply RInt_ge_0; auto). lra. }
  (* below s nothing; from s to t at most q times the shifted mass less u - 1 + q times nothing; above t it is w - u *)
  assert (B : RInt h lo s = 0).
  { rewrite (RInt_ext h (fun _ => 0)).
    - rewrite RInt_const. apply Rmult_0_r.
    - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, pos. rewrite Rmax_left; [apply Rmult_0_r|]. pose proof (weight_rises x s ltac:(lra)). lra. }
  assert (D : RInt h s t / total <= q * (tail (s - mu) - tail (t - mu))).
  { destruct (tail_shift mu s t Hst) as [S X]. rewrite S. unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|].
    replace (q * RInt (fun x => ratio mu x * phi x) s t) with (RInt (fun x => scal q (ratio mu x * phi x)) s t) by (rewrite (RInt_scal (V := R_CompleteNormedModule)) by exact X; reflexivity).
    apply RInt_le; [exact Hst|apply C|apply (ex_RInt_scal (V := R_NormedModule)), X|]. intros x _. unfold h, scal; simpl; unfold mult; simpl.
    pose proof (phi_pos x). pose proof (ratio_pos mu x). assert (0 <= q * ratio mu x) by (apply Rmult_le_pos; lra).
    assert (pos (weight x - u) <= q * ratio mu x) by (unfold pos, weight; apply Rmax_lub; lra).
    apply Rle_trans with (phi x * (q * ratio mu x)); [apply Rmult_le_compat_l; lra|lra]. }
  assert (F : RInt h t hi / total = q * (tail (t - mu) - tail (hi - mu)) - (u - 1 + q) * (tail t - tail hi)).
  { rewrite <- mass_between by exact hi2. f_equal. apply RInt_ext. intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold h, pos.
    rewrite Rmax_right; [reflexivity|]. pose proof (weight_rises t x ltac:(lra)). lra. }
  assert (K : (u - 1 + q) * tail hi <= q * tail (hi - mu)).
  { pose proof (ratio_tail hi) as R. pose proof (weight_rises t hi hi2) as W. unfold weight in W at 2. pose proof (tail_pos hi).
    apply Rle_trans with (q * ratio mu hi * tail hi); [apply Rmult_le_compat_r; lra|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
  assert (T : RInt h (- b) b / total <= (RInt h lo s + (RInt h s t + RInt h t hi)) / total).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|].
    rewrite <- (RInt_Chasles h lo s hi), <- (RInt_Chasles h s t hi) in A by apply C. exact A. }
  rewrite B, Rplus_0_l, Rdiv_plus_distr in T. change (part (fun x => pos (weight x - u)) b) with (RInt h (- b) b / total). lra.
Qed.

(** the same from numbers: masses of exp (- s^2 / 2) from two thresholds to 8, and the total mass between two bounds *)
Theorem step_at_numbers s t u A B T0 T1 : 1 - q <= u -> s <= t -> t <= 8 -> weight s <= u -> u <= weight t ->
  0 < T0 -> T0 <= total -> total <= T1 -> RInt phi (s - mu) 8 <= A -> 0 <= B -> B <= RInt phi t 8 ->
  step u <= q * ((A + exp (- (32))) / T0) - (u - 1 + q) * (B / T1).
Proof.
  intros Hu Hst Ht Hs Hw P0 P1 P2 HA HB0 HB. eapply Rle_trans; [apply (step_at s t u); assumption|].
  assert (M : mass_above 8 <= exp (- (32))).
  { eapply Rle_trans; [apply mass_above_upper; lra|]. unfold phi. right. f_equal. field. }
  assert (X : tail (s - mu) <= (A + exp (- (32))) / T0).
  { unfold tail. rewrite (mass_above_split (s - mu) 8) by lra. pose proof (mass_above_pos (s - mu)) as W. rewrite (mass_above_split (s - mu) 8) in W by lra.
    apply Rmult_le_compat; [lra|left; apply Rinv_0_lt_compat, total_pos|lra|apply Rinv_le_contravar; lra]. }
  assert (Y : B / T1 <= tail t).
  { unfold tail. rewrite (mass_above_split t 8) by lra. pose proof (mass_above_pos 8). pose proof total_pos.
    apply Rmult_le_compat; [lra|left; apply Rinv_0_lt_compat; lra|lra|apply Rinv_le_contravar; lra]. }
  assert (q * tail (s - mu) <= q * ((A + exp (- (32))) / T0)) by (apply Rmult_le_compat_l; lra).
  assert ((u - 1 + q) * (B / T1) <= (u - 1 + q) * tail t) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** From points to a bound on n steps *)
Theorem steps_below l n : rising 0 l -> flattening 0 1 l -> List.Forall (fun p => step (fst p) <= snd p) l ->
  forall u, 0 <= u -> steps n u <= profile (power (chords_law 0 1 l) n) u.
Proof.
  intros R F H. apply (composition_below weight weight_pos weight_cont weight_mean).
  - apply chords_law_ok; auto; lra.
  - intros u Hu. apply connect_the_dots; auto; [apply step_convex|apply step_falls|apply step_0].
Qed.
End Step.

Theorem total_between a b : a <= RInt phi 0 8 -> RInt phi 0 8 <= b -> 2 * a <= total /\ total <= 2 * (b + exp (- (32))).
Proof.
  intros A B. unfold total. rewrite (mass_above_split 0 8) by lra. pose proof (mass_above_pos 8).
  assert (M : mass_above 8 <= exp (- (32))).
  { eapply Rle_trans; [apply mass_above_upper; lra|]. unfold phi. right. f_equal. field. }
  lra.
Qed.

(** ** A claim about n steps: (eps, delta) with e^eps at least U / D *)
Theorem sampled_gaussian_by_points q mu n P D U l d u : 0 < q <= 1 ->
  List.Forall (fun p => step q mu (fst p) <= snd p) (real_points l) ->
  (check_points 0 1 l && (0 <=? U)%Z && Qle_bool (bound P D n U l # 1) (d * ((Zpos P ^ Z.of_nat n) * (Zpos P ^ Z.of_nat n) * Zpos D # 1)))%bool = true ->
  IZR U / IZR (Zpos D) <= u -> steps q mu n u <= Q2R d.
Proof.
  intros Hq H C Hu. repeat rewrite Bool.andb_true_iff in C. destruct C as [[C1 C2] C3]. apply Z.leb_le in C2.
  destruct (check_points_sound 0 1 l C1) as [R F]. assert (Q2R 0 = 0 /\ Q2R 1 = 1) as [Z0 Z1] by (unfold Q2R; simpl; split; field). rewrite Z0, Z1 in *.
  assert (U0 : 0 <= IZR U / IZR (Zpos D)) by (apply Rmult_le_pos; [apply IZR_le, C2|left; apply Rinv_0_lt_compat, IZR_lt; lia]).
  eapply Rle_trans; [apply (steps_below q mu Hq (real_points l) n R F H u); lra|]. apply (power_of_points P D n U l d u); assumption.
Qed.
