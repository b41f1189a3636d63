// Package transfer imports CSV files into a store, and exports them.
//
// # Import
//
//	files ──► read, parse ──► known: names exist ──► derived writes ──► source writes
//	                                                      │
//	                                 after all files: rebuild of touched lists, sums and timelines
//
// For each row an import writes the derived data (lists, albums, timelines) before the source
// (object, edge, plays, twit). So a row whose source is stored is complete, and an interrupted
// import can be run again. Comments are the exception: each import writes them again, the source
// first.
//
// A second import makes the same cells, because timestamps come from the files: the time of a twit,
// a comment or a dated relation, and in timelines the time of the follow. Other cells have the
// timestamp 1, so changes by gateways are kept. There are two exceptions:
//   - If a gateway has written the plays of a user and a game, added days have the timestamp of
//     its commit + 1 ms.
//   - A changed department or role replaces the stored object, even if a gateway changed or deleted
//     that object. Its timestamp is 1 ms later: if it moves to another list, and later back, the
//     delete marker of its old member must not mask the new member.
//
// If several rows have the same key, the last row counts or, of a dated relation, the row with the
// latest date. Rows with the id of the same twit must be equal. An empty value keeps the stored
// value of a user, but removes the parent of a department and the department of a role.
package transfer
