(** * Products of different pairs

A pair is two densities p (without the record) and q (with it) against a positive, additive integral: a finite sum, or integrals against the normal density (ProductPairs.v). The hockey-stick
divergence of a list of independent pairs is an iterated integral, in either order; it is a privacy profile, that of the other order is 1 - u + u D (1 / u), and cells above (below) parts of
the list, sums of (q - u p)^+, compose to cells above (below) the list. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Dpcmp Require Import Breakpoints Losses Lattice ProfileCurve.
Import ListNotations.
Open Scope R_scope.

(** ** Functions of the two likelihoods so far: between 0 and C b, Lipschitz, homogeneous *)
Record good (F : R -> R -> R) : Prop := {
  good_low : forall a b, 0 <= a -> 0 <= b -> 0 <= F a b;
  good_high : exists C, 0 <= C /\ forall a b, 0 <= a -> 0 <= b -> F a b <= C * (a + b);
  good_lipschitz : exists C, 0 <= C /\ forall a b a' b', 0 <= a -> 0 <= b -> 0 <= a' -> 0 <= b' -> F a b <= F a' b' + C * (Rabs (a - a') + Rabs (b - b'));
  good_scale : forall k a b, 0 <= k -> 0 <= a -> 0 <= b -> F (k * a) (k * b) = k * F a b }.

(** ** Pairs: sums is the integral, ok says of which functions *)
Record pair := {
  outcome : Type;
  p : outcome -> R;
  q : outcome -> R;
  integral : (outcome -> R) -> R;
  integrable : (outcome -> R) -> Prop;
  p_nonneg : forall x, 0 <= p x;
  q_nonneg : forall x, 0 <= q x;
  of_good : forall F a b, good F -> 0 <= a -> 0 <= b -> integrable (fun x => F (a * p x) (b * q x));
  plus_integrable : forall f g, integrable f -> integrable g -> integrable (fun x => f x + g x);
  scale_integrable : forall c f, 0 <= c -> integrable f -> integrable (fun x => c * f x);
  integral_le : forall f g, integrable f -> integrable g -> (forall x, f x <= g x) -> integral f <= integral g;
  integral_plus : forall f g, integrable f -> integrable g -> integral (fun x => f x + g x) = integral f + integral g;
  integral_scale : forall c f, 0 <= c -> integrable f -> integral (fun x => c * f x) = c * integral f;
  p_total : integral p = 1;
  q_total : integral q = 1 }.

Lemma good_first : good (fun a _ => a).
Proof.
  split; auto.
  - exists 1. split; [lra|]. intros; lra.
  - exists 1. split; [lra|]. intros a b a' b' _ _ _ _. pose proof (Rle_abs (a - a')). pose proof (Rabs_pos (b - b')). lra.
Qed.
Lemma good_second : good (fun _ b => b).
Proof.
  split; auto.
  - exists 1. split; [lra|]. intros; lra.
  - exists 1. split; [lra|]. intros a b a' b' _ _ _ _. pose proof (Rle_abs (b - b')). pose proof (Rabs_pos (a - a')). lra.
Qed.
Lemma good_stick : good (fun a b => pos (b - a)).
Proof.
  assert (P : forall x, 0 <= pos x) by (intros; apply Rmax_l).
  split.
  - intros; apply P.
  - exists 1. split; [lra|]. intros. unfold pos. apply Rmax_lub; lra.
  - exists 1. split; [lra|]. intros a b a' b' _ _ _ _. pose proof (Rle_abs (b - b')). pose proof (Rle_abs (- (a - a'))) as K. rewrite Rabs_Ropp in K. unfold pos.
    pose proof (Rmax_l 0 (b' - a')). pose proof (Rmax_r 0 (b' - a')). pose proof (Rabs_pos (a - a')). pose proof (Rabs_pos (b - b')). apply Rmax_lub; lra.
  - intros k a b Hk _ _. unfold pos. rewrite <- RmaxRmult by exact Hk. f_equal; ring.
