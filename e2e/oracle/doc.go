// Package oracle answers the schema's queries from CSV files alone: a second opinion on what the gateway answers.
//
// It is naive on purpose: it reads the files into maps, sorts them, and evaluates a query field by field. It knows the rules
// of the schema and of who sees what, and shares no code with what it judges: not the rows, the keys or the pages, not the
// import, and not the executor.
//
// What is opaque to clients, ids and cursors, it knows by names of its own, each a [Ref]. [Opaque] holds the gateway to
// answering the same id for the same thing, always. What the rules leave open, it accepts either way: see [Either]. And an order that is stable
// but not specified it has to be told: see [Oracle.LearnRoot] and [Oracle.LearnComments].
package oracle
