// Package atlas has the object types of the example.
package atlas

// Country is an object type.
type Country struct{ Name string }

// City is an object type.
type City struct{ Name, CountryName string }