Qed.
Lemma good_plus F G : good F -> good G -> good (fun a b => F a b + G a b).
Proof.
  intros [A1 [C [C0 A2]] [D [D0 A3]] A4] [B1 [C' [C0' B2]] [D' [D0' B3]] B4]. split.
  - intros a b Ha Hb. specialize (A1 a b Ha Hb). specialize (B1 a b Ha Hb). lra.
  - exists (C + C'). split; [lra|]. intros a b Ha Hb. specialize (A2 a b Ha Hb). specialize (B2 a b Ha Hb). lra.
  - exists (D + D'). split; [lra|]. intros a b a' b' Ha Hb Ha' Hb'. specialize (A3 a b a' b' Ha Hb Ha' Hb'). specialize (B3 a b a' b' Ha Hb Ha' Hb'). lra.
  - intros k a b Hk Ha Hb. rewrite A4, B4 by assumption. ring.
Qed.
Lemma good_times c F : 0 <= c -> good F -> good (fun a b => c * F a b).
Proof.
  intros Hc [A1 [C [C0 A2]] [D [D0 A3]] A4]. split.
  - intros a b Ha Hb. apply Rmult_le_pos; auto.
  - exists (c * C). split; [apply Rmult_le_pos; assumption|]. intros a b Ha Hb. specialize (A2 a b Ha Hb). apply Rmult_le_compat_l with (r := c) in A2; [|exact Hc]. lra.
  - exists (c * D). split; [apply Rmult_le_pos; assumption|]. intros a b a' b' Ha Hb Ha' Hb'. specialize (A3 a b a' b' Ha Hb Ha' Hb'). apply Rmult_le_compat_l with (r := c) in A3; [|exact Hc]. lra.
  - intros k a b Hk Ha Hb. rewrite A4 by assumption. ring.
Qed.
(** other likelihoods: a s, b t *)
Lemma good_inner F s t : 0 <= s -> 0 <= t -> good F -> good (fun a b => F (a * s) (b * t)).
Proof.
  intros Hs Ht [A1 [C [C0 A2]] [D [D0 A3]] A4].
  assert (M : 0 <= s <= s + t /\ 0 <= t <= s + t) by lra. split.
  - intros a b Ha Hb. apply A1; apply Rmult_le_pos; assumption.
  - exists (C * (s + t)). split; [apply Rmult_le_pos; lra|]. intros a b Ha Hb. eapply Rle_trans; [apply A2; apply Rmult_le_pos; assumption|].
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact C0|]. assert (0 <= a * t) by (apply Rmult_le_pos; lra). assert (0 <= b * s) by (apply Rmult_le_pos; lra). lra.
  - exists (D * (s + t)). split; [apply Rmult_le_pos; lra|]. intros a b a' b' Ha Hb Ha' Hb'. eapply Rle_trans; [apply (A3 (a * s) (b * t) (a' * s) (b' * t)); apply Rmult_le_pos; assumption|].
    apply Rplus_le_compat_l. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact D0|].
    replace (a * s - a' * s) with ((a - a') * s) by ring. replace (b * t - b' * t) with ((b - b') * t) by ring. rewrite !Rabs_mult, (Rabs_pos_eq s), (Rabs_pos_eq t) by assumption.
    assert (0 <= Rabs (a - a') * t) by (apply Rmult_le_pos; [apply Rabs_pos|exact Ht]). assert (0 <= Rabs (b - b') * s) by (apply Rmult_le_pos; [apply Rabs_pos|exact Hs]). lra.
  - intros k a b Hk Ha Hb. rewrite <- A4 by (try apply Rmult_le_pos; assumption). f_equal; ring.
Qed.

Section Pair.
Variable s : pair.
Lemma ap_nonneg a x : 0 <= a -> 0 <= a * p s x.
Proof. intros H. apply Rmult_le_pos; [exact H|apply p_nonneg]. Qed.
Lemma bq_nonneg b x : 0 <= b -> 0 <= b * q s x.
Proof. intros H. apply Rmult_le_pos; [exact H|apply q_nonneg]. Qed.
Lemma p_integrable : integrable s (p s).
Proof.
  pose proof (of_good s _ 1 1 good_first ltac:(lra) ltac:(lra)) as H.
  replace (p s) with (fun x => 1 * p s x); [exact H|]. extensionality x. ring.
Qed.
Lemma q_integrable : integrable s (q s).
Proof.
  pose proof (of_good s _ 1 1 good_second ltac:(lra) ltac:(lra)) as H.
  replace (q s) with (fun x => 1 * q s x); [exact H|]. extensionality x. ring.
Qed.

(** one pair *)
Definition next (F : R -> R -> R) (a b : R) : R := integral s (fun x => F (a * p s x) (b * q s x)).

