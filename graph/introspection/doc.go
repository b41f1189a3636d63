// Package introspection answers __schema and __type over gqlparser's schema, as the specification of September 2025 says.
// It replaces gqlgen's package of the same name, which differs from the specification: see docs/UPSTREAM.md. Its values are
// read-only and safe for concurrent use.
package introspection
