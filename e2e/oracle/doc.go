// Package oracle computes the responses to queries from CSV files, to compare them with the
// gateway's.
//
// It shares no code with the gateway. Where the rules allow both true and false, a response has
// [Either]. The oracle takes an unspecified order from the gateway: see [Oracle.LearnRoot] and
// [Model.LearnComments].
package oracle
