(** * Gaussian DP from points, checked in integers

A list of segments between points epsilon_0 <= 0 < epsilon_1 < ..., each with a bound of the profile at its end and a line 1 - beta - u alpha above the bounds at both ends, (alpha, beta) being
above the Gaussian curve by a quantile x: what gdp_check and floor_check accept is enough for GdpClaims.v. inv encloses 1 / total, im encloses mu. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Dpcmp Require Import Losses GaussianTail NormalLaw GaussianCurve ProfileCurve FixedPoint FixedSeries Numbers NormalTail Product Claims GdpClaims.
Import ListNotations.
Open Scope R_scope.

Record segment := { to_eps : Q; to_bound : Q; alpha : Q; beta : Q; quantile : Q }.

Section Check.
Variable w : positive.
Variables inv im : Z * Z.
Variable tau : Q.
Variables mu : R.
Hypothesis I : encl w inv (/ total).
Hypothesis Em : encl w im mu.

Definition point_fits (a b x : Q) : bool :=
  match tail_Z w inv (of_Q w x), tail_Z w inv (sub_Z im (of_Q w x)) with
  | Some i, Some j => (snd i <=? fst (of_Q w (a + tau)))%Z && (snd j <=? fst (of_Q w (b + tau)))%Z
  | _, _ => false
  end || Qle_bool 0 (a + tau) && Qle_bool 1 (b + tau).
(** bound <= 1 - b - u a *)
Definition line_fits (iu : Z * Z) (bound a b : Q) : bool := (0 <=? fst (sub_Z (of_Q w (1 - b - bound)) (mul_Z w iu (of_Q w a))))%Z.
Fixpoint segments_fit (iu : Z * Z) (eps bound : Q) (l : list segment) : bool :=
  match l with
  | [] => true
  | s :: l => Qle_bool eps (to_eps s) && point_fits (alpha s) (beta s) (quantile s) && line_fits iu bound (alpha s) (beta s) &&
      match exp_Z w (of_Q w (to_eps s)) with
      | Some iv => line_fits iv (to_bound s) (alpha s) (beta s) && segments_fit iv (to_eps s) (to_bound s) l
      | None => false
      end
  end.
Fixpoint last_eps (eps : Q) (l : list segment) : Q := match l with [] => eps | s :: l => last_eps (to_eps s) l end.
Fixpoint last_bound (bound : Q) (l : list segment) : Q := match l with [] => bound | s :: l => last_bound (to_bound s) l end.
Definition gdp_check (eps bound : Q) (l : list segment) (x : Q) : bool :=
  Qle_bool eps 0 && point_fits 0 (1 - last_bound bound l) x &&
  match exp_Z w (of_Q w eps) with Some iu => segments_fit iu eps bound l | None => false end.
Definition floor_check (e eps bound : Q) (l : list segment) (b x : Q) : bool :=
  Qle_bool eps 0 && point_fits e b x &&
  match exp_Z w (of_Q w eps), exp_Z w (of_Q w (last_eps eps l)) with
  | Some iu, Some iv => segments_fit iu eps bound l && line_fits iv (last_bound bound l) e b
  | _, _ => false
  end.

Variable D : R -> R.
Hypothesis HD : privacy_profile D.
Fixpoint bounds_hold (l : list segment) : Prop := match l with [] => True | s :: l => D (exp (Q2R (to_eps s))) <= Q2R (to_bound s) /\ bounds_hold l end.
Definition real_segments (l : list segment) : list (R * (R * R)) := map (fun s => (exp (Q2R (to_eps s)), (Q2R (alpha s), Q2R (beta s)))) l.

Lemma Q0 : Q2R 0 = 0. Proof. unfold Q2R; simpl. field. Qed.
Lemma Q1 : Q2R 1 = 1. Proof. unfold Q2R; simpl. field. Qed.
Lemma Q_le a b : Qle_bool a b = true -> Q2R a <= Q2R b.
Proof. intros H. apply Qle_Rle, Qle_bool_iff, H. Qed.
Lemma ends_apart i j x y : encl w i x -> encl w j y -> (snd i <=? fst j)%Z = true -> x <= y.
Proof. intros [_ A] [B _] H. apply Z.leb_le, IZR_le in H. pose proof (unit_pos w). apply Rmult_le_reg_l with (unit w); lra. Qed.

Lemma point_fits_sound a b x : point_fits a b x = true -> above_curve mu (Q2R tau) (Q2R a) (Q2R b).
Proof.
  unfold point_fits. rewrite orb_true_iff. intros [H|H].
  - left. exists (Q2R x). destruct (tail_Z w inv (of_Q w x)) as [i|] eqn:A; [|discriminate]. destruct (tail_Z w inv (sub_Z im (of_Q w x))) as [j|] eqn:B; [|discriminate].
    apply andb_prop in H. destruct H as [H1 H2]. rewrite <- !Q2R_plus. split.
    + apply (ends_apart i (of_Q w (a + tau))); [apply (tail_sound w inv _ _ _ I (encl_Q w x) A)|apply encl_Q|exact H1].
    + apply (ends_apart j (of_Q w (b + tau))); [apply (tail_sound w inv _ _ _ I (encl_sub w _ _ _ _ Em (encl_Q w x)) B)|apply encl_Q|exact H2].
  - right. left. apply andb_prop in H. destruct H as [H1 H2]. apply Q_le in H1, H2. rewrite Q0 in H1. rewrite Q1 in H2. rewrite Q2R_plus in H1, H2. auto.
Qed.
Lemma line_fits_sound iu u bound a b : encl w iu u -> line_fits iu bound a b = true -> Q2R bound <= 1 - Q2R b - u * Q2R a.
Proof.
  intros E H. unfold line_fits in H. apply Z.leb_le, IZR_le in H. destruct (encl_sub w _ _ _ _ (encl_Q w (1 - b - bound)) (encl_mul w _ _ _ _ E (encl_Q w a))) as [L _].
  rewrite !Q2R_minus, Q1 in L. pose proof (unit_pos w). assert (0 <= 1 - Q2R b - Q2R bound - u * Q2R a); [|lra]. apply Rmult_le_reg_l with (unit w); lra.
Qed.
Lemma segments_fit_sound l : forall iu eps bound, encl w iu (exp (Q2R eps)) -> segments_fit iu eps bound l = true -> D (exp (Q2R eps)) <= Q2R bound -> bounds_hold l ->
  covered D (above_curve mu (Q2R tau)) (exp (Q2R eps)) (real_segments l) /\ last_at (exp (Q2R eps)) (real_segments l) = exp (Q2R (last_eps eps l)) /\ D (exp (Q2R (last_eps eps l))) <= Q2R (last_bound bound l).
Proof.
  induction l as [|s l IH]; intros iu eps bound E H B Bs; cbn [real_segments map covered last_at last_eps last_bound]; [auto|]. cbn [segments_fit] in H.
  apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
  destruct (exp_Z w (of_Q w (to_eps s))) as [iv|] eqn:X; [|discriminate]. apply andb_prop in H4. destruct H4 as [H4 H5]. pose proof (exp_sound w _ _ _ (encl_Q w _) X) as EV. destruct Bs as [Bs1 Bs2].
  destruct (IH iv _ _ EV H5 Bs1 Bs2) as (C & L & LB). split; [|split; assumption].
  pose proof (line_fits_sound _ _ _ _ _ E H3). pose proof (line_fits_sound _ _ _ _ _ EV H4). split; [apply exp_le_mono, Q_le, H1|]. split; [apply (point_fits_sound _ _ _ H2)|]. split; [lra|]. split; [lra|exact C].
Qed.
Lemma starts_low eps : Qle_bool eps 0 = true -> 0 <= exp (Q2R eps) <= 1.
Proof. intros H. apply Q_le in H. rewrite Q0 in H. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_le_mono, H. Qed.

Theorem gdp_check_sound eps bound l x : gdp_check eps bound l x = true -> D (exp (Q2R eps)) <= Q2R bound -> bounds_hold l ->
  forall u, 1 <= u -> under_line D (above_curve mu (Q2R tau)) u.
Proof.
  unfold gdp_check. intros H B Bs. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2]. destruct (exp_Z w (of_Q w eps)) as [iu|] eqn:X; [|discriminate].
  destruct (segments_fit_sound l iu eps bound (exp_sound w _ _ _ (encl_Q w _) X) H3 B Bs) as (C & L & LB). apply point_fits_sound in H2. rewrite Q0, Q2R_minus, Q1 in H2.
  apply (points_cover D _ (exp (Q2R eps)) (real_segments l) (1 - Q2R (last_bound bound l)) HD (starts_low eps H1) C H2). rewrite L. lra.
