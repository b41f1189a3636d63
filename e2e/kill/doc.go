// Package kill tests that no acknowledged write is lost when gateways and region servers are killed
// while clients write.
//
// Each client changes its own objects. It knows the value of each, or its possible values while the
// outcome of a mutation is unknown. After some kills all objects must have one of these values, and
// 'repair --check' must find no violation.
//
// All users follow and later unfollow each author in turn, so that the author's number of followers
// passes the fan-out limit in both directions.
package kill
