(** * The strict mu of n steps is at least sqrt n times the largest shift

P has no shift above 0, Q has weight w > 0 at the shift s > 0. If every test of n draws obeys G_mu then mu >= sqrt n s: the tests that reject if all n draws are large enough, made
continuous by a ramp from c to c + eta. So for mixtures against N(0), such as a record or a group removed under Poisson sampling, the strict mu is sqrt n times the largest shift, exactly;
for a replaced record it is between sqrt n r and 2 sqrt n r. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses Tradeoff Divergence Extremes GaussianTail NormalLaw StrictGdp GaussianCurve Expectation GaussianSum Threshold ShiftedNormals ReplaceOne NormalSteps ComposedPairs.
Import ListNotations.
Open Scope R_scope.

(** ** A continuous test between two thresholds *)
Section Between.
Variables (l : shifts) (A : R -> R).
Hypothesis W : weights_ok l.
Hypothesis CA : cont A.
Hypothesis A01 : forall x, 0 <= A x <= 1.
Notation d := (fun x => density l x * A x).

Lemma chance_at_least c : (forall x, c <= x -> A x = 1) -> above l c <= E d.
Proof.
  intros H. destruct (density_test l A W CA A01) as [C B]. apply le_epsilon. intros e He. destruct (above_small tail normal_noise l e W He) as [t Ht].
  set (b := Rmax (Rabs c) t). assert (B1 : Rabs c <= b) by apply Rmax_l. specialize (Ht b (Rmax_r (Rabs c) t)). pose proof (Rabs_pos c). apply Rabs_le_between in B1.
  pose proof (proj1 (E_spec d B) b ltac:(lra)) as U. set (g := fun x => phi x * d x). assert (X : forall a b, ex_RInt g a b) by (intros; apply ex_part, C).
  assert (K : RInt (fun x => phi x * density l x) c b / total <= part d b); [|rewrite density_between in K by lra; lra].
  unfold part. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. change (RInt (fun x => phi x * density l x) c b <= RInt g (- b) b).
  rewrite <- (RInt_Chasles g (- b) c b) by apply X. unfold plus; simpl.
  assert (0 <= RInt g (- b) c). { apply RInt_ge_0; [lra|apply X|]. intros x _. pose proof (A01 x). apply Rmult_le_pos; [left; apply phi_pos|apply Rmult_le_pos; [apply density_nonneg, W|lra]]. }
  assert (RInt (fun x => phi x * density l x) c b <= RInt g c b); [|lra]. apply RInt_le; [lra|apply ex_part, density_cont|apply X|].
  intros x Hx. unfold g. rewrite H by lra. lra.
Qed.

Lemma chance_at_most c : (forall x, x <= c -> A x = 0) -> E d <= above l c.
Proof.
  intros H. destruct (density_test l A W CA A01) as [C B]. apply (E_spec d B). intros b Hb. set (g := fun x => phi x * d x). assert (X : forall a b, ex_RInt g a b) by (intros; apply ex_part, C).
  pose proof (above_range tail normal_noise l c W) as R0.
  assert (Z : forall a a', a <= a' -> a' <= c -> RInt g a a' = 0).
  { intros a a' Ha Hc. rewrite (RInt_ext g (fun _ => 0)); [rewrite RInt_const; apply Rmult_0_r|]. intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. unfold g. rewrite H, !Rmult_0_r by lra. reflexivity. }
  assert (Up : forall a, c <= a -> a <= b -> RInt g a b / total <= above l c).
  { intros a Ha Hab. apply Rle_trans with (RInt (fun x => phi x * density l x) a b / total).
    - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, total_pos|]. apply RInt_le; [exact Hab|apply X|apply ex_part, density_cont|].
      intros x _. unfold g. apply Rmult_le_compat_l; [left; apply phi_pos|]. pose proof (A01 x). rewrite <- (Rmult_1_r (density l x)) at 2. apply Rmult_le_compat_l; [apply density_nonneg, W|lra].
    - rewrite density_between by exact Hab. pose proof (above_range tail normal_noise l b W). assert (above l a <= above l c); [|lra].
      clear - W Ha. induction W as [|s l Hs W' IH]; simpl; [lra|]. pose proof (tail_falls_weakly (c - snd s) (a - snd s) ltac:(lra)).
      assert (fst s * tail (a - snd s) <= fst s * tail (c - snd s)) by (apply Rmult_le_compat_l; lra). specialize (IH W'). lra. }
  unfold part. change (RInt g (- b) b / total <= above l c). destruct (Rle_dec c (- b)) as [h|h]; [apply Up; lra|]. destruct (Rle_dec b c) as [k|k].
  - rewrite Z by lra. unfold Rdiv. lra.
  - rewrite <- (RInt_Chasles g (- b) c b) by apply X. unfold plus; simpl. rewrite Z, Rplus_0_l by lra. apply Up; lra.
Qed.
End Between.

Section Ramp.
Variables c eta : R.
Hypothesis He : 0 < eta.
Definition ramp (x : R) := pos (1 - pos (1 - (x - c) / eta)).
Lemma ramp_cont : cont ramp.
Proof.
  apply (cont_pos (fun x => 1 - pos (1 - (x - c) / eta))). intros x. apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|].
  apply (cont_pos (fun x => 1 - (x - c) / eta)). intros y. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. lra.
Qed.
Lemma ramp_range x : 0 <= ramp x <= 1.
Proof. unfold ramp, pos. pose proof (Rmax_l 0 (1 - (x - c) / eta)). split; [apply Rmax_l|apply Rmax_lub; lra]. Qed.
Lemma ramp_low x : x <= c -> ramp x = 0.
Proof.
  intros H. assert (K : (x - c) / eta <= 0) by (apply Rcomplements.Rle_div_l; lra). unfold ramp, pos. rewrite (Rmax_right 0 (1 - (x - c) / eta)) by lra. apply Rmax_left. lra.
Qed.
Lemma ramp_high x : c + eta <= x -> ramp x = 1.
Proof.
  intros H. assert (K : 1 <= (x - c) / eta) by (apply Rcomplements.Rle_div_r; lra). unfold ramp, pos. rewrite (Rmax_left 0 (1 - (x - c) / eta)) by lra. rewrite Rmax_right; lra.
Qed.

(** all draws are large *)
Fixpoint all_large (past : list R) : R := match past with [] => 1 | x :: past => ramp x * all_large past end.
Lemma all_large_range past : 0 <= all_large past <= 1.
Proof.
  induction past as [|x l IH]; simpl; [lra|]. pose proof (ramp_range x). split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.
Lemma all_large_value l : weights_ok l -> value_cont all_large (fun _ _ => l) /\
  forall n past, value all_large (fun _ _ => l) n past = E (fun x => density l x * ramp x) ^ n * all_large past.
Proof.
  intros W. destruct (density_test l ramp W ramp_cont ramp_range) as [C B]. set (k := E (fun x => density l x * ramp x)).
  assert (K : 0 <= k). { eapply Rle_trans; [apply (above_range tail normal_noise l (c + eta) W)|]. apply chance_at_least; [exact W|exact ramp_cont|exact ramp_range|]. intros x. apply ramp_high. }
  assert (V : forall n past, value all_large (fun _ _ => l) n past = k ^ n * all_large past).
  { induction n as [|n IH]; intros past; simpl; [ring|]. rewrite (E_ext _ (fun x => (k ^ n * all_large past) * (density l x * ramp x))) by (intros x; rewrite IH; simpl; ring).
    rewrite (E_scale (k ^ n * all_large past) _ C B) by (apply Rmult_le_pos; [apply pow_le, K|apply all_large_range]). fold k. ring. }
  split; [|exact V]. intros n past x. apply (continuous_ext (fun x => (k ^ n * all_large past) * ramp x)); [intros y; rewrite V; simpl; ring|]. apply (cont_scale _ _ ramp_cont).
Qed.
End Ramp.

(** ** Every test of n draws obeys G_mu *)
Definition obeyed (mu : R) (n : nat) (ps qs : shifts) := forall h, (forall l, 0 <= h l <= 1) -> value_cont h (fun _ _ => ps) -> value_cont h (fun _ _ => qs) ->
  G mu (value h (fun _ _ => ps) n []) <= 1 - value h (fun _ _ => qs) n [].

Theorem steps_mu_at_least ps qs w s n mu : proper ps -> weights_ok qs -> List.Forall (fun a => snd a <= 0) ps -> In (w, s) qs -> 0 < w -> 0 < s -> (1 <= n)%nat -> 0 <= mu ->
  obeyed mu n ps qs -> sqrt (INR n) * s <= mu.
Proof.
  intros [Wp Tp] Wq N I Hw Hs Hn Hm O. pose proof (tradeoff_G mu Hm) as T. assert (SN : 1 <= sqrt (INR n)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt, (le_INR 1), Hn).
  (* eta below the shift, as small as one likes *)
  assert (K : forall eta, 0 < eta -> eta < s -> sqrt (INR n) * (s - eta) <= mu).
  { intros eta He Hes. replace (sqrt (INR n) * (s - eta)) with (sqrt (INR n) / / (s - eta)) by (field; lra).
    apply (strict_gdp_product (G mu) w (/ (s - eta)) n); auto; [apply Rinv_0_lt_compat; lra|intros x y; apply to_mono, T| |intros t; rewrite G_tail by exact Hm; lra].
    intros c. rewrite Rinv_inv. set (h := all_large c eta). destruct (all_large_value c eta He ps Wp) as [Cp Vp]. destruct (all_large_value c eta He qs Wq) as [Cq Vq].
    specialize (O h (all_large_range c eta) Cp Cq). unfold h in O. rewrite Vp, Vq in O. simpl in O. rewrite !Rmult_1_r in O.
    set (kp := E (fun x => density ps x * ramp c eta x)) in *. set (kq := E (fun x => density qs x * ramp c eta x)) in *.
    assert (P0 : 0 <= kp). { eapply Rle_trans; [apply (above_range tail normal_noise ps (c + eta) Wp)|]. apply chance_at_least; [exact Wp|apply ramp_cont|apply ramp_range|intros x; apply ramp_high, He]. }
    assert (P1 : kp <= tail c).
    { eapply Rle_trans; [apply (chance_at_most ps (ramp c eta) Wp (ramp_cont c eta) (ramp_range c eta) c); intros x; apply ramp_low, He|].
      assert (D : above ps c <= total_weight ps * tail c); [|rewrite Tp in D; lra]. clear - Wp N. induction Wp as [|a l Ha W IH]; simpl; [lra|]. inversion N; subst.
      pose proof (tail_falls_weakly c (c - snd a) ltac:(lra)). assert (fst a * tail (c - snd a) <= fst a * tail c) by (apply Rmult_le_compat_l; lra). specialize (IH ltac:(assumption)). lra. }
    assert (Q1 : w * tail (c - (s - eta)) <= kq).
    { apply Rle_trans with (above qs (c + eta)); [|apply chance_at_least; [exact Wq|apply ramp_cont|apply ramp_range|intros x; apply ramp_high, He]].
      replace (c - (s - eta)) with (c + eta - s) by ring. clear - Wq I. induction Wq as [|a l Ha W IH]; [destruct I|]. simpl.
      pose proof (above_range tail normal_noise l (c + eta) W) as R0. destruct I as [->|I]; [simpl; lra|].
      specialize (IH I). pose proof (tail_range (c + eta - snd a)). assert (0 <= fst a * tail (c + eta - snd a)) by (apply Rmult_le_pos; lra). lra. }
    assert (A : kp ^ n <= tail c ^ n) by (apply pow_incr; lra). pose proof (tail_range (c - (s - eta))).
    assert (B : (w * tail (c - (s - eta))) ^ n <= kq ^ n) by (apply pow_incr; split; [apply Rmult_le_pos; lra|exact Q1]).
    pose proof (to_mono _ T _ _ A). lra. }
  apply le_epsilon. intros e He. set (eta := Rmin (s / 2) (e / sqrt (INR n))). assert (E0 : 0 < eta) by (apply Rmin_pos; [lra|apply Rdiv_lt_0_compat; lra]).
  pose proof (Rmin_l (s / 2) (e / sqrt (INR n))). pose proof (Rmin_r (s / 2) (e / sqrt (INR n))) as E2. fold eta in E2. specialize (K eta E0 ltac:(unfold eta; lra)).
  apply Rmult_le_compat_l with (r := sqrt (INR n)) in E2; [|lra]. replace (sqrt (INR n) * (e / sqrt (INR n))) with e in E2 by (field; lra). lra.
Qed.

(** ** Either order: the tests turned round, and G_mu is its own inverse *)
Lemma value_not h l n past : (forall l, 0 <= h l <= 1) -> proper l -> value_cont h (fun _ _ => l) ->
  value (fun x => 1 - h x) (fun _ _ => l) n past = 1 - value h (fun _ _ => l) n past.
Proof.
  intros Hh P C. pose proof (value_range h _ Hh (fun _ _ => P) C) as R. revert past. induction n as [|n IH]; intros past; simpl; [reflexivity|].
  rewrite (E_ext _ (fun x => density l x * (1 - value h (fun _ _ => l) n (x :: past)))) by (intros x; rewrite IH; reflexivity).
  set (k := {| rejects := fun x => value h (fun _ _ => l) n (x :: past); rejects_cont := C n past; rejects_range := fun x => R n (x :: past) |}).
  destruct P as [W T]. change (E (fun x => density l x * rejects (accepts k) x) = 1 - E (fun x => density l x * rejects k x)).
  rewrite !E_density by (auto; try apply rejects_cont; apply rejects_range). rewrite <- T. clearbody k. clear - k. induction l as [|a l IH]; simpl; [ring|].
  change (fst a * chance (snd a) (accepts k) + weighted l (fun s => chance s (accepts k)) = fst a + total_weight l - (fst a * chance (snd a) k + weighted l (fun s => chance s k))).
  rewrite chance_accepts. change (weighted l (fun s => chance s (accepts k)) = total_weight l - weighted l (fun s => chance s k)) in IH. rewrite IH. ring.
Qed.

Lemma G_inverse mu a c : 0 <= mu -> 0 <= a <= 1 -> 0 <= c <= 1 -> G mu c <= a -> G mu a <= c.
Proof.
  intros Hm Ha Hc H. pose proof (tradeoff_G mu Hm) as T. destruct (Req_dec c 0) as [->|Z]; [|destruct (Req_dec c 1) as [->|O]].
  - rewrite G_0 in H by exact Hm. replace a with 1 by lra. rewrite G_1 by exact Hm. lra.
  - pose proof (to_range _ T a). lra.
  - destruct (tail_onto c ltac:(lra)) as [t <-]. rewrite G_tail in H by exact Hm. pose proof (tail_opp (mu - t)) as E0. replace (- (mu - t)) with (t - mu) in E0 by ring.
    pose proof (to_mono _ T (tail (mu - t)) a ltac:(lra)) as M. rewrite G_tail in M by exact Hm. replace (mu - t - mu) with (- t) in M by ring. rewrite tail_opp in M. lra.
Qed.

Theorem obeyed_either_order mu n ps qs : proper ps -> proper qs -> 0 <= mu -> obeyed mu n ps qs -> obeyed mu n qs ps.
Proof.
  intros Pp Pq Hm O h Hh Cq Cp. pose proof (value_range h _ Hh (fun _ _ => Pp) Cp n []) as Rp. pose proof (value_range h _ Hh (fun _ _ => Pq) Cq n []) as Rq.
  assert (N : forall l, proper l -> value_cont h (fun _ _ => l) -> value_cont (fun x => 1 - h x) (fun _ _ => l)).
  { intros l P C k past x. apply (continuous_ext (fun x => 1 - value h (fun _ _ => l) k (x :: past))); [intros y; symmetry; apply value_not; assumption|].
    apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|apply C]. }
  specialize (O (fun x => 1 - h x) ltac:(intros x; specialize (Hh x); lra) (N ps Pp Cp) (N qs Pq Cq)). rewrite !value_not in O by assumption.
  apply G_inverse; lra.
Qed.

(** ** Exactly sqrt n M for mixtures against N(0), whatever the weights *)
Theorem mixture_strict_mu l w M n mu : proper l -> List.Forall (fun a => Rabs (snd a) <= M) l -> In (w, M) l -> 0 < w -> 0 < M -> (1 <= n)%nat -> 0 <= mu ->
  (obeyed mu n (unshifted l) l <-> sqrt (INR n) * M <= mu).
Proof.
  intros P B I Hw HM Hn Hmu. assert (Pu : proper (unshifted l)).
  { destruct P as [W T]. split; [clear - W; unfold unshifted; induction W; constructor; auto|]. rewrite <- T. clear. unfold unshifted. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. }
  split.
  - apply (steps_mu_at_least (unshifted l) l w M n mu); auto; [apply P|]. clear. unfold unshifted. induction l as [|a l IH]; constructor; [simpl; lra|exact IH].
  - intros H h Hh Cu Cl. pose proof (value_range h _ Hh (fun _ _ => Pu) Cu n []) as R.
    eapply Rle_trans; [apply (G_falls (sqrt (INR n) * M) mu); [apply Rmult_le_pos; [apply sqrt_pos|lra]|exact H|exact R]|]. apply mixture_steps; auto; lra.
Qed.

(** a record replaced: from the tails sqrt n r, from no sampling 2 sqrt n r *)
Theorem replace_strict_mu q r n mu : 0 < q <= 1 -> 0 < r -> (1 <= n)%nat -> 0 <= mu ->
  (obeyed mu n (without q r) (with_record q r) -> sqrt (INR n) * r <= mu) /\ (2 * (sqrt (INR n) * r) <= mu -> obeyed mu n (without q r) (with_record q r)).
Proof.
  intros Hq Hr Hn Hmu. assert (Pp : proper (without q r)) by (split; [apply (weights_without q r Hq)|simpl; ring]). split.
  - apply (steps_mu_at_least (without q r) (with_record q r) q r n mu); auto; [apply (weights_with q r Hq)| |right; left; reflexivity|lra].
    repeat (apply List.Forall_cons; [simpl; lra|]). apply List.Forall_nil.
  - intros H h Hh Cp Cq. pose proof (value_range h _ Hh (fun _ _ => Pp) Cp n []) as R.
    eapply Rle_trans; [apply (G_falls (sqrt (INR n) * (2 * r)) mu); [apply Rmult_le_pos; [apply sqrt_pos|lra]|lra|exact R]|]. apply replace_steps; auto.
Qed.
