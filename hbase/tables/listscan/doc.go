// Package listscan reads lists that are stored in buckets.
//
// A list is a wide row with a column per member. The qualifier is the member's position, and
// positions ascend in the list's order. A list that grows past [tables.ListBound] is split into
// buckets, which are rows. Bucket 0 is the owner's own row and holds the beginning of the list. The
// other buckets are sealed: a column of the directory, in bucket 0, names each with its bounds.
//
//	row of bucket 0   hash ‖ owner
//	┌──────────────────┬──────────────────────────────┬─────────────────────┐
//	│ a  b  c  …  m    │ ff q → 2, n  │ ff ff → 1, q  │ ff ff ff → pending  │
//	├──────────────────┼──────────────────────────────┼─────────────────────┤
//	│ members before n │ directory: stop → no., start │ during a split only │
//	└──────────────────┴──────────────────────────────┴─────────────────────┘
//	row of bucket 2   hash ‖ owner ‖ 00 ‖ family ‖ 2    members from n up to q
//	row of bucket 1   hash ‖ owner ‖ 00 ‖ family ‖ 1    members from q to the end
//
// Buckets cover the list without gaps, so a position is all that a reader needs to continue. Numbers
// say nothing about the order.
//
// A split copies the end of a bucket to new ones, while others read and write the list. Its steps
// are ordered so that a reader never misses a member:
//
//  1. The new buckets are pending: writers write their members both to them and to the bucket that
//     is split. Readers ignore them.
//  2. The members are copied.
//  3. The directory names the new buckets, all in one Put. They now cover their ranges.
//  4. The old copies stay until every request that may have read the old directory has ended. A
//     member that joins one of the new buckets leaves a moved marker at its position in bucket 0. A
//     reader that has not seen the directory stops at a marker, and continues in the bucket that
//     the directory names.
//  5. The old copies, the markers and the pending column are deleted.
//
// A scan is a step machine that does no I/O. It says which Gets it needs next; the caller reads
// them, together with those of other scans if it likes, and hands their results back:
//
//	s := listscan.New(list, owner, &listscan.Range{Limit: 20})
//	for !s.Done() {
//		results := read(s.Gets())
//		if err := s.Take(results); err != nil { … }
//	}
//	members := decode(s.Cells())
//
// So one scanner serves loaders, which batch the rounds of many scans, as well as background work,
// which reads through a store client. Two kinds of scan exist: [Scan] reads a page of members in the
// list's order. [Rows] reads all that the rows of a list hold, as rebuilding and clearing need it.
package listscan
