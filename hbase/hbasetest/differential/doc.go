// Package differential compares the embedded engine with a real HBase: random sequences of
// operations must have the same results. Where they differ, HBase is right.
//
// Rows, columns, timestamps and values are few, so that they collide. Many sequences, each on rows
// of its own, run in step, so that one call has many operations. A failing sequence is shrunk, and
// printed with its seed. SEED runs it again, and OPERATIONS is the number of operations.
//
// Timestamps of the store's present are equal. No two operations of a row have the present in the
// same millisecond: HBase's result would depend on their order. No table lives until HBase flushes
// or compacts it, because HBase's results change then. So deletions mask older puts that are
// written later, and versions beyond a family's VERSIONS are readable after newer ones are deleted.
package differential
