// Package hbasetest tests stores and their callers: [Run] is the engines' conformance suite,
// [Recorder] lists the reads and writes of a request, and [Faults] has a fault plan.
package hbasetest
