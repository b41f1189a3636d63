// Package conformance compares twibase with graphql-js, GraphQL's reference implementation.
// docs/SPEC.md describes this and lists the intended differences.
package conformance
