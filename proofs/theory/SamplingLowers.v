(** * Subsampling lowers the profile of a Gaussian composition, whatever the number of steps

T steps at any rate are at least as private as T steps with every record: the profile is convex in the likelihood ratio, and grows with the number of steps. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Losses GaussianTail NormalLaw StrictGdp GaussianCurve Expectation SampledGaussian.
Open Scope R_scope.

Section Steps.
Variable mu : R.
Hypothesis Hmu : 0 <= mu.
Notation r := (ratio mu).

Lemma part_1 b : 0 <= b -> part (fun _ => 1) b = tail (- b) - tail b.
Proof.
  intros Hb. rewrite tail_part by lra. unfold part. f_equal. apply RInt_same. intros x. ring.
Qed.
Lemma part_ratio b : 0 <= b -> part r b = tail (- b - mu) - tail (b - mu).
Proof.
  intros Hb. destruct (tail_shift mu (- b) b ltac:(lra)) as [S _]. rewrite S. unfold part. f_equal. apply RInt_same. intros x. ring.
Qed.
Lemma part_1_le b : 0 <= b -> part (fun _ => 1) b <= 1.
Proof. intros Hb. rewrite part_1 by exact Hb. pose proof (tail_pos b). pose proof (tail_lt_1 (- b)). lra. Qed.
Lemma ratio_mean b : 0 <= b -> part r b <= 1.
Proof. intros Hb. rewrite part_ratio by exact Hb. pose proof (tail_pos (b - mu)). pose proof (tail_lt_1 (- b - mu)). lra. Qed.
Lemma ratio_mean_near e : 0 < e -> exists b, 0 <= b /\ 1 - e <= part r b.
Proof.
  intros He. destruct (tail_small (e / 2) ltac:(lra)) as [t H]. destruct (tail_large (e / 2) ltac:(lra)) as [s L].
  set (b := Rmax 0 (Rmax (t + mu) (- s))). assert (B0 : 0 <= b) by apply Rmax_l.
  assert (B1 : Rmax (t + mu) (- s) <= b) by apply Rmax_r. pose proof (Rmax_l (t + mu) (- s)). pose proof (Rmax_r (t + mu) (- s)).
  exists b. split; [exact B0|]. rewrite part_ratio by exact B0. specialize (H (b - mu) ltac:(lra)). specialize (L (- b - mu) ltac:(lra)). lra.
Qed.

Lemma ratio_cont : cont r.
Proof. apply cont_ratio. Qed.

Definition full (n : nat) (v u : R) := after r n v u.
Definition full_good n u Hu := good_after r (ratio_pos mu) ratio_cont ratio_mean n u Hu.

Lemma full_spec n v u : 0 <= u -> 0 <= v -> (forall b, 0 <= b -> part (fun x => full n (v * r x) u) b <= full (S n) v u) /\
  (forall M, (forall b, 0 <= b -> part (fun x => full n (v * r x) u) b <= M) -> full (S n) v u <= M).
Proof. intros Hu Hv. apply E_spec, (good_bounded r (ratio_pos mu) ratio_cont ratio_mean _ v (full_good n u Hu) Hv). Qed.
Lemma full_cont n v u : 0 <= u -> 0 <= v -> cont (fun x => full n (v * r x) u).
Proof. intros Hu Hv. apply (good_cont r (ratio_pos mu) ratio_cont _ v (full_good n u Hu) Hv). Qed.

(** one more step tells more *)
Lemma full_grows n v u : 0 <= u -> 0 <= v -> full n v u <= full (S n) v u.
Proof.
  intros Hu. revert v. induction n as [|n IH]; intros v Hv.
  - destruct (full_spec 0 v u Hu Hv) as [U _]. change (full 0 v u) with (Rmax 0 (v - u)). apply Rmax_lub.
    + eapply Rle_trans; [|apply (U 0); lra]. unfold part. rewrite Ropp_0, RInt_point. unfold zero; simpl. unfold Rdiv. lra.
    + apply le_epsilon. intros e He. destruct (ratio_mean_near (e / (v + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as [b [Hb N]]. specialize (U b Hb).
      assert (K : part (fun x => v * r x + - u * 1) b <= part (fun x => full 0 (v * r x) u) b).
      { apply part_le; [apply cont_plus; [apply cont_scale, ratio_cont|apply cont_const]|apply full_cont; assumption|exact Hb|]. intros x. unfold full; simpl. unfold pos.
        pose proof (Rmax_r 0 (v * r x - u)). lra. }
      rewrite part_plus in K by (try apply cont_scale; try apply ratio_cont; apply cont_const). rewrite (part_scale v r b ratio_cont), (part_scale (- u) (fun _ => 1) b (cont_const 1)) in K.
      pose proof (part_1_le b Hb). assert (v * (1 - e / (v + 1)) <= v * part r b) by (apply Rmult_le_compat_l; lra).
      assert (u * part (fun _ => 1) b <= u * 1) by (apply Rmult_le_compat_l; lra).
      assert (V : v * (e / (v + 1)) <= e).
      { replace (v * (e / (v + 1))) with (e * (v / (v + 1))) by (field; lra). rewrite <- (Rmult_1_r e) at 2. apply Rmult_le_compat_l; [lra|]. apply Rcomplements.Rle_div_l; lra. }
      lra.
  - destruct (full_spec n v u Hu Hv) as [_ L]. destruct (full_spec (S n) v u Hu Hv) as [U _]. apply L. intros b Hb.
    eapply Rle_trans; [|apply (U b Hb)]. apply part_le; auto; [apply full_cont; assumption|apply (full_cont (S n)); assumption|].
    intros x. apply IH. apply Rmult_le_pos; [exact Hv|left; apply ratio_pos].
Qed.

Lemma full_convex n u x y t : 0 <= u -> 0 <= x -> 0 <= y -> 0 <= t <= 1 -> full n (t * x + (1 - t) * y) u <= t * full n x u + (1 - t) * full n y u.
Proof.
  intros Hu. revert x y. induction n as [|n IH]; intros x y Hx Hy Ht.
  - unfold full; simpl. unfold pos. pose proof (Rmax_l 0 (x - u)); pose proof (Rmax_r 0 (x - u)); pose proof (Rmax_l 0 (y - u)); pose proof (Rmax_r 0 (y - u)).
    assert (0 <= t * Rmax 0 (x - u)) by (apply Rmult_le_pos; lra). assert (0 <= (1 - t) * Rmax 0 (y - u)) by (apply Rmult_le_pos; lra).
    assert (t * (x - u) <= t * Rmax 0 (x - u)) by (apply Rmult_le_compat_l; lra). assert ((1 - t) * (y - u) <= (1 - t) * Rmax 0 (y - u)) by (apply Rmult_le_compat_l; lra).
    apply Rmax_lub; lra.
  - assert (Hm : 0 <= t * x + (1 - t) * y) by (apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
    destruct (full_spec n _ u Hu Hm) as [_ L]. destruct (full_spec n x u Hu Hx) as [A _]. destruct (full_spec n y u Hu Hy) as [B _].
    pose proof (full_cont n x u Hu Hx) as Cx. pose proof (full_cont n y u Hu Hy) as Cy.
    apply L. intros b Hb. specialize (A b Hb). specialize (B b Hb).
    apply Rle_trans with (part (fun z => t * full n (x * r z) u + (1 - t) * full n (y * r z) u) b).
    + apply part_le; [apply full_cont; assumption|apply cont_plus; apply cont_scale; assumption|exact Hb|]. intros z. pose proof (ratio_pos mu z).
      replace ((t * x + (1 - t) * y) * r z) with (t * (x * r z) + (1 - t) * (y * r z)) by ring. apply IH; auto; apply Rmult_le_pos; lra.
    + rewrite part_plus, !part_scale by (try apply cont_scale; assumption).
      apply Rmult_le_compat_l with (r := t) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in B; [|lra]. lra.
Qed.

(** ** Any rate is below every record *)
Theorem sampling_lowers_composed q n u : 0 < q <= 1 -> 0 <= u -> steps q mu n u <= composed r n u.
Proof.
  intros Hq Hu.
  assert (K : forall n v, 0 <= v -> after (weight q mu) n v u <= full n v u); [|apply (K n 1); lra].
  clear n. intros n. pose proof (weight_pos q mu Hq) as WP. pose proof (weight_cont q mu) as WC. pose proof (weight_mean q mu Hq) as WM.
  induction n as [|n IH]; intros v Hv; [unfold full; simpl; lra|].
  destruct (E_spec _ (good_bounded _ WP WC WM _ v (good_after _ WP WC WM n u Hu) Hv)) as [_ L]. apply L. intros b Hb.
  assert (P : forall x, 0 <= v * weight q mu x) by (intros x; apply Rmult_le_pos; [exact Hv|left; apply WP]).
  apply Rle_trans with (part (fun x => ((1 - q) * full n v u) * 1 + q * full n (v * r x) u) b).
  - apply part_le; [apply (good_cont _ WP WC _ v (good_after _ WP WC WM n u Hu) Hv)|apply cont_plus; [apply cont_const|apply cont_scale, full_cont; assumption]|exact Hb|].
    intros x. eapply Rle_trans; [apply IH, P|]. pose proof (ratio_pos mu x). unfold weight.
    replace (v * (1 - q + q * r x)) with ((1 - q) * v + (1 - (1 - q)) * (v * r x)) by ring.
    eapply Rle_trans; [apply full_convex; [exact Hu|exact Hv|apply Rmult_le_pos; lra|lra]|]. right. ring.
  - rewrite part_plus by (try apply cont_const; apply cont_scale, full_cont; assumption).
    rewrite (part_scale _ (fun _ => 1) b (cont_const 1)), (part_scale q _ b (full_cont n v u Hu Hv)).
    destruct (full_spec n v u Hu Hv) as [U _]. specialize (U b Hb). pose proof (part_1_le b Hb). pose proof (full_grows n v u Hu Hv).
    destruct (full_good n u Hu) as [N _]. specialize (N v Hv). fold (full n v u) in N.
    assert (q * part (fun x => full n (v * r x) u) b <= q * full (S n) v u) by (apply Rmult_le_compat_l; lra).
    assert (0 <= (1 - q) * full n v u) by (apply Rmult_le_pos; lra).
    assert ((1 - q) * full n v u * part (fun _ => 1) b <= (1 - q) * full n v u * 1) by (apply Rmult_le_compat_l; lra).
    assert ((1 - q) * full n v u <= (1 - q) * full (S n) v u) by (apply Rmult_le_compat_l; lra). fold (full (S n) v u). lra.
Qed.
End Steps.
