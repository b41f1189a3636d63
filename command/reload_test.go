package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func replaceFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

func manifestOf(t *testing.T, documents ...string) (hashes []string, manifest string) {
	t.Helper()
	all := map[string]string{}
	for _, document := range documents {
		digest := sha256.Sum256([]byte(document))
		hashes = append(hashes, hex.EncodeToString(digest[:]))
		all[hashes[len(hashes)-1]] = document
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return hashes, string(text)
}

func TestDocumentsAreReloaded(t *testing.T) {
	dir := t.TempDir()
	first, v1 := manifestOf(t, "{first:__typename}")
	second, v2 := manifestOf(t, "{second:__typename}", "{secret}")
	third, v3 := manifestOf(t, "{third:__typename}")
	replaceFile(t, filepath.Join(dir, "v1.json"), v1)
	server, log := started(t, "--production", "--documents", dir)
	found := func(hash string) string {
		_, body := send(t, http.MethodPost, server+"/graphql", `{"documentId":"`+hash+`"}`)
		return strings.TrimSpace(body)
	}
	const rejected = "this server takes trusted documents alone"
	if got := found(second[0]); !strings.Contains(got, rejected) {
		t.Errorf("the document of the second version is answered by %s", got)
	}

	stop, clients, sent := make(chan struct{}), sync.WaitGroup{}, make([]int, 4)
	for i := range sent {
		clients.Go(func() {
			for ; ; sent[i]++ {
				select {
				case <-stop:
					return
				default:
				}
				time.Sleep(time.Millisecond) // for the queue of the log
				if got := found(first[0]); got != `{"data":{"first":"Query"}}` {
					t.Errorf("a request during the deployment is answered by %s", got)
					return
				}
			}
		})
	}
	replaceFile(t, filepath.Join(dir, "v2.json"), v2)
	invalid := log.await(t, "a trusted document is not valid and will be rejected")
	if invalid["hash"] != second[1] || invalid["file"] != filepath.Join(dir, "v2.json") ||
		!strings.Contains(invalid["error"].(string), "Cannot query field") {
		t.Errorf("an invalid document is logged as %v", invalid)
	}
	if line := log.await(t, "trusted documents were read"); line["documents"] != 3.0 {
		t.Errorf("after the second version is deployed: %v", line)
	}
	if got := found(second[0]); got != `{"data":{"second":"Query"}}` {
		t.Errorf("the document of the second version is answered by %s", got)
	}
	replaceFile(t, filepath.Join(dir, "v2.json"), v2[:len(v2)/2])
	if line := log.await(t, "trusted documents cannot be read; the previous ones stay in use"); line["level"] != "error" ||
		!strings.Contains(line["error"].(string), "v2.json is no manifest") {
		t.Errorf("a broken file is logged as %v", line)
	}
	if got := found(second[0]); got != `{"data":{"second":"Query"}}` {
		t.Errorf("after its file was broken, the document is answered by %s", got)
	}
	replaceFile(t, filepath.Join(dir, "v2.json"), v3)
	log.await(t, "trusted documents were read")
	if got := found(third[0]); got != `{"data":{"third":"Query"}}` {
		t.Errorf("the document of the third version is answered by %s", got)
	}
	if got := found(second[0]); !strings.Contains(got, rejected) {
		t.Errorf("a removed document is answered by %s", got)
	}
	close(stop)
	clients.Wait()
	for i, n := range sent {
		if n == 0 {
			t.Errorf("client %d sent nothing", i)
		}
	}
}

func TestReloadsOfDocumentsAreMetrics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "documents.json")
	_, manifest := manifestOf(t, "{a:__typename}", "{b:__typename}")
	replaceFile(t, file, manifest)
	server, log := started(t, "--documents", file)
	expect := func(lines ...string) {
		t.Helper()
		_, body := send(t, http.MethodGet, server+"/metrics", "")
		for _, want := range lines {
			if !strings.Contains(body, "\n"+want+"\n") {
				t.Errorf("/metrics lacks %s", want)
			}
		}
	}
	expect("twibase_documents_trusted 2", "twibase_documents_reload_failures_total 0", "twibase_documents_outdated 0")
	replaceFile(t, file, "{")
	log.await(t, "trusted documents cannot be read; the previous ones stay in use")
	expect("twibase_documents_trusted 2", "twibase_documents_reload_failures_total 1", "twibase_documents_outdated 1")
}
