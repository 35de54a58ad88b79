(** * Gaussian steps compose to a Gaussian step

E tail (a + b x) = tail (a / sqrt (1 + b^2)), because both have the same derivative in a and are 1/2 at 0. From that T Gaussian steps of mu are one of sqrt T mu, and with
SamplingLowers the upper half of the strict mu of Poisson-subsampled Gaussians: G_(sqrt T / sigma) is below their curve. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Divergence BayesError Extremes Losses GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian SamplingLowers.
Open Scope R_scope.

(** ** Expectations of non-negative functions add up *)
Lemma part_grows h b c : cont h -> (forall x, 0 <= h x) -> 0 <= b -> b <= c -> part h b <= part h c.
Proof.
  intros C H Hb Hc. unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|].
  set (k := fun x => phi x * h x). assert (X : forall x y, ex_RInt k x y) by (intros; apply ex_part, C).
  assert (P : forall x, 0 <= k x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply H]).
  rewrite <- (RInt_Chasles k (- c) (- b) c), <- (RInt_Chasles k (- b) b c) by apply X. unfold plus; simpl.
  assert (0 <= RInt k (- c) (- b)) by (apply RInt_ge_0; auto; lra). assert (0 <= RInt k b c) by (apply RInt_ge_0; auto). lra.
Qed.

Lemma E_plus h k : cont h -> cont k -> (forall x, 0 <= h x) -> (forall x, 0 <= k x) -> bounded h -> bounded k ->
  E (fun x => h x + k x) = E h + E k.
Proof.
  intros Ch Ck Hh Hk Bh Bk. destruct (E_spec h Bh) as [Uh Lh]. destruct (E_spec k Bk) as [Uk Lk].
  assert (B : bounded (fun x => h x + k x)).
  { exists (E h + E k). intros b Hb. rewrite part_plus by assumption. specialize (Uh b Hb). specialize (Uk b Hb). lra. }
  destruct (E_spec _ B) as [U L]. apply Rle_antisym.
  - apply L. intros b Hb. rewrite part_plus by assumption. specialize (Uh b Hb). specialize (Uk b Hb). lra.
  - assert (E h <= E (fun x => h x + k x) - E k); [|lra]. apply Lh. intros b Hb.
    assert (E k <= E (fun x => h x + k x) - part h b); [|lra]. apply Lk. intros c Hc.
    set (m := Rmax b c). pose proof (Rmax_l b c). pose proof (Rmax_r b c). specialize (U m ltac:(unfold m; lra)). rewrite part_plus in U by assumption.
    pose proof (part_grows h b m Ch Hh Hb ltac:(unfold m; lra)). pose proof (part_grows k c m Ck Hk Hc ltac:(unfold m; lra)). lra.
Qed.

