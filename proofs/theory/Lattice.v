(** * From profiles to laws on knots, and between lattices

Connect the dots: the chords of a convex profile form the profile of a law with one atom a knot, above it; lines below the profile form one below it
(Doroshenko et al. 2022). Between lattices: how an atom is split onto coarser knots (up) and which pairs of atoms may be merged (down). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Rcomplements.
From Dpcmp Require Import Losses Breakpoints.
Import ListNotations.
Open Scope R_scope.

(** ** The law of a convex polygon: points (u, d), then (v, e), ... and constant after the last. *)
Definition fall (u d : R) (l : list (R * R)) : R := match l with [] => 0 | (v, e) :: _ => (d - e) / (v - u) end.
Fixpoint chords_law (u d : R) (l : list (R * R)) : loss :=
  match l with [] => [(d, 0)] | (v, e) :: l' => (v * ((d - e) / (v - u) - fall v e l'), / v) :: chords_law v e l' end.
(** the polygon itself; its first segment is extended to the left *)
Fixpoint chords (u d : R) (l : list (R * R)) (x : R) : R :=
  match l with [] => d | (v, e) :: l' => if Rle_dec x v then d - (d - e) / (v - u) * (x - u) else chords v e l' x end.
Fixpoint rising (u : R) (l : list (R * R)) : Prop := match l with [] => True | (v, _) :: l => u < v /\ rising v l end.

