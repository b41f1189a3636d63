// Package conformance compares twibase with graphql-js, the reference implementation of GraphQL.
// docs/SPEC.md describes the comparison and lists the intended differences.
package conformance
