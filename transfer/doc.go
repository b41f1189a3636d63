// Package transfer imports CSV files into a store, and exports them.
//
// # Import
//
//	files ──► read, parse ──► known: names exist ──► derived writes ──► source writes
//	                                                      │
//	                                 after all files: rebuild of touched lists, sums and timelines
//
// For each row an import writes the derived data (lists, albums, timelines) before the source
// (object, edge, plays, twit). So a row whose source is stored is complete. To complete an
// interrupted import, run it again. Comments are the exception: their source is written first, and
// each import writes it again.
//
// A second import makes the same cells, because timestamps come from the files. The cells of a
// twit, a comment or a dated relation have its time. Entries of timelines have the time of the
// follow. Other cells have the timestamp 1, so changes by gateways are kept. There are two
// exceptions:
//   - If a gateway has written the plays of a user and a game, added days have the timestamp of
//     its commit + 1 ms.
//   - A changed department or role replaces the stored object, with a timestamp 1 ms later. The
//     object is a member of a list, such as a role in the list of its department. If it moves to
//     another list, and later back, the delete marker of its old member would mask a new member
//     with the same timestamp. The row of the file replaces the object even if a gateway changed or
//     deleted the object.
//
// If several rows have the same key, the last row counts. Of a dated relation, the row with the
// latest date counts. Rows with the id of the same twit must be equal. In the file of users, an
// empty value keeps the stored value. An empty parent of a department, or an empty department of a
// role, removes the reference.
package transfer
