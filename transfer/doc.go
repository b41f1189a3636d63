// Package transfer imports CSV files into a store, and exports them.
//
// # Import
//
//	files ──► read, parse ──► known: names exist ──► derived writes ──► source writes
//	                                                      │
//	                                 after all files: rebuild of touched lists, sums and timelines
//
// For each row an import writes the derived data (lists, albums, timelines) before the source
// (object, edge, plays, twit). So a row whose source is stored is complete, and the same import
// completes an interrupted one. Comments are the exception: their source is written first, and a
// stored comment is written again.
//
// The cells of a row have the time of the twit, the comment or the dated relation as timestamp, and
// otherwise 1. Entries of timelines have the time of the follow. If a gateway has written the plays
// of a user and a game, added days have the timestamp of its commit + 1 ms. So a second import
// makes the same cells, and keeps later changes in the store. Departments and roles are different:
// a changed one moves in lists, so the row of the file replaces the stored one, even after a later
// change or a deletion, with a timestamp 1 ms later.
//
// If several rows have the same key, the last one counts, or for a dated relation the one with the
// latest date. A twit never changes: another row with its id must be equal. An empty value of a
// user keeps the stored one. An empty parent of a department, or department of a role, removes the
// reference.
package transfer
