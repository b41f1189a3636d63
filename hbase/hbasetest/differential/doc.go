// Package differential compares the embedded engine with a real HBase, by random sequences of
// operations.
//
// Many sequences, each on its own rows, run in step, so that one call has many operations. A
// failing sequence is shrunk, and printed with its seed. SEED runs it again. OPERATIONS is the
// number of operations.
//
// No two operations of a row take the current time in the same millisecond, because HBase's result
// would depend on their order. Tables are dropped before HBase flushes or compacts them, because
// that changes results.
package differential
