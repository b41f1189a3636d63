// Package hbasetest is what tests of stores and of their callers need: [Run], one conformance suite that every engine
// passes; [Recorder], which lists what a request read and wrote; and [Faults], a store that fails where a test wants it to.
package hbasetest
