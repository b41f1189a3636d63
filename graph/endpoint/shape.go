package endpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"twibase/graph/documents"
)

const maxShape = 1000 // bytes of [Trace.Variables]

// DocumentHash is a SHA-256, or "" without a valid operation.
func (t *Trace) DocumentHash() string {
	if t.prepared == nil {
		return ""
	}
	return documents.Hash(t.prepared.RawQuery)
}

// Variables returns the types of the operation's variables and the lengths of lists, without
// values:
//
//	$ids: [ID!]! of 3, $input: PostTwitInput! {content: string, photoUrls: list of 2}
func (t *Trace) Variables() string {
	if t.prepared == nil {
		return ""
	}
	var each []string
	for _, definition := range t.prepared.Operation.VariableDefinitions {
		text := "$" + definition.Variable + ": " + definition.Type.String()
		switch value := t.prepared.Variables[definition.Variable].(type) {
		case nil:
			text += " null"
		case []any:
			text += fmt.Sprintf(" of %d", len(value))
		case map[string]any:
			text += " " + shape(value)
		}
		each = append(each, text)
	}
	text := strings.Join(each, ", ")
	if len(text) > maxShape {
		text = strings.ToValidUTF8(text[:maxShape], "") + "…"
	}
	return text
}

// shape returns the type of a value. Its field names are those of the schema.
func shape(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number, int, int64, float64:
		return "number"
	case []any:
		return fmt.Sprintf("list of %d", len(value))
	case map[string]any:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			fields = append(fields, name+": "+shape(value[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return "other"
}
