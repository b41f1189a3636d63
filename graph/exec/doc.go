// Package exec is generated from graph/schema, except for introspection.go. gqlgen generates the
// executable schema and the interfaces of resolvers. Package graph/plan/plugin generates
// NewPlannedSchema.
package exec

//go:generate go -C ../.. run ./graph/plan/generate
