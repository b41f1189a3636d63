// Package plan executes the GraphQL operations of a gqlgen project breadth first: each selection
// set once, with all of its objects. README.md describes its use.
//
// Requests with the same parsed document and Boolean variables usually share a compiled operation
// (compile.go). A run resolves its fields (run.go, resolve.go). Then a writer writes the response,
// with null propagation and the paths of errors (write.go, output.go).
//
// # Object sets and columns
//
// An object set is a selection set with all objects that the field above it returned, from all
// lists. A column has the values of one field, one for each object of the set.
//
//	{ users { name friends { name house { street } } } }
//
//	Query          [ root ]
//	  users        [ [a b c] ]            one call of a resolver, with one object
//	                   │   takeChildren: join the lists, and remember where each ends
//	                   ▼
//	User           [ a b c ]
//	  friends      [ [d e] [] [f null] ]  one call of a resolver, with three objects
//	                   │   takeChildren; compact: remove the nulls; index = 0 1 2 -1
//	                   ▼
//	User           [ d e f ]
//	  house        [ h1 h2 h3 ]           no resolver: gathered from the objects
//	                   │
//	                   ▼
//	House          [ h1 h2 h3 ]
//
// Leaves without resolvers, here names and streets, have no column: the writer reads them from the
// objects. Below an interface or union, there is an object set for each object type.
//
// # Tasks
//
// A task calls a batch resolver with an object set, or a resolver of one object concurrently for
// each object. Then it descends to the next fields with resolvers. These become tasks that run
// concurrently, the last in the goroutine of the task above. So a chain of batch resolvers takes
// one goroutine.
//
//	users ──► friends ─┬─► likes        likes has a goroutine of its own,
//	                   └─► posts ──►    users, friends and posts share one
//
// Loaders dispatch the keys of an operation when all of its tasks wait. [Tasks] counts the tasks
// that do not wait. A resolver of one object counts once for each object. A run counts the next
// tasks before it ends the task above them. So when the count is zero, no task can add a key.
//
// # Lazy objects
//
// A resolver may return a lazy object, whose row is not loaded yet. Only the writer reads leaves
// without resolvers, after [Tasks.Await] has waited for all lazy objects. [writer] describes how it
// writes missing objects.
//
// # Errors and nulls
//
// An error or a panic of a resolver does not stop a run. It is stored in the column, for one object
// or all, and nothing is resolved below it. Errors of graphql.AddError are stored, too, but do not
// stop what is below. The writer adds all errors and those of leaves, and propagates nulls.
//
// # Mutations
//
// The root fields of a mutation run one after the other, each with everything below it, lazy
// objects included.
package plan
