// Generate runs gqlgen with the plugins for packages plan and resolvers.
package main

import (
	"fmt"
	"os"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/plan/plugin"
	"twibase/graph/schema"
)

func main() {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err == nil {
		err = api.Generate(cfg, api.AddPlugin(conform{}), api.ReplacePlugin(resolvers{}),
			api.AddPlugin(plugin.Plugin{Lazy: []string{"twibase/hbase/tables"}}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// conform corrects the schema as package exec does at its start.
type conform struct{}

func (conform) Name() string { return "conform" }

func (conform) MutateSchema(parsed *ast.Schema) error {
	schema.Conform(parsed)
	return nil
}
