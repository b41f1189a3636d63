// Package invariant proves of a whole store, on which nothing is being written, that everything which follows from the truth does follow
// from it: lists from edges and objects, counts from lists, and that no write is half done.
package invariant
