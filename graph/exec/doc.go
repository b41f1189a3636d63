// Package exec is generated from graph/schema, except for introspection.go: NewPlannedSchema by
// graph/plan/plugin, all else by gqlgen.
package exec

//go:generate go -C ../.. run ./graph/plan/generate
