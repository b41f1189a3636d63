// Package hbasetest tests stores and their callers: [Run] is the conformance suite of the engines,
// [Recorder] lists the reads and writes of a request, and [Faults] is a store with a fault plan.
package hbasetest
