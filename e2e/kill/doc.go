// Package kill has the tests in which gateways and region servers die while they are written to.
package kill
