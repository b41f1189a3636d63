// Package check checks whether all derived data of a store follows from its sources, and repairs what differs.
//
// The sources are the objects, the edges, the plays, the names of twits, and the comments of twits. Derived are the
// lists of both ends, the buckets of split lists, the counts, the sums and the timelines. Each check reads a table, a
// batch of rows at a time, with the data that is derived from them, or from which they are derived. So memory depends
// on the number of violations and of departments, and on no other table's size.
//
// Nothing else may write to the store: an operation in progress looks like a violation, and a repair would be a second
// writer.
package check
