// Package kill tests that nothing acknowledged is lost when gateways and region servers are killed
// while clients write.
//
// Each client changes objects that no other client changes. It knows the value that each of them
// must have, or the possible values while the outcome of a mutation is unknown. After some kills
// all objects are read and compared with that, and 'repair --check' must find no violation.
//
// One author after the other is followed by all users, and unfollowed again, so that authors pass
// the fan-out limit in both directions.
package kill
