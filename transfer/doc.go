// Package transfer brings CSV files into a store and out of it.
//
// An import writes the truth (objects, edges, plays, twits, comments) and all that follows from it (lists and their
// lengths, albums, timelines, sums). Every row first writes what follows from it, and last the row by which the next
// import tells that it is there: whatever a crash interrupts, importing the same files again completes.
//
// The timestamps of cells come from the rows: what has a time of its own (a twit, a comment, a follow with
// followed_at) carries that, and everything else the timestamp 1. So importing twice makes the same cells, and what
// was changed in the store since, which is younger, stays. Departments and roles are an exception, since names move
// in lists when they change: a change to one that was imported before is one younger than that.
//
// Of rows with the same key the later one counts, as if it came in a later import; of follows the one with the later
// time. A twit never changes: another row with its id is bad unless it says the same. An empty optional column leaves
// what is stored.
package transfer