Lemma next_le F G a b : good F -> good G -> (forall a b, 0 <= a -> 0 <= b -> F a b <= G a b) -> 0 <= a -> 0 <= b -> next F a b <= next G a b.
Proof. intros HF HG H Ha Hb. apply integral_le; [apply of_good; assumption|apply of_good; assumption|]. intros x. apply H; [apply ap_nonneg, Ha|apply bq_nonneg, Hb]. Qed.
Lemma next_plus F G a b : good F -> good G -> 0 <= a -> 0 <= b -> next (fun a b => F a b + G a b) a b = next F a b + next G a b.
Proof. intros HF HG Ha Hb. unfold next. apply (integral_plus s (fun x => F (a * p s x) (b * q s x)) (fun x => G (a * p s x) (b * q s x))); apply of_good; assumption. Qed.
Lemma next_times c F a b : 0 <= c -> good F -> 0 <= a -> 0 <= b -> next (fun a b => c * F a b) a b = c * next F a b.
Proof. intros Hc HF Ha Hb. unfold next. apply (integral_scale s c (fun x => F (a * p s x) (b * q s x))); [exact Hc|apply of_good; assumption]. Qed.
Lemma next_first a b : 0 <= a -> next (fun a _ => a) a b = a.
Proof. intros Ha. unfold next. rewrite integral_scale, p_total by (try exact Ha; apply p_integrable). ring. Qed.
Lemma next_second a b : 0 <= b -> next (fun _ b => b) a b = b.
Proof. intros Hb. unfold next. rewrite integral_scale, q_total by (try exact Hb; apply q_integrable). ring. Qed.
Lemma next_ext F G a b : (forall a b, 0 <= a -> 0 <= b -> F a b = G a b) -> 0 <= a -> 0 <= b -> next F a b = next G a b.
Proof. intros H Ha Hb. unfold next. f_equal. extensionality x. apply H; [apply ap_nonneg, Ha|apply bq_nonneg, Hb]. Qed.

Lemma good_next F : good F -> good (next F).
Proof.
  intros G. assert (G' := G). destruct G' as [A1 [C [C0 A2]] [D [D0 A3]] A4]. split.
  - intros a b Ha Hb. replace 0 with (0 * next F a b) by ring. rewrite <- next_times by (auto; lra).
    apply next_le; auto; [apply good_times; auto; lra|]. intros x y Hx Hy. rewrite Rmult_0_l. apply A1; assumption.
  - exists C. split; [exact C0|]. intros a b Ha Hb.
    apply Rle_trans with (next (fun a b => C * (a + b)) a b).
    + apply next_le; auto. apply good_times; [exact C0|]. apply (good_plus (fun a _ => a) (fun _ b => b)); [apply good_first|apply good_second].
    + rewrite (next_times C (fun a b => a + b)), (next_plus (fun a _ => a) (fun _ b => b)), next_first, next_second by (auto using good_first, good_second; apply (good_plus (fun a _ => a) (fun _ b => b)); auto using good_first, good_second). lra.
  - exists D. split; [exact D0|]. intros a b a' b' Ha Hb Ha' Hb'. unfold next.
    set (da := D * Rabs (a - a')). set (db := D * Rabs (b - b')). assert (Da : 0 <= da) by (apply Rmult_le_pos; [exact D0|apply Rabs_pos]). assert (Db : 0 <= db) by (apply Rmult_le_pos; [exact D0|apply Rabs_pos]).
    apply Rle_trans with (integral s (fun x => F (a' * p s x) (b' * q s x) + (da * p s x + db * q s x))).
    + apply integral_le; [apply of_good; assumption| |].
      * apply plus_integrable; [apply of_good; assumption|]. apply plus_integrable; apply scale_integrable; auto using p_integrable, q_integrable.
      * intros x. pose proof (ap_nonneg a x Ha). pose proof (bq_nonneg b x Hb). pose proof (ap_nonneg a' x Ha'). pose proof (bq_nonneg b' x Hb').
        eapply Rle_trans; [apply (A3 _ _ (a' * p s x) (b' * q s x)); assumption|]. apply Rplus_le_compat_l.
        replace (a * p s x - a' * p s x) with ((a - a') * p s x) by ring. replace (b * q s x - b' * q s x) with ((b - b') * q s x) by ring.
        rewrite !Rabs_mult, (Rabs_pos_eq (p s x)), (Rabs_pos_eq (q s x)) by (try apply p_nonneg; apply q_nonneg). unfold da, db. lra.
    + rewrite integral_plus, integral_plus, !integral_scale, p_total, q_total; auto using p_integrable, q_integrable, scale_integrable.
      * unfold da, db. lra.
      * apply of_good; assumption.
      * apply plus_integrable; apply scale_integrable; auto using p_integrable, q_integrable.
  - intros k a b Hk Ha Hb. unfold next. rewrite <- integral_scale by (try exact Hk; apply of_good; assumption). f_equal. extensionality x.
    rewrite <- A4 by (auto using ap_nonneg, bq_nonneg). f_equal; ring.