Lemma E_scale c h : cont h -> bounded h -> 0 <= c -> E (fun x => c * h x) = c * E h.
Proof.
  intros Ch Bh Hc. destruct (E_spec h Bh) as [U L].
  assert (B : bounded (fun x => c * h x)) by (exists (c * E h); intros b Hb; rewrite part_scale by exact Ch; apply Rmult_le_compat_l; auto).
  destruct (E_spec _ B) as [U' L']. apply Rle_antisym.
  - apply L'. intros b Hb. rewrite part_scale by exact Ch. apply Rmult_le_compat_l; auto.
  - destruct Hc as [Hc|<-].
    + apply Rmult_le_reg_l with (/ c); [apply Rinv_0_lt_compat, Hc|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. apply L. intros b Hb.
      specialize (U' b Hb). rewrite part_scale in U' by exact Ch. apply Rmult_le_reg_l with c; [exact Hc|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact U'.
    + rewrite Rmult_0_l. specialize (U' 0 ltac:(lra)). rewrite part_scale in U' by exact Ch. lra.
Qed.

(** bounded by a constant is bounded *)
Lemma bounded_const h c : cont h -> (forall x, h x <= c) -> 0 <= c -> bounded h.
Proof.
  intros Ch H Hc. exists c. intros b Hb. apply Rle_trans with (part (fun _ => c * 1) b).
  - apply part_le; [exact Ch|exact (cont_const (c * 1))|exact Hb|]. intros x. rewrite Rmult_1_r. apply H.
  - rewrite (part_scale c (fun _ => 1) b (cont_const 1)). pose proof (part_1_le b Hb). rewrite <- (Rmult_1_r c) at 2. apply Rmult_le_compat_l; assumption.
Qed.
Lemma E_1 : E (fun _ => 1) = 1.
Proof.
  destruct (E_spec (fun _ => 1) (bounded_const _ 1 (cont_const 1) ltac:(intros; lra) ltac:(lra))) as [U L]. apply Rle_antisym; [apply L; intros; apply part_1_le; assumption|].
  apply le_epsilon. intros e He. destruct (tail_small (e / 2) ltac:(lra)) as [t H]. set (b := Rmax 0 t). specialize (H b (Rmax_r 0 t)).
  pose proof (Rmax_l 0 t : 0 <= b) as B. specialize (U b B). rewrite part_1 in U by exact B. rewrite tail_opp in U. lra.
Qed.

(** ** Tails of lines *)
Lemma cont_tail a b : cont (fun x => tail (a + b * x)).
Proof.
  intros x. apply (continuous_comp (fun y => a + b * y) tail).
  - apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I.
  - apply filterlim_locally. intros eps. exists eps. intros y By. unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
    pose proof (tail_lipschitz y (a + b * x)). unfold Rminus in *. lra.
Qed.
Lemma tail_range t : 0 <= tail t <= 1.
Proof. pose proof (tail_pos t). pose proof (tail_lt_1 t). lra. Qed.
Lemma bounded_tail a b : bounded (fun x => tail (a + b * x)).
Proof. apply (bounded_const _ 1); [apply cont_tail|intros; apply tail_range|lra]. Qed.
Lemma cont_phi a b : cont (fun x => phi (a + b * x)).
Proof. intros x. apply (ex_derive_continuous (V := R_NormedModule)). unfold phi. auto_derive. exact I. Qed.
Lemma bounded_phi a b : bounded (fun x => phi (a + b * x)).
Proof. apply (bounded_const _ 1); [apply cont_phi|intros; apply phi_at_most_1|lra]. Qed.

(** completing the square *)
Lemma E_phi a b : E (fun x => phi (a + b * x)) = phi (a / sqrt (1 + b * b)) / sqrt (1 + b * b).
Proof.
  set (c := sqrt (1 + b * b)). assert (B0 : 0 <= b * b) by apply Rle_0_sqr. assert (c0 : 0 < c) by (apply sqrt_lt_R0; lra).
  assert (cc : c * c = 1 + b * b) by (apply sqrt_sqrt; lra).
  assert (P : forall B, part (fun x => phi (a + b * x)) B = phi (a / c) / c * (tail (c * (- B) + a * b / c) - tail (c * B + a * b / c)) \/ B < 0).
  { intros B. destruct (Rlt_dec B 0) as [n|n]; [right; exact n|left]. unfold part.
    rewrite (RInt_same _ (fun x => scal (phi (a / c) / c) (scal c (phi (c * x + a * b / c))))).
    2:{ intros x. unfold scal; simpl; unfold mult; simpl. replace (phi (a / c) / c * (c * phi (c * x + a * b / c))) with (phi (a / c) * phi (c * x + a * b / c)) by (field; lra).
        unfold phi. rewrite <- !exp_plus. f_equal. apply Rmult_eq_reg_r with (c * c); [|nra]. 
        replace ((- (x * x) / 2 + - ((a + b * x) * (a + b * x)) / 2) * (c * c)) with (- (x * x + (a + b * x) * (a + b * x)) / 2 * (c * c)) by field.
        replace ((- (a / c * (a / c)) / 2 + - ((c * x + a * b / c) * (c * x + a * b / c)) / 2) * (c * c)) with (- (a * a + (c * c * x + a * b) * (c * c * x + a * b)) / 2) by (field; lra).
        rewrite cc. field. }
    assert (X : ex_RInt (fun x => scal c (phi (c * x + a * b / c))) (- B) B) by (apply (ex_RInt_comp_lin phi c (a * b / c)), ex_phi).
    pose proof (RInt_comp_lin phi c (a * b / c) (- B) B (ex_phi _ _)) as Q.
    pose proof (RInt_scal (V := R_CompleteNormedModule) _ (- B) B (phi (a / c) / c) X) as Y.
    transitivity (phi (a / c) / c * RInt phi (c * - B + a * b / c) (c * B + a * b / c) / total).
    { f_equal. etransitivity; [exact Y|]. change (phi (a / c) / c * RInt (fun x => scal c (phi (c * x + a * b / c))) (- B) B = phi (a / c) / c * RInt phi (c * - B + a * b / c) (c * B + a * b / c)).
      f_equal. exact Q. }
    rewrite tail_part by (apply Rplus_le_compat_r, Rmult_le_compat_l; lra). pose proof total_pos. field. lra. }
  destruct (E_spec _ (bounded_phi a b)) as [U L]. assert (K : 0 < phi (a / c) / c) by (apply Rdiv_lt_0_compat; [apply phi_pos|exact c0]).
  apply Rle_antisym.
  - apply L. intros B HB. destruct (P B) as [E|E]; [|lra]. rewrite E. pose proof (tail_pos (c * B + a * b / c)). pose proof (tail_lt_1 (c * (- B) + a * b / c)).
    rewrite <- (Rmult_1_r (phi (a / c) / c)) at 2. apply Rmult_le_compat_l; lra.
  - apply le_epsilon. intros e He. set (k := phi (a / c) / c) in *. clearbody k.
    assert (EK : 0 < e / k / 2) by (apply Rdiv_lt_0_compat; [apply Rdiv_lt_0_compat; assumption|lra]).
    destruct (tail_small (e / k / 2) EK) as [t T]. destruct (tail_large (e / k / 2) EK) as [s S].
    set (B := Rmax 0 (Rmax ((t - a * b / c) / c) (- ((s - a * b / c) / c)))). assert (B1 : 0 <= B) by apply Rmax_l.
    assert (B2 : Rmax ((t - a * b / c) / c) (- ((s - a * b / c) / c)) <= B) by apply Rmax_r.
    pose proof (Rmax_l ((t - a * b / c) / c) (- ((s - a * b / c) / c))) as B3. pose proof (Rmax_r ((t - a * b / c) / c) (- ((s - a * b / c) / c))) as B4.
    assert (B5 : (t - a * b / c) / c <= B) by lra. assert (B6 : - B <= (s - a * b / c) / c) by lra.
    apply Rcomplements.Rle_div_l in B5; [|exact c0]. apply Rcomplements.Rle_div_r in B6; [|exact c0].
    specialize (T (c * B + a * b / c) ltac:(lra)). specialize (S (c * (- B) + a * b / c) ltac:(lra)). specialize (U B B1). destruct (P B) as [E|E]; [|lra]. rewrite E in U.
    assert (k * (1 - e / k) <= k * (tail (c * - B + a * b / c) - tail (c * B + a * b / c))) by (apply Rmult_le_compat_l; lra).
    replace (k * (1 - e / k)) with (k - e) in H by (field; lra). lra.
Qed.

(** ** A function that changes by at most K d^2 over any d is constant *)
Lemma constant F K : (forall a d, 0 <= d -> Rabs (F (a + d) - F a) <= K * (d * d)) -> forall a D, 0 <= D -> F (a + D) = F a.
Proof.
  intros H a D HD.
  assert (S : forall n d, 0 <= d -> Rabs (F (a + INR n * d) - F a) <= INR n * (K * (d * d))).
  { induction n as [|n IH]; intros d Hd; [simpl; rewrite Rmult_0_l, Rplus_0_r, Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
    specialize (IH d Hd). specialize (H (a + INR n * d) d Hd). rewrite S_INR. replace (a + (INR n + 1) * d) with (a + INR n * d + d) by ring.
    apply Rabs_le_between in IH. apply Rabs_le_between in H. apply Rabs_le. lra. }
  assert (P : forall e, 0 < e -> Rabs (F (a + D) - F a) <= 0 + e).
  { intros e He. assert (K0 : 0 <= K) by (specialize (H a 1 ltac:(lra)); pose proof (Rabs_pos (F (a + 1) - F a)); lra).
    destruct (archimed_cor1 (e / (K * (D * D) + 1))) as [n [Hn N0]]; [apply Rdiv_lt_0_compat; [exact He|]; assert (0 <= K * (D * D)) by (apply Rmult_le_pos; [exact K0|apply Rle_0_sqr]); lra|].
    assert (NP : 0 < INR n) by (apply lt_0_INR; exact N0). specialize (S n (D / INR n) ltac:(apply Rcomplements.Rdiv_le_0_compat; lra)).
    replace (a + INR n * (D / INR n)) with (a + D) in S by (field; lra).
    replace (INR n * (K * (D / INR n * (D / INR n)))) with (K * (D * D) * / INR n) in S by (field; lra).
    assert (Q : 0 <= K * (D * D)) by (apply Rmult_le_pos; [exact K0|apply Rle_0_sqr]).
    assert (K * (D * D) * / INR n <= (K * (D * D) + 1) * (e / (K * (D * D) + 1))).
    { apply Rmult_le_compat; try lra. left. apply Rinv_0_lt_compat, NP. }
    replace ((K * (D * D) + 1) * (e / (K * (D * D) + 1))) with e in H0 by (field; lra). lra. }
  apply le_epsilon in P. pose proof (Rabs_pos (F (a + D) - F a)). assert (Z : Rabs (F (a + D) - F a) = 0) by lra.
  destruct (Req_dec (F (a + D) - F a) 0) as [z|z]; [lra|]. apply Rabs_no_R0 in z. contradiction.
Qed.

(** ** The tail to second order *)
Lemma phi_lipschitz s y : Rabs (phi s - phi y) <= Rabs (s - y).
Proof.
  destruct (MVT_gen phi y s (fun t => - t * phi t)) as [z [_ E]].
  - intros x _. unfold phi. auto_derive; [exact I|]. unfold Rdiv. field.
  - intros x _. apply continuity_pt_filterlim. apply phi_cont.
  - rewrite E, Rabs_mult. rewrite <- (Rmult_1_l (Rabs (s - y))) at 2. apply Rmult_le_compat_r; [apply Rabs_pos|].
    rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (phi z)) by (left; apply phi_pos).
    assert (P : phi z * exp (z * z / 2) = 1) by (unfold phi; rewrite <- exp_plus; replace (- (z * z) / 2 + z * z / 2) with 0 by field; apply exp_0).
    pose proof (exp_ineq1_le (z * z / 2)). pose proof (phi_pos z). assert (Q : Rabs z <= exp (z * z / 2)).
    { assert (Rabs z * Rabs z = z * z) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr). assert (0 <= (Rabs z - 1) * (Rabs z - 1)) by apply Rle_0_sqr. lra. }
    rewrite <- P, Rmult_comm. apply Rmult_le_compat_l; lra.
Qed.

Lemma tail_second_order y d : 0 <= d -> - (d * d) <= tail (y + d) + d * (phi y / total) - tail y <= d * d.
Proof.
  intros Hd. pose proof total_at_least_1 as T. pose proof (tail_part y (y + d) ltac:(lra)) as E.
  assert (B : forall x, y < x < y + d -> phi y - d <= phi x <= phi y + d).
  { intros x Hx. pose proof (phi_lipschitz x y) as L. rewrite (Rabs_pos_eq (x - y)) in L by lra. apply Rabs_le_between in L. lra. }
  assert (C : forall v, RInt (fun _ => v) y (y + d) = d * v) by (intros v; rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; ring).
  assert (U : RInt phi y (y + d) <= d * (phi y + d)) by (rewrite <- C; apply RInt_le; [lra|apply ex_phi|apply ex_RInt_const|intros x Hx; apply B, Hx]).
  assert (L : d * (phi y - d) <= RInt phi y (y + d)) by (rewrite <- C; apply RInt_le; [lra|apply ex_RInt_const|apply ex_phi|intros x Hx; apply B, Hx]).
  set (R := RInt phi y (y + d)) in *. assert (D : 0 <= d * d) by apply Rle_0_sqr.
  assert (X : tail (y + d) + d * (phi y / total) - tail y = (d * phi y - R) / total) by (unfold Rdiv in *; lra).
  rewrite X. split.
  - apply Rcomplements.Rle_div_r; [lra|]. assert (d * d * 1 <= d * d * total) by (apply Rmult_le_compat_l; lra). lra.
  - apply Rcomplements.Rle_div_l; [lra|]. assert (d * d * 1 <= d * d * total) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** The expectation of the tail of a line *)
Lemma E_tail_step a b d : 0 <= d ->
  - (d * d) <= E (fun x => tail (a + d + b * x)) + d * (E (fun x => phi (a + b * x)) / total) - E (fun x => tail (a + b * x)) <= d * d.
Proof.
  intros Hd. pose proof total_pos as T. assert (IT : 0 <= / total) by (left; apply Rinv_0_lt_compat, T).
  assert (C : 0 <= d / total) by (apply Rmult_le_pos; lra). assert (D : 0 <= d * d) by apply Rle_0_sqr.
  assert (CT := cont_tail (a + d) b). assert (CT' := cont_tail a b). assert (CP := cont_scale (d / total) _ (cont_phi a b)). assert (CC := cont_const (d * d)).
  assert (BT := bounded_tail (a + d) b). assert (BT' := bounded_tail a b). assert (BP := bounded_phi a b).
  assert (NP : forall x, 0 <= d / total * phi (a + b * x)) by (intros; apply Rmult_le_pos; [exact C|left; apply phi_pos]).
  assert (BP' : bounded (fun x => d / total * phi (a + b * x))).
  { apply (bounded_const _ (d / total)); [exact CP| |exact C]. intros x. rewrite <- (Rmult_1_r (d / total)) at 2. apply Rmult_le_compat_l; [exact C|apply phi_at_most_1]. }
  assert (BC : bounded (fun _ => d * d)) by (apply (bounded_const _ (d * d)); [exact CC|intros; lra|exact D]).
  assert (EC : E (fun _ => d * d) = d * d).
  { transitivity (E (fun _ => d * d * 1)); [apply E_ext; intros; ring|]. rewrite (E_scale (d * d) (fun _ => 1)); [rewrite E_1; ring|exact (cont_const 1)| |exact D].
    apply (bounded_const _ 1); [exact (cont_const 1)|intros; lra|lra]. }
  assert (NT : forall c x, 0 <= tail (c + b * x)) by (intros; apply tail_range).
  assert (S1 : E (fun x => tail (a + d + b * x) + d / total * phi (a + b * x)) = E (fun x => tail (a + d + b * x)) + d / total * E (fun x => phi (a + b * x))).
  { rewrite (E_plus _ _ CT CP (NT (a + d)) NP BT BP'). f_equal. apply (E_scale (d / total) _ (cont_phi a b) BP C). }
  assert (S2 : E (fun x => tail (a + b * x) + d * d) = E (fun x => tail (a + b * x)) + d * d).
  { rewrite (E_plus _ (fun _ => d * d) CT' CC (NT a) (fun _ => D) BT' BC), EC. reflexivity. }
  assert (B1 : bounded (fun x => tail (a + b * x) + d * d)) by (apply (bounded_const _ (1 + d * d)); [apply (cont_plus _ (fun _ => d * d)); assumption|intros x; pose proof (tail_range (a + b * x)); lra|lra]).
  assert (CS := cont_plus _ _ CT CP).
  assert (S3 : E (fun x => (tail (a + d + b * x) + d / total * phi (a + b * x)) + d * d) = E (fun x => tail (a + d + b * x) + d / total * phi (a + b * x)) + d * d).
  { rewrite (E_plus _ (fun _ => d * d) CS CC); [rewrite EC; reflexivity|intros x; specialize (NT (a + d) x); specialize (NP x); lra|intros; exact D| |exact BC].
    apply (bounded_const _ (1 + d / total)); [exact CS| |lra]. intros x. pose proof (tail_range (a + d + b * x)). pose proof (phi_at_most_1 (a + b * x)).
    assert (d / total * phi (a + b * x) <= d / total * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (X : forall v, d * (v / total) = d / total * v) by (intros; unfold Rdiv; ring). rewrite X.
  assert (I1 : E (fun x => tail (a + d + b * x) + d / total * phi (a + b * x)) <= E (fun x => tail (a + b * x) + d * d)).
  { apply E_le; [exact CS|apply (cont_plus _ (fun _ => d * d)); assumption|exact B1|]. intros x. pose proof (tail_second_order (a + b * x) d Hd) as Q. rewrite X in Q.
    replace (a + b * x + d) with (a + d + b * x) in Q by ring. lra. }
  assert (I2 : E (fun x => tail (a + b * x)) <= E (fun x => (tail (a + d + b * x) + d / total * phi (a + b * x)) + d * d)).
  { apply E_le; [exact CT'|apply (cont_plus _ (fun _ => d * d)); assumption| |].
    - apply (bounded_const _ (1 + d / total + d * d)); [apply (cont_plus _ (fun _ => d * d)); assumption| |lra]. intros x. pose proof (tail_range (a + d + b * x)). pose proof (phi_at_most_1 (a + b * x)).
      assert (d / total * phi (a + b * x) <= d / total * 1) by (apply Rmult_le_compat_l; lra). lra.
    - intros x. pose proof (tail_second_order (a + b * x) d Hd) as Q. rewrite X in Q. replace (a + b * x + d) with (a + d + b * x) in Q by ring. lra. }
  lra.
Qed.

Lemma E_tail_at_0 b : E (fun x => tail (0 + b * x)) = 1 / 2.
Proof.
  set (h := fun x => tail (0 + b * x)). set (k := fun x => tail (0 + - b * x)).
  assert (S : E h = E k).
  { unfold E. f_equal. apply Lub_Rbar_eqset. intros y. assert (P : forall B, part h B = part k B).
    { intros B. unfold part. f_equal. assert (C : forall x y, ex_RInt (fun x => phi x * k x) x y) by (intros; apply ex_part, cont_tail).
      pose proof (RInt_comp_lin (fun x => phi x * k x) (-1) 0 (- B) B (C _ _)) as Q. replace (-1 * - B + 0) with B in Q by ring. replace (-1 * B + 0) with (- B) in Q by ring.
      pose proof (opp_RInt_swap (fun x => phi x * k x) (- B) B (C _ _)) as W. unfold opp in W; simpl in W.
      pose proof (RInt_scal (V := R_CompleteNormedModule) (fun x => phi x * h x) (- B) B (-1) (ex_part h (- B) B (cont_tail 0 b))) as Z.
      assert (V : RInt (fun y => scal (-1) (phi (-1 * y + 0) * k (-1 * y + 0))) (- B) B = RInt (fun x => scal (-1) (phi x * h x)) (- B) B).
      { apply RInt_same. intros x. unfold scal; simpl; unfold mult; simpl. replace (-1 * x + 0) with (- x) by ring. rewrite phi_even. unfold k, h. do 3 f_equal. ring. }
      assert (Z' : RInt (fun x => scal (-1) (phi x * h x)) (- B) B = -1 * RInt (fun x => phi x * h x) (- B) B) by exact Z.
      pose proof (eq_trans (eq_sym Z') (eq_trans (eq_sym V) Q)) as Y. simpl in Y. lra. }
    split; intros [B [HB ->]]; exists B; split; auto. }
  assert (P : E (fun x => h x + k x) = E h + E k) by (apply E_plus; try apply cont_tail; try apply bounded_tail; intros; apply tail_range).
  assert (O : E (fun x => h x + k x) = 1).
  { rewrite <- E_1. apply E_ext. intros x. unfold h, k. replace (0 + - b * x) with (- (0 + b * x)) by ring. rewrite tail_opp. ring. }
  lra.
Qed.

Theorem E_tail a b : E (fun x => tail (a + b * x)) = tail (a / sqrt (1 + b * b)).
Proof.
  set (c := sqrt (1 + b * b)). assert (B0 : 0 <= b * b) by apply Rle_0_sqr.
  assert (c1 : 1 <= c) by (unfold c; rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt; lra).
  set (F := fun a => E (fun x => tail (a + b * x)) - tail (a / c)).
  assert (K : forall a d, 0 <= d -> Rabs (F (a + d) - F a) <= 2 * (d * d)).
  { intros a' d Hd. unfold F. pose proof (E_tail_step a' b d Hd) as A. rewrite E_phi in A. fold c in A.
    pose proof (tail_second_order (a' / c) (d / c) ltac:(apply Rcomplements.Rdiv_le_0_compat; lra)) as B.
    replace (a' / c + d / c) with ((a' + d) / c) in B by (field; lra). replace (d / c * (phi (a' / c) / total)) with (d * (phi (a' / c) / c / total)) in B by (pose proof total_pos; field; lra).
    assert (Q : d / c * (d / c) <= d * d).
    { assert (0 <= d / c <= d). { split; [apply Rcomplements.Rdiv_le_0_compat; lra|]. apply Rcomplements.Rle_div_l; [lra|]. rewrite <- (Rmult_1_r d) at 1. apply Rmult_le_compat_l; lra. }
      apply Rmult_le_compat; lra. }
    apply Rabs_le. lra. }
  assert (Z : F 0 = 0).
  { unfold F. rewrite E_tail_at_0. replace (0 / c) with 0 by (field; lra). rewrite tail_0. ring. }
  assert (V : F a = 0).
  { destruct (Rle_dec 0 a) as [h|h].
    - pose proof (constant F 2 K 0 a h) as E0. rewrite Rplus_0_l in E0. lra.
    - pose proof (constant F 2 K a (- a) ltac:(lra)) as E0. rewrite Rplus_opp_r in E0. lra. }
  unfold F in V. lra.
Qed.

(** ** With the likelihood ratio as a weight the line is shifted *)
Lemma cont_times h k : cont h -> cont k -> cont (fun x => h x * k x).
Proof. intros Hh Hk x. apply (continuous_mult (K := R_AbsRing)); auto. Qed.

Lemma E_ratio_tail mu a b : 0 <= mu -> E (fun x => ratio mu x * tail (a + b * x)) <= E (fun x => tail (a + b * mu + b * x)).
Proof.
  intros Hm. set (g := fun y => phi y * tail (a + b * mu + b * y)). assert (X : forall x y, ex_RInt g x y) by (intros; apply (ex_part (fun y => tail (a + b * mu + b * y))), cont_tail).
  assert (N : forall x, 0 <= g x) by (intros; apply Rmult_le_pos; [left; apply phi_pos|apply tail_range]).
  destruct (E_spec _ (bounded_tail (a + b * mu) b)) as [U _].
  assert (C : cont (fun x => ratio mu x * tail (a + b * x))) by (apply cont_times; [apply cont_ratio|apply cont_tail]).
  assert (P : forall B, 0 <= B -> part (fun x => ratio mu x * tail (a + b * x)) B <= E (fun x => tail (a + b * mu + b * x))).
  { intros B HB. eapply Rle_trans; [|apply (U (B + mu)); lra]. unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. fold g.
    assert (Q : RInt (fun x => phi x * (ratio mu x * tail (a + b * x))) (- B) B = RInt g (- (B + mu)) (B - mu)).
    { pose proof (RInt_comp_lin g 1 (- mu) (- B) B (X _ _)) as Q. replace (1 * - B + - mu) with (- (B + mu)) in Q by ring. replace (1 * B + - mu) with (B - mu) in Q by ring.
      rewrite <- Q. apply RInt_same. intros x. unfold scal; simpl; unfold mult; simpl. unfold g. replace (1 * x + - mu) with (x - mu) by ring. rewrite phi_shift.
      replace (a + b * mu + b * (x - mu)) with (a + b * x) by ring. ring. }
    rewrite Q. rewrite <- (RInt_Chasles g (- (B + mu)) (B - mu) (B + mu)) by apply X. unfold plus; simpl.
    assert (0 <= RInt g (B - mu) (B + mu)) by (apply RInt_ge_0; auto; lra). lra. }
  apply (E_spec (fun x => ratio mu x * tail (a + b * x))); [eexists; exact P|exact P].
Qed.

(** ** The profile of a Gaussian step, and the next step *)
Definition gaussian_profile (m u : R) := tail (ln u / m - m / 2) - u * tail (ln u / m + m / 2).

Lemma gaussian_profile_nonneg m u : 0 < m -> 0 < u -> 0 <= gaussian_profile m u.
Proof.
  intros Hm Hu. unfold gaussian_profile. set (t := ln u / m + m / 2). pose proof (ratio_tail m ltac:(lra) t) as R.
  replace (ratio m t) with u in R.
  2:{ unfold ratio. replace (m * t - m * m / 2) with (ln u) by (unfold t; field; lra). symmetry. apply exp_ln, Hu. }
  replace (ln u / m - m / 2) with (t - m) by (unfold t; field; lra). lra.
Qed.

Lemma profile_line mu m u x : 0 < m -> 0 < u -> ratio mu x * gaussian_profile m (u / ratio mu x) =
  ratio mu x * tail ((ln u + mu * mu / 2) / m - m / 2 + - mu / m * x) - u * tail ((ln u + mu * mu / 2) / m - m / 2 + m + - mu / m * x).
Proof.
  intros Hm Hu. unfold gaussian_profile. pose proof (ratio_pos mu x) as R0.
  assert (LN : ln (u / ratio mu x) = ln u - (mu * x - mu * mu / 2)).
  { unfold Rdiv. rewrite ln_mult by (auto; apply Rinv_0_lt_compat, R0). rewrite ln_Rinv by exact R0. unfold ratio. rewrite ln_exp. unfold Rdiv. ring. }
  rewrite LN.
  replace ((ln u - (mu * x - mu * mu / 2)) / m - m / 2) with ((ln u + mu * mu / 2) / m - m / 2 + - mu / m * x) by (field; lra).
  replace ((ln u - (mu * x - mu * mu / 2)) / m + m / 2) with ((ln u + mu * mu / 2) / m - m / 2 + m + - mu / m * x) by (field; lra). field. lra.
Qed.

Lemma profile_cont mu m u : 0 < m -> 0 < u -> cont (fun x => ratio mu x * gaussian_profile m (u / ratio mu x)).
Proof.
  intros Hm Hu x. set (b := - mu / m). set (a := (ln u + mu * mu / 2) / m - m / 2).
  apply (continuous_ext (fun x => ratio mu x * tail (a + b * x) - u * tail (a + m + b * x))).
  - intros y. symmetry. apply profile_line; assumption.
  - apply (continuous_minus (V := R_NormedModule)); [apply (cont_times _ _ (cont_ratio mu) (cont_tail a b))|apply (cont_scale u _ (cont_tail (a + m) b))].
Qed.

Lemma profile_bounded mu m u : 0 <= mu -> 0 < m -> 0 < u -> bounded (fun x => ratio mu x * gaussian_profile m (u / ratio mu x)).
Proof.
  intros Hmu Hm Hu. apply (bounded_by_w (ratio mu) (cont_ratio mu) (ratio_mean mu) _ 1); [apply profile_cont; assumption|lra|].
  intros x. rewrite profile_line by assumption. pose proof (ratio_pos mu x) as R0.
  pose proof (tail_range ((ln u + mu * mu / 2) / m - m / 2 + - mu / m * x)) as A. pose proof (tail_range ((ln u + mu * mu / 2) / m - m / 2 + m + - mu / m * x)) as B.
  set (s := tail _) in A. set (t := tail _) in B. assert (ratio mu x * s <= ratio mu x * 1) by (apply Rmult_le_compat_l; lra). assert (0 <= u * t) by (apply Rmult_le_pos; lra). unfold s, t in *. lra.
Qed.

Lemma next_profile mu m m' u : 0 < mu -> 0 < m -> 0 < m' -> m' * m' = m * m + mu * mu -> 0 < u ->
  E (fun x => ratio mu x * gaussian_profile m (u / ratio mu x)) <= gaussian_profile m' u.
Proof.
  intros Hmu Hm Hm' Sq Hu. set (b := - mu / m). set (a := (ln u + mu * mu / 2) / m - m / 2).
  assert (R0 : forall x, 0 < ratio mu x) by (intros; apply ratio_pos).
  assert (L : forall x, ratio mu x * gaussian_profile m (u / ratio mu x) = ratio mu x * tail (a + b * x) - u * tail (a + m + b * x)).
  { intros x. apply profile_line; assumption. }
  set (h := fun x => ratio mu x * tail (a + b * x) - u * tail (a + m + b * x)). rewrite (E_ext _ h L).
  set (k := fun x => u * tail (a + m + b * x)).
  assert (Hh : forall x, 0 <= h x) by (intros x; unfold h; rewrite <- L; apply Rmult_le_pos; [left; apply R0|apply gaussian_profile_nonneg; [exact Hm|apply Rdiv_lt_0_compat; auto]]).
  assert (CR : cont (fun x => ratio mu x * tail (a + b * x))) by (apply cont_times; [apply cont_ratio|apply cont_tail]).
  assert (Ck : cont k) by (apply cont_scale, cont_tail).
  assert (Ch : cont h).
  { intros x. apply (continuous_minus (V := R_NormedModule)); [apply CR|apply Ck]. }
  assert (Bh : bounded h).
  { apply (bounded_by_w (ratio mu) (cont_ratio mu) (ratio_mean mu) h 1 Ch ltac:(lra)). intros x. unfold h. specialize (R0 x). pose proof (tail_range (a + b * x)). pose proof (tail_range (a + m + b * x)).
    assert (ratio mu x * tail (a + b * x) <= ratio mu x * 1) by (apply Rmult_le_compat_l; lra). assert (0 <= u * tail (a + m + b * x)) by (apply Rmult_le_pos; lra). lra. }
  assert (Bk : bounded k).
  { apply (bounded_const _ u); [exact Ck| |lra]. intros x. unfold k. pose proof (tail_range (a + m + b * x)). rewrite <- (Rmult_1_r u) at 2. apply Rmult_le_compat_l; lra. }
  assert (Hk : forall x, 0 <= k x) by (intros x; unfold k; pose proof (tail_range (a + m + b * x)); apply Rmult_le_pos; lra).
  pose proof (E_plus h k Ch Ck Hh Hk Bh Bk) as S. rewrite (E_ext _ (fun x => ratio mu x * tail (a + b * x))) in S by (intros; unfold h, k; ring).
  unfold k in S. rewrite (E_scale u _ (cont_tail (a + m) b) (bounded_tail (a + m) b) ltac:(lra)), E_tail in S.
  pose proof (E_ratio_tail mu a b ltac:(lra)) as T. rewrite E_tail in T.
  assert (c : sqrt (1 + b * b) = m' / m).
  { apply sqrt_lem_1.
    - pose proof (Rle_0_sqr b). unfold Rsqr in *. lra.
    - apply Rcomplements.Rdiv_le_0_compat; lra.
    - unfold b. replace (m' / m * (m' / m)) with (m' * m' / (m * m)) by (field; lra). rewrite Sq. field. lra. }
  rewrite c in S, T. unfold gaussian_profile.
  assert (A1 : (a + b * mu) / (m' / m) = ln u / m' - m' / 2).
  { apply Rmult_eq_reg_r with (2 * m'); [|lra]. replace ((ln u / m' - m' / 2) * (2 * m')) with (2 * ln u - m' * m') by (field; lra). rewrite Sq. unfold a, b. field. lra. }
  assert (A2 : (a + m) / (m' / m) = ln u / m' + m' / 2).
  { apply Rmult_eq_reg_r with (2 * m'); [|lra]. replace ((ln u / m' + m' / 2) * (2 * m')) with (2 * ln u + m' * m') by (field; lra). rewrite Sq. unfold a. field. lra. }
  rewrite A1 in T. rewrite A2 in S. lra.
Qed.

Lemma first_profile mu u : 0 < mu -> 0 < u -> composed (ratio mu) 1 u <= gaussian_profile mu u.
Proof.
  intros Hmu Hu. unfold composed; simpl. set (t := ln u / mu + mu / 2).
  assert (R : ratio mu t = u) by (unfold ratio; replace (mu * t - mu * mu / 2) with (ln u) by (unfold t; field; lra); apply exp_ln, Hu).
  assert (W : forall x, weight 1 mu x = ratio mu x) by (intros; unfold weight; ring).
  pose proof (step_at 1 mu ltac:(lra) ltac:(lra) t t u ltac:(lra) ltac:(lra) ltac:(rewrite W; lra) ltac:(rewrite W; lra)) as S.
  unfold step, one in S. rewrite (E_ext _ (fun x => pos (1 * ratio mu x - u))) in S by (intros; rewrite W, Rmult_1_l; reflexivity).
  unfold gaussian_profile. replace (ln u / mu - mu / 2) with (t - mu) by (unfold t; field; lra). fold t. lra.
Qed.

Theorem gaussian_steps mu n u : 0 < mu -> (1 <= n)%nat -> 0 < u -> composed (ratio mu) n u <= gaussian_profile (sqrt (INR n) * mu) u.
Proof.
  intros Hmu Hn. revert u. induction n as [|n IH]; [lia|]. intros u Hu. destruct n as [|n].
  - simpl INR. rewrite sqrt_1, Rmult_1_l. apply first_profile; assumption.
  - assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia). assert (N' : 0 < INR (S (S n))) by (apply lt_0_INR; lia).
    set (m := sqrt (INR (S n)) * mu) in *. set (m' := sqrt (INR (S (S n))) * mu).
    assert (Hm : 0 < m) by (apply Rmult_lt_0_compat; [apply sqrt_lt_R0, N|exact Hmu]). assert (Hm' : 0 < m') by (apply Rmult_lt_0_compat; [apply sqrt_lt_R0, N'|exact Hmu]).
    assert (Sq : m' * m' = m * m + mu * mu).
    { unfold m, m'. replace (sqrt (INR (S (S n))) * mu * (sqrt (INR (S (S n))) * mu)) with (sqrt (INR (S (S n))) * sqrt (INR (S (S n))) * (mu * mu)) by ring.
      replace (sqrt (INR (S n)) * mu * (sqrt (INR (S n)) * mu)) with (sqrt (INR (S n)) * sqrt (INR (S n)) * (mu * mu)) by ring.
      rewrite !sqrt_sqrt by lra. rewrite (S_INR (S n)). ring. }
    eapply Rle_trans; [|apply (next_profile mu m m' u); assumption]. unfold composed at 1. cbn [after].
    assert (RP := ratio_pos mu). assert (RC := cont_ratio mu). assert (RM := ratio_mean mu).
    assert (L : forall x, after (ratio mu) (S n) (1 * ratio mu x) u <= ratio mu x * gaussian_profile m (u / ratio mu x)).
    { intros x. rewrite Rmult_1_l, (after_scale (ratio mu) RP RC RM) by (auto; lra). apply Rmult_le_compat_l; [left; apply RP|]. apply IH; [lia|]. apply Rdiv_lt_0_compat; auto. }
    apply E_le; [apply (good_cont (ratio mu) RP RC _ 1 (good_after (ratio mu) RP RC RM (S n) u ltac:(lra))); lra|apply profile_cont; assumption|apply profile_bounded; lra|exact L].
Qed.

(** ** The upper half of the strict mu: G_(sqrt n mu) is below every curve that is at least as private as n subsampled steps. *)
Theorem strict_mu_at_most f q mu n : tradeoff f -> 0 < q <= 1 -> 0 < mu -> (1 <= n)%nat ->
  (forall eps, delta f eps <= steps q mu n (exp eps)) -> forall a, 0 <= a <= 1 -> G (sqrt (INR n) * mu) a <= f a.
Proof.
  intros Hf Hq Hmu Hn D a Ha. set (m := sqrt (INR n) * mu). assert (Hm : 0 < m).
  { apply Rmult_lt_0_compat; [apply sqrt_lt_R0, lt_0_INR; lia|exact Hmu]. }
  unfold G. rewrite ext_in by exact Ha. apply (best_line_spec m a ltac:(lra) Ha); [apply to_range, Hf|]. intros t.
  set (eps := m * t - m * m / 2). pose proof (proj1 (delta_iff_lines f eps (delta f eps) Hf) ltac:(lra) a Ha) as L. specialize (D eps).
  pose proof (sampling_lowers_composed mu ltac:(lra) q n (exp eps) Hq (Rlt_le _ _ (exp_pos eps))) as S.
  pose proof (gaussian_steps mu n (exp eps) Hmu Hn (exp_pos eps)) as T. fold m in T. unfold gaussian_profile in T. rewrite ln_exp in T.
  replace (eps / m - m / 2) with (t - m) in T by (unfold eps; field; lra). replace (eps / m + m / 2) with t in T by (unfold eps; field; lra).
  unfold line, ratio. fold eps. lra.
Qed.
