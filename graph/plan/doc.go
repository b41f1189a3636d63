// Package plan executes GraphQL operations breadth first, over the schema and the resolvers of a gqlgen project.
//
// An operation is compiled once into a tree of selection sets. It then runs level by level: a batch resolver is called once with all
// objects of a level, whatever lists they came from, and fields without resolvers cost nothing until the answer is written, in one
// pass of appends. gqlgen's own executor runs an answer object by object. The file run.go explains the execution; README.md says
// how a project uses the package.
//
// The package names no type and no field of a schema. It knows an [Object] for each type, which package plugin generates, with all
// leaf types of gqlgen. Generation fails, by name, for what gqlgen would execute otherwise: README.md lists it.
package plan
