// Package tables says how twibase's nouns lie in HBase: one file per noun, with its row type, its key, its codec and its
// table. It is pure: it makes Gets and Puts and reads cells, and never calls a store. docs/TABLES.md draws the bytes.
//
// Everything is an object or a list. An object is a row with a cell per attribute. A list is a wide row with a column per
// member, in the order in which it is read. An edge, the truth about two objects, is a narrow row of its own.
//
// All functions are safe for concurrent use.
package tables
