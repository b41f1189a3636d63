//go:build ignore

// This program runs gqlgen with the plugin that generates code for the plan: go run generate.go

package main

import (
	"log"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"

	"twibase/graph/plan/plugin"
)

func main() {
	cfg, err := config.LoadConfig("gqlgen.yml")
	if err == nil {
		err = api.Generate(cfg, api.AddPlugin(plugin.Plugin{}))
	}
	if err != nil {
		log.Fatal(err)
	}
}
