// Package oracle computes the responses to queries from CSV files, so that tests can compare them
// with the gateway's.
//
// It is deliberately simple: it reads the files into maps, sorts lists, and evaluates a query field
// by field. It shares no code with the gateway: no rows, keys, pages, import or executor.
//
// Ids and cursors are opaque to clients. The oracle has its own names for them, each a [Ref];
// [Opaque] checks that the gateway always uses the same id for the same object. Where the rules
// allow both truth values, a response has [Either]. An order that is stable but unspecified is
// taken from the gateway: [Oracle.LearnRoot], [Oracle.LearnComments].
package oracle