Qed.
End Pair.

(** ** Lists of pairs *)
Fixpoint product (l : list pair) (F : R -> R -> R) : R -> R -> R := match l with [] => F | s :: l => next s (product l F) end.
Definition stick (a b : R) := pos (b - a).
(** the hockey-stick divergence at u: a = u, b = 1 *)
Definition hockey (l : list pair) : R -> R -> R := product l stick.
Definition divergence (l : list pair) (u : R) : R := hockey l u 1.

Lemma good_product l F : good F -> good (product l F).
Proof. intros G. induction l as [|s l IH]; cbn [product]; [exact G|apply good_next, IH]. Qed.
Lemma good_hockey l : good (hockey l).
Proof. apply good_product, good_stick. Qed.
Lemma product_le l F G : good F -> good G -> (forall a b, 0 <= a -> 0 <= b -> F a b <= G a b) -> forall a b, 0 <= a -> 0 <= b -> product l F a b <= product l G a b.
Proof. intros HF HG H. induction l as [|s l IH]; cbn [product]; [exact H|]. intros a b Ha Hb. apply next_le; auto using good_product. Qed.
Lemma product_ext l F G : (forall a b, 0 <= a -> 0 <= b -> F a b = G a b) -> forall a b, 0 <= a -> 0 <= b -> product l F a b = product l G a b.
Proof. intros H. induction l as [|s l IH]; cbn [product]; [exact H|]. intros a b Ha Hb. apply next_ext; assumption. Qed.
Lemma product_plus l F G : good F -> good G -> forall a b, 0 <= a -> 0 <= b -> product l (fun a b => F a b + G a b) a b = product l F a b + product l G a b.
Proof.
  intros HF HG. induction l as [|s l IH]; cbn [product]; [reflexivity|]. intros a b Ha Hb. rewrite <- next_plus by auto using good_product. apply next_ext; assumption.
Qed.
Lemma product_times l c F : 0 <= c -> good F -> forall a b, 0 <= a -> 0 <= b -> product l (fun a b => c * F a b) a b = c * product l F a b.
Proof.
  intros Hc HF. induction l as [|s l IH]; cbn [product]; [reflexivity|]. intros a b Ha Hb. rewrite <- next_times by auto using good_product. apply next_ext; assumption.
Qed.
Lemma product_first l a b : 0 <= a -> 0 <= b -> product l (fun a _ => a) a b = a.
Proof.
  revert a b. induction l as [|s l IH]; cbn [product]; [reflexivity|]. intros a b Ha Hb. rewrite (next_ext s _ (fun a _ => a)) by auto. apply next_first, Ha.
Qed.
Lemma product_second l a b : 0 <= a -> 0 <= b -> product l (fun _ b => b) a b = b.
Proof.
  revert a b. induction l as [|s l IH]; cbn [product]; [reflexivity|]. intros a b Ha Hb. rewrite (next_ext s _ (fun _ b => b)) by auto. apply next_second, Hb.
Qed.
Lemma product_inner l F s t : 0 <= s -> 0 <= t -> good F -> forall a b, 0 <= a -> 0 <= b -> product l (fun a b => F (a * s) (b * t)) a b = product l F (a * s) (b * t).
Proof.
  intros Hs Ht HF. induction l as [|x l IH]; cbn [product]; [reflexivity|]. intros a b Ha Hb. rewrite (next_ext x _ (fun a b => product l F (a * s) (b * t))) by auto.
  unfold next. f_equal. extensionality y. f_equal; ring.
Qed.
Lemma product_app l m F : product (l ++ m) F = product l (product m F).
Proof. induction l as [|s l IH]; cbn [app product]; [reflexivity|]. rewrite IH. reflexivity. Qed.

