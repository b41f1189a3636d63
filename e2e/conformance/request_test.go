package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
)

type request struct {
	Query         string `json:"query"`
	OperationName string `json:"operationName"`
	Variables     string `json:"variables"` // a JSON object, or empty
}

func (r request) String() string {
	return fmt.Sprintf("  document: %s\n  quoted: %q\n  operationName: %q\n  variables: %s\n",
		r.Query, r.Query, r.OperationName, r.Variables)
}

func (r request) body() []byte {
	variables := json.RawMessage("null")
	if r.Variables != "" {
		variables = json.RawMessage(r.Variables)
	}
	body, err := json.Marshal(
		map[string]any{"query": r.Query, "operationName": r.OperationName, "variables": variables},
	)
	if err != nil {
		panic(fmt.Sprintf("%v in %s", err, r.Variables))
	}
	return body
}

// Signing up and logging in hash a password.
func (r request) authenticates() bool {
	return strings.Contains(r.Query, "signUp") || strings.Contains(r.Query, "logIn")
}

type outcome struct {
	ID     int             `json:"id"`
	Phase  phase           `json:"phase"`
	Data   string          `json:"data"`
	Errors []responseError `json:"errors"`
	// unexecuted operations are valid. Their phase is execution, without data.
	unexecuted bool
}

type responseError struct {
	Message string `json:"message"`
	Path    []any  `json:"path"`
}

type phase string

const (
	syntax     phase = "syntax"
	validation phase = "validation"
	operating  phase = "operation" // no operation of that name
	variables  phase = "variables"
	execution  phase = "execution"
	failed     phase = "failure" // a panic, or an error of the server
)

func failure(format string, args ...any) outcome {
	return outcome{Phase: failed, Errors: []responseError{{Message: fmt.Sprintf(format, args...)}}}
}
