package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"twibase/e2e/dataset"
	"twibase/e2e/oracle"
	"twibase/graph/exec"
	"twibase/transfer"
)

// world is imported data: the gateway that answers over it, on the embedded engine, and the oracle that knows the answers.
type world struct {
	*gateway
	folder  string
	options transfer.Options
	oracle  *oracle.Oracle
	opaque  *oracle.Opaque
	// asked is all that was asked, and what was answered: the other engine must answer the same.
	asked []asked
	// failed is how many of the answers had errors.
	failed int
}

type asked struct {
	question oracle.Question // with the gateway's names for ids and cursors
	body     []byte
}

var (
	stranger = oracle.Viewer{}
	root     = oracle.Viewer{Username: dataset.Nobody, Admin: true}
)

func as(username string) oracle.Viewer { return oracle.Viewer{Username: username} }

// newWorld imports the folder.
func newWorld(t testing.TB, folder string, options transfer.Options) *world {
	t.Helper()
	model, err := oracle.Read(folder)
	if err != nil {
		t.Fatal("the oracle: ", err)
	}
	w := &world{
		gateway: newGateway("embedded", inMemory(t)), folder: folder, options: options,
		oracle: oracle.New(model, exec.NewExecutableSchema(exec.Config{}).Schema()), opaque: oracle.NewOpaque(),
	}
	importInto(t, w.store, folder, options)
	w.learnComments(t)
	w.learnRoots(t)
	return w
}

// generated writes data of a seed into a folder.
func generated(t testing.TB, seed uint64) string {
	t.Helper()
	folder := t.TempDir()
	if err := dataset.Write(folder, seed); err != nil {
		t.Fatal(err)
	}
	return folder
}

// given returns the folder that the environment names, or generated data.
func given(t testing.TB) string {
	if folder := os.Getenv("TWIBASE_DATA"); folder != "" {
		return folder
	}
	return generated(t, 1)
}

// check asks a question, compares the answer with the oracle's, and returns the data of both.
func (w *world) check(t testing.TB, viewer oracle.Viewer, query string, variables map[string]any) (want, got any) {
	t.Helper()
	question := oracle.Question{Query: query, Variables: variables, Viewer: viewer}
	expected, err := w.oracle.Ask(question)
	if err != nil {
		t.Fatalf("the query is not valid: %v\n%s", err, query)
	}
	question.Variables = w.opaque.Variables(variables)
	body := w.ask(t, query, question.Variables, viewer)
	w.asked = append(w.asked, asked{question, body})
	given, err := answer(body)
	if err != nil {
		t.Fatalf("%v in the answer %s", err, body)
	}
	slices.Sort(given.Errors)
	if len(given.Errors) > 0 {
		w.failed++
	}
	if !slices.Equal(expected.Errors, given.Errors) && !(expected.Data == nil && partOf(given.Errors, expected.Errors)) {
		t.Fatalf("the errors are %q, and should be %q\n%s", given.Errors, expected.Errors, describe(viewer, query, question.Variables))
	}
	if err := w.opaque.Compare(expected.Data, given.Data); err != nil {
		t.Fatalf("%v\n%s\n%s", err, describe(viewer, query, question.Variables), cut(body))
	}
	return expected.Data, given.Data
}

// partOf reports whether some of the errors are reported: where one of them makes the whole answer null, the others may be left out.
func partOf(some, all []string) bool {
	for _, e := range some {
		if !slices.Contains(all, e) {
			return false
		}
	}
	return len(some) > 0
}

func describe(viewer oracle.Viewer, query string, variables map[string]any) string {
	who := "a stranger"
	if viewer.Username != "" {
		who = viewer.Username
	}
	if viewer.Admin {
		who += ", as administrator,"
	}
	return sprint(who, " asks ", query, "\nwith ", variables)
}

func cut(body []byte) []byte { return body[:min(len(body), 4000)] }

// replay asks another gateway all that was asked, and compares the answers byte by byte, but for the order of errors, which comes from
// whichever field fails first.
func (w *world) replay(t *testing.T, other *gateway) {
	t.Helper()
	start := time.Now()
	for _, a := range w.asked {
		if body := other.ask(t, a.question.Query, a.question.Variables, a.question.Viewer); !bytes.Equal(inOrder(t, body), inOrder(t, a.body)) {
			t.Fatalf("%s answers\n%s\nand %s answered\n%s\n%s", other.name, cut(body), w.name, cut(a.body),
				describe(a.question.Viewer, a.question.Query, a.question.Variables))
		}
	}
	t.Logf("%d answers are the same, byte by byte, in %s", len(w.asked), time.Since(start).Round(time.Millisecond))
}

// inOrder sorts the errors of an answer.
func inOrder(t testing.TB, body []byte) []byte {
	t.Helper()
	var response struct {
		Errors []json.RawMessage `json:"errors,omitempty"`
		Data   json.RawMessage   `json:"data"`
	}
	if err := json.Unmarshal(body, &response); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(response.Errors, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	parts := [][]byte{response.Data}
	for _, e := range response.Errors {
		parts = append(parts, e)
	}
	return bytes.Join(parts, []byte("\n"))
}

// onBothEngines imports the same data into HBase, and replays there what was asked.
func (w *world) onBothEngines(t *testing.T) {
	t.Run("a real HBase gives the same bytes", func(t *testing.T) {
		store := onHBase(t)
		importInto(t, store, w.folder, w.options)
		w.replay(t, newGateway("HBase", store))
	})
}
