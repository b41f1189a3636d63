// Package transfer imports CSV files into a store, and exports them.
//
// # Import
//
//	files ──► read, parse ──► known: names exist ──► derived writes ──► source writes
//	                                                      │
//	                                 after all files: rebuild of touched lists, sums and timelines
//
// For each row an import writes the derived data (lists, albums, timelines) before the source
// (object, edge, plays, twit). A row whose source is stored is complete, so the same import
// completes an interrupted one.
//
// Cells have the timestamps of their rows: the time of a twit, a comment or a dated relation, and
// otherwise 1. So importing twice makes the same cells, and later changes in the store, which are
// younger, are kept. A changed department or role moves in lists, and is a millisecond younger than
// the stored one.
//
// The last row with a key counts; for a dated relation, that with the latest time. A twit never
// changes: another row with its id must be equal. An empty optional column keeps the stored value.
package transfer
