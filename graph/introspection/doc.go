// Package introspection answers __schema and __type over gqlparser's schema, as the specification of September 2025 says.
// It stands for gqlgen's package of the same name, which answers otherwise where docs/UPSTREAM.md says so. Its values are
// read-only and safe for concurrent use.
package introspection
