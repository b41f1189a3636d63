// Package check checks a whole store: whether all derived data follows from its sources. It repairs what does not.
//
// The sources are the objects, the edges, the plays, the names of twits, and the comments of twits. Derived are the
// lists of both ends, the buckets of split lists, the counts, the sums and the timelines. Each check reads all rows
// of a table, a batch at a time, and with them what should follow from them; and the other way round. So memory
// depends on the number of violations and of departments, and on no other table's size.
//
// Nothing may write to the store meanwhile: an operation in progress looks like a violation, and a repair would be
// another writer.
package check
