package plan

import "github.com/99designs/gqlgen/graphql"

// Execution is how an operation is executed.
type Execution struct {
	// Executor is "plan", or "stock" for any other.
	Executor string
	// Reason is empty for the plan. It is "unplanned" for a schema without one, as tests have it.
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
