(** * A claim about 2000 Gaussian steps of noise 47/5 at rate 1024/3125

Written by: claims/from-certificate ../examples/certificates/de-et-al-claim-1.json

Claim 0 (verified) of the claim file with SHA-256
d772402e62879a71b7cda8bce0cc70b6628eeda12c216bf956a893616d9d6bd9:
delta(8) <= 1/100000, adjacency add-remove.

The hockey-stick divergence of all steps at e^epsilon is at most delta, or is not, in the order or orders of the claim. *)
From Coq Require Import Reals ZArith QArith List.
From Dpcmp Require Import Compositions SampledGaussian SampledNumbers SampledCheck.
Import ListNotations.
Open Scope R_scope.

Definition mechanism : list phase := [{| rate := 1024 # 3125; inverse_noise := 5 # 47; steps_done := 2000 |}]%Q.
Definition epsilon_delta : claim := {| epsilon := 8 # 1; delta := 1 # 100000; about := Both; says := Verified |}.

Definition plan_remove : upper_plan :=
  {| bits := 60; lattice := 1 # 64; levels := 7; small_mass := 2882; most_masses := 300; knot_ranges := [(-15, 39%nat)]%Z |}.
Lemma accepted_remove : check_upper mechanism Remove (8 # 1) (1 # 100000) plan_remove = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Definition plan_add : upper_plan :=
  {| bits := 60; lattice := 1 # 64; levels := 7; small_mass := 2882; most_masses := 300; knot_ranges := [(-23, 39%nat)]%Z |}.
Lemma accepted_add : check_upper mechanism Add (8 # 1) (1 # 100000) plan_add = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem claim : private mechanism epsilon_delta.
Proof. exact (verified_both _ _ _ _ _ accepted_remove accepted_add). Qed.

(** in numbers *)
Theorem in_numbers : steps (1024 / 3125) (5 / 47) (Pos.to_nat 2000) (exp (8 / 1)) <= (1 / 100000) /\ add_profile (repeat (weight (1024 / 3125) (5 / 47)) (Pos.to_nat 2000)) (exp (8 / 1)) <= (1 / 100000).
Proof.
  split.
  - pose proof (check_upper_sound _ _ _ _ _ accepted_remove) as remove. unfold mechanism in remove. rewrite one_phase_remove in remove. exact remove.
  - pose proof (check_upper_sound _ _ _ _ _ accepted_add) as add. unfold mechanism in add. rewrite one_phase_add in add. exact add.
Qed.
