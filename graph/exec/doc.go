// Package exec is what gqlgen generates from graph/schema: the executable schema, and the interfaces that resolvers implement.
package exec

//go:generate go tool gqlgen generate
