(** The function check of theory/SampledCheck.v as an OCaml program. The integers of Coq become those of Zarith (ExtrOcamlZBigInt): Coq's extraction, that mapping, Zarith and the OCaml
compiler are trusted, and so are the readers beside this file. Everything else is the function of the theorem check_sound. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt.
From Dpcmp Require Import SampledNumbers SampledCheck.
Extraction Language OCaml.
Extraction "checker.ml" check.
