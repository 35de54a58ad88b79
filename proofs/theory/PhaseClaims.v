(** * Sampled Gaussian steps as pairs

The profiles of SampledCheck.v and Compositions.v, iterated integrals of likelihood ratios, are the divergences of lists of pairs (Product.v) in both orders: what Claims.v, GdpClaims.v and
StrictProducts.v say of claims holds of them. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpcmp Require Import Tradeoff Losses GaussianTail NormalLaw GaussianCurve Expectation SampledGaussian SamplingLowers GaussianSum ProfileCurve Compositions.
From Dpcmp Require Import Product ProductPairs Claims GaussianProducts.
Import ListNotations.
Open Scope R_scope.

Definition weights_of (params : list (R * R)) : list (R -> R) := map (fun r => weight (fst r) (snd r)) params.

Lemma remove_is_hockey l params : sampled_pairs l params -> forall a b, 0 <= a -> 0 <= b -> hockey l a b = after_all (weights_of params) b a.
Proof.
  intros H. induction H as [|s r l params (Hq & Hm & ->) H IH]; intros a b Ha Hb; [reflexivity|]. unfold hockey in *. cbn [product weights_of map after_all]. unfold next. cbn [integral p q gaussian_pair].
  apply E_ext. intros x. rewrite Rmult_1_r. apply IH; [exact Ha|]. apply Rmult_le_pos; [exact Hb|left; apply weight_pos, Hq].
Qed.
Lemma add_is_hockey l params : sampled_pairs l params -> forall a, 0 <= a -> hockey (map swap l) a 1 = add_profile (weights_of params) a.
Proof.
  intros H. induction H as [|s r l params (Hq & Hm & ->) H IH]; intros a Ha; [reflexivity|]. unfold hockey in *. cbn [map product weights_of add_profile]. unfold next. cbn [integral p q swap gaussian_pair].
  apply E_ext. intros x. rewrite Rmult_1_l. apply IH. apply Rmult_le_pos; [exact Ha|left; apply weight_pos, Hq].
Qed.

(** steps with rates in (0, 1] are a list of pairs with these profiles *)
Theorem steps_are_pairs params : List.Forall (fun r => 0 < fst r <= 1 /\ 0 <= snd r) params -> exists l, sampled_pairs l params /\
  (forall u, 0 <= u -> divergence l u = remove_profile (weights_of params) u) /\ (forall u, 0 <= u -> divergence (map swap l) u = add_profile (weights_of params) u).
Proof.
  intros H. assert (E : exists l, sampled_pairs l params).
  { induction H as [|r params [Hq Hm] H [l IH]]; [exists []; constructor|]. exists (gaussian_pair (fst r) (snd r) Hq Hm :: l). constructor; [exists Hq, Hm; reflexivity|exact IH]. }
  destruct E as [l S]. exists l. split; [exact S|]. split; intros u Hu.
  - unfold divergence, remove_profile. apply (remove_is_hockey l params S); lra.
  - unfold divergence. apply (add_is_hockey l params S u Hu).
Qed.
(** claims about them, and that these claims do not depend on how they are written *)
Definition steps_satisfy (params : list (R * R)) (adj : adjacency) (c : claim) : Prop :=
  holds (of_orders (remove_profile (weights_of params)) (add_profile (weights_of params)) adj) c.
Lemma least_error_same D D' a : (forall u, 0 <= u -> D u = D' u) -> least_error D a = least_error D' a.
Proof.
  intros H. unfold least_error, inf. f_equal. apply Glb_Rbar_eqset. intros y. split; intros [u [Hu ->]]; exists u; split; auto; rewrite H; auto.
Qed.
Lemma holds_same D D' c : (forall u, 0 <= u -> D u = D' u) -> (holds D c <-> holds D' c).
Proof.
  intros H. assert (C : forall a, curve_of_profile D a = curve_of_profile D' a).
  { intros a. unfold curve_of_profile, Extremes.ext. destruct (Rlt_dec a 0); [reflexivity|]. destruct (Rlt_dec 1 a); [reflexivity|]. rewrite (least_error_same D D'); auto. }
  assert (X : forall e, D (exp e) = D' (exp e)) by (intros; apply H; left; apply exp_pos). assert (X1 : D 1 = D' 1) by (apply H; lra).
  destruct c; cbn [holds]; rewrite ?X, ?X1, ?C; try tauto; split; intros K a; specialize (K a); rewrite C in *; exact K.
Qed.
Theorem steps_satisfy_iff l params adj c : sampled_pairs l params -> (steps_satisfy params adj c <-> satisfies l adj c).
Proof.
  intros S. unfold steps_satisfy, satisfies. apply holds_same. intros u Hu.
  assert (A : remove_profile (weights_of params) u = divergence l u) by (unfold divergence, remove_profile; symmetry; apply (remove_is_hockey l params S); lra).
  assert (B : add_profile (weights_of params) u = divergence (map swap l) u) by (unfold divergence; symmetry; apply (add_is_hockey l params S u Hu)).
  destruct adj; cbn [of_orders]; rewrite ?A, ?B; reflexivity.
Qed.
