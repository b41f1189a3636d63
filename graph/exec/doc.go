// Package exec is generated from graph/schema, except for introspection.go: the executable schema
// and the interfaces of resolvers by gqlgen, and NewPlannedSchema by package graph/plan/plugin.
package exec

//go:generate go -C ../.. run ./graph/plan/generate
