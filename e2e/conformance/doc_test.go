// Package conformance compares twibase with graphql-js, the reference implementation of GraphQL: random documents over the real schema must come as
// far in one as in the other, and be answered in the same way. docs/SPEC.md says what is compared and which differences are intended.
package conformance
