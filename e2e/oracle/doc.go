// Package oracle computes the responses to queries from CSV files, so that tests can compare them
// with the gateway's.
//
// It reads the files into maps, sorts lists, and evaluates a query field by field. It shares no
// code with the gateway.
//
// Ids and cursors are opaque to clients. The oracle names each by a [Ref], and [Opaque] checks that
// an object's id never changes. Where the rules allow both true and false, a response has [Either].
// The oracle takes an unspecified order from the gateway: see [Oracle.LearnRoot] and
// [Model.LearnComments].
package oracle