(** ** The divergence is a privacy profile *)
Theorem divergence_profile l : privacy_profile (divergence l).
Proof.
  assert (SL : forall a b, 0 <= a -> 0 <= b -> stick a b <= b) by (intros; unfold stick, pos; apply Rmax_lub; lra).
  assert (H1 : forall u, 0 <= u -> divergence l u <= 1).
  { intros u Hu. unfold divergence, hockey. apply Rle_trans with (product l (fun _ b => b) u 1); [apply product_le; auto using good_stick, good_second; lra|rewrite product_second; lra]. }
  split.
  - intros hi x y t Hx Hy Ht. unfold divergence, hockey.
    (* convex in a: the stick of t a is *)
    assert (E : forall k, 0 <= k -> product l stick k 1 = product l (fun a b => stick (a * k) (b * 1)) 1 1).
    { intros k Hk. rewrite (product_inner l stick k 1) by (auto using good_stick; lra). f_equal; ring. }
    assert (0 <= t * x) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra).
    assert (GI : forall k, 0 <= k -> good (fun a b => stick (a * k) (b * 1))) by (intros; apply good_inner; auto using good_stick; lra).
    rewrite !E by lra. rewrite <- !product_times by (try apply GI; lra). rewrite <- product_plus by (try (apply good_times; [|apply GI]); lra).
    apply product_le; try lra.
    + apply GI. lra.
    + apply good_plus; apply good_times; try apply GI; lra.
    + intros a b Ha Hb. rewrite Rmult_1_r. unfold stick, pos. pose proof (Rmax_l 0 (b - a * x)). pose proof (Rmax_r 0 (b - a * x)). pose proof (Rmax_l 0 (b - a * y)). pose proof (Rmax_r 0 (b - a * y)).
      assert (0 <= t * Rmax 0 (b - a * x)) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * Rmax 0 (b - a * y)) by (apply Rmult_le_pos; lra).
      assert (t * (b - a * x) <= t * Rmax 0 (b - a * x)) by (apply Rmult_le_compat_l; lra). assert ((1 - t) * (b - a * y) <= (1 - t) * Rmax 0 (b - a * y)) by (apply Rmult_le_compat_l; lra).
      apply Rmax_lub; lra.
  - intros x y Hx H. unfold divergence, hockey.
    assert (E : forall k, 0 <= k -> product l stick k 1 = product l (fun a b => stick (a * k) (b * 1)) 1 1).
    { intros k Hk. rewrite (product_inner l stick k 1) by (auto using good_stick; lra). f_equal; ring. }
    rewrite !E by lra. apply product_le; try lra; try (apply good_inner; auto using good_stick; lra).
    intros a b Ha Hb. unfold stick. apply pos_mono. assert (a * x <= a * y) by (apply Rmult_le_compat_l; assumption). lra.
  - apply H1. lra.
  - intros u Hu. unfold divergence, hockey. assert (K : product l (fun _ b => b) u 1 <= product l (fun a b => stick a b + a) u 1).
    { apply product_le; try lra; [apply good_second|apply (good_plus stick (fun a _ => a)); [apply good_stick|apply good_first]|].
      intros a b Ha Hb. unfold stick, pos. pose proof (Rmax_r 0 (b - a)). lra. }
    rewrite (product_plus l stick (fun a _ => a)), product_first, product_second in K by (auto using good_stick, good_first; lra). lra.
  - intros u Hu. apply (good_low _ (good_hockey l)); lra.
Qed.

(** ** The other order of the pairs *)
Lemma good_flip F : good F -> good (fun a b => F b a).
Proof.
  intros [A1 [C [C0 A2]] [D [D0 A3]] A4]. split.
  - intros; apply A1; assumption.
  - exists C. split; [exact C0|]. intros a b Ha Hb. specialize (A2 b a Hb Ha). lra.
  - exists D. split; [exact D0|]. intros a b a' b' Ha Hb Ha' Hb'. specialize (A3 b a b' a' Hb Ha Hb' Ha'). lra.
  - intros; apply A4; assumption.
Qed.
Definition swap (s : pair) : pair := {|
  outcome := outcome s; p := q s; q := p s; integral := integral s; integrable := integrable s; p_nonneg := q_nonneg s; q_nonneg := p_nonneg s;
  of_good := fun F a b G Ha Hb => of_good s _ b a (good_flip F G) Hb Ha;
  plus_integrable := plus_integrable s; scale_integrable := scale_integrable s; integral_le := integral_le s; integral_plus := integral_plus s; integral_scale := integral_scale s;
  p_total := q_total s; q_total := p_total s |}.
