// Package writers makes every change of the store, so that nothing acknowledged is lost and nothing is left half done, wherever a gateway
// or a region server dies. docs/WRITES.md says why that holds.
//
// A noun's file has its kinds of writes, as data, and a method of [Writers] for each mutation. Everything else is the core:
// op.go runs a write, decide.go finds out what became of a decision, stage.go and count.go do its steps, sweep.go finishes what others left.
package writers
