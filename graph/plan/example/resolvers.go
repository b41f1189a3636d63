// Package example is a small GraphQL server that executes with package plan.
package example

import (
	"context"
	"fmt"

	"twibase/graph/plan/example/atlas"
	"twibase/graph/plan/example/exec"
)

//go:generate go run generate.go

// Resolvers print the calls of Query.countries and of the batch resolvers.
type Resolvers struct{}

func (Resolvers) Query() exec.QueryResolver { return query{} }

func (Resolvers) Country() exec.CountryResolver { return country{} }

func (Resolvers) City() exec.CityResolver { return city{} }

var cities = map[string][]*atlas.City{
	"Italy":  {{Name: "Rome", CountryName: "Italy"}, {Name: "Milan", CountryName: "Italy"}},
	"France": {{Name: "Paris", CountryName: "France"}, {Name: "Lyon", CountryName: "France"}},
}

type query struct{}

func (query) Countries(context.Context) ([]*atlas.Country, error) {
	fmt.Println("Query.countries")
	return []*atlas.Country{{Name: "Italy"}, {Name: "France"}}, nil
}

type country struct{}

func (country) Cities(_ context.Context, countries []*atlas.Country) ([][]*atlas.City, error) {
	fmt.Println("Country.cities of", len(countries), "countries")
	lists := make([][]*atlas.City, len(countries))
	for i, c := range countries {
		lists[i] = cities[c.Name]
	}
	return lists, nil
}

type city struct{}

// Country is a resolver of one city, called concurrently for the cities of a level.
func (city) Country(_ context.Context, c *atlas.City) (*atlas.Country, error) {
	return &atlas.Country{Name: c.CountryName}, nil
}

func (city) Trains(_ context.Context, from []*atlas.City, most *int) ([][]*atlas.City, error) {
	fmt.Println("City.trains of", len(from), "cities")
	lists := make([][]*atlas.City, len(from))
	for i, c := range from {
		for _, to := range append(cities["France"], cities["Italy"]...) {
			if to.Name != c.Name && len(lists[i]) < *most {
				lists[i] = append(lists[i], to)
			}
		}
	}
	return lists, nil
}
