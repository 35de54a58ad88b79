(** * The path lemma

Laws M t along a path, t in [0, E], that change slowly: the chance g of each test has |g'| <= min (g, 1 - g). This is "e-DP at every scale along a line of real query values", with E
the distance times e. Then no test tells M E from M 0 better than it tells Laplace noise from Laplace noise shifted by E. If |g'| <= g (1 - g), as for the exponential mechanism, the
same holds with logistic noise, which is less. In the terms of Threshold.v: M E is at most (least) the base M 0 shifted by E (-E). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Threshold.
Import ListNotations.
Open Scope R_scope.

Definition laplace_tail (t : R) := if Rle_dec 0 t then exp (- t) / 2 else 1 - exp t / 2.
Definition logistic_tail (t : R) := / (1 + exp t).

Lemma exp_weakly x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|lra]. Qed.
Lemma exp_at_most_1 x : x <= 0 -> exp x <= 1.
Proof. intros H. rewrite <- exp_0. apply exp_weakly, H. Qed.

Lemma laplace_tail_opp t : laplace_tail (- t) = 1 - laplace_tail t.
Proof.
  unfold laplace_tail. destruct (Rle_dec 0 t), (Rle_dec 0 (- t)); try lra.
  - replace t with 0 by lra. rewrite !Ropp_0, exp_0. lra.
  - rewrite Ropp_involutive. lra.
Qed.
Lemma laplace_tail_right t : 0 <= t -> laplace_tail t = exp (- t) / 2.
Proof. intros H. unfold laplace_tail. destruct (Rle_dec 0 t); lra. Qed.
Lemma laplace_tail_left t : t <= 0 -> laplace_tail t = 1 - exp t / 2.
Proof. intros H. replace t with (- - t) at 1 by ring. rewrite laplace_tail_opp, laplace_tail_right, Ropp_involutive by lra. reflexivity. Qed.

Lemma logistic_tail_opp t : logistic_tail (- t) = 1 - logistic_tail t.
Proof. unfold logistic_tail. rewrite exp_Ropp. pose proof (exp_pos t). field. lra. Qed.
Lemma logistic_tail_upper t : logistic_tail t < exp (- t).
Proof. unfold logistic_tail. rewrite exp_Ropp. pose proof (exp_pos t). apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra]. Qed.

Theorem laplace_noise : noise laplace_tail.
Proof.
  assert (S : forall e, 0 < e -> exists t, forall s, t <= s -> laplace_tail s < e).
  { intros e He. exists (Rmax 0 (- ln e)). intros s Hs. pose proof (Rmax_l 0 (- ln e)). pose proof (Rmax_r 0 (- ln e)).
    rewrite laplace_tail_right by lra. pose proof (exp_weakly (- s) (ln e) ltac:(lra)) as K. rewrite exp_ln in K by exact He. lra. }
  constructor; [| |exact S| |].
  - intros x y H. destruct (Rle_dec 0 x) as [h|h].
    + rewrite !laplace_tail_right by lra. pose proof (exp_increasing (- y) (- x) ltac:(lra)). lra.
    + rewrite (laplace_tail_left x) by lra. pose proof (exp_increasing x 0 ltac:(lra)) as A. rewrite exp_0 in A. destruct (Rle_dec 0 y) as [k|k].
      * rewrite laplace_tail_right by lra. pose proof (exp_at_most_1 (- y) ltac:(lra)). lra.
      * rewrite laplace_tail_left by lra. pose proof (exp_increasing x y H). lra.
  - intros x. destruct (Rle_dec 0 x) as [h|h].
    + rewrite laplace_tail_right by lra. pose proof (exp_pos (- x)). pose proof (exp_at_most_1 (- x) ltac:(lra)). lra.
    + rewrite laplace_tail_left by lra. pose proof (exp_pos x). pose proof (exp_at_most_1 x ltac:(lra)). lra.
  - intros e He. destruct (S e He) as [t Ht]. exists (- t). intros s Hs. specialize (Ht (- s) ltac:(lra)). rewrite laplace_tail_opp in Ht. lra.
  - intros a Ha. destruct (Rle_dec a (1 / 2)) as [h|h].
    + exists (- ln (2 * a)). assert (L : ln (2 * a) <= 0) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
      rewrite laplace_tail_right, Ropp_involutive, exp_ln by lra. lra.
    + exists (ln (2 * (1 - a))). assert (L : ln (2 * (1 - a)) <= 0) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
      rewrite laplace_tail_left, exp_ln by lra. lra.