Lemma product_swap l F a b : product (map swap l) F a b = product l (fun a b => F b a) b a.
Proof.
  revert a b. induction l as [|s l IH]; intros a b; cbn [map product]; [reflexivity|]. unfold next. cbn [integral p q swap]. f_equal. extensionality x. apply IH.
Qed.

Theorem order_swap l u : 0 < u -> divergence (map swap l) u = 1 - u + u * divergence l (/ u).
Proof.
  intros Hu. unfold divergence, hockey. rewrite product_swap. assert (IU : 0 < / u) by (apply Rinv_0_lt_compat, Hu).
  (* (a - b)^+ + b = a + (b - a)^+ *)
  assert (K : product l (fun a b => stick b a + b) 1 u = product l (fun a b => a + stick a b) 1 u).
  { apply product_ext; try lra. intros a b _ _. unfold stick, pos, Rmax. repeat destruct Rle_dec; lra. }
  rewrite (product_plus l (fun a b => stick b a) (fun _ b => b)), (product_plus l (fun a _ => a) stick), product_first, product_second in K
    by (auto using good_stick, good_first, good_second; try lra; apply (good_flip stick), good_stick).
  pose proof (good_scale _ (good_hockey l) u (/ u) 1 ltac:(lra) ltac:(lra) ltac:(lra)) as S. unfold hockey in S. rewrite Rinv_r, Rmult_1_r in S by lra. lra.
Qed.

(** ** Cells (q, p): sums of (b q - a p)^+, above or below *)
Definition cells := list (R * R).
Definition cells_ok (c : cells) := Forall (fun x => 0 <= fst x /\ 0 <= snd x) c.
Fixpoint spread (c : cells) (a b : R) : R := match c with [] => 0 | x :: c => pos (b * fst x - a * snd x) + spread c a b end.
Definition above (l : list pair) (c : cells) := forall a b, 0 <= a -> 0 <= b -> hockey l a b <= spread c a b.
Definition beneath (l : list pair) (c : cells) := forall a b, 0 <= a -> 0 <= b -> spread c a b <= hockey l a b.
Definition times_cell (x : R * R) (c : cells) : cells := map (fun y => (fst y * fst x, snd y * snd x)) c.
Fixpoint compose_cells (c d : cells) : cells := match d with [] => [] | x :: d => times_cell x c ++ compose_cells c d end.

Lemma spread_app c d a b : spread (c ++ d) a b = spread c a b + spread d a b.
Proof. induction c as [|x c IH]; cbn [app spread]; [ring|]. rewrite IH. ring. Qed.
Lemma spread_times x c a b : spread (times_cell x c) a b = spread c (a * snd x) (b * fst x).
Proof. induction c as [|y c IH]; cbn [times_cell map spread fst snd]; [reflexivity|]. fold (times_cell x c). rewrite IH. do 2 f_equal. ring. Qed.
Lemma good_cell x : 0 <= fst x -> 0 <= snd x -> good (fun a b => pos (b * fst x - a * snd x)).
Proof. intros H1 H2. apply (good_inner stick (snd x) (fst x) H2 H1 good_stick). Qed.
Lemma good_zero : good (fun _ _ => 0).
Proof.
  split; intros; try lra.
  - exists 0. split; [lra|]. intros; lra.
  - exists 0. split; [lra|]. intros; lra.
Qed.
Lemma good_spread c : cells_ok c -> good (spread c).
Proof.
  intros O. induction O as [|x c [H1 H2] O IH]; [exact good_zero|]. cbn [spread]. apply (good_plus (fun a b => pos (b * fst x - a * snd x))); [apply good_cell; assumption|exact IH].
Qed.
Lemma compose_cells_ok c d : cells_ok c -> cells_ok d -> cells_ok (compose_cells c d).
Proof.
  intros Oc Od. induction Od as [|x d [H1 H2] Od IH]; cbn [compose_cells]; [constructor|]. apply Forall_app. split; [|exact IH].
  apply Forall_forall. intros y Hy. apply in_map_iff in Hy. destruct Hy as [z [<- Hz]]. pose proof (proj1 (Forall_forall _ _) Oc z Hz) as [A B]. cbn [fst snd]. split; apply Rmult_le_pos; assumption.
