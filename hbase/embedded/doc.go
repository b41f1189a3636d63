// Package embedded is the store of one machine: HBase's semantics over Pebble, in a directory or in memory.
//
// A cell is one entry of Pebble, and its key orders it as HBase does (key.go draws it). A delete is a marker, as in HBase. Reads skip masked
// entries, and clean.go removes them in the background. Every write call is one Pebble batch, acknowledged when it is on disk; concurrent
// calls share an fsync. Every Get call and every page of a Scan reads one consistent snapshot. Rows that are read often come from a cache
// (rowcache.go). Every write invalidates its rows in the cache.
package embedded
