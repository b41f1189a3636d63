// Package atlas has the object types of the example.
package atlas

type Country struct{ Name string }

type City struct{ Name, CountryName string }
