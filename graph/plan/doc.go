// Package plan executes GraphQL operations breadth first.
//
// An operation is compiled once into a tree of selections. It then runs level by level: every field that needs a resolver
// is called once with all its parents, whatever lists they came from, and what needs none costs nothing until the answer is
// written, in one pass of appends. Compare gqlgen's own executor, which runs an answer element by element.
//
// The package names no type and no field of the schema. What it knows of them is an [Object] each, which package plugin
// generates from the schema as gqlgen sees it. The generated code covers
//
//   - resolvers of root fields, of one parent, and of all parents (batch: true in gqlgen.yml)
//   - leaves, and lists of them, that are fields of Go structs, or methods without arguments and ctx
//   - objects, and lists of them, that are fields of Go structs, or methods without ctx and error
//
// with whatever leaf types gqlgen knows. Of several object types in an interface or union each has a Go struct of its own. Generation refuses by name
// what gqlgen would execute otherwise:
//
//   - directives that run: of fields, arguments, input objects and operations. Arguments are coerced once for all who send the same literals
//   - lists of lists of objects, objects that are maps or interfaces, root types that a field leads to or an interface has
//   - any other methods
//   - fields of the store's rows that lead to objects without a resolver: these are followed while the row may be a promise
//   - arguments that a resolver takes as one (@inlineArguments), events that bring a ctx, and contexts that are arguments of functions
package plan
