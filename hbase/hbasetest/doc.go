// Package hbasetest tests stores and their callers: [Run] is the engines' conformance suite,
// [Recorder] lists a request's reads and writes, and [Faults] injects a [Hook]'s faults.
package hbasetest