Qed.
Theorem floor_check_sound e eps bound l b x : floor_check e eps bound l b x = true -> D (exp (Q2R eps)) <= Q2R bound -> bounds_hold l ->
  let last := exp (Q2R (last_eps eps l)) in
  (forall u, 1 <= u <= last -> under_line D (above_curve mu (Q2R tau)) u) /\ above_curve mu (Q2R tau) (Q2R e) (Q2R b) /\ D last <= 1 - Q2R b - last * Q2R e.
Proof.
  unfold floor_check. intros H B Bs. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2]. destruct (exp_Z w (of_Q w eps)) as [iu|] eqn:X; [|discriminate].
  destruct (exp_Z w (of_Q w (last_eps eps l))) as [iv|] eqn:Y; [|discriminate]. apply andb_prop in H3. destruct H3 as [H3 H4]. cbn zeta.
  destruct (segments_fit_sound l iu eps bound (exp_sound w _ _ _ (encl_Q w _) X) H3 B Bs) as (C & L & LB). pose proof (line_fits_sound _ _ _ _ _ (exp_sound w _ _ _ (encl_Q w _) Y) H4). pose proof (starts_low eps H1) as S.
  split; [|split; [apply (point_fits_sound _ _ _ H2)|lra]]. intros u Hu. rewrite <- L in Hu.
  destruct (Req_dec (exp (Q2R eps)) (last_at (exp (Q2R eps)) (real_segments l))) as [Z|N].
  - (* the segments have no length: all points are at 1 *)
    assert (u = 1) by lra. destruct l as [|s l]; [|cbn [real_segments map covered last_at] in *; destruct C as (c1 & c2 & c3 & c4 & _); exists (Q2R (alpha s)), (Q2R (beta s)); split; [exact c2|]].
    + cbn [real_segments map last_at] in Z, Hu. exists (Q2R e), (Q2R b). split; [apply (point_fits_sound _ _ _ H2)|]. cbn [last_eps last_bound] in *. replace u with (exp (Q2R eps)) by lra. lra.
    + replace u with (exp (Q2R eps)) by lra. exact c3.
  - apply (covered_lines D HD _ (exp (Q2R eps)) (real_segments l) ltac:(lra) C u); [lra|].
    assert (G : forall l u, covered D (above_curve mu (Q2R tau)) u l -> u <= last_at u l).
    { clear. induction l as [|[v [a b]] l IH]; intros u C; cbn [last_at covered] in *; [lra|]. destruct C as (uv & _ & _ & _ & C). specialize (IH v C). lra. }
    specialize (G _ _ C). lra.
