(* Reads one question a line from standard input and writes one line for each. Not proved: this file only reads and writes numbers.

   A line is words apart by single blanks. A fraction is NUMERATOR/DENOMINATOR; [...] stands as often as the COUNT before it says.
     line       = ("verified" | "refuted") ADJACENCY CLAIM SUBJECT ARGUMENT   answer: "true" or "false", what the proved function says
                | "above" ORDER MECHANISM UPPER COUNT [FRACTION]              answer: bounds of the divergence at these epsilons, for making a proof, or "none"
                | "cells" ORDER MECHANISM LOWER                               answer: the cells (with, without) below it, in units of 2^-BITS, or "none"
     ADJACENCY  = "remove" | "add" | "add-remove"
     ORDER      = "remove" | "add"
     LEVEL      = "log" FRACTION | "ratio" FRACTION
     CLAIM      = "approx-dp" LEVEL DELTA | "pure-dp" LEVEL | "advantage" AT-MOST | "trade-off" ALPHA BETA | "gdp" MU TOLERANCE | "gdp-floor" MU FLOOR | "zcdp" RHO
     SUBJECT    = MECHANISM | "all-with-zcdp" RHO
     MECHANISM  = COUNT [STEP TIMES]
     STEP       = "gaussian" RATE MU-SQUARED | "replaced" RATE MU-SQUARED | "laplace" RATE LOSS | "response" RATE LEVEL OTHERS | "outcomes" RATE COUNT [Q P]
     PROOF      = "trivial" | "above" UPPER UPPER | "line" EPSILON DELTA UPPER UPPER | "points" BITS UPPER UPPER POINTS POINTS | "largest-loss" BITS | "largest-loss-mu" BITS LEVEL
                | "gaussian-mu" | "exact" U | "exact-test" ORDER COUNT [PART] | "exact-mix" PART COUNT [PART] COUNT [PART] | "loss-above" BITS ORDER COUNT [EPSILON] | "below" ORDER LOWER | "one-test" ORDER LOWER FROM PART | "one-bound" ORDER LOWER EPSILON DELTA
                | "floor-test" ORDER LOWER FROM PART X ALPHA BETA | "fixed-point" BITS
     ARGUMENT   = PROOF | "by-rho" | "at-order" BITS ORDER | "beaten" BITS ORDER EPSILON DELTA PROOF, where an ORDER is a fraction
                | "as-outcomes" BITS P Q ORDER-LESS-1 PROOF
     UPPER      = BITS LATTICE LEVELS SMALL MOST COUNT [FIRST HOW-MANY]
     LOWER      = BITS LEVELS SMALL MOST COUNT [COUNT [EPSILON]]
     POINTS     = EPSILON BOUND COUNT [EPSILON BOUND ALPHA BETA QUANTILE] QUANTILE BETA *)
(* Checker has a module Z of its own. *)
module Integer = Z
open Checker

exception Unreadable of string

let rec nat_of n = if n <= 0 then O else S (nat_of (n - 1))
let fail what = raise (Unreadable what)

(* The words of a line, read one after the other. *)
let words = ref []
let word () =
  match !words with
  | [] -> fail "the line is too short"
  | first :: rest -> words := rest; first
let next_is text =
  match !words with
  | first :: rest when first = text -> words := rest; true
  | _ -> false
let integer text = try Integer.of_string text with Invalid_argument _ -> fail ("not an integer: " ^ text)
let z () = integer (word ())
let positive what n = if Integer.sign n > 0 then n else fail (what ^ " is not positive")
let count () =
  let n = z () in
  if Integer.sign n < 0 || Integer.gt n (Integer.of_int 1000000) then fail "a count is not between 0 and 1000000" else Integer.to_int n
let bits_of n = if Integer.gt n (Integer.of_int 4096) then fail "more than 4096 bits" else n
let bits () = bits_of (positive "the number of bits" (z ()))
let fraction () =
  match String.split_on_char '/' (word ()) with
  | [ a; b ] -> { qnum = integer a; qden = positive "a denominator" (integer b) }
  | _ -> fail "not a fraction"
let rec many n read = if n = 0 then [] else let x = read () in x :: many (n - 1) read
let listed read = many (count ()) read

let order () = match word () with "remove" -> Remove | "add" -> Add | other -> fail ("not an order: " ^ other)
let adjacency () = match word () with "remove" -> Remove0 | "add" -> Add0 | "add-remove" -> AddRemove | other -> fail ("not an adjacency: " ^ other)
let level () = match word () with "log" -> Log (fraction ()) | "ratio" -> Ratio (fraction ()) | other -> fail ("not a level: " ^ other)

(* Arguments of a constructor would be read in any order. *)
let claim () =
  match word () with
  | "approx-dp" -> let e = level () in let d = fraction () in ApproxDp (e, d)
  | "pure-dp" -> PureDp (level ())
  | "advantage" -> Advantage (fraction ())
  | "trade-off" -> let a = fraction () in let b = fraction () in TradeOff (a, b)
  | "gdp" -> let m = fraction () in let t = fraction () in Gdp (m, t)
  | "gdp-floor" -> let m = fraction () in let e = fraction () in GdpFloor (m, e)
  | other -> fail ("not a claim: " ^ other)
