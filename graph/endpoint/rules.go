package endpoint

import (
	"github.com/99designs/gqlgen/graphql/executor"

	"twibase/graph/endpoint/websocket"
	"twibase/graph/limits"
)

type rules struct {
	limits   limits.Limits
	preparer *preparer
	exec     *executor.Executor
	sockets  *websocket.Server
}

// Reload changes the limits of later requests, and the origins of later WebSockets. It forgets
// cached and registered documents, which may exceed the limits.
func (e *Endpoint) Reload(bounds limits.Limits, origins []string) {
	config := e.config
	config.Limits, config.Origins = bounds, origins
	next := &rules{
		limits:   bounds,
		preparer: newPreparer(e.schema.Schema(), &config),
		exec:     newExecutor(e.schema, &config, e.admission),
		sockets: &websocket.Server{
			Origins:      origins,
			Execute:      e.execute,
			Authenticate: config.Tokens.Authenticate,
			Sending:      config.Sending,
			Receiving:    config.Receiving,
			Parsing:      e.acquireParsing,
			Limits:       bounds,
			Draining:     e.draining,
			Ended:        e.ended,
		},
	}
	next.preparer.costs = limits.NewCostCheck(bounds, e.schema, config.Costs)
	e.rules.Store(next)
}
