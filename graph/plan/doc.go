// Package plan executes GraphQL operations breadth first, over the schema and the resolvers of a
// gqlgen project.
//
// An operation is compiled once into a tree of selection sets (compile.go), executed level by level
// (run.go), and then written in one pass (write.go). gqlgen's own executor runs object by object.
// README.md describes how a project uses the package.
//
// The package knows no type and no field of a schema. Package plugin generates an [Object] for each
// object type.
package plan
