// Package resolvers answers the fields of the schema: one file per noun, thin, and plural. A resolver takes all its parents at
// once and asks the loaders for all of them at once.
package resolvers

// Resolver is the root of all resolvers. What a request needs, its loaders and its viewer, is in the ctx: see [loaders.With] and
// [auth.Viewer]. It is safe for concurrent use.
type Resolver struct{}
