(** The function check_about of theory/ZcdpCheck.v (check of theory/ProvedCheck.v, and zCDP) as an OCaml program. The integers of Coq become those of Zarith (ExtrOcamlZBigInt): Coq's
extraction, that mapping, Zarith and the OCaml compiler are trusted, and so are the readers beside this file. Everything else is the function of the theorem check_about_sound. composed_above and
composed_below are parts of it, from which the front end learns numbers to propose. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt.
From Dpcmp Require Import SampledNumbers StepLaws CheckParts ProvedCheck ZcdpCheck.
Extraction Language OCaml.
Extraction "checker.ml" check_about composed_above value_above composed_below test_of.
