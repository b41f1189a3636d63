// Package differential compares the embedded engine with a real HBase: random sequences of operations must get the same
// answers from both. Where they differ, HBase is right.
//
// Rows, columns, timestamps and values are few, so that they collide. Many sequences, each on rows of its own, run side by side
// and in step, to bring many operations to HBase in one call. A sequence that fails is shrunk, and printed with the seed that
// it came from; SEED runs it again, OPERATIONS says how many operations to run.
//
// What is compared modulo the present: a timestamp that a store gave is only known to be one, and two operations that take the
// present are never in the same millisecond, where HBase's answer depends on which came first. What is left out, because HBase's own answer depends on
// when it last wrote its memory to a file or merged files: nothing here lives long enough for either, so deletions mask older puts that come later,
// and versions beyond a family's maximum come to light when newer ones are deleted.
package differential
