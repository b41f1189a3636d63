package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestDocumentIsFoundByEverySpellingOfItsHash(t *testing.T) {
	hash := func(document string) string {
		digest := sha256.Sum256([]byte(document))
		return hex.EncodeToString(digest[:])
	}
	plain, prefixed, upper, md5 := `{plain:__typename}`, `{prefixed:__typename}`, `{upper:__typename}`, `{md5:__typename}`
	manifest, err := json.Marshal(map[string]string{
		hash(plain): plain, "sha256:" + hash(prefixed): prefixed, "sha256:" + strings.ToUpper(hash(upper)): upper,
		"5d41402abc4b2a76b9719d911017c592": md5})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "documents.json")
	if err := os.WriteFile(file, manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	server, _ := started(t, "--production", "--documents", file)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(server, "http")+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	talk := func(t *testing.T, message string, ends string) (received string) {
		if err := socket.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(received, ends) && !strings.Contains(received, `"type":"error"`) {
			_, text, err := socket.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			received += string(text)
		}
		return received
	}
	talk(t, `{"type":"connection_init"}`, "connection_ack")
	for _, d := range []struct {
		document  string
		spellings []string
	}{
		{plain, []string{hash(plain), "sha256:" + hash(plain), "sha256:" + strings.ToUpper(hash(plain))}},
		{prefixed, []string{hash(prefixed), "sha256:" + hash(prefixed)}},
		{upper, []string{hash(upper), "sha256:" + hash(upper), strings.ToUpper(hash(upper))}},
		{md5, []string{"5d41402abc4b2a76b9719d911017c592"}},
	} {
		for _, id := range d.spellings {
			extensions := `{"persistedQuery":{"version":1,"sha256Hash":"` + id + `"}}`
			for name, body := range map[string]string{
				"documentId": `{"documentId":"` + id + `"}`,
				"doc_id":     `{"doc_id":"` + id + `"}`,
				"extensions": `{"extensions":` + extensions + `}`,
			} {
				value := id
				if name == "extensions" {
					value = extensions
				}
				t.Run(d.document+" as "+name+" "+id, func(t *testing.T) {
					want := `{"data":` + strings.Replace(strings.Replace(d.document, "{", `{"`, 1), ":__typename", `":"Query"`,
						1) + `}`
					if status, got := send(t, "POST", server+"/graphql", body); status != 200 || strings.TrimSpace(got) != want {
						t.Errorf("by POST: status %d: %s, want %s", status, got, want)
					}
					if status, got := send(t, "GET", server+"/graphql?"+url.Values{name: {value}}.Encode(), ""); status != 200 ||
						strings.TrimSpace(got) != want {
						t.Errorf("by GET: status %d: %s", status, got)
					}
					if got := talk(t, `{"id":"1","type":"subscribe","payload":`+body+`}`, "complete"); !strings.Contains(got,
						`"payload":`+want) {
						t.Errorf("over a WebSocket: %s", got)
					}
				})
			}
		}
	}
	for _, id := range []string{"5D41402ABC4B2A76B9719D911017C592", "md5:5d41402abc4b2a76b9719d911017c592",
		"sha256:" + hash("{other}")} {
		if status, got := send(t, "POST", server+"/graphql", `{"documentId":"`+id+`"}`); status != 200 ||
			!strings.Contains(got, `"code":"FORBIDDEN"`) {
			t.Errorf("%s: status %d: %s", id, status, got)
		}
	}
}
