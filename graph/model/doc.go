// Package model holds the Go types of the schema that are no row types: connections and their edges.
package model

import "twibase/hbase/tables"

// Node is anything that has an id: every row type that the schema shows.
type Node interface{ ID() tables.ID }

// Query is the type of the field `query` of payloads. It is empty, because all fields of the query
// root have resolvers.
type Query struct{}
