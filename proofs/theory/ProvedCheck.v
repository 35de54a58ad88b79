(** * A proved checker: what it accepts is true

check m adj c said proof computes in integers; if it says true, the claim c about the mechanism m is true (said is Verified) or false (Refuted): check_sound. A mechanism is a list of steps
(StepKinds.v): Gaussian and Laplace noise, randomised response, two vectors, each on a Poisson sample or not, each done any number of times. The proof is free: a bad one makes the answer false,
not wrong. What claims mean is Claims.v. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals List Bool.
From Dpcmp Require Import Tradeoff Breakpoints Losses Lattice ProfileCurve GaussianTail NormalLaw StrictGdp GaussianCurve.
From Dpcmp Require Import UpperLaws LowerLaws FixedPoint FixedSeries Numbers NormalTail StepProfiles OtherProfiles SamplingPairs Product ProductPairs.
From Dpcmp Require Import Claims GdpClaims GdpCheck StepKinds StepLaws CheckParts.
From Dpcmp Require SampledNumbers SampledCheck LaplaceMu.
Import ListNotations.
Open Scope R_scope.
Notation order := SampledNumbers.order.
Notation Remove := SampledNumbers.Remove.
Notation Add := SampledNumbers.Add.
Notation upper_plan := SampledCheck.upper_plan.
Notation lower_plan := SampledCheck.lower_plan.

(** ** Claims, in fractions *)
Inductive claim :=
  | ApproxDp (eps : level) (d : Q)
  | PureDp (eps : level)
  | Advantage (a : Q)
  | TradeOff (alpha beta : Q)
  | Gdp (mu tau : Q)
  | GdpFloor (mu e : Q).
Definition level_log (eps : level) : R := match eps with Log e => Q2R e | Ratio v => ln (Q2R v) end.
Definition meaning (c : claim) : Claims.claim :=
  match c with
  | ApproxDp eps d => Claims.ApproxDp (level_log eps) (Q2R d)
  | PureDp eps => Claims.PureDp (level_log eps)
  | Advantage a => Claims.Advantage (Q2R a)
  | TradeOff alpha beta => Claims.TradeOff (Q2R alpha) (Q2R beta)
  | Gdp mu tau => Claims.Gdp (Q2R mu) (Q2R tau)
  | GdpFloor mu e => Claims.GdpFloor (Q2R mu) (Q2R e)
  end.
Inductive verdict := Verified | Refuted.
(** there are such pairs, and of all such pairs the claim holds (does not hold) *)
Definition true_of (m : mechanism) (adj : adjacency) (c : claim) (said : verdict) : Prop :=
  (exists l, pairs_of m l) /\ forall l, pairs_of m l -> match said with Verified => satisfies l adj (meaning c) | Refuted => ~ satisfies l adj (meaning c) end.

(** ** Proofs *)
(** lines above the profile in one order: the first point and its bound, segments, a last quantile (with an error floor: and the beta there) *)
Record points := { first_eps : Q; first_bound : Q; segments : list segment; last_quantile : Q; last_beta : Q }.
Inductive proof :=
  | Trivial                                                   (* nothing is claimed *)
  | Above (remove add : upper_plan)                           (* approx-dp, advantage *)
  | Line (e d : Q) (remove add : upper_plan)                  (* trade-off: the divergence at e is at most d; approx-dp at a larger epsilon *)
  | Points (w : positive) (remove add : upper_plan) (in_remove in_add : points)     (* gdp with a tolerance or an error floor *)
  | LargestLoss (w : positive)                                (* pure-dp, approx-dp, and advantage: no loss is above epsilon, which is 0 for an advantage *)
  | LargestLossMu (w : positive) (v : level)                  (* gdp: no loss is above log v *)
  | GaussianMu                                                (* gdp *)
  | Exact (u : Q)                                             (* two vectors: the divergence at u, advantage and trade-off *)
  | ExactTest (o : order) (ts : list Q)                       (* two vectors: parts of outcomes, advantage and trade-off *)
  | ExactMix (part : Q) (ts ts' : list Q)                     (* the same, a test in the order remove with this chance, one in the order add otherwise *)
  | LossAbove (w : positive) (o : order) (es : list Q)        (* pure-dp: each step has losses above one of these *)
  | Below (o : order) (p : lower_plan)                        (* approx-dp, pure-dp, advantage *)
  | OneTest (o : order) (p : lower_plan) (n : nat) (t : Q)    (* trade-off *)
  | OneBound (o : order) (p : lower_plan) (e d : Q)           (* gdp with a tolerance: the divergence at e is above d *)
  | FloorTest (o : order) (p : lower_plan) (n : nat) (t x alpha beta : Q)           (* gdp with an error floor *)
  | FixedPoint (w : positive).                                (* gdp of one step of Laplace noise *)

(** ** From above *)
Definition above_one (m : mechanism) (o : order) (p : upper_plan) (f : upper_plan -> Q * law -> bool) : bool := match composed_above p o m with Some sy => f p sy | None => false end.
Definition above_all (m : mechanism) (adj : adjacency) (r a : upper_plan) (f : upper_plan -> Q * law -> bool) : bool :=
  (if about adj Remove then above_one m Remove r f else true) && (if about adj Add then above_one m Add a f else true).
Definition good_level (eps : level) : bool := match eps with Log _ => true | Ratio v => positive_Q v end.
Definition symmetric_inv := SampledNumbers.inverse_total.

(** the right side of a line is exact: d <= 1 - beta - e^e alpha *)
Definition line_above (w : positive) (e d alpha beta : Q) : bool := match exp_Z w (of_Q w e) with Some iu => line_fits w iu d alpha beta | None => false end.
(** a bound is that of the law, or 0 from the largest loss on *)
Definition bound_fits (m : mechanism) (o : order) (p : upper_plan) (sy : Q * law) (e d : Q) : bool :=
  at_most p sy (Log e) d || Qle_bool 0 d && losses_below (SampledCheck.bits p) o m (Log e).
Definition bounds_fit (m : mechanism) (o : order) (ps : points) (p : upper_plan) (sy : Q * law) : bool :=
  bound_fits m o p sy (first_eps ps) (first_bound ps) && forallb (fun s => bound_fits m o p sy (to_eps s) (to_bound s)) (segments ps).
Definition tolerance_fits (w : positive) (mu tau : Q) (ps : points) : bool :=
  gdp_check w (symmetric_inv w) (of_Q w mu) tau (first_eps ps) (first_bound ps) (segments ps) (last_quantile ps).
Definition floor_fits (w : positive) (mu e : Q) (ps : points) : bool :=
  floor_check w (symmetric_inv w) (of_Q w mu) 0 e (first_eps ps) (first_bound ps) (segments ps) (last_beta ps) (last_quantile ps).
Definition end_of (ps : points) : Q := last_eps (first_eps ps) (segments ps).

(** no loss is above log v, in either order, and tail (mu / 2) <= 1 / (1 + v) *)
Definition at_largest_loss (m : mechanism) (mu : Q) (w : positive) (v : level) : bool :=
  losses_below w Remove m v && losses_below w Add m v && match v with Log e => Qle_bool 0 e | Ratio u => Qle_bool 1 u end &&
  match level_Z w v, tail_Z w (symmetric_inv w) (half_Z (of_Q w mu)) with
  | Some iv, Some t => (snd (mul_Z w t (add_Z (exact_Z w 1) iv)) <=? fst (exact_Z w 1))%Z
  | _, _ => false
  end.

(** T3: the point (a, a) of the curve of Laplace noise *)
Definition fixed_point (w : positive) (m : mechanism) : option (Z * Z) :=
  match m with
  | [(Sampled r (Laplace d), 1%positive)] => if Qeq_bool r 1 then match exp_Z w (of_Q w (- (d / 2))) with Some i => Some (half_Z i) | None => None end else None
  | _ => None
  end.
Definition at_point (w : positive) (m : mechanism) (mu : Q) (is : Z * Z -> Z * Z -> bool) : bool :=
  match fixed_point w m, tail_Z w (symmetric_inv w) (half_Z (of_Q w mu)) with Some p, Some t => is p t | _, _ => false end.
Definition point_above (p t : Z * Z) : bool := (snd t <=? fst p)%Z.
Definition point_below (p t : Z * Z) : bool := (snd p <? fst t)%Z.

Definition no_loss_above (m : mechanism) (adj : adjacency) (w : positive) (eps : level) : bool :=
  good_level eps && (negb (about adj Remove) || losses_below w Remove m eps) && (negb (about adj Add) || losses_below w Add m eps).
Definition check_verified (m : mechanism) (adj : adjacency) (c : claim) (p : proof) : bool :=
  match c, p with
  | ApproxDp _ d, Trivial => Qle_bool 1 d
  | ApproxDp eps d, Above r a => good_level eps && above_all m adj r a (fun p sy => at_most p sy eps d)
  | ApproxDp (Log x) d, Line e d' r a => Qle_bool e x && Qle_bool d' d && above_all m adj r a (fun p sy => at_most p sy (Log e) d')
  | PureDp eps, LargestLoss w => no_loss_above m adj w eps
  | ApproxDp eps d, LargestLoss w => Qle_bool 0 d && no_loss_above m adj w eps
  | Advantage a, Trivial => Qle_bool 1 a
  | Advantage d, LargestLoss w => Qle_bool 0 d && no_loss_above m AddRemove w (Log 0)
  | Advantage d, Above r _ => above_one m Remove r (fun p sy => at_most p sy (Log 0) d)
  | Advantage d, Exact u => Qeq_bool u 1 && exact_below m Remove u d
  | TradeOff alpha beta, Exact u =>
      let b := (1 - beta - u * alpha)%Q in Qle_bool 0 alpha && Qle_bool alpha 1 && (negb (about adj Remove) || exact_below m Remove u b) && (negb (about adj Add) || exact_below m Add u b)
  | TradeOff _ beta, Trivial => Qle_bool beta 0
  | TradeOff alpha beta, Line e d r a =>
      Qle_bool 0 alpha && Qle_bool alpha 1 && line_above (SampledCheck.bits r) e d alpha beta && above_all m adj r a (fun p sy => at_most p sy (Log e) d)
  | Gdp mu tau, GaussianMu => Qle_bool 0 mu && Qle_bool 0 tau && all_gaussian m && Qle_bool (gaussian_square m) (mu * mu)
  | GdpFloor mu e, GaussianMu => Qle_bool 0 mu && all_gaussian m && Qle_bool (gaussian_square m) (mu * mu)
  | Gdp mu tau, LargestLossMu w v => Qle_bool 0 mu && Qle_bool 0 tau && at_largest_loss m mu w v
  | Gdp mu tau, FixedPoint w => Qle_bool 0 mu && Qle_bool 0 tau && at_point w m mu point_above
  | GdpFloor mu e, FixedPoint w => Qle_bool 0 mu && at_point w m mu point_above
  | GdpFloor mu e, LargestLossMu w v => Qle_bool 0 mu && at_largest_loss m mu w v
  | Gdp mu tau, Points w r a pr pa =>
      Qle_bool 0 mu && Qle_bool 0 tau && tolerance_fits w mu tau pr && tolerance_fits w mu tau pa && above_one m Remove r (bounds_fit m Remove pr) && above_one m Add a (bounds_fit m Add pa)
  | GdpFloor mu e, Points w r a pr pa =>
      Qle_bool 0 mu && positive_Q e && floor_fits w mu e pr && floor_fits w mu e pa && Qeq_bool (end_of pr) (end_of pa) && above_one m Remove r (bounds_fit m Remove pr) && above_one m Add a (bounds_fit m Add pa)
  | _, _ => false
  end.

(** ** From below *)
Definition below_one (m : mechanism) (adj : adjacency) (o : order) (p : lower_plan) (f : LowerLaws.cells -> bool) : bool :=
  about adj o && match composed_below p o m with Some y => f y | None => false end.
Definition in_unit (t : Q) : bool := Qle_bool 0 t && Qle_bool t 1.
(** the Gaussian profile at e^e, and tau on both sides, is at most d *)
Definition gaussian_below (w : positive) (mu tau e d : Q) : bool :=
  match exp_Z w (of_Q w e), div_Z w (of_Q w e) (of_Q w mu) with
  | Some iu, Some q =>
      let t := add_Z q (half_Z (of_Q w mu)) in
      match tail_Z w (symmetric_inv w) (sub_Z t (of_Q w mu)), tail_Z w (symmetric_inv w) t with
      | Some a, Some b => (snd (add_Z (sub_Z a (mul_Z w iu b)) (mul_Z w (of_Q w tau) (add_Z (exact_Z w 1) iu))) <=? fst (of_Q w d))%Z
      | _, _ => false
      end
  | _, _ => false
  end.
Definition quantile_fits (w : positive) (mu x alpha beta : Q) : bool :=
  match tail_Z w (symmetric_inv w) (of_Q w x), tail_Z w (symmetric_inv w) (of_Q w (mu - x)) with
  | Some a, Some b => (snd (of_Q w alpha) <=? fst a)%Z && (snd (of_Q w beta) <=? fst b)%Z
  | _, _ => false
  end.
Definition test_beats (p : lower_plan) (n : nat) (t alpha beta : Q) (y : LowerLaws.cells) : bool :=
  let (a, b) := test_at p y n t in in_unit t && Qle_bool b alpha && negb (Qle_bool beta (1 - a)).
Definition check_refuted (m : mechanism) (adj : adjacency) (c : claim) (p : proof) : bool :=
  match c, p with
  | ApproxDp eps d, Below o p => good_level eps && below_one m adj o p (fun y => exceeds p y eps d)
  | PureDp eps, Below o p => good_level eps && below_one m adj o p (fun y => exceeds p y eps 0)
  | PureDp eps, LossAbove w o es => good_level eps && about adj o && loss_exceeds w o m es eps
  | Advantage a, Below o p => below_one m AddRemove o p (fun y => exceeds p y (Log 0) a)
  | Advantage d, ExactTest o ts => match exact_test m o ts with Some (a, b) => negb (Qle_bool (a - b) d) | None => false end
  | TradeOff alpha beta, ExactTest o ts =>
      in_unit alpha && about adj o && match exact_test m o ts with Some (a, b) => Qle_bool b alpha && negb (Qle_bool beta (1 - a)) | None => false end
  | TradeOff alpha beta, ExactMix z ts ts' =>
      in_unit alpha && in_unit z && about adj Remove && about adj Add &&
      match exact_test m Remove ts, exact_test m Add ts' with
      | Some (a, b), Some (a', b') => Qle_bool (z * b + (1 - z) * b') alpha && negb (Qle_bool beta (1 - (z * a + (1 - z) * a')))
      | _, _ => false
      end
  | TradeOff alpha beta, OneTest o p n t => in_unit alpha && below_one m adj o p (test_beats p n t alpha beta)
  | Gdp mu tau, GaussianMu => Qle_bool 0 mu && Qeq_bool tau 0 && negb (Qle_bool (gaussian_square m) (mu * mu))
  | Gdp mu tau, FixedPoint w => Qle_bool 0 mu && Qeq_bool tau 0 && at_point w m mu point_below
  | Gdp mu tau, OneBound o p e d => positive_Q mu && Qle_bool 0 tau && gaussian_below (SampledCheck.low_bits p) mu tau e d && below_one m adj o p (fun y => exceeds p y (Log e) d)
  | GdpFloor mu e, FloorTest o p n t x alpha beta =>
      Qle_bool 0 mu && quantile_fits (SampledCheck.low_bits p) mu x alpha beta && Qle_bool e alpha && Qle_bool e beta && positive_Q e && below_one m adj o p (test_beats p n t alpha beta)
  | _, _ => false
  end.
Definition check (m : mechanism) (adj : adjacency) (c : claim) (said : verdict) (p : proof) : bool :=
  all_proper m && match said with Verified => check_verified m adj c p | Refuted => check_refuted m adj c p end.

(** ** Soundness *)
Lemma level_exp eps : good_level eps = true -> exp (level_log eps) = level_R eps /\ 0 < level_R eps.
Proof.
  destruct eps as [e|v]; cbn [good_level level_log level_R]; [intros _; split; [reflexivity|apply exp_pos]|]. intros H. apply positive_Q_sound in H. split; [apply exp_ln, H|exact H].
Qed.
Lemma above_one_sound m o p f l : pairs_of m l -> above_one m o p f = true -> exists sy, composed_above p o m = Some sy /\ f p sy = true.
Proof. unfold above_one. intros _ H. destruct (composed_above p o m) as [sy|]; [|discriminate]. exists sy. auto. Qed.
Lemma above_all_sound m adj r a eps d l : pairs_of m l -> 0 <= level_R eps -> above_all m adj r a (fun p sy => at_most p sy eps d) = true -> profile_of l adj (level_R eps) <= Q2R d.
Proof.
  intros Hl X H. unfold above_all in H. apply andb_prop in H. destruct H as [H1 H2]. apply every_order. intros o A. destruct o; rewrite A in *.
  - destruct (above_one_sound m Remove r _ l Hl H1) as (sy & C & B). exact (at_most_sound r Remove m l sy eps d Hl C X B).
  - destruct (above_one_sound m Add a _ l Hl H2) as (sy & C & B). exact (at_most_sound a Add m l sy eps d Hl C X B).
Qed.
Lemma bounds_fit_sound m o p ps l : pairs_of m l -> above_one m o p (bounds_fit m o ps) = true ->
  divergence (in_direction o l) (exp (Q2R (first_eps ps))) <= Q2R (first_bound ps) /\ bounds_hold (divergence (in_direction o l)) (segments ps).
Proof.
  intros Hl H. destruct (above_one_sound m o p _ l Hl H) as (sy & C & B). unfold bounds_fit in B. apply andb_prop in B. destruct B as [B1 B2].
  assert (K : forall e d, bound_fits m o p sy e d = true -> divergence (in_direction o l) (exp (Q2R e)) <= Q2R d).
  { intros e d F. unfold bound_fits in F. apply orb_prop in F. destruct F as [F|F]; [apply (at_most_sound p o m l sy (Log e) d Hl C); [left; apply exp_pos|exact F]|]. apply andb_prop in F. destruct F as [F1 F2].
    apply Qle_real in F1. rewrite GdpCheck.Q0 in F1. pose proof (losses_below_sound _ o m l (Log e) Hl F2) as Z. cbn [level_R] in Z. lra. }
  split; [apply K, B1|]. rewrite forallb_forall in B2. induction (segments ps) as [|s ss IH]; cbn [bounds_hold]; [exact I|]. split; [apply K, B2; left; reflexivity|]. apply IH. intros z Hz. apply B2. right. exact Hz.
Qed.
(** what holds of lines in both orders holds in each and in both at once *)
Lemma under_lines l adj (ok : R -> R -> Prop) u : under_line (divergence l) ok u -> under_line (divergence (map swap l)) ok u -> under_line (profile_of l adj) ok u.
Proof. intros A B. unfold profile_of. destruct adj; cbn [of_orders]; [exact A|exact B|]. apply under_line_max; assumption. Qed.
Lemma inv_encl w : encl w (symmetric_inv w) (/ total).
Proof. apply SampledNumbers.inverse_total_encl. Qed.
Lemma tolerance_sound m adj mu tau w r a pr pa l : pairs_of m l -> 0 <= Q2R mu -> 0 <= Q2R tau -> tolerance_fits w mu tau pr = true -> tolerance_fits w mu tau pa = true ->
  above_one m Remove r (bounds_fit m Remove pr) = true -> above_one m Add a (bounds_fit m Add pa) = true -> holds (profile_of l adj) (Claims.Gdp (Q2R mu) (Q2R tau)).
Proof.
  intros Hl Hm Ht Fr Fa Br Ba. destruct (bounds_fit_sound m Remove r pr l Hl Br) as [R1 R2]. destruct (bounds_fit_sound m Add a pa l Hl Ba) as [A1 A2]. cbn [in_direction] in *.
  pose proof (gdp_check_sound w _ _ tau (Q2R mu) (inv_encl w) (encl_Q w mu) _ (divergence_profile l) _ _ _ _ Fr R1 R2) as UR.
  pose proof (gdp_check_sound w _ _ tau (Q2R mu) (inv_encl w) (encl_Q w mu) _ (divergence_profile (map swap l)) _ _ _ _ Fa A1 A2) as UA.
  apply (gdp_holds (Q2R mu) (Q2R tau) Hm (profile_of l adj) (profile_of l (other_order adj)) (profile_of_profile l adj) (orders_profile l adj) Ht); intros u Hu; apply under_lines; auto.
Qed.
Lemma floor_sound m adj mu e w r a pr pa l : pairs_of m l -> 0 <= Q2R mu -> 0 < Q2R e -> floor_fits w mu e pr = true -> floor_fits w mu e pa = true -> Qeq_bool (end_of pr) (end_of pa) = true ->
  above_one m Remove r (bounds_fit m Remove pr) = true -> above_one m Add a (bounds_fit m Add pa) = true -> holds (profile_of l adj) (Claims.GdpFloor (Q2R mu) (Q2R e)).
Proof.
  intros Hl Hm He Fr Fa En Br Ba. destruct (bounds_fit_sound m Remove r pr l Hl Br) as [R1 R2]. destruct (bounds_fit_sound m Add a pa l Hl Ba) as [A1 A2]. cbn [in_direction] in *.
  destruct (floor_check_sound w _ _ 0 (Q2R mu) (inv_encl w) (encl_Q w mu) _ (divergence_profile l) _ _ _ _ _ _ Fr R1 R2) as (UR & PR & LR).
  destruct (floor_check_sound w _ _ 0 (Q2R mu) (inv_encl w) (encl_Q w mu) _ (divergence_profile (map swap l)) _ _ _ _ _ _ Fa A1 A2) as (UA & PA & LA).
  apply Qeq_bool_iff, Qeq_eqR in En. unfold end_of in En. rewrite <- En in UA, LA. set (last := exp (Q2R (last_eps (first_eps pr) (segments pr)))) in *. rewrite GdpCheck.Q0 in *.
  assert (L0 : 0 < last) by apply exp_pos.
  (* at the last point: whichever order is the larger has a line there *)
  assert (G : forall adj, exists beta, above_curve (Q2R mu) 0 (Q2R e) beta /\ profile_of l adj last <= 1 - beta - last * Q2R e).
  { intros [| |]; unfold profile_of; cbn [of_orders]; [eauto|eauto|]. unfold Rmax. destruct (Rle_dec (divergence l last) (divergence (map swap l) last)); eauto. }
  destruct (G adj) as (b & P & L). destruct (G (other_order adj)) as (b' & P' & L').
  apply (gdp_floor_holds (Q2R mu) (Q2R e) Hm He (profile_of l adj) (profile_of l (other_order adj)) (profile_of_profile l adj) (orders_profile l adj) last last b b'); auto; intros u Hu; apply under_lines; auto.
Qed.
Lemma at_largest_loss_sound m adj mu w v l : pairs_of m l -> 0 <= Q2R mu -> at_largest_loss m mu w v = true -> holds (profile_of l adj) (Claims.Gdp (Q2R mu) 0).
Proof.
  intros Hl Hm H. unfold at_largest_loss in H. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
  pose proof (losses_below_sound w Remove m l v Hl H1) as ZR. pose proof (losses_below_sound w Add m l v Hl H2) as ZA. cbn [in_direction] in *.
  assert (V1 : 1 <= level_R v) by (destruct v as [e|u]; apply Qle_real in H3; cbn [level_R]; [rewrite GdpCheck.Q0 in H3; rewrite <- exp_0; apply exp_le_mono, H3|rewrite GdpCheck.Q1 in H3; exact H3]).
  destruct (level_Z w v) as [iv|] eqn:LV; [|discriminate]. apply level_sound in LV. destruct (tail_Z w (symmetric_inv w) (half_Z (of_Q w mu))) as [t|] eqn:T; [|discriminate].
  apply (tail_sound w _ _ _ _ (inv_encl w) (encl_half w _ _ (encl_Q w mu))) in T.
  pose proof (encl_apart w _ _ _ _ (encl_mul w _ _ _ _ T (encl_add w _ _ _ _ (encl_0_1 w) LV)) (encl_0_1 w) H4) as K.
  assert (Z : forall adj, profile_of l adj (level_R v) <= 0) by (intros [| |]; unfold profile_of; cbn [of_orders]; [exact ZR|exact ZA|apply Rmax_lub; assumption]).
  apply (gdp_of_pure_dp (profile_of l adj) (profile_of l (other_order adj)) (level_R v)); auto using profile_of_profile, orders_profile.
  apply Rmult_le_reg_r with (1 + level_R v); [lra|]. rewrite Rinv_l by lra. exact K.
Qed.
Lemma no_loss_above_sound m adj w eps l : pairs_of m l -> no_loss_above m adj w eps = true -> profile_of l adj (exp (level_log eps)) <= 0.
Proof.
  intros Hl H. unfold no_loss_above in H. apply andb_prop in H. destruct H as [H HA]. apply andb_prop in H. destruct H as [G HR]. destruct (level_exp eps G) as [E P]. rewrite E. apply every_order. intros o A.
  destruct o; rewrite A in *; cbn [negb orb] in *; [exact (losses_below_sound w Remove m l eps Hl HR)|exact (losses_below_sound w Add m l eps Hl HA)].
Qed.
Lemma fixed_point_sound w m l i adj : pairs_of m l -> fixed_point w m = Some i -> exists d (Hd : 0 <= d), (forall u, 0 <= u -> profile_of l adj u = divergence [laplace_pair d Hd] u) /\ encl w i (exp (- (d / 2)) / 2).
Proof.
  intros Hl H. destruct m as [|[[r sq|r sq|mix|r [d|v k|os]] n] m]; try discriminate. destruct n; destruct m; try discriminate. cbn [fixed_point] in H. destruct (Qeq_bool r 1) eqn:R; [|discriminate].
  destruct (exp_Z w (of_Q w (- (d / 2)))) as [j|] eqn:X; [|discriminate]. apply some_inj in H. subst i. apply Qeq_bool_iff, Qeq_eqR in R. rewrite Q1 in R.
  unfold pairs_of, all_steps in Hl. cbn [flat_map app fst snd] in Hl. change (Pos.to_nat 1) with 1%nat in Hl. cbn [repeat app] in Hl. inversion Hl as [|? x ? ? S N]; subst. inversion N; subst. clear Hl N.
  destruct S as (Hr & y & (Hd & ->) & ->). exists (Q2R d), Hd. split.
  - intros u Hu. assert (A : divergence (in_direction Remove [sampled_pair (Q2R r) Hr (laplace_pair (Q2R d) Hd)]) u = divergence [laplace_pair (Q2R d) Hd] u).
    { cbn [in_direction]. destruct Hu as [Hu|<-]; [|rewrite !profile_at_0 by apply divergence_profile; reflexivity]. rewrite sampled_above by lra. rewrite R. replace ((u - (1 - 1)) / 1) with u by field. ring. }
    assert (B : divergence (in_direction Add [sampled_pair (Q2R r) Hr (laplace_pair (Q2R d) Hd)]) u = divergence [laplace_pair (Q2R d) Hd] u).
    { cbn [in_direction map]. rewrite <- (laplace_orders (Q2R d) Hd u Hu). assert (E : rest (Q2R r) u = 1) by (unfold rest; rewrite R; ring). rewrite add_above by (rewrite ?E; lra). rewrite E, R. replace (u * 1 / 1) with u by field. cbn [map]. ring. }
    unfold profile_of. cbn [in_direction] in A, B. destruct adj; cbn [of_orders]; [exact A|exact B|]. rewrite A, B. apply Rmax_left, Rle_refl.
  - apply (exp_sound w _ _ _ (encl_Q w _)) in X. rewrite Q2R_opp, (Q2R_div d 2) in X by discriminate. replace (Q2R 2) with 2 in X by (unfold Q2R; simpl; field). apply encl_half, X.
Qed.
Lemma at_point_sound w m l adj mu is : pairs_of m l -> at_point w m mu is = true -> exists d (Hd : 0 <= d) i t, (forall u, 0 <= u -> profile_of l adj u = divergence [laplace_pair d Hd] u) /\
  encl w i (exp (- (d / 2)) / 2) /\ encl w t (tail (Q2R mu / 2)) /\ is i t = true.
Proof.
  intros Hl H. unfold at_point in H. destruct (fixed_point w m) as [i|] eqn:F; [|discriminate]. destruct (tail_Z w (symmetric_inv w) (half_Z (of_Q w mu))) as [t|] eqn:T; [|discriminate].
  destruct (fixed_point_sound w m l i adj Hl F) as (d & Hd & E & I). exists d, Hd, i, t. split; [exact E|]. split; [exact I|]. split; [|exact H].
  exact (tail_sound w _ _ _ _ (inv_encl w) (encl_half w _ _ (encl_Q w mu)) T).
Qed.
Lemma at_point_above m adj mu w l : pairs_of m l -> 0 <= Q2R mu -> at_point w m mu point_above = true -> holds (profile_of l adj) (Claims.Gdp (Q2R mu) 0).
Proof.
  intros Hl Hm H. destruct (at_point_sound w m l adj mu _ Hl H) as (d & Hd & i & t & E & I & T & C). apply (LaplaceMu.laplace_gdp d Hd _ (profile_of_profile l adj) E _ Hm). exact (encl_apart w _ _ _ _ T I C).
Qed.
Lemma at_point_below m adj mu w l : pairs_of m l -> 0 <= Q2R mu -> at_point w m mu point_below = true -> ~ holds (profile_of l adj) (Claims.Gdp (Q2R mu) 0).
Proof.
  intros Hl Hm H K. destruct (at_point_sound w m l adj mu _ Hl H) as (d & Hd & i & t & E & I & T & C). apply (LaplaceMu.laplace_gdp d Hd _ (profile_of_profile l adj) E _ Hm) in K.
  apply Z.ltb_lt, IZR_lt in C. destruct I as [_ I], T as [T _]. pose proof (unit_pos w) as U. apply Rmult_le_compat_l with (r := unit w) in K; lra.
Qed.
Theorem check_verified_sound m adj c p l : pairs_of m l -> check_verified m adj c p = true -> satisfies l adj (meaning c).
Proof.
  intros Hl. unfold satisfies. fold (profile_of l adj). pose proof (profile_of_profile l adj) as HD.
  destruct c as [[y|y] d|eps|a|alpha beta|mu tau|mu e], p as [ |r ad|x d' r ad|w r ad pr pa|w|w v| |x|o ts|z ts ts'|w o es|o p|o p n t|o p x d'|o p n t x al be|w]; cbn [check_verified meaning]; try discriminate; intros H;
    repeat match goal with K : (_ && _)%bool = true |- _ => apply andb_prop in K; destruct K end.
  - apply approx_dp_trivial; [exact HD|]. apply Qle_real in H. rewrite GdpCheck.Q1 in H. exact H.
  - destruct (level_exp (Log y) H) as [E P]. apply (approx_dp_holds _ _ _ (Q2R d)); [|apply Rle_refl]. rewrite E. eapply above_all_sound; eauto; lra.
  - match goal with K : Qle_bool x y = true |- _ => apply Qle_real, exp_le_mono in K end. match goal with K : Qle_bool d' d = true |- _ => apply Qle_real in K end.
    match goal with K : above_all _ _ _ _ _ = true |- _ => pose proof (above_all_sound m adj r ad (Log x) d' l Hl ltac:(left; apply exp_pos) K) as L end. cbn [level_R level_log holds] in *.
    pose proof (pp_falls _ HD (exp (Q2R x)) (exp (Q2R y)) ltac:(left; apply exp_pos) ltac:(assumption)). lra.
  - match goal with K : Qle_bool 0 d = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : no_loss_above _ _ _ _ = true |- _ => pose proof (no_loss_above_sound m adj w (Log y) l Hl K) end. cbn [holds]. lra.
  - apply approx_dp_trivial; [exact HD|]. apply Qle_real in H. rewrite GdpCheck.Q1 in H. exact H.
  - destruct (level_exp (Ratio y) H) as [E P]. apply (approx_dp_holds _ _ _ (Q2R d)); [|apply Rle_refl]. rewrite E. eapply above_all_sound; eauto; lra.
  - match goal with K : Qle_bool 0 d = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : no_loss_above _ _ _ _ = true |- _ => pose proof (no_loss_above_sound m adj w (Ratio y) l Hl K) end. cbn [holds]. lra.
  - exact (no_loss_above_sound m adj w eps l Hl H).
  - apply advantage_trivial; [exact HD|]. apply Qle_real in H. rewrite GdpCheck.Q1 in H. exact H.
  - cbn [holds]. rewrite advantage_of_either. destruct (above_one_sound m Remove r _ l Hl H) as (sy & C & B). pose proof (at_most_sound r Remove m l sy (Log 0) a Hl C ltac:(left; apply exp_pos) B) as K.
    cbn [level_R in_direction] in K. rewrite GdpCheck.Q0, exp_0 in K. exact K.
  - match goal with K : Qle_bool 0 a = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : no_loss_above _ _ _ _ = true |- _ => pose proof (no_loss_above_sound m AddRemove w (Log 0) l Hl K) as N end.
    cbn [level_log] in N. rewrite GdpCheck.Q0, exp_0 in N. rewrite (advantage_of_either l AddRemove) in N. cbn [holds]. rewrite advantage_of_either. lra.
  - match goal with K : Qeq_bool x 1 = true |- _ => apply Qeq_bool_iff, Qeq_eqR in K; rewrite GdpCheck.Q1 in K; rename K into E end. cbn [holds]. rewrite advantage_of_either.
    match goal with K : exact_below _ _ _ _ = true |- _ => destruct (exact_below_sound m Remove x a l Hl K) as [_ L] end. rewrite E in L. exact L.
  - apply trade_off_trivial; [exact HD|]. apply Qle_real in H. rewrite GdpCheck.Q0 in H. exact H.
  - match goal with K : line_above _ _ _ _ _ = true |- _ => unfold line_above in K; destruct (exp_Z (SampledCheck.bits r) (of_Q (SampledCheck.bits r) x)) as [iu|] eqn:X; [|discriminate];
      apply (line_fits_sound (SampledCheck.bits r) iu (exp (Q2R x)) d' alpha beta (exp_sound _ _ _ _ (encl_Q _ _) X)) in K; rename K into L end.
    match goal with K : Qle_bool 0 alpha = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : Qle_bool alpha 1 = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q1 in K end.
    apply (trade_off_holds _ HD (Q2R alpha) (Q2R beta) (exp (Q2R x)) (Q2R d')); try lra; [left; apply exp_pos|].
    apply (above_all_sound m adj r ad (Log x) d' l Hl); [left; apply exp_pos|assumption].
  - match goal with K : Qle_bool 0 alpha = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : Qle_bool alpha 1 = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q1 in K end.
    assert (B : Q2R (1 - beta - x * alpha) = 1 - Q2R beta - Q2R x * Q2R alpha) by (rewrite !Q2R_minus, Q2R_mult, GdpCheck.Q1; reflexivity).
    assert (O : forall o, about adj o = true -> 0 <= Q2R x /\ divergence (in_direction o l) (Q2R x) <= 1 - Q2R beta - Q2R x * Q2R alpha).
    { intros o A. rewrite <- B. apply (exact_below_sound m o x _ l Hl). destruct o; rewrite A in *; cbn [negb orb] in *; assumption. }
    assert (X : 0 <= Q2R x) by (destruct adj; [exact (proj1 (O Remove eq_refl))|exact (proj1 (O Add eq_refl))|exact (proj1 (O Remove eq_refl))]).
    apply (trade_off_holds _ HD (Q2R alpha) (Q2R beta) (Q2R x) (1 - Q2R beta - Q2R x * Q2R alpha)); try lra. apply every_order. intros o A. apply O, A.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : Qle_bool 0 tau = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    apply (tolerance_sound m adj mu tau w r ad pr pa l); assumption.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : Qle_bool 0 tau = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    apply strict_is_more; auto. eapply at_largest_loss_sound; eauto.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : Qle_bool 0 tau = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    apply strict_is_more; auto. eapply gaussian_mu_holds; eauto.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : Qle_bool 0 tau = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    apply strict_is_more; auto. eapply at_point_above; eauto.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. match goal with K : positive_Q e = true |- _ => apply positive_Q_sound in K end. apply (floor_sound m adj mu e w r ad pr pa l); assumption.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. apply strict_is_more_floor. eapply at_largest_loss_sound; eauto.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. apply strict_is_more_floor. eapply gaussian_mu_holds; eauto.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end. apply strict_is_more_floor. eapply at_point_above; eauto.
Qed.

Lemma below_one_sound m adj o p f l : pairs_of m l -> below_one m adj o p f = true -> about adj o = true /\ exists y, composed_below p o m = Some y /\ f y = true.
Proof. unfold below_one. intros _ H. apply andb_prop in H. destruct H as [A H]. split; [exact A|]. destruct (composed_below p o m) as [y|]; [|discriminate]. exists y. auto. Qed.
Lemma exceeds_all m adj o p eps d l : pairs_of m l -> 0 <= level_R eps -> below_one m adj o p (fun y => exceeds p y eps d) = true -> Q2R d < profile_of l adj (level_R eps).
Proof.
  intros Hl X H. destruct (below_one_sound m adj o p _ l Hl H) as (A & y & C & E). pose proof (exceeds_sound p o m l y eps d Hl C X E). pose proof (one_order l adj o (level_R eps) A). lra.
Qed.
Lemma test_beats_sound m adj o p n t alpha beta l : pairs_of m l -> below_one m adj o p (test_beats p n t alpha beta) = true ->
  exists A B, test (profile_of l adj) A B /\ B <= Q2R alpha /\ 1 - A < Q2R beta.
Proof.
  intros Hl H. destruct (below_one_sound m adj o p _ l Hl H) as (Ab & y & C & E). unfold test_beats in E. destruct (test_at p y n t) as [a b] eqn:T. apply andb_prop in E. destruct E as [E E3]. apply andb_prop in E. destruct E as [E1 E2].
  unfold in_unit in E1. apply andb_prop in E1. destruct E1 as [T0 T1]. apply Qle_real in T0, T1, E2. apply negb_true_iff in E3. apply Qlt_real in E3. rewrite GdpCheck.Q0 in T0. rewrite GdpCheck.Q1 in T1. rewrite Q2R_minus, GdpCheck.Q1 in E3.
  exists (Q2R a), (Q2R b). split; [|split; [exact E2|exact E3]]. pose proof (test_at_sound p o m l y n t a b Hl C (conj T0 T1) T) as K. intros u Hu. specialize (K u Hu). pose proof (one_order l adj o u Ab). lra.
Qed.
Lemma gaussian_below_sound w mu tau e d : 0 < Q2R mu -> gaussian_below w mu tau e d = true ->
  exists t, ratio (Q2R mu) t = exp (Q2R e) /\ tail (t - Q2R mu) - ratio (Q2R mu) t * tail t + Q2R tau * (1 + ratio (Q2R mu) t) <= Q2R d.
Proof.
  intros Hm. unfold gaussian_below. destruct (exp_Z w (of_Q w e)) as [iu|] eqn:X; [|discriminate]. destruct (div_Z w (of_Q w e) (of_Q w mu)) as [q|] eqn:V; [|discriminate]. cbv zeta.
  set (t := add_Z q (half_Z (of_Q w mu))). destruct (tail_Z w (symmetric_inv w) (sub_Z t (of_Q w mu))) as [a|] eqn:TA; [|discriminate]. destruct (tail_Z w (symmetric_inv w) t) as [b|] eqn:TB; [|discriminate]. intros H.
  pose proof (exp_sound w _ _ _ (encl_Q w e) X) as EX. destruct (encl_div w _ _ _ _ _ (encl_Q w e) (encl_Q w mu) V) as [EV _].
  pose proof (encl_add w _ _ _ _ EV (encl_half w _ _ (encl_Q w mu))) as ET. fold t in ET. set (s := Q2R e / Q2R mu + Q2R mu / 2) in *. exists s.
  assert (R : ratio (Q2R mu) s = exp (Q2R e)) by (unfold ratio, s; f_equal; field; lra). split; [exact R|]. rewrite R.
  pose proof (tail_sound w _ _ _ _ (inv_encl w) (encl_sub w _ _ _ _ ET (encl_Q w mu)) TA) as EA. pose proof (tail_sound w _ _ _ _ (inv_encl w) ET TB) as EB.
  refine (encl_apart w _ _ _ _ (encl_add w _ _ _ _ (encl_sub w _ _ _ _ EA (encl_mul w _ _ _ _ EX EB)) (encl_mul w _ _ _ _ (encl_Q w tau) (encl_add w _ _ _ _ (encl_0_1 w) EX))) (encl_Q w d) H).
Qed.
Theorem check_refuted_sound m adj c p l : pairs_of m l -> check_refuted m adj c p = true -> ~ satisfies l adj (meaning c).
Proof.
  intros Hl. unfold satisfies. fold (profile_of l adj). pose proof (profile_of_profile l adj) as HD.
  destruct c as [eps d|eps|a|alpha beta|mu tau|mu e], p as [ |r ad|x d' r ad|w r ad pr pa|w|w v| |x|o ts|z ts ts'|w o es|o p|o p n t|o p x d'|o p n t x al be|w]; cbn [check_refuted meaning]; try discriminate; intros H;
    repeat match goal with K : (_ && _)%bool = true |- _ => apply andb_prop in K; destruct K end.
  - destruct (level_exp eps H) as [E P]. match goal with K : below_one _ _ _ _ _ = true |- _ => pose proof (exceeds_all m adj o p eps d l Hl (Rlt_le _ _ P) K) as L end. cbn [holds]. rewrite E. lra.
  - destruct (level_exp eps H) as [E P]. match goal with K : loss_exceeds _ _ _ _ _ = true |- _ => pose proof (loss_exceeds_sound w o m es eps l Hl (Rlt_le _ _ P) K) as L end.
    match goal with K : about adj o = true |- _ => pose proof (one_order l adj o (level_R eps) K) end. cbn [holds]. rewrite E. lra.
  - destruct (level_exp eps H) as [E P]. match goal with K : below_one _ _ _ _ _ = true |- _ => pose proof (exceeds_all m adj o p eps 0 l Hl (Rlt_le _ _ P) K) as L end. cbn [holds]. rewrite E. rewrite GdpCheck.Q0 in L. lra.
  - destruct (exact_test m o ts) as [[A B]|] eqn:T; [|discriminate]. pose proof (exact_test_sound m o ts A B l Hl T 1 ltac:(lra)) as Te. apply negb_true_iff in H. apply Qlt_real in H. rewrite Q2R_minus in H.
    cbn [holds]. rewrite advantage_of_either, <- (advantage_of_either l AddRemove). pose proof (one_order l AddRemove o 1 eq_refl). lra.
  - pose proof (exceeds_all m AddRemove o p (Log 0) a l Hl ltac:(left; apply exp_pos) H) as L. cbn [level_R holds] in *. rewrite GdpCheck.Q0, exp_0, advantage_of_either in L. rewrite advantage_of_either. lra.
  - match goal with K : in_unit alpha = true |- _ => unfold in_unit in K; apply andb_prop in K; destruct K as [A0 A1]; apply Qle_real in A0, A1; rewrite GdpCheck.Q0 in A0; rewrite GdpCheck.Q1 in A1 end.
    destruct (exact_test m o ts) as [[A B]|] eqn:T; [|discriminate]. pose proof (exact_test_sound m o ts A B l Hl T) as Te.
    match goal with K : (Qle_bool B alpha && _)%bool = true |- _ => apply andb_prop in K; destruct K as [L1 L2] end. apply Qle_real in L1. apply negb_true_iff in L2. apply Qlt_real in L2. rewrite Q2R_minus, GdpCheck.Q1 in L2.
    apply (trade_off_fails _ HD (Q2R alpha) (Q2R beta) (Q2R A) (Q2R B)); auto. intros u Hu. specialize (Te u Hu). match goal with K : about adj o = true |- _ => pose proof (one_order l adj o u K) end. lra.
  - match goal with K : in_unit alpha = true |- _ => unfold in_unit in K; apply andb_prop in K; destruct K as [A0 A1]; apply Qle_real in A0, A1; rewrite GdpCheck.Q0 in A0; rewrite GdpCheck.Q1 in A1 end.
    match goal with K : in_unit z = true |- _ => unfold in_unit in K; apply andb_prop in K; destruct K as [Z0 Z1]; apply Qle_real in Z0, Z1; rewrite GdpCheck.Q0 in Z0; rewrite GdpCheck.Q1 in Z1 end.
    destruct (exact_test m Remove ts) as [[A B]|] eqn:T; [|discriminate]. destruct (exact_test m Add ts') as [[A' B']|] eqn:T'; [|discriminate].
    pose proof (exact_test_sound m Remove ts A B l Hl T) as Te. pose proof (exact_test_sound m Add ts' A' B' l Hl T') as Te'.
    match goal with K : (Qle_bool _ alpha && _)%bool = true |- _ => apply andb_prop in K; destruct K as [L1 L2] end. apply Qle_real in L1. apply negb_true_iff in L2. apply Qlt_real in L2.
    rewrite !Q2R_plus, !Q2R_mult, Q2R_minus, GdpCheck.Q1 in L1. rewrite !Q2R_minus, !Q2R_plus, !Q2R_mult, Q2R_minus, GdpCheck.Q1 in L2.
    apply (trade_off_fails _ HD (Q2R alpha) (Q2R beta) (Q2R z * Q2R A + (1 - Q2R z) * Q2R A') (Q2R z * Q2R B + (1 - Q2R z) * Q2R B')); try lra. intros u Hu. specialize (Te u Hu). specialize (Te' u Hu).
    assert (Br : divergence (in_direction Remove l) u <= profile_of l adj u) by (apply one_order; assumption). assert (Ba : divergence (in_direction Add l) u <= profile_of l adj u) by (apply one_order; assumption).
    assert (K1 : Q2R z * (Q2R A - u * Q2R B) <= Q2R z * profile_of l adj u) by (apply Rmult_le_compat_l; lra). assert (K2 : (1 - Q2R z) * (Q2R A' - u * Q2R B') <= (1 - Q2R z) * profile_of l adj u) by (apply Rmult_le_compat_l; lra). lra.
  - match goal with K : in_unit alpha = true |- _ => unfold in_unit in K; apply andb_prop in K; destruct K as [A0 A1]; apply Qle_real in A0, A1; rewrite GdpCheck.Q0 in A0; rewrite GdpCheck.Q1 in A1 end.
    match goal with K : below_one _ _ _ _ _ = true |- _ => destruct (test_beats_sound m adj o p n t alpha beta l Hl K) as (A & B & T & LB & LA) end.
    apply (trade_off_fails _ HD (Q2R alpha) (Q2R beta) A B); auto.
  - match goal with K : Qeq_bool tau 0 = true |- _ => apply Qeq_bool_iff, Qeq_eqR in K; rewrite K, GdpCheck.Q0 end. match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    match goal with K : negb _ = true |- _ => apply negb_true_iff in K end. eapply gaussian_mu_fails; eauto.
  - match goal with K : positive_Q mu = true |- _ => apply positive_Q_sound in K; rename K into Hm end. match goal with K : Qle_bool 0 tau = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    match goal with K : gaussian_below _ _ _ _ _ = true |- _ => destruct (gaussian_below_sound _ mu tau x d' Hm K) as (s & R & L) end.
    match goal with K : below_one _ _ _ _ _ = true |- _ => pose proof (exceeds_all m adj o p (Log x) d' l Hl ltac:(left; apply exp_pos) K) as G end. cbn [level_R] in G.
    apply (gdp_fails (Q2R mu) (Q2R tau) ltac:(lra) (profile_of l adj) HD s (profile_of l adj (exp (Q2R x)))); [assumption|rewrite R; apply Rle_refl|lra].
  - match goal with K : Qeq_bool tau 0 = true |- _ => apply Qeq_bool_iff, Qeq_eqR in K; rewrite K, GdpCheck.Q0 end. match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K end.
    eapply at_point_below; eauto.
  - match goal with K : Qle_bool 0 mu = true |- _ => apply Qle_real in K; rewrite GdpCheck.Q0 in K; rename K into Hm end.
    match goal with K : quantile_fits _ _ _ _ _ = true |- _ => unfold quantile_fits in K; set (w := SampledCheck.low_bits p) in *; destruct (tail_Z w (symmetric_inv w) (of_Q w x)) as [ia|] eqn:TA; [|discriminate];
      destruct (tail_Z w (symmetric_inv w) (of_Q w (mu - x))) as [ib|] eqn:TB; [|discriminate]; apply andb_prop in K; destruct K as [K1 K2] end.
    apply (tail_sound w _ _ _ _ (inv_encl w) (encl_Q w _)) in TA, TB. rewrite Q2R_minus in TB. pose proof (encl_apart w _ _ _ _ (encl_Q w al) TA K1) as LA. pose proof (encl_apart w _ _ _ _ (encl_Q w be) TB K2) as LB.
    match goal with K : below_one _ _ _ _ _ = true |- _ => destruct (test_beats_sound m adj o p n t al be l Hl K) as (A & B & T & L1 & L2) end.
    match goal with K : Qle_bool e al = true |- _ => apply Qle_real in K end. match goal with K : Qle_bool e be = true |- _ => apply Qle_real in K end. match goal with K : positive_Q e = true |- _ => apply positive_Q_sound in K; rename K into He end.
    apply (gdp_floor_fails (Q2R mu) (Q2R e) Hm He (profile_of l adj) HD (Q2R x) (Q2R al) (Q2R be) A B); auto.
Qed.

(** ** What is accepted is true *)
Theorem check_sound m adj c said p : check m adj c said p = true -> true_of m adj c said.
Proof.
  unfold check. intros H. apply andb_prop in H. destruct H as [A H]. split; [apply pairs_exist, A|]. intros l Hl. destruct said; [apply (check_verified_sound m adj c p l Hl H)|apply (check_refuted_sound m adj c p l Hl H)].
Qed.
