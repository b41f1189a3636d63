//go:build ignore

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