Qed.
Lemma product_zero l a b : 0 <= a -> 0 <= b -> product l (fun _ _ => 0) a b = 0.
Proof.
  intros Ha Hb. pose proof (product_times l 0 (fun _ _ => 0) ltac:(lra) good_zero a b Ha Hb) as H. rewrite Rmult_0_l in H.
  transitivity (product l (fun _ _ => 0 * 0) a b); [apply product_ext; auto; intros; ring|exact H].
Qed.
(** the cells of the second part, each a hockey stick of the first *)
Lemma product_spread l c : cells_ok c -> forall a b, 0 <= a -> 0 <= b ->
  product l (spread c) a b = (fix sum c := match c with [] => 0 | x :: c => hockey l (a * snd x) (b * fst x) + sum c end) c.
Proof.
  intros O a b Ha Hb. induction O as [|x c [H1 H2] O IH]; [apply product_zero; assumption|].
  cbn [spread]. rewrite (product_plus l (fun a b => pos (b * fst x - a * snd x)) (spread c)) by (auto using good_cell, good_spread). rewrite IH. f_equal.
  apply (product_inner l stick (snd x) (fst x) H2 H1 good_stick a b Ha Hb).
Qed.

Theorem above_app l m c d : cells_ok c -> cells_ok d -> above l c -> above m d -> above (l ++ m) (compose_cells c d).
Proof.
  intros Oc Od Hl Hm a b Ha Hb. unfold hockey. rewrite product_app.
  eapply Rle_trans; [apply (product_le l (hockey m) (spread d) (good_hockey m) (good_spread d Od) Hm a b Ha Hb)|]. rewrite (product_spread l d Od a b Ha Hb).
  clear Hm. induction Od as [|x d [H1 H2] Od IH]; cbn [compose_cells]; [apply Rle_refl|]. rewrite spread_app, spread_times. apply Rplus_le_compat; [|exact IH].
  apply Hl; apply Rmult_le_pos; assumption.
Qed.
Theorem beneath_app l m c d : cells_ok c -> cells_ok d -> beneath l c -> beneath m d -> beneath (l ++ m) (compose_cells c d).
Proof.
  intros Oc Od Hl Hm a b Ha Hb. unfold hockey. rewrite product_app.
  eapply Rle_trans; [|apply (product_le l (spread d) (hockey m) (good_spread d Od) (good_hockey m) Hm a b Ha Hb)]. rewrite (product_spread l d Od a b Ha Hb).
  clear Hm. induction Od as [|x d [H1 H2] Od IH]; cbn [compose_cells]; [apply Rle_refl|]. rewrite spread_app, spread_times. apply Rplus_le_compat; [|exact IH].
  apply Hl; apply Rmult_le_pos; assumption.
Qed.
Lemma hockey_divergence l a b : 0 <= a -> 0 < b -> hockey l a b = b * divergence l (a / b).
Proof.
  intros Ha Hb. assert (0 <= a / b) by (apply Rmult_le_pos; [exact Ha|left; apply Rinv_0_lt_compat, Hb]).
  unfold divergence. rewrite <- (good_scale _ (good_hockey l)) by lra. f_equal; field; lra.
Qed.
Lemma hockey_b0 l a : 0 <= a -> hockey l a 0 = 0.
Proof.
  intros Ha. assert (B : hockey l a 0 <= 0); [|pose proof (good_low _ (good_hockey l) a 0 Ha ltac:(lra)); lra].
  apply Rle_trans with (product l (fun _ b => b) a 0); [|rewrite product_second; lra].
  apply product_le; auto using good_stick, good_second; try lra. intros x y Hx Hy. unfold stick, pos. apply Rmax_lub; lra.
Qed.
Lemma spread_b0 c a : cells_ok c -> 0 <= a -> spread c a 0 = 0.
Proof.
  intros O Ha. induction O as [|x c [_ H2] O IH]; cbn [spread]; [reflexivity|]. rewrite IH. unfold pos. rewrite Rmax_left; [ring|]. assert (0 <= a * snd x) by (apply Rmult_le_pos; assumption). lra.
Qed.
Lemma spread_scale c a b : cells_ok c -> 0 <= a -> 0 < b -> spread c a b = b * spread c (a / b) 1.
Proof.
  intros O Ha Hb. assert (0 <= a / b) by (apply Rmult_le_pos; [exact Ha|left; apply Rinv_0_lt_compat, Hb]).
  rewrite <- (good_scale _ (good_spread c O)) by lra. f_equal; field; lra.