Qed.
End Check.

(** ** Both orders *)
Theorem gdp_by_points w inv im tau mu D D' eps bound l x eps' bound' l' x' : encl w inv (/ total) -> encl w im mu -> 0 <= mu -> 0 <= Q2R tau ->
  privacy_profile D -> privacy_profile D' -> orders D D' ->
  gdp_check w inv im tau eps bound l x = true -> D (exp (Q2R eps)) <= Q2R bound -> bounds_hold D l ->
  gdp_check w inv im tau eps' bound' l' x' = true -> D' (exp (Q2R eps')) <= Q2R bound' -> bounds_hold D' l' -> holds D (Gdp mu (Q2R tau)).
Proof.
  intros I Em Hm Ht HD HD' HO C B Bs C' B' Bs'.
  apply (gdp_holds mu (Q2R tau) Hm D D' HD HO Ht).
  - exact (gdp_check_sound w inv im tau mu I Em D HD eps bound l x C B Bs).
  - exact (gdp_check_sound w inv im tau mu I Em D' HD' eps' bound' l' x' C' B' Bs').
Qed.
Theorem gdp_floor_by_points w inv im mu D D' e eps bound l b x eps' bound' l' b' x' : encl w inv (/ total) -> encl w im mu -> 0 <= mu -> 0 < Q2R e ->
  privacy_profile D -> privacy_profile D' -> orders D D' ->
  floor_check w inv im 0 e eps bound l b x = true -> D (exp (Q2R eps)) <= Q2R bound -> bounds_hold D l ->
  floor_check w inv im 0 e eps' bound' l' b' x' = true -> D' (exp (Q2R eps')) <= Q2R bound' -> bounds_hold D' l' -> holds D (GdpFloor mu (Q2R e)).
Proof.
  intros I Em Hm He HD HD' HO C B Bs C' B' Bs'.
  destruct (floor_check_sound w inv im 0 mu I Em D HD e eps bound l b x C B Bs) as (L & P & E). destruct (floor_check_sound w inv im 0 mu I Em D' HD' e eps' bound' l' b' x' C' B' Bs') as (L' & P' & E').
  rewrite Q0 in L, P, L', P'. apply (gdp_floor_holds mu (Q2R e) Hm He D D' HD HO (exp (Q2R (last_eps eps l))) (exp (Q2R (last_eps eps' l'))) (Q2R b) (Q2R b')); auto; apply exp_pos.
Qed.
