// Package plan executes GraphQL operations breadth first.
//
// An operation is compiled once into a tree of selections. It then runs level by level: every field that needs a resolver
// is called once with all its parents, whatever lists they came from, and what needs none costs nothing until the answer is
// written, in one pass of appends. Compare gqlgen's own executor, which runs an answer element by element.
//
// The package names no type and no field of the schema. What it knows of them is an [Object] each, which package generate
// makes from the schema as gqlgen sees it.
package plan
