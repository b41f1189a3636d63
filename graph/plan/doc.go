// Package plan executes GraphQL operations breadth first, over the schema and the resolvers of a gqlgen project.
//
// An operation is compiled once into a tree of selection sets. It then runs level by level: a batch resolver is called once with all
// objects of a level, whatever lists they came from, and fields without resolvers cost nothing until the answer is written, in one
// pass of appends. gqlgen's own executor runs an answer object by object. The file run.go explains the execution; README.md says
// how a project uses the package.
//
// The package names no type and no field of a schema. It knows an [Object] for each type, which package plugin generates. The
// generated code covers
//
//   - resolvers of root fields, of one parent, and of all parents (batch: true in gqlgen.yml)
//   - leaves, and lists of them, that are fields of Go structs, or methods without arguments and ctx
//   - objects, and lists of them, that are fields of Go structs, or methods without ctx and error
//
// with all leaf types of gqlgen. The object types of an interface or union have a Go struct each. Generation fails, by name, for
// what gqlgen would execute otherwise:
//
//   - directives that run code, at fields, arguments, input objects and operations
//   - lists of lists of objects, objects that are maps or interfaces, root types that a field leads to or an interface has
//   - any other methods
//   - fields without resolvers that lead from lazy objects to further objects: these would be followed before they are loaded
//   - @inlineArguments, @subscriptionContext, and generated contexts that are arguments of functions
package plan
