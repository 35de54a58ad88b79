(** * A claim about 2000 Gaussian steps of noise 47/5 at rate 1024/3125

Written by: claims/from-certificate ../examples/certificates/de-et-al-claim-2.json

Claim 1 (refuted) of the claim file with SHA-256
d772402e62879a71b7cda8bce0cc70b6628eeda12c216bf956a893616d9d6bd9:
delta(37/5) > 1/100000, adjacency add-remove.

The hockey-stick divergence of all steps at e^epsilon is at most delta, or is not, in the order or orders of the claim. *)
From Coq Require Import Reals ZArith QArith List.
From Dpcmp Require Import Compositions SampledGaussian SampledNumbers SampledCheck.
Import ListNotations.
Open Scope R_scope.

Definition mechanism : list phase := [{| rate := 1024 # 3125; inverse_noise := 5 # 47; steps_done := 2000 |}]%Q.
Definition epsilon_delta : claim := {| epsilon := 37 # 5; delta := 1 # 100000; about := Both; says := Refuted |}.

Definition plan_remove : lower_plan :=
  {| low_bits := 59; low_levels := 8; low_small := 1441; most_cells := 400; thresholds := [[(-129421038) # 16777216; (-125471052) # 16777216; (-118725345) # 16777216; (-112206679) # 16777216; (-105898669) # 16777216; (-99786636) # 16777216; (-93857376) # 16777216; (-88098975) # 16777216; (-82500639) # 16777216; (-77052563) # 16777216; (-71745812) # 16777216; (-66572221) # 16777216; (-61524308) # 16777216; (-56595202) # 16777216; (-51778577) # 16777216; (-47068595) # 16777216; (-42459860) # 16777216; (-37947371) # 16777216; (-33526486) # 16777216; (-29192888) # 16777216; (-24942558) # 16777216; (-20771744) # 16777216; (-16676939) # 16777216; (-12654862) # 16777216; (-8702438) # 16777216; (-4816781) # 16777216; (-995179) # 16777216; (2764921) # 16777216; (6465923) # 16777216; (10110096) # 16777216; (13699580) # 16777216; (17236400) # 16777216; (20722470) # 16777216; (24159606) # 16777216; (27549528) # 16777216; (30893866) # 16777216; (34194173) # 16777216; (37451922) # 16777216; (40668514) # 16777216; (43845286) # 16777216; (46983511) # 16777216; (50084401) # 16777216; (53149115) # 16777216; (56178759) # 16777216; (59174390) # 16777216; (62137021) # 16777216; (65067618) # 16777216; (67967107) # 16777216; (70836378) # 16777216; (73676282) # 16777216; (76487635) # 16777216; (79271221) # 16777216; (82027793) # 16777216; (84758074) # 16777216; (87462761) # 16777216; (90142523) # 16777216; (92798002) # 16777216; (95429820) # 16777216; (98038574) # 16777216; (100624838) # 16777216; (103189169) # 16777216; (105732101) # 16777216; (108254151) # 16777216; (110755819) # 16777216; (113237584) # 16777216; (115699914) # 16777216; (118143257) # 16777216; (120568049) # 16777216; (122974710) # 16777216; (125363648) # 16777216; (127735256) # 16777216; (130089917) # 16777216; (131205848) # 16777216]]%Q |}.
Lemma accepted_remove : check_lower mechanism Remove (37 # 5) (1 # 100000) plan_remove = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem claim : ~ private mechanism epsilon_delta.
Proof. exact (refuted_both _ _ _ _ _ accepted_remove). Qed.

(** in numbers *)
Theorem in_numbers : (1 / 100000) < steps (1024 / 3125) (5 / 47) (Pos.to_nat 2000) (exp (37 / 5)).
Proof. pose proof (check_lower_sound _ _ _ _ _ accepted_remove) as remove. unfold mechanism in remove. rewrite one_phase_remove in remove. exact remove. Qed.