let statement () = if next_is "zcdp" then SaysZcdp (fraction ()) else Says (claim ())
let step () =
  match word () with
  | "gaussian" -> let r = fraction () in let square = fraction () in Gaussian (r, square)
  | "replaced" -> let r = fraction () in let square = fraction () in Replaced (r, square)
  | "mixture" -> Mixture (listed (fun () -> let weight = fraction () in let shift = fraction () in (weight, shift)))
  | "laplace" -> let r = fraction () in let loss = fraction () in Sampled (r, Laplace loss)
  | "response" -> let r = fraction () in let e = level () in let others = nat_of (count ()) in Sampled (r, Response (e, others))
  | "outcomes" -> let r = fraction () in let cells = listed (fun () -> let q = fraction () in let p = fraction () in (q, p)) in Sampled (r, Outcomes cells)
  | other -> fail ("not a step: " ^ other)
let mechanism () = listed (fun () -> let s = step () in let times = positive "the number of steps" (z ()) in (s, times))
let subject () = if next_is "all-with-zcdp" then AllWithZcdp (fraction ()) else Steps (mechanism ())
let upper () =
  let bits = bits () in
  let lattice = fraction () in
  let levels = nat_of (count ()) in
  let small_mass = z () in
  let most_masses = z () in
  let knot_ranges = listed (fun () -> let first = z () in (first, nat_of (count ()))) in
  { bits; lattice; levels; small_mass; most_masses; knot_ranges }
let lower () =
  let low_bits = bits () in
  let low_levels = nat_of (count ()) in
  let low_small = z () in
  let most_cells = z () in
  let thresholds = listed (fun () -> listed fraction) in
  { low_bits; low_levels; low_small; most_cells; thresholds }
let points () =
  let first_eps = fraction () in
  let first_bound = fraction () in
  let segment () =
    let to_eps = fraction () in
    let to_bound = fraction () in
    let alpha = fraction () in
    let beta = fraction () in
    let quantile = fraction () in
    { to_eps; to_bound; alpha; beta; quantile } in
  let segments = listed segment in
  let last_quantile = fraction () in
  let last_beta = fraction () in
  { first_eps; first_bound; segments; last_quantile; last_beta }
let proof () =
  match word () with
  | "trivial" -> Trivial
  | "above" -> let r = upper () in let a = upper () in Above (r, a)
  | "line" -> let e = fraction () in let d = fraction () in let r = upper () in let a = upper () in Line (e, d, r, a)
  | "points" -> let w = bits () in let r = upper () in let a = upper () in let pr = points () in let pa = points () in Points (w, r, a, pr, pa)
  | "largest-loss" -> LargestLoss (bits ())
  | "largest-loss-mu" -> let w = bits () in let v = level () in LargestLossMu (w, v)
  | "gaussian-mu" -> GaussianMu
  | "fixed-point" -> FixedPoint (bits ())
  | "exact" -> Exact (fraction ())
  | "exact-test" -> let o = order () in let ts = listed fraction in ExactTest (o, ts)
  | "exact-mix" -> let z = fraction () in let ts = listed fraction in let ts' = listed fraction in ExactMix (z, ts, ts')
  | "loss-above" -> let w = bits () in let o = order () in let es = listed fraction in LossAbove (w, o, es)
  | "below" -> let o = order () in let p = lower () in Below (o, p)
  | "one-test" -> let o = order () in let p = lower () in let n = nat_of (count ()) in let t = fraction () in OneTest (o, p, n, t)
  | "one-bound" -> let o = order () in let p = lower () in let e = fraction () in let d = fraction () in OneBound (o, p, e, d)
  | "floor-test" ->
      let o = order () in
      let p = lower () in
      let n = nat_of (count ()) in
      let t = fraction () in
      let x = fraction () in
      let a = fraction () in
      let b = fraction () in
      FloorTest (o, p, n, t, x, a, b)
  | other -> fail ("not a proof: " ^ other)

let argument () =
  if next_is "by-rho" then ByRho
  else if next_is "at-order" then let w = bits () in AtOrder (w, fraction ())
  else if next_is "beaten" then
    let w = bits () in
    let a = fraction () in
    let e = fraction () in
    let d = fraction () in
    Beaten (w, a, e, d, proof ())
  else if next_is "as-outcomes" then
    let w = bits () in
    let p = fraction () in
    let q = fraction () in
    let s = fraction () in
    AsOutcomes (w, p, q, s, proof ())
  else As (proof ())

let all_read () = if !words <> [] then fail "words are left over"
let spaced numbers = String.concat " " (List.map Integer.to_string numbers)
let answer line =
  words := String.split_on_char ' ' line;
  match word () with
  | ("verified" | "refuted") as says ->
      let said = if says = "verified" then Verified else Refuted in
      let adjacency = adjacency () in
      let statement = statement () in
      let subject = subject () in
      let argument = argument () in
      all_read ();
      if check_about subject adjacency statement said argument then "true" else "false"
  | "above" ->
      let o = order () in
      let m = mechanism () in
      let p = upper () in
      let epsilons = listed fraction in
      all_read ();
      (match composed_above p o m with
       | None -> "none"
       | Some (s, law) ->
           let value e = match value_above p s law (Log e) with Some n -> n | None -> Integer.shift_left Integer.one (2 * Integer.to_int p.bits) in
           spaced (List.map value epsilons))
  | "cells" ->
      let o = order () in
      let m = mechanism () in
      let p = lower () in
      all_read ();
      (match composed_below p o m with None -> "none" | Some y -> spaced y.q_masses ^ " / " ^ spaced y.p_masses)
  | other -> fail ("neither a verdict nor a question: " ^ other)

let () =
  try
    while true do
      let line = input_line stdin in
      (match answer line with
       | said -> print_endline said
       | exception Unreadable why -> print_endline ("unreadable: " ^ why)
       | exception Stack_overflow -> print_endline "too deep")
    done
  with End_of_file -> ()
