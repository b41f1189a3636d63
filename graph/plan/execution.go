package plan

import "github.com/99designs/gqlgen/graphql"

// Execution is how an operation is executed.
type Execution struct {
	// Executor is "plan", or "stock" for gqlgen's own.
	Executor string
	// Reason says why the plan does not execute it: "uncovered" for a selection of which the generated glue knows nothing,
	// or "unplanned" for a schema without a plan.
	Reason string
}

const executionKey = "execution"

func note(op *graphql.OperationContext, e Execution) { op.Stats.SetExtension(executionKey, e) }

// ExecutionOf returns how an operation that was dispatched is executed.
func ExecutionOf(op *graphql.OperationContext) Execution {
	if e, ok := op.Stats.GetExtension(executionKey).(Execution); ok {
		return e
	}
	return Execution{"stock", "unplanned"}
}
