// Package check proves of a whole store that everything which follows from the truth does follow from it, and repairs what does not.
//
// The truth are the objects, the edges, the plays, what the ids of twits name, and the comments of a twit; what follows are the lists of both
// sides, the buckets of lists that were cut, the counts, the sums and the timelines. Each invariant is proven by reading all rows of a table, some at a time,
// and with them what should follow from them, and the other way round. So memory depends on no table's size, but for the number of violations.
//
// Nothing may write to the store meanwhile: what is on its way looks like a violation, and repairing it would be another writer.
package check
