// Package hbase is the interface of the store, in HBase's words.
//
// Row keys and qualifiers are arbitrary bytes, in bytewise order.
//
// The engines are embedded (Pebble, one machine) and cluster (a real HBase). Where they could
// differ, HBase's behaviour is the specification. The suite of package hbasetest checks both.
package hbase
