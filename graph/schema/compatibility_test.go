package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"twibase/hbase/hbasetest/minihbase"
)

type change struct{ Released, Schema, Accepted string }

func reports(t *testing.T, changes []change) (list []string) {
	t.Helper()
	if _, err := os.Stat("../../node_modules/graphql"); err != nil {
		minihbase.Missing(t, "npm's graphql is missing: make build installs it")
	}
	input, err := json.Marshal(changes)
	if err != nil {
		t.Fatal(err)
	}
	const script = `import { text } from 'node:stream/consumers';
		import { report } from '../../scripts/compatibility.mjs';
		const changes = JSON.parse(await text(process.stdin));
		console.log(JSON.stringify(changes.map((c) => report(c.Released, c.Schema, c.Accepted))));`
	command := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", script)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err == nil {
		err = json.Unmarshal(output, &list)
	}
	if err != nil || len(list) != len(changes) {
		t.Fatal(err, string(output))
	}
	return list
}

const compatible = `
type Query { user(name: String, limit: Int = 20): User  users: [User] }
type User { name: String @semanticNonNull  friends: [User] @semanticNonNull(levels: [0, 1])  age: Int  kind: Kind }
enum Kind { PERSON ROBOT }
input UserInput { name: String! age: Int  kind: Kind = PERSON }
type Mutation { create(input: UserInput!): User }
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
directive @stream on FIELD
`

func TestBreakingChangesAreReported(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		message  string
	}{
		{"no change", "", "", ""},
		{"removed field", " age: Int  kind", " kind", "User.age was removed."},
		{"removed type", "type Mutation { create(input: UserInput!): User }", "", "Mutation was removed."},
		{"changed type", " age: Int  kind", " age: String  kind", "User.age changed type from Int to String."},
		{"non-null result", "kind: Kind }", "kind: Kind! }", ""},
		{"new required argument", "limit:", "all: Boolean!, limit:", "A required arg all on Query.user was added."},
		{"required input field", "age: Int  kind: Kind =", "age: Int!  kind: Kind =",
			"UserInput.age changed type from Int to Int!."},
		{"removed argument", "(name: String, ", "(", "Query.user arg name was removed."},
		{"removed enum value", "ROBOT ", "", "ROBOT was removed from enum type Kind."},
		{"changed default", "= 20", "= 10", "Query.user arg limit has changed defaultValue from 20 to 10."},
		{"changed default of an input field", "= PERSON", "= ROBOT",
			"UserInput.kind has changed its default from PERSON to ROBOT."},
		{"removed default of an input field", " = PERSON", "",
			"UserInput.kind has changed its default from PERSON to none."},
		{"removed input field with a default", "  kind: Kind = PERSON", "", "UserInput.kind was removed."},
		{"removed mark", "name: String @semanticNonNull", "name: String", "User.name changed type from String! to String."},
		{"mark of fewer levels", "(levels: [0, 1])", "(levels: [0])", "User.friends changed type from [User!]! to [User]!."},
		{"removed directive", "directive @stream on FIELD\n", "", "stream was removed."},
		{"new field", "age: Int  kind", "age: Int  height: Int  kind", ""},
		{"new optional argument", "limit:", "all: Boolean, limit:", ""},
		{"new enum value", "ROBOT ", "ROBOT DOG ", ""},
		{"new mark", "age: Int  kind", "age: Int @semanticNonNull  kind", ""},
		{"non-null instead of a mark", "name: String @semanticNonNull", "name: String!", ""},
		{"deprecation", "age: Int  kind", `age: Int @deprecated(reason: "Use born instead.")  kind`, ""},
		{"field in an extension", "directive @stream", "extend type User { height: Int } directive @stream", ""},
	}
	var changes []change
	for _, test := range tests {
		if !strings.Contains(compatible, test.old) {
			t.Fatalf("%s: the schema has no %q", test.name, test.old)
		}
		schema := strings.Replace(compatible, test.old, test.new, 1)
		changes = append(changes, change{compatible, schema, ""}, change{compatible, schema, "# why\n" + test.message})
	}
	printed := reports(t, append(changes, change{compatible, compatible, "User.age was removed.\n"}))
	for i, test := range tests {
		message, accepted := printed[2*i], printed[2*i+1]
		if test.message == "" && message != "" {
			t.Errorf("%s: %s", test.name, message)
		}
		if test.message != "" && (!strings.Contains(message, "\n  "+test.message+"\n\nTo keep clients working") ||
			!strings.Contains(message, "@deprecated(reason:")) {
			t.Errorf("%s: got %q, want %q", test.name, message, test.message)
		}
		if accepted != "" {
			t.Errorf("%s, accepted: %s", test.name, accepted)
		}
	}
	if stale := printed[2*len(tests)]; !strings.Contains(stale, "remove them:\n\n  User.age was removed.\n") {
		t.Errorf("accepted, but not made: got %q", stale)
	}
}

// 'twibase schema' prints this SDL.
func TestPrintedSDLCanBeCheckedForBreakingChanges(t *testing.T) {
	released, err := os.ReadFile("testdata/released.graphql")
	if err != nil {
		t.Fatal(err)
	}
	schema := load(t)
	user := schema.Types["User"]
	user.Fields = user.Fields[1:]
	const want = "\n  User.id was removed.\n"
	if message := reports(t, []change{{string(released), SDL(schema), ""}})[0]; !strings.Contains(message, want) {
		t.Errorf("got %q, want %q", message, want)
	}
}
