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

type fixture struct {
	*gateway
	folder  string
	options transfer.Options
	oracle  *oracle.Oracle
	opaque  *oracle.Opaque
	// recorded queries must have the same responses from the other engine.
	recorded []recordedQuery
	failed   int
}

type recordedQuery struct {
	request oracle.Request
	body    []byte
}

var (
	unauthenticated = oracle.Viewer{}
	root            = oracle.Viewer{Username: dataset.Nobody, Admin: true}
)

func as(username string) oracle.Viewer { return oracle.Viewer{Username: username} }

func newFixture(t testing.TB, folder string, options transfer.Options) *fixture {
	t.Helper()
	model, err := oracle.Read(folder)
	if err != nil {
		t.Fatal("reading the data into the oracle: ", err)
	}
	f := &fixture{
		gateway: newGateway("embedded", inMemory(t)), folder: folder, options: options,
		oracle: oracle.New(model, exec.NewExecutableSchema(exec.Config{}).Schema()), opaque: oracle.NewOpaque(),
	}
	importInto(t, f.store, folder, options)
	f.learnComments(t)
	f.learnRoots(t)
	return f
}

func generated(t testing.TB, seed uint64) string {
	t.Helper()
	folder := t.TempDir()
	if err := dataset.Write(folder, seed); err != nil {
		t.Fatal(err)
	}
	return folder
}

func dataFolder(t testing.TB) string {
	if folder := os.Getenv("TWIBASE_DATA"); folder != "" {
		return folder
	}
	return generated(t, 1)
}

func (f *fixture) check(t testing.TB, viewer oracle.Viewer, query string, variables map[string]any) (want, got any) {
	t.Helper()
	request := oracle.Request{Query: query, Variables: variables, Viewer: viewer}
	expected, err := f.oracle.Execute(request)
	if err != nil {
		t.Fatalf("invalid query: %v\n%s", err, query)
	}
	request.Variables = f.opaque.Variables(variables)
	body := f.ask(t, query, request.Variables, viewer)
	f.recorded = append(f.recorded, recordedQuery{request, body})
	given, err := decodeAnswer(body)
	if err != nil {
		t.Fatalf("decoding the response: %v\n%s", err, body)
	}
	slices.Sort(given.Errors)
	if len(given.Errors) > 0 {
		f.failed++
	}
	if !slices.Equal(expected.Errors, given.Errors) && !(expected.Data == nil && isPartOf(given.Errors, expected.Errors)) {
		t.Fatalf("got the errors %q, want %q\n%s", given.Errors, expected.Errors, describe(viewer, query, request.Variables))
	}
	if err := f.opaque.Compare(expected.Data, given.Data); err != nil {
		t.Fatalf("%v\n%s\n%s", err, describe(viewer, query, request.Variables), excerpt(body))
	}
	return expected.Data, given.Data
}

// An error that makes the whole response null may hide other errors.
func isPartOf(some, all []string) bool {
	for _, e := range some {
		if !slices.Contains(all, e) {
			return false
		}
	}
	return len(some) > 0
}

func describe(viewer oracle.Viewer, query string, variables map[string]any) string {
	return sprint("query: ", query, "\nvariables: ", variables, "\nviewer: ", viewerName(viewer), ", administrator: ",
		viewer.Admin)
}

func viewerName(viewer oracle.Viewer) string {
	if viewer == unauthenticated {
		return "anonymous"
	}
	return viewer.Username
}

func excerpt(body []byte) []byte { return body[:min(len(body), 4000)] }

// replay ignores the order of errors, which depends on the field that fails first.
func (f *fixture) replay(t *testing.T, other *gateway) {
	t.Helper()
	start := time.Now()
	for _, a := range f.recorded {
		if body := other.ask(t, a.request.Query, a.request.Variables, a.request.Viewer); !bytes.Equal(sortErrors(t, body),
			sortErrors(t, a.body)) {
			t.Fatalf("%s returns\n%s\nand %s returned\n%s\n%s", other.name, excerpt(body), f.name, excerpt(a.body),
				describe(a.request.Viewer, a.request.Query, a.request.Variables))
		}
	}
	t.Logf("%d responses are equal, in %s", len(f.recorded), time.Since(start).Round(time.Millisecond))
}

func sortErrors(t testing.TB, body []byte) []byte {
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

func (f *fixture) compareEngines(t *testing.T) {
	t.Run("HBase returns the same responses", func(t *testing.T) {
		store := onHBase(t)
		importInto(t, store, f.folder, f.options)
		f.replay(t, newGateway("HBase", store))
	})
}
