(** * A claim about 100 answers, each truthful with probability 11/20

Written by: claims/from-certificate claims/answers-fail.json

Claim 1 (refuted) of the claim file with SHA-256
3392e368894986934d866b3a285ceafd443440382101ac89d09770ba1f5f17c0:
delta(6) > 4641/500000, adjacency add-remove.

Some test tells the two cases apart better than (epsilon, delta) allow. *)
From Coq Require Import Reals QArith Qreals.
From Dpcmp Require Import RandomisedResponse.
Open Scope R_scope.

Theorem claim : ~ response_dp 11 9 100 (6 / 1) (4641 / 500000).
Proof.
  change (~ response_dp 11 9 100 (Q2R (6 # 1)) (Q2R (4641 # 500000))).
  apply (not_dp_by_computation 44). vm_compute. reflexivity.
Qed.
