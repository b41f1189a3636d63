// Package hbase defines the store that twibase uses, in HBase's own vocabulary.
//
// A table has rows; a row has cells, each named by a column (family and qualifier) and a timestamp. Row keys and
// qualifiers are Go strings that hold arbitrary bytes: immutable, comparable, and ordered bytewise, as HBase orders
// them. Values are byte slices.
//
// Two engines implement [Store]: embedded (Pebble, one machine) and cluster (a real HBase). Package hbasetest holds the
// one suite that both pass. Where they would differ, HBase is right.
package hbase
