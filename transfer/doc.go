// Package transfer imports CSV files into a store, and exports them.
//
// An import writes sources (objects, edges, plays, twits, comments) and all data that is derived from them (lists and
// their lengths, albums, timelines, sums). For each row it writes the derived data first. It writes the source last,
// because the next import takes a row whose source is stored for complete. So importing the same files again completes
// an import that a crash interrupted.
//
// Cells have the timestamps of their rows: the time of a twit, a comment or a dated relation, and 1 for everything
// else. So importing twice makes the same cells, and later changes in the store, which are younger, stay. Departments
// and roles are an exception, since they move in lists when they change: a changed one is one millisecond younger than
// the stored one.
//
// Of rows with the same key the last one counts, as if it came in a later import; of rows of a dated relation the one
// with the latest time. A twit never changes: another row with its id is wrong unless it is equal. An empty optional
// column keeps the stored value.
package transfer
