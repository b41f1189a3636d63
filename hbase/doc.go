// Package hbase is the interface of the store, in HBase's words.
//
// Row keys and qualifiers are arbitrary bytes.
//
// The engines embedded and cluster pass the suite of package hbasetest. Where they could differ,
// HBase's behaviour is the specification.
package hbase
