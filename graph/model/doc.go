// Package model has connections, edges and payloads.
package model

import "twibase/hbase/tables"

// Node is a row type of the schema. ID is its global id.
type Node interface{ ID() tables.ID }

// Query is empty, because all fields of the query root have resolvers.
type Query struct{}
