// Package embedded is the store of one machine: HBase's semantics over Pebble, in a directory or in memory.
//
// A cell is one entry of Pebble, its key ordered as HBase orders cells (key.go draws it). A delete is a marker, as in
// HBase; nothing that a marker masks is read, and clean.go removes it in the background. Every write call is one Pebble
// batch and is acknowledged after it is on disk; calls that run at the same time share an fsync. Every Get call and every
// page of a Scan reads one consistent snapshot. Rows that Gets ask for again and again come from a cache (rowcache.go), which
// every write tells that they change, so that none is ever behind.
package embedded
