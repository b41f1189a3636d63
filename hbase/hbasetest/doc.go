// Package hbasetest tests stores and their callers: [Run] is the engines' conformance suite,
// [Recorder] lists the reads and writes of a request, and [Faults] injects the faults that a [Hook]
// chooses.
package hbasetest
