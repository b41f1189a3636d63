// Package embedded is HBase's semantics over Pebble, on disk or in memory.
//
//	Get ──► row cache ──miss──► reader ──► Pebble's snapshot                   rowcache.go, get.go, row.go
//	Put ──► row lock ──► invalidate ──► Pebble's batch ──► unlock ──► fsync    rowlock.go, write.go
//
// A cell is one entry of Pebble (key.go). A delete is a marker, as in HBase (clean.go). Every write
// call is one batch, acknowledged when it is on disk. Concurrent calls share an fsync. Every Get
// call and every page of a Scan reads one snapshot.
package embedded
