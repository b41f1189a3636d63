// Package hbase is the interface of the store, in HBase's words.
//
// A table has rows. A row has cells, each named by a column (family and qualifier) and a timestamp.
// Row keys and qualifiers are strings of arbitrary bytes, in bytewise order.
//
// The engines are embedded (Pebble, one machine) and cluster (a real HBase). Both pass the suite of
// package hbasetest. Where they could differ, HBase's behaviour is the specification.
package hbase
