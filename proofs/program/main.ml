(* Reads one question a line from standard input and writes "true" or "false" for each: what the proved function says. Not proved: this file only reads numbers.

   A line is words apart by single blanks. A fraction is NUMERATOR/DENOMINATOR; [...] stands as often as the COUNT before it says.
     line       = CLAIM MECHANISM PLAN
     CLAIM      = ("verified" | "refuted") ("remove" | "add" | "both") EPSILON DELTA
     MECHANISM  = COUNT [RATE INVERSE-NOISE STEPS]
     PLAN       = "above" UPPER UPPER | "below" ("remove" | "add") LOWER
     UPPER      = BITS LATTICE LEVELS SMALL MOST COUNT [FIRST HOW-MANY]
     LOWER      = BITS LEVELS SMALL MOST COUNT [COUNT [THRESHOLD]] *)
(* Checker has a module Z of its own. *)
module Integer = Z
open Checker

exception Unreadable of string

let rec nat_of n = if n <= 0 then O else S (nat_of (n - 1))

let answer line =
  let words = ref (String.split_on_char ' ' line) in
  let word () =
    match !words with
    | [] -> raise (Unreadable "the line is too short")
    | first :: rest -> words := rest; first in
  let integer text = try Integer.of_string text with Invalid_argument _ -> raise (Unreadable ("not an integer: " ^ text)) in
  let z () = integer (word ()) in
  let positive what n = if Integer.sign n > 0 then n else raise (Unreadable (what ^ " is not positive")) in
  let count () =
    let n = z () in
    if Integer.sign n < 0 || Integer.gt n (Integer.of_int 1000000) then raise (Unreadable "a count is not between 0 and 1000000") else Integer.to_int n in
  let bits () =
    let n = positive "the number of bits" (z ()) in
    if Integer.gt n (Integer.of_int 4096) then raise (Unreadable "more than 4096 bits") else n in
  let fraction () =
    match String.split_on_char '/' (word ()) with
    | [ a; b ] -> { qnum = integer a; qden = positive "a denominator" (integer b) }
    | _ -> raise (Unreadable "not a fraction") in
  let rec many n read = if n = 0 then [] else let x = read () in x :: many (n - 1) read in
  let order () =
    match word () with "remove" -> Remove | "add" -> Add | other -> raise (Unreadable ("not an order: " ^ other)) in
  let says = match word () with "verified" -> Verified | "refuted" -> Refuted | other -> raise (Unreadable ("not a verdict: " ^ other)) in
  let about =
    match word () with "both" -> Both | "remove" -> One Remove | "add" -> One Add | other -> raise (Unreadable ("not an order: " ^ other)) in
  let epsilon = fraction () in
  let delta = fraction () in
  let phase () =
    let rate = fraction () in
    let inverse_noise = fraction () in
    let steps_done = positive "the number of steps" (z ()) in
    { rate; inverse_noise; steps_done } in
  let mechanism = many (count ()) phase in
  let upper () =
    let bits = bits () in
    let lattice = fraction () in
    let levels = nat_of (count ()) in
    let small_mass = z () in
    let most_masses = z () in
    let range () = let first = z () in (first, nat_of (count ())) in
    { bits; lattice; levels; small_mass; most_masses; knot_ranges = many (count ()) range } in
  let lower () =
    let low_bits = bits () in
    let low_levels = nat_of (count ()) in
    let low_small = z () in
    let most_cells = z () in
    { low_bits; low_levels; low_small; most_cells; thresholds = many (count ()) (fun () -> many (count ()) fraction) } in
  let plan =
    match word () with
    | "above" -> let remove = upper () in let add = upper () in Above (remove, add)
    | "below" -> let o = order () in Below (o, lower ())
    | other -> raise (Unreadable ("not a plan: " ^ other)) in
  if !words <> [] then raise (Unreadable "words are left over");
  check mechanism { epsilon; delta; about; says } plan

let () =
  try
    while true do
      let line = input_line stdin in
      (match answer line with
       | said -> print_endline (if said then "true" else "false")
       | exception Unreadable why -> print_endline ("unreadable: " ^ why)
       | exception Stack_overflow -> print_endline "unreadable: too large for the stack")
    done
  with End_of_file -> ()