Qed.

(** at u >= 0 is enough *)
Theorem above_iff l c : cells_ok c -> (above l c <-> forall u, 0 <= u -> divergence l u <= spread c u 1).
Proof.
  intros O. split; [intros H u Hu; apply H; lra|]. intros H a b Ha [Hb|<-]; [|rewrite hockey_b0, spread_b0 by assumption; lra].
  rewrite hockey_divergence, spread_scale by assumption. apply Rmult_le_compat_l; [lra|]. apply H. apply Rmult_le_pos; [exact Ha|left; apply Rinv_0_lt_compat, Hb].
Qed.
Theorem beneath_iff l c : cells_ok c -> (beneath l c <-> forall u, 0 <= u -> spread c u 1 <= divergence l u).
Proof.
  intros O. split; [intros H u Hu; apply H; lra|]. intros H a b Ha [Hb|<-]; [|rewrite hockey_b0, spread_b0 by assumption; lra].
  rewrite hockey_divergence, spread_scale by assumption. apply Rmult_le_compat_l; [lra|]. apply H. apply Rmult_le_pos; [exact Ha|left; apply Rinv_0_lt_compat, Hb].
Qed.

(** the laws of Losses.v are cells (w, w z) *)
Definition cells_of (l : loss) : cells := map (fun x => (fst x, fst x * snd x)) l.
Lemma cells_of_ok l : ok l -> cells_ok (cells_of l).
Proof. intros O. induction O as [|x l [H1 H2] O IH]; cbn [cells_of map]; constructor; [cbn [fst snd]; split; [exact H1|apply Rmult_le_pos; assumption]|exact IH]. Qed.
Lemma cells_of_profile l u : ok l -> spread (cells_of l) u 1 = profile l u.
Proof.
  intros O. induction O as [|x l [H1 H2] O IH]; cbn [cells_of map spread profile]; [reflexivity|]. fold (cells_of l). rewrite IH. f_equal. unfold hinge, pos. cbn [fst snd].
  rewrite <- RmaxRmult by exact H1. f_equal; ring.
Qed.

Lemma cells_of_compose c d : compose_cells (cells_of c) (cells_of d) = cells_of (compose c d).
Proof.
  induction d as [|x d IH]; [reflexivity|]. cbn [compose]. unfold cells_of in *. rewrite map_app. cbn [map compose_cells]. f_equal; [|exact IH].
  unfold times_cell, scale. rewrite !map_map. apply map_ext. intros y. cbn [fst snd]. f_equal. ring.
Qed.

(** laws above the parts *)
Theorem product_below l m c d : ok c -> ok d -> (forall u, 0 <= u -> divergence l u <= profile c u) -> (forall u, 0 <= u -> divergence m u <= profile d u) ->
  forall u, 0 <= u -> divergence (l ++ m) u <= profile (compose c d) u.
Proof.
  intros Oc Od Hl Hm u Hu.
  assert (A : above (l ++ m) (compose_cells (cells_of c) (cells_of d))).
  { apply above_app; auto using cells_of_ok; apply above_iff; auto using cells_of_ok; intros v Hv; rewrite cells_of_profile by assumption; auto. }
  specialize (A u 1 Hu ltac:(lra)). unfold divergence. eapply Rle_trans; [exact A|]. rewrite cells_of_compose, cells_of_profile by (apply compose_ok; assumption). apply Rle_refl.
Qed.
Theorem product_above l m c d : ok c -> ok d -> (forall u, 0 <= u -> profile c u <= divergence l u) -> (forall u, 0 <= u -> profile d u <= divergence m u) ->
  forall u, 0 <= u -> profile (compose c d) u <= divergence (l ++ m) u.
Proof.
  intros Oc Od Hl Hm u Hu.
  assert (A : beneath (l ++ m) (compose_cells (cells_of c) (cells_of d))).
  { apply beneath_app; auto using cells_of_ok; apply beneath_iff; auto using cells_of_ok; intros v Hv; rewrite cells_of_profile by assumption; auto. }
  specialize (A u 1 Hu ltac:(lra)). unfold divergence. eapply Rle_trans; [|exact A]. rewrite cells_of_compose, cells_of_profile by (apply compose_ok; assumption). apply Rle_refl.
Qed.
