// Package kill tests that nothing acknowledged is lost when gateways and region servers are killed
// while clients write.
//
// Each client changes objects of its own. It knows the value that each must have, or the possible
// values while the outcome of a mutation is unknown. After some kills all objects are compared with
// that, and 'repair --check' must find no violation.
//
// All users follow and unfollow one author after the other, so that authors pass the fan-out limit
// in both directions.
package kill
