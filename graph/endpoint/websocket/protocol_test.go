package websocket

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"twibase/graph/endpoint/transport"
)

var elsewhere = transport.Reconnect

// A line with > is sent by the client, and one with < by the server. The last line may be a close
// code and its reason.
func TestMessagesFollowTheProtocol(t *testing.T) {
	const ack = `> {"type":"connection_init"}` + "\n" + `< {"type":"connection_ack","payload":{"viewer":null}}` + "\n"
	for _, test := range []struct{ name, dialogue string }{
		{"connection_init", ack},
		{"connection_init with null", `> {"type":"connection_init","payload":null}
			< {"type":"connection_ack","payload":{"viewer":null}}`},
		{"query", ack + `> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"","report":""}}}
			< {"id":"1","type":"complete"}`},
		{"operation name and variables", ack + `> {"id":"1","type":"subscribe","payload":{"query":"echo","operationName":"Q","variables":{"n":12345678901234567890}}}
			< {"id":"1","type":"next","payload":{"data":{"name":"Q","n":"12345678901234567890"}}}
			< {"id":"1","type":"complete"}`},
		{"null operation name and variables", ack + `> {"id":"1","type":"subscribe","payload":{"query":"echo","operationName":null,"variables":null,"extensions":null}}
			< {"id":"1","type":"next","payload":{"data":{"name":"","n":"<nil>"}}}
			< {"id":"1","type":"complete"}`},
		{"any text as id", ack + `> {"id":"\"\n","type":"subscribe","payload":{"query":"rejected"}}
			< {"id":"\"\n","type":"error","payload":[{"message":"no"}]}`},
		{"rejected operation", ack + `> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			> {"id":"2","type":"subscribe","payload":{"query":"rejected"}}
			< {"id":"2","type":"error","payload":[{"message":"no"}]}
			> {"id":"2","type":"subscribe","payload":{"query":"rejected"}}
			< {"id":"2","type":"error","payload":[{"message":"no"}]}
			tick a
			< {"id":"1","type":"next","payload":{"data":"a"}}`},
		{"error with data", ack + `> {"id":"1","type":"subscribe","payload":{"query":"partly"}}
			< {"id":"1","type":"next","payload":{"errors":[{"message":"no"}],"data":{"a":null}}}
			< {"id":"1","type":"complete"}`},
		{"complete by the client", ack + `> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			tick a
			< {"id":"1","type":"next","payload":{"data":"a"}}
			> {"id":"1","type":"complete"}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"","report":""}}}
			< {"id":"1","type":"complete"}`},
		{"complete of an unknown id", ack + `> {"id":"9","type":"complete"}
			> {"type":"ping"}
			< {"type":"pong"}`},
		{"ping", `> {"type":"ping","payload":{"a":[1]}}
			< {"type":"pong","payload":{"a":[1]}}`},
		{"1007: invalid UTF-8", `> {"type":"ping","payload":{"a":"` + "\xff" + `"}}
			1007 Messages must be UTF-8`},
		{"pong without a ping", ack + `> {"type":"pong"}
			> {"type":"ping"}
			< {"type":"pong"}`},
		{"ping by the server", ack + "wait 25s\n" + `< {"type":"ping"}`},
		{"silent client", ack + "wait 25s\n" + `< {"type":"ping"}
			wait 25s
			< {"type":"ping"}
			wait 25s
			gone`},
		{"token in the payload, any case", `> {"type":"connection_init","payload":{"authorization":"Bearer LiLei"}}
			< {"type":"connection_ack","payload":{"viewer":"LiLei"}}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"LiLei","report":""}}}
			< {"id":"1","type":"complete"}`},
		{"X-Twibase headers in the payload", `> {"type":"connection_init","payload":{"Authorization":"Bearer LiLei","x-twibase-report":"1","other":{}}}
			< {"type":"connection_ack","payload":{"viewer":"LiLei"}}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"LiLei","report":"1"}}}
			< {"id":"1","type":"complete"}`},
		{"4403: rejected token", `> {"type":"connection_init","payload":{"authorization":"Bearer nobody"}}
			4403 Invalid token`},
		{"4403: token expires", `> {"type":"connection_init","payload":{"authorization":"Bearer minute"}}
			< {"type":"connection_ack","payload":{"viewer":"minute"}}
			> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			wait 30s
			< {"type":"ping"}
			> {"type":"pong"}
			wait 25s
			< {"type":"ping"}
			wait 6s
			< {"id":"1","type":"next","payload":{"data":"last"}}
			4403 Token expired`},
		{"4403: token expires during operations", `> {"type":"connection_init","payload":{"authorization":"Bearer minute"}}
			< {"type":"connection_ack","payload":{"viewer":"minute"}}
			wait 25s
			< {"type":"ping"}
			> {"type":"pong"}
			wait 25s
			< {"type":"ping"}
			wait 6s
			> {"id":"1","type":"subscribe","payload":{"query":"slow"}}
			> {"id":"2","type":"subscribe","payload":{"query":"stubborn"}}
			wait 5s
			> {"id":"3","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":"slow"}}
			< {"id":"1","type":"complete"}
			4403 Token expired`},
		{"1013: keys are not known yet", `> {"type":"connection_init","payload":{"authorization":"Bearer later"}}
			1013 Try again later`},
		{"4400: invalid JSON", "> {\n4400 A message must be a JSON object with a type"},
		{"4400: not an object", "> []\n4400 A message must be a JSON object with a type"},
		{"4400: id that is not text", ack + `> {"id":1,"type":"complete"}
			4400 A message must be a JSON object with a type`},
		{"4400: no type", "> {}\n4400 A message needs a type"},
		{"4400: type of servers",
			"> {\"type\":\"connection_ack\"}\n4400 Only servers send messages of type \"connection_ack\""},
		{"4400: type of the older protocol",
			"> {\"type\":\"start\"}\n4400 Unknown message type \"start\": this server speaks graphql-transport-ws"},
		{"4400: long type", `> {"type":"` + strings.Repeat("é", 200) + `"}
			4400 Unknown message type "` + strings.Repeat("é", 12) + `…": this server speaks graphql-transport-ws`},
		{"4400: no id", ack + `> {"type":"subscribe","payload":{"query":"viewer"}}
			4400 A message of type subscribe has an id of 1 to 256 bytes`},
		{"4400: too long id", ack + `> {"id":"` + strings.Repeat("x", transport.MaxID+1) + `","type":"complete"}
			4400 A message of type complete has an id of 1 to 256 bytes`},
		{"4400: no payload", ack + `> {"id":"1","type":"subscribe"}
			4400 The payload of a subscribe message must be an object with a query`},
		{"4400: no query", ack + `> {"id":"1","type":"subscribe","payload":{}}
			4400 The payload of a subscribe message must be an object with a query`},
		{"4400: variables that are not an object", ack + `> {"id":"1","type":"subscribe","payload":{"query":"viewer","variables":[]}}
			4400 The variables of a subscribe message has the wrong type`},
		{"4400: connection_init that is not an object", `> {"type":"connection_init","payload":"Bearer LiLei"}
			4400 The payload of a message of type connection_init must be an object`},
		{"4400: authorization that is not text", `> {"type":"connection_init","payload":{"authorization":{}}}
			4400 The authorization of a connection_init message must be a string`},
		{"4401: operation before connection_ack", `> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			4401 Unauthorized: send connection_init first, and wait for connection_ack`},
		{"4408: no connection_init", "wait 3s\n4408 Connection initialisation timeout"},
		{"4408: only a ping", "> {\"type\":\"ping\"}\n< {\"type\":\"pong\"}\nwait 3s\n4408 Connection initialisation timeout"},
		{"4409: id in use", ack + `> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			4409 Subscriber for "1" already exists`},
		{"4429: two connection_init", ack + "> {\"type\":\"connection_init\"}\n4429 Too many initialisation requests"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *fixture) { w.connect(Protocol).converse(w, test.dialogue) })
		})
	}
}

