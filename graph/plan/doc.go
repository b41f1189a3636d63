// Package plan executes GraphQL operations breadth first, over the schema and the resolvers of a
// gqlgen project: it executes each selection set once, with all of its objects. README.md describes
// its use.
//
// Requests with the same document and the same Boolean variables usually share one compiled
// operation (compile.go). A run resolves its fields (run.go, resolve.go). Then a writer writes the
// response in one pass, with null propagation and the paths of errors (write.go). An event of a
// subscription is executed like a query.
//
// The package knows no type and no field of a schema: package plugin generates an [Object] for each
// object type.
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
//	                   │   gather: concatenate the lists, and remember where each ends
//	                   ▼
//	User           [ a b c ]
//	  friends      [ [d e] [] [f null] ]  one call of a resolver, with three objects
//	                   │   gather; compact: remove the nulls; index = 0 1 2 -1
//	                   ▼
//	User           [ d e f ]
//	  house        [ h1 h2 h3 ]           no resolver: gathered from the objects
//	                   │
//	                   ▼
//	House          [ h1 h2 h3 ]
//
// Names and streets are leaves without resolvers. They have no column: the writer reads them from
// the objects. Below a field whose type is an interface or union, there is an object set for each
// object type.
//
// # Tasks
//
// A task calls a batch resolver with an object set, or a resolver of one object concurrently for
// each object of the set. Then it descends through fields without resolvers to the next fields with
// resolvers. These become the next tasks, which run concurrently. The last of them runs in the
// goroutine of the task above, so a chain of batch resolvers takes one goroutine.
//
//	users ──► friends ─┬─► likes        likes has a goroutine of its own,
//	                   └─► posts ──►    users, friends and posts share one
//
// Loaders dispatch the keys of an operation when all of its tasks wait for a loader. [Tasks] counts
// the running tasks. A task that calls a resolver of one object for n objects counts as n tasks. A
// loader calls End before it waits and Start before it returns, so waiting tasks are not counted. A
// run counts the next tasks before it ends the task above them. So when the count is zero, no task
// can add a key.
//
// # Lazy objects
//
// A resolver may return a lazy object, whose row is not loaded yet. A run treats it like any other
// object, because only the writer reads leaves without resolvers. Before the writer starts,
// [Tasks.Await] waits until all lazy objects are loaded. [writer] describes how it writes missing
// objects.
//
// # Errors and nulls
//
// An error or a panic does not stop a run. It is stored in the column, for all objects or for one,
// and nothing is resolved below it.
//
// # Mutations
//
// The root fields of a mutation run one after the other, each with everything below it, lazy
// objects included.
package plan
