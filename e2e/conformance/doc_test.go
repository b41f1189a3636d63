// Package conformance compares twibase with graphql-js, the reference implementation of GraphQL.
// Random documents over the real schema must end in the same phase in both, with the same response.
// docs/SPEC.md describes the comparison and lists the intended differences.
package conformance
