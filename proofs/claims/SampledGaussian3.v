(** * A claim about 3 Gaussian steps of noise 1/1 at rate 1/10

Written by: claims/from-certificate claims/three-steps.json

Claim 0 (verified) of the claim file with SHA-256
a6c88e49a11575ec2bde4289cc57d8eaa0a534ce1e617ccd97c2018ddb99e8ea:
delta(1) <= 1/1000, adjacency remove.

The hockey-stick divergence of all steps at e^epsilon is at most delta, or is not, in the order or orders of the claim. *)
From Coq Require Import Reals ZArith QArith List.
From Dpcmp Require Import Compositions SampledGaussian SampledNumbers SampledCheck.
Import ListNotations.
Open Scope R_scope.

Definition mechanism : list phase := [{| rate := 1 # 10; inverse_noise := 1 # 1; steps_done := 3 |}]%Q.
Definition epsilon_delta : claim := {| epsilon := 1 # 1; delta := 1 # 1000; about := One Remove; says := Verified |}.

Definition plan_remove : upper_plan :=
  {| bits := 40; lattice := 1 # 16; levels := 5; small_mass := 183; most_masses := 300; knot_ranges := [(-3, 71%nat)]%Z |}.
Lemma accepted_remove : check_upper mechanism Remove (1 # 1) (1 # 1000) plan_remove = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem claim : private mechanism epsilon_delta.
Proof. exact (verified_one _ _ _ _ _ accepted_remove). Qed.

(** in numbers *)
Theorem in_numbers : steps (1 / 10) (1 / 1) (Pos.to_nat 3) (exp (1 / 1)) <= (1 / 1000).
Proof. pose proof (check_upper_sound _ _ _ _ _ accepted_remove) as remove. unfold mechanism in remove. rewrite one_phase_remove in remove. exact remove. Qed.
