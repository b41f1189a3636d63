package command

import (
	"fmt"

	"twibase/gateway"
)

type schemaCommand struct{}

// Run prints the schema that the server also has at /schema.graphql.
func (schemaCommand) Run(p process) error {
	_, err := fmt.Fprint(p.stdout, gateway.SDL())
	return err
}