Lemma chords_law_left u d l x : 0 <= u -> rising u l -> 0 <= x <= u -> profile (chords_law u d l) x = d - fall u d l * (x - u).
Proof.
  revert u d. induction l as [|[v e] l IH]; intros u d Hu R Hx; simpl.
  - unfold hinge, pos; simpl. rewrite Rmax_right by lra. lra.
  - destruct R as [uv R]. rewrite (IH v e) by (auto; lra). unfold hinge, pos; simpl fst; simpl snd.
    rewrite Rmax_right.
    2:{ assert (x * / v <= 1); [|lra]. apply Rmult_le_reg_r with v; [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    field. lra.
Qed.

Theorem chords_law_profile u d l x : 0 <= u -> rising u l -> 0 <= x -> profile (chords_law u d l) x = chords u d l x.
Proof.
  revert u d. induction l as [|[v e] l IH]; intros u d Hu R Hx.
  - simpl. unfold hinge, pos; simpl. rewrite Rmax_right by lra. lra.
  - cbn [chords]. destruct R as [uv R]. destruct (Rle_dec x v) as [c|c].
    + cbn [chords_law profile]. rewrite (chords_law_left v e l) by (auto; lra). unfold hinge, pos; simpl fst; simpl snd.
      rewrite Rmax_right.
      2:{ assert (x * / v <= 1); [|lra]. apply Rmult_le_reg_r with v; [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      field. lra.
    + cbn [chords_law profile]. rewrite (IH v e) by (auto; lra). unfold hinge, pos; simpl fst; simpl snd. rewrite Rmax_left; [ring|].
      assert (1 <= x * / v); [|lra]. apply Rmult_le_reg_r with v; [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** its masses are non-negative if the falls get smaller *)
Fixpoint flattening (u d : R) (l : list (R * R)) : Prop :=
  match l with [] => 0 <= d | (v, e) :: l' => fall v e l' <= (d - e) / (v - u) /\ flattening v e l' end.
Lemma chords_law_ok u d l : 0 <= u -> rising u l -> flattening u d l -> ok (chords_law u d l).
Proof.
  revert u d. induction l as [|[v e] l IH]; intros u d Hu R F; simpl.
  - constructor; [simpl; split; [exact F|lra]|constructor].
  - destruct R as [uv R]. destruct F as [F1 F]. constructor; [simpl|apply IH; auto; lra].
    split; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; lra].
Qed.

(** ** Connect the dots: above a convex, falling D from points on or above it *)
Definition convex_from_0 (D : R -> R) := forall hi, convex_on 0 hi D.

Lemma chords_above D u d l x : convex_from_0 D -> (forall x y, 0 <= x -> x <= y -> D y <= D x) -> 0 <= u -> rising u l ->
  D u <= d -> List.Forall (fun p => D (fst p) <= snd p) l -> u <= x -> D x <= chords u d l x.
Proof.
  intros C M. revert u d. induction l as [|[v e] l IH]; intros u d Hu R Du F Hx; simpl.
  - specialize (M u x Hu Hx). lra.
  - destruct R as [uv R]. inversion_clear F as [|? ? Dv F']. simpl in Dv. destruct (Rle_dec x v) as [c|c]; [|apply IH; auto; lra].
    set (t := (v - x) / (v - u)).
    assert (T : 0 <= t <= 1).
    { unfold t; split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; lra. }
    pose proof (C v u v t ltac:(lra) ltac:(lra) T) as K. replace (t * u + (1 - t) * v) with x in K by (unfold t; field; lra).
    replace (d - (d - e) / (v - u) * (x - u)) with (t * d + (1 - t) * e) by (unfold t; field; lra).
    assert (t * D u <= t * d) by (apply Rmult_le_compat_l; lra). assert ((1 - t) * D v <= (1 - t) * e) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem connect_the_dots D d l : convex_from_0 D -> (forall x y, 0 <= x -> x <= y -> D y <= D x) -> rising 0 l ->
  D 0 <= d -> List.Forall (fun p => D (fst p) <= snd p) l ->
  forall x, 0 <= x -> D x <= profile (chords_law 0 d l) x.
Proof. intros C M R D0 F x Hx. rewrite chords_law_profile by (auto; lra). apply (chords_above D); auto; lra. Qed.

(** ** From lines below: each segment lies on a line that is nowhere above D, for instance a tangent *)
Fixpoint on_lines_below (D : R -> R) (u d : R) (l : list (R * R)) : Prop :=
  match l with
  | [] => forall x, 0 <= x -> d <= D x
  | (v, e) :: l' => (forall x, 0 <= x -> d - (d - e) / (v - u) * (x - u) <= D x) /\ on_lines_below D v e l'
  end.
Theorem lines_below D u d l : 0 <= u -> rising u l -> on_lines_below D u d l -> forall x, 0 <= x -> profile (chords_law u d l) x <= D x.
Proof.
  intros Hu R L x Hx. rewrite chords_law_profile by auto. revert u d Hu R L. induction l as [|[v e] l IH]; intros u d Hu R L; simpl.
  - apply L, Hx.
  - destruct R as [uv R]. destruct L as [L1 L]. destruct (Rle_dec x v); [apply L1, Hx|apply IH; auto; lra].
Qed.

(** a tangent of a convex function, from a slope that fits on both sides *)
Theorem tangent_below D t s : convex_from_0 D -> 0 <= t ->
  (exists h, 0 < h /\ forall x, 0 <= x -> Rabs (x - t) <= h -> D t - s * (x - t) <= D x) -> forall x, 0 <= x -> D t - s * (x - t) <= D x.
Proof.
  intros C Ht [h [Hh L]] x Hx. destruct (Rle_dec (Rabs (x - t)) h) as [c|c]; [apply L; assumption|].
  apply Rnot_le_lt in c. set (r := h / Rabs (x - t)).
  assert (R : 0 < r < 1). { unfold r. split; [apply Rdiv_lt_0_compat; lra|]. apply Rcomplements.Rlt_div_l; lra. }
  set (y := r * x + (1 - r) * t).
  assert (Y : y - t = r * (x - t)) by (unfold y; ring).
  assert (0 <= y) by (unfold y; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
  assert (A : Rabs (y - t) <= h). { rewrite Y, Rabs_mult, (Rabs_pos_eq r) by lra. unfold r. right. field. lra. }
  specialize (L y H A). pose proof (C (Rmax x t) x t r) as K. fold y in K.
  specialize (K (conj Hx (Rmax_l _ _)) (conj Ht (Rmax_r _ _)) ltac:(lra)). rewrite Y in L.
  assert (r * (D t - s * (x - t)) <= r * D x) by lra. apply Rmult_le_reg_l with r; lra.
Qed.

(** ** Coarsening, upwards: an odd atom goes to its even neighbours with weights w and 1 - w, w = 1 / (1 + e^(-h)), or more upwards *)
Theorem coarsen_up m z h w l : 0 <= m -> 0 <= z -> 0 <= h -> / (1 + exp (- h)) <= w <= 1 ->
  below ((m, z) :: l) ((m * w, z * exp (- h)) :: (m * (1 - w), z * exp h) :: l).
Proof.
  intros Hm Hz Hh Hw. set (c := / (1 + exp (- h))) in *. pose proof (exp_pos h) as E. pose proof (exp_pos (- h)) as E'.
  assert (I : exp h * exp (- h) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (c0 : 0 < c) by (apply Rinv_0_lt_compat; lra). assert (ci : c * (1 + exp (- h)) = 1) by (unfold c; apply Rinv_l; lra).
  apply below_trans with ((m * c, z * exp (- h)) :: (m * (1 - c), z * exp h) :: l).
  - apply split_up.
    + apply Rmult_le_pos; lra.
    + apply Rmult_le_pos; nra.
    + ring.
    + assert (c * exp (- h) + (1 - c) * exp h = 1) by nra.
      replace (m * c * (z * exp (- h)) + m * (1 - c) * (z * exp h)) with (m * z * (c * exp (- h) + (1 - c) * exp h)) by ring. rewrite H. ring.
  - intros u Hu. pose proof (move_up (m * (w - c)) (z * exp h) (z * exp (- h)) [] ltac:(apply Rmult_le_pos; lra)) as M.
    assert (L : exp (- h) <= exp h). { destruct Hh as [Hh|<-]; [left; apply exp_increasing; lra|rewrite Ropp_0; lra]. }
    specialize (M ltac:(apply Rmult_le_compat_l; lra) u Hu). simpl in *. unfold hinge in *; simpl in *. nra.
Qed.

(** Downwards: U at an odd atom and D two places higher merge at the even place between if D >= e^h U. *)
Theorem coarsen_down U D z h l : 0 <= U -> 0 <= z -> 0 <= h -> exp h * U <= D ->
  below ((U + D, z) :: l) ((U, z * exp h) :: (D, z * exp (- h)) :: l).
Proof.
  intros HU Hz Hh HD. pose proof (exp_pos h) as E. pose proof (exp_pos (- h)) as E'.
  assert (I : exp h * exp (- h) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (E1 : 1 <= exp h). { destruct Hh as [Hh|<-]; [left; rewrite <- exp_0; apply exp_increasing; lra|rewrite exp_0; lra]. }
  assert (D0 : 0 <= D) by nra. destruct (Req_dec (U + D) 0) as [Z|Z].
  - assert (U = 0) by lra. assert (D = 0) by lra. subst. intros u _. simpl. unfold hinge; simpl. lra.
  - set (b := (U * exp h + D * exp (- h)) / (U + D)).
    assert (B : (U + D) * b = U * exp h + D * exp (- h)) by (unfold b; field; exact Z).
    assert (B1 : b <= 1).
    { unfold b. apply Rcomplements.Rle_div_l; [lra|]. assert (U * (exp h - 1) <= D * exp (- h) * (exp h - 1)).
      { apply Rmult_le_compat_r; [lra|]. replace U with (exp h * U * exp (- h)) by (rewrite (Rmult_comm (exp h)), Rmult_assoc, I; ring).
        apply Rmult_le_compat_r; lra. }
      replace (D * exp (- h) * (exp h - 1)) with (D * (exp h * exp (- h)) - D * exp (- h)) in H by ring. rewrite I in H. lra. }
    apply below_trans with ((U + D, z * b) :: l).
    + apply move_up; [lra|]. rewrite <- (Rmult_1_r z) at 2. apply Rmult_le_compat_l; assumption.
    + apply split_up; auto. replace ((U + D) * (z * b)) with (z * ((U + D) * b)) by ring. rewrite B. ring.
Qed.

(** ** Barycentric cells: pairs of a Q-mass and a P-mass. Sums are lower, and so is less Q-mass or more P-mass. *)
Theorem cell_merge q1 p1 q2 p2 u : pos (q1 + q2 - u * (p1 + p2)) <= pos (q1 - u * p1) + pos (q2 - u * p2).
Proof.
  unfold pos. pose proof (Rmax_l 0 (q1 - u * p1)); pose proof (Rmax_r 0 (q1 - u * p1)); pose proof (Rmax_l 0 (q2 - u * p2)); pose proof (Rmax_r 0 (q2 - u * p2)).
  apply Rmax_lub; lra.
Qed.
Theorem cell_round q q' p p' u : 0 <= u -> q' <= q -> p <= p' -> pos (q' - u * p') <= pos (q - u * p).
Proof. intros Hu Hq Hp. apply pos_mono. assert (u * p <= u * p') by (apply Rmult_le_compat_l; assumption). lra. Qed.

(** ** Shells: a law may be composed part by part, each part replaced by something above (or below) it *)
Theorem compose_parts a b m u : profile (compose (a ++ b) m) u = profile (compose a m) u + profile (compose b m) u.
Proof.
  rewrite !profile_compose. induction m as [|c m IH]; simpl; [lra|]. rewrite profile_app, IH. lra.
Qed.
