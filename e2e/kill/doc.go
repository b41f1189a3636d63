// Package kill tests that no acknowledged write is lost when gateways and region servers are killed
// while clients write.
//
// Each client changes its own objects. It knows the value of each, or the possible values after an
// unknown outcome. After some kills all objects must have one of these values, and 'repair --check'
// must find no violation.
package kill
