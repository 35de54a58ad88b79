(** * A claim about 100 answers, each truthful with probability 11/20

Written by: claims/randomised-response holds 11 9 100 6/1 9283/1000000
Whatever is tested, the chances differ by no more than (epsilon, delta) allow. *)
From Coq Require Import Reals QArith Qreals.
From Dpcmp Require Import RandomisedResponse.
Open Scope R_scope.

Theorem claim : response_dp 11 9 100 (6 / 1) (9283 / 1000000).
Proof.
  change (response_dp 11 9 100 (Q2R (6 # 1)) (Q2R (9283 # 1000000))).
  apply (dp_by_computation 44). vm_compute. reflexivity.
Qed.