Qed.

Theorem logistic_noise : noise logistic_tail.
Proof.
  assert (S : forall e, 0 < e -> exists t, forall s, t <= s -> logistic_tail s < e).
  { intros e He. exists (- ln e). intros s Hs. pose proof (logistic_tail_upper s). pose proof (exp_weakly (- s) (ln e) ltac:(lra)) as K. rewrite exp_ln in K by exact He. lra. }
  constructor; [| |exact S| |].
  - intros x y H. unfold logistic_tail. pose proof (exp_pos x). pose proof (exp_increasing x y H). apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra].
  - intros x. unfold logistic_tail. pose proof (exp_pos x). split; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - intros e He. destruct (S e He) as [t Ht]. exists (- t). intros s Hs. specialize (Ht (- s) ltac:(lra)). rewrite logistic_tail_opp in Ht. lra.
  - intros a Ha. exists (ln ((1 - a) / a)). unfold logistic_tail. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(** ** One test along the path *)
Section Path.
Variables (g g' : R -> R) (a b : R).
Hypothesis Hab : a <= b.
Hypothesis Hg : forall t, a <= t <= b -> is_derive g t (g' t).

Lemma falling (h h' : R -> R) : (forall t, a <= t <= b -> is_derive h t (h' t)) -> (forall t, a <= t <= b -> h' t <= 0) -> h b <= h a.
Proof.
  intros D N. destruct (MVT_gen h a b h') as [c [Hc E]]; rewrite ?Rmin_left, ?Rmax_right in * by exact Hab.
  - intros x Hx. apply D. lra.
  - intros x Hx. apply continuity_pt_filterlim. apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply D, Hx.
  - specialize (N c Hc). assert (0 <= (- h' c) * (b - a)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** g grows by a factor e^t at most *)
Lemma grows_at_most : (forall t, a <= t <= b -> g' t <= g t) -> g b <= exp (b - a) * g a.
Proof.
  intros H. pose proof (falling (fun t => exp (- t) * g t) (fun t => exp (- t) * (g' t - g t))) as F. simpl in F.
  assert (K : exp (- b) * g b <= exp (- a) * g a).
  { apply F; intros t Ht.
    - specialize (Hg t Ht). replace (exp (- t) * (g' t - g t)) with (- exp (- t) * g t + exp (- t) * g' t) by ring.
      apply (is_derive_mult (fun t => exp (- t)) g); [auto_derive; [exact I|ring]|exact Hg|intros; apply Rmult_comm].
    - specialize (H t Ht). pose proof (exp_pos (- t)). assert (0 <= exp (- t) * (g t - g' t)) by (apply Rmult_le_pos; lra). lra. }
  apply Rmult_le_compat_l with (r := exp b) in K; [|left; apply exp_pos]. rewrite <- !Rmult_assoc, <- !exp_plus in K.
  replace (b + - b) with 0 in K by ring. rewrite exp_0, Rmult_1_l in K. exact K.
Qed.

(** and falls by no more *)
Lemma falls_at_most : (forall t, a <= t <= b -> - g' t <= g t) -> exp (a - b) * g a <= g b.
Proof.
  intros H. pose proof (falling (fun t => - (exp t * g t)) (fun t => - (exp t * (g' t + g t)))) as F. simpl in F.
  assert (K : - (exp b * g b) <= - (exp a * g a)).
  { apply F; intros t Ht.
    - specialize (Hg t Ht). apply (is_derive_opp (V := R_NormedModule) (fun t => exp t * g t)). replace (exp t * (g' t + g t)) with (exp t * g t + exp t * g' t) by ring.
      apply (is_derive_mult exp g); [apply is_derive_exp|exact Hg|intros; apply Rmult_comm].
    - specialize (H t Ht). pose proof (exp_pos t). assert (0 <= exp t * (g' t + g t)) by (apply Rmult_le_pos; lra). lra. }
  assert (K' : exp a * g a <= exp b * g b) by lra. apply Rmult_le_compat_l with (r := exp (- b)) in K'; [|left; apply exp_pos].
  rewrite <- !Rmult_assoc, <- !exp_plus in K'. replace (- b + b) with 0 in K' by ring. rewrite exp_0, Rmult_1_l in K'.
  replace (- b + a) with (a - b) in K' by ring. exact K'.
Qed.
End Path.

Lemma derive_complement (g g' : R -> R) t : is_derive g t (g' t) -> is_derive (fun t => 1 - g t) t (- g' t).
Proof.
  intros H. replace (- g' t) with (minus 0 (g' t)) by (unfold minus, plus, opp; simpl; ring).
  apply (is_derive_minus (V := R_NormedModule) (fun _ => 1) g); [apply (is_derive_const (V := R_NormedModule))|exact H].
Qed.

(** In quantiles: 1 - g t is above the tail at x, then at E above that at x - E. Below the middle g' <= g binds, above it g' <= 1 - g. *)
Theorem path_laplace g g' E x : 0 <= E -> (forall t, 0 <= t <= E -> is_derive g t (g' t)) ->
  (forall t, 0 <= t <= E -> g' t <= Rmin (g t) (1 - g t)) -> g 0 <= laplace_tail x -> g E <= laplace_tail (x - E).
Proof.
  intros HE D H H0.
  assert (A : forall a b, 0 <= a -> a <= b -> b <= E -> g b <= exp (b - a) * g a).
  { intros a b Ha Hab Hb. apply (grows_at_most g g' a b Hab); intros t Ht; [apply D; lra|]. eapply Rle_trans; [apply H; lra|apply Rmin_l]. }
  assert (B : forall a b, 0 <= a -> a <= b -> b <= E -> exp (a - b) * (1 - g a) <= 1 - g b).
  { intros a b Ha Hab Hb. apply (falls_at_most (fun t => 1 - g t) (fun t => - g' t) a b Hab); intros t Ht.
    - apply derive_complement, D. lra.
    - rewrite Ropp_involutive. eapply Rle_trans; [apply H; lra|apply Rmin_r]. }
  assert (Up : forall a b, 0 <= a -> a <= b -> b <= E -> x - b >= 0 -> g a <= laplace_tail (x - a) -> g b <= laplace_tail (x - b)).
  { intros a b Ha Hab Hb Hx K. specialize (A a b Ha Hab Hb). rewrite laplace_tail_right in * by lra.
    apply Rmult_le_compat_l with (r := exp (b - a)) in K; [|left; apply exp_pos].
    replace (exp (- (x - b))) with (exp (b - a) * exp (- (x - a))) by (rewrite <- exp_plus; f_equal; ring). lra. }
  assert (Down : forall a b, 0 <= a -> a <= b -> b <= E -> x - a <= 0 -> g a <= laplace_tail (x - a) -> g b <= laplace_tail (x - b)).
  { intros a b Ha Hab Hb Hx K. specialize (B a b Ha Hab Hb). rewrite laplace_tail_left in * by lra.
    assert (K' : exp (x - a) / 2 <= 1 - g a) by lra. apply Rmult_le_compat_l with (r := exp (a - b)) in K'; [|left; apply exp_pos].
    replace (exp (x - b)) with (exp (a - b) * exp (x - a)) by (rewrite <- exp_plus; f_equal; ring). lra. }
  assert (K0 : g 0 <= laplace_tail (x - 0)) by (rewrite Rminus_0_r; exact H0).
  destruct (Rle_dec x 0) as [h|h]; [apply (Down 0); lra|]. destruct (Rle_dec E x) as [k|k]; [apply (Up 0); lra|].
  apply (Down x); try lra. apply (Up 0 x); lra.
Qed.

Theorem path_logistic g g' E x : 0 <= E -> (forall t, 0 <= t <= E -> is_derive g t (g' t)) -> (forall t, 0 <= t <= E -> 0 <= g t <= 1) ->
  (forall t, 0 <= t <= E -> g' t <= g t * (1 - g t)) -> g 0 <= logistic_tail x -> g E <= logistic_tail (x - E).
Proof.
  intros HE D B H H0. pose proof (exp_pos x) as X. pose proof (exp_pos (x - E)) as XE. unfold logistic_tail in *.
  assert (L : g 0 < 1). { eapply Rle_lt_trans; [exact H0|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  assert (N : forall t, 0 <= t <= E -> g t < 1).
  { intros t Ht. assert (K : exp (0 - t) * (1 - g 0) <= 1 - g t).
    { apply (falls_at_most (fun t => 1 - g t) (fun t => - g' t) 0 t ltac:(lra)); intros s Hs.
      - apply derive_complement, D. lra.
      - rewrite Ropp_involutive. specialize (H s ltac:(lra)). specialize (B s ltac:(lra)). assert (g s * (1 - g s) <= 1 * (1 - g s)) by (apply Rmult_le_compat_r; lra). lra. }
    assert (0 < exp (0 - t) * (1 - g 0)) by (apply Rmult_lt_0_compat; [apply exp_pos|lra]). lra. }
  (* the odds grow by a factor e^t at most *)
  assert (O : g E / (1 - g E) <= exp (E - 0) * (g 0 / (1 - g 0))).
  { apply (grows_at_most (fun t => g t / (1 - g t)) (fun t => g' t / (1 - g t) ^ 2) 0 E HE); intros t Ht; specialize (N t Ht); specialize (D t Ht); specialize (H t Ht).
    - assert (Dx : is_derive (fun t => g t / (1 - g t)) t ((g' t * (1 - g t) - g t * - g' t) / (1 - g t) ^ 2)).
      { apply (is_derive_div g (fun t => 1 - g t)); [exact D|apply (derive_complement g g'), D|lra]. }
      replace (g' t / (1 - g t) ^ 2) with ((g' t * (1 - g t) - g t * - g' t) / (1 - g t) ^ 2) by (field; lra). exact Dx.
    - apply Rcomplements.Rle_div_l; [apply pow_lt; lra|]. replace (g t / (1 - g t) * (1 - g t) ^ 2) with (g t * (1 - g t)) by (field; lra). exact H. }
  assert (Z : g 0 / (1 - g 0) <= exp (- x)).
  { apply Rcomplements.Rle_div_l; [lra|]. apply Rmult_le_compat_r with (r := 1 + exp x) in H0; [|lra]. rewrite Rinv_l in H0 by lra.
    rewrite exp_Ropp. apply Rmult_le_reg_l with (exp x); [exact X|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. lra. }
  specialize (N E ltac:(lra)). assert (Y : g E / (1 - g E) <= exp (- (x - E))).
  { eapply Rle_trans; [exact O|]. replace (- (x - E)) with (E - 0 + - x) by ring. rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos|exact Z]. }
  apply (Rcomplements.Rle_div_l (g E) (exp (- (x - E))) (1 - g E)) in Y; [|lra]. rewrite exp_Ropp in Y.
  apply Rmult_le_compat_l with (r := exp (x - E)) in Y; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in Y by lra.
  apply Rmult_le_reg_r with (1 + exp (x - E)); [lra|]. rewrite Rinv_l by lra. lra.
Qed.

(** ** All tests along the path *)
Section Family.
Variable X : Type.
Variables (M M' : R -> X -> R) (E : R).
Hypothesis HE : 0 <= E.
Hypothesis M_range : forall t h, 0 <= t <= E -> 0 <= M t h <= 1.
Hypothesis M_derive : forall h t, 0 <= t <= E -> is_derive (fun t => M t h) t (M' t h).

Theorem path_lemma_laplace : (forall h t, 0 <= t <= E -> Rabs (M' t h) <= Rmin (M t h) (1 - M t h)) ->
  at_most laplace_tail X (M 0) E (M E) /\ at_least laplace_tail X (M 0) (- E) (M E).
Proof.
  intros H. split; (split; [intros h; apply M_range; lra|]); intros h x Hx.
  - apply (path_laplace (fun t => M t h) (fun t => M' t h) E x HE (M_derive h)); [|exact Hx]. intros t Ht. eapply Rle_trans; [apply Rle_abs|apply H, Ht].
  - pose proof (path_laplace (fun t => 1 - M t h) (fun t => - M' t h) E (- x) HE) as P. rewrite laplace_tail_opp in P.
    replace (- x - E) with (- (x - - E)) in P by ring. rewrite laplace_tail_opp in P.
    assert (1 - M E h <= 1 - laplace_tail (x - - E)); [|lra]. apply P; [intros t Ht; apply (derive_complement (fun t => M t h) (fun t => M' t h)), M_derive, Ht| |lra].
    intros t Ht. specialize (H h t Ht). rewrite Rmin_comm. replace (1 - (1 - M t h)) with (M t h) by ring. eapply Rle_trans; [|exact H]. rewrite <- Rabs_Ropp. apply Rle_abs.
Qed.

Theorem path_lemma_logistic : (forall h t, 0 <= t <= E -> Rabs (M' t h) <= M t h * (1 - M t h)) ->
  at_most logistic_tail X (M 0) E (M E) /\ at_least logistic_tail X (M 0) (- E) (M E).
Proof.
  intros H. split; (split; [intros h; apply M_range; lra|]); intros h x Hx.
  - apply (path_logistic (fun t => M t h) (fun t => M' t h) E x HE (M_derive h)); [intros t Ht; apply M_range, Ht| |exact Hx].
    intros t Ht. eapply Rle_trans; [apply Rle_abs|apply H, Ht].
  - pose proof (path_logistic (fun t => 1 - M t h) (fun t => - M' t h) E (- x) HE) as P. rewrite logistic_tail_opp in P.
    replace (- x - E) with (- (x - - E)) in P by ring. rewrite logistic_tail_opp in P.
    assert (1 - M E h <= 1 - logistic_tail (x - - E)); [|lra].
    apply P; [intros t Ht; apply (derive_complement (fun t => M t h) (fun t => M' t h)), M_derive, Ht|intros t Ht; pose proof (M_range t h Ht); lra| |lra].
    intros t Ht. specialize (H h t Ht). replace ((1 - M t h) * (1 - (1 - M t h))) with (M t h * (1 - M t h)) by ring. eapply Rle_trans; [|exact H]. rewrite <- Rabs_Ropp. apply Rle_abs.
Qed.

(** so the pair (M 0, M E) is dominated at every u by that of the noise and the noise shifted by E *)
Theorem path_profile T : noise T -> at_most T X (M 0) E (M E) -> forall u h, 0 <= u ->
  M E h - u * M 0 h <= threshold_profile T [(1, 0)] [(1, E)] u.
Proof.
  intros HT A u h Hu. assert (R0 : forall h, 0 <= M 0 h <= 1) by (intros; apply M_range; lra).
  pose proof (threshold_lemma T HT X (M 0) R0 [((1, 0), M 0)] [((1, E), M E)] u h) as L. simpl in L.
  replace (M E h - u * M 0 h) with (1 * M E h + 0 - u * (1 * M 0 h + 0)) by ring.
  apply L; [| | | |exact Hu]; (apply List.Forall_cons; [|apply List.Forall_nil]); simpl; try lra; [apply (base_itself T X (M 0) R0)|exact A].
Qed.
End Family.

(** ** The profile of the logistic pair in closed form, for e^(-E) <= u <= e^E. s and v are the roots of e^E and u. *)
Lemma logistic_advantage s v k : 1 < s -> 0 < k ->
  s * s / (s * s + k) - v * v / (1 + k) = (s - v) * (s - v) / (s * s - 1) - (s * (1 + k) - v * (s * s + k)) ^ 2 / ((s * s + k) * (1 + k) * (s * s - 1)).
Proof.
  intros Hs Hk. assert (1 < s * s) by (assert (1 * 1 < s * s) by (apply Rmult_le_0_lt_compat; lra); lra). field. lra.
Qed.

Theorem logistic_profile E u : 0 < E -> exp (- E) < u -> u < exp E ->
  threshold_profile logistic_tail [(1, 0)] [(1, E)] u = (exp (E / 2) - sqrt u) ^ 2 / (exp E - 1).
Proof.
  intros HE Hl Hh. pose proof (exp_pos (- E)). set (s := exp (E / 2)). set (v := sqrt u).
  assert (S2 : exp E = s * s) by (unfold s; rewrite <- exp_plus; f_equal; field). assert (V2 : u = v * v) by (unfold v; rewrite sqrt_sqrt; lra).
  assert (Hs : 1 < s) by (unfold s; rewrite <- exp_0; apply exp_increasing; lra). assert (SS : 1 < s * s) by (rewrite <- S2, <- exp_0; apply exp_increasing; lra).
  assert (Hv : 0 < v) by (apply sqrt_lt_R0; lra).
  assert (V : forall t, advantage logistic_tail [(1, 0)] [(1, E)] u t = s * s / (s * s + exp t) - v * v / (1 + exp t)).
  { intros t. unfold advantage, logistic_tail; simpl. rewrite <- V2, <- S2. unfold Rminus at 2. rewrite exp_plus, exp_Ropp. rewrite Rminus_0_r.
    pose proof (exp_pos t). pose proof (exp_pos E). field. lra. }
  assert (W1 : weights_ok [(1, 0)]) by (repeat constructor; simpl; lra). assert (W2 : weights_ok [(1, E)]) by (repeat constructor; simpl; lra).
  destruct (threshold_profile_spec logistic_tail logistic_noise [(1, 0)] [(1, E)] u W1 W2 ltac:(lra)) as [U L].
  replace ((s - v) ^ 2 / (exp E - 1)) with ((s - v) * (s - v) / (s * s - 1)) by (rewrite S2; field; lra). apply Rle_antisym.
  - apply L. intros t. rewrite V. pose proof (exp_pos t). rewrite logistic_advantage by assumption.
    assert (0 <= (s * (1 + exp t) - v * (s * s + exp t)) ^ 2 / ((s * s + exp t) * (1 + exp t) * (s * s - 1))); [|lra].
    apply Rcomplements.Rdiv_le_0_compat; [apply pow2_ge_0|]. repeat apply Rmult_lt_0_compat; lra.
  - assert (V1 : v < s). { apply Rsqr_incrst_0; unfold Rsqr; lra. }
    assert (V3 : 1 < v * s).
    { apply Rsqr_incrst_0; unfold Rsqr; [|lra|left; apply Rmult_lt_0_compat; lra]. replace (v * s * (v * s)) with (u * exp E) by (rewrite S2, V2; ring).
      rewrite Rmult_1_l. rewrite <- (Rinv_l (exp E)) by (pose proof (exp_pos E); lra). rewrite <- exp_Ropp. apply Rmult_lt_compat_r; [apply exp_pos|exact Hl]. }
    set (k := s * (v * s - 1) / (s - v)). assert (Hk : 0 < k) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
    eapply Rle_trans; [|apply (U (ln k))]. rewrite V, exp_ln, logistic_advantage by assumption.
    replace (s * (1 + k) - v * (s * s + k)) with 0 by (unfold k; field; lra). unfold Rdiv. rewrite (pow_i 2) by auto. lra.
Qed.