func (c *client) converse(w *fixture, dialogue string) {
	c.t.Helper()
	for line := range strings.Lines(dialogue) {
		switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "":
		case ">":
			c.send(rest)
		case "<":
			c.expect(rest)
		case "tick":
			w.ticks <- rest
		case "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				c.t.Fatal(err)
			}
			time.Sleep(d)
		case "gone":
			if _, text, err := c.socket.Read(context.Background()); err == nil {
				c.t.Fatalf("got %s after the last line", text)
			}
		default:
			var code websocket.StatusCode
			fmt.Sscan(word, &code)
			c.closed(code, rest)
		}
	}
}

func TestHandshakeOffersTwoSubprotocols(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/graphql", nil)
	r.Header["Sec-Websocket-Protocol"] = []string{"graphql-ws", strings.Repeat("a b, ", 10_000)}
	if got := subprotocols(r); !slices.Equal(got, []string{Protocol, "graphql-ws"}) {
		t.Errorf("%d subprotocols, want 2: %.100q", len(got), got)
	}
}

func TestOnlyOurSubprotocolIsAccepted(t *testing.T) {
	for _, test := range []struct {
		name    string
		offered []string
		agreed  string
		ok      bool
	}{
		{"only ours", []string{Protocol}, Protocol, true},
		{"ours among others", []string{"graphql-ws", Protocol}, Protocol, true},
		{"4406: another protocol", []string{"graphql-ws", "soap"}, "graphql-ws", false},
		{"4406: none", nil, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *fixture) {
				c := w.connect(test.offered...)
				if c.socket.Subprotocol() != test.agreed {
					t.Errorf("agreed on %q", c.socket.Subprotocol())
				}
				if !test.ok {
					c.closed(4406, "Subprotocol not acceptable: this server speaks graphql-transport-ws")
				}
			})
		})
	}
}

func TestBinaryMessageClosesTheConnection(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		c := w.initialized()
		if err := c.socket.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"ping"}`)); err != nil {
			t.Fatal(err)
		}
		c.closed(4400, "Messages must be text")
	})
}
