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

// The points of the protocol. A client's line begins with > and the server's with <; the last may be a close code and its reason.
func TestProtocol(t *testing.T) {
	const ack = `> {"type":"connection_init"}` + "\n" + `< {"type":"connection_ack","payload":{"viewer":null}}` + "\n"
	for _, test := range []struct{ name, dialogue string }{
		{"an initialisation is acknowledged", ack},
		{"its payload may be null", `> {"type":"connection_init","payload":null}
			< {"type":"connection_ack","payload":{"viewer":null}}`},
		{"a query has one response and completes", ack + `> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"","report":""}}}
			< {"id":"1","type":"complete"}`},
		{"an operation has a name and variables", ack + `> {"id":"1","type":"subscribe","payload":{"query":"echo","operationName":"Q","variables":{"n":12345678901234567890}}}
			< {"id":"1","type":"next","payload":{"data":{"name":"Q","n":"12345678901234567890"}}}
			< {"id":"1","type":"complete"}`},
		{"or null for either", ack + `> {"id":"1","type":"subscribe","payload":{"query":"echo","operationName":null,"variables":null,"extensions":null}}
			< {"id":"1","type":"next","payload":{"data":{"name":"","n":"<nil>"}}}
			< {"id":"1","type":"complete"}`},
		{"an id is any text", ack + `> {"id":"\"\n","type":"subscribe","payload":{"query":"refused"}}
			< {"id":"\"\n","type":"error","payload":[{"message":"no"}]}`},
		{"an operation that is refused leaves the others alone, and its id may be used again", ack + `> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			> {"id":"2","type":"subscribe","payload":{"query":"refused"}}
			< {"id":"2","type":"error","payload":[{"message":"no"}]}
			> {"id":"2","type":"subscribe","payload":{"query":"refused"}}
			< {"id":"2","type":"error","payload":[{"message":"no"}]}
			tick a
			< {"id":"1","type":"next","payload":{"data":"a"}}`},
		{"an error beside data ends nothing", ack + `> {"id":"1","type":"subscribe","payload":{"query":"partly"}}
			< {"id":"1","type":"next","payload":{"errors":[{"message":"no"}],"data":{"a":null}}}
			< {"id":"1","type":"complete"}`},
		{"a client completes its operation, and hears no more of it", ack + `> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			tick a
			< {"id":"1","type":"next","payload":{"data":"a"}}
			> {"id":"1","type":"complete"}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"","report":""}}}
			< {"id":"1","type":"complete"}`},
		{"to complete what does not run means nothing", ack + `> {"id":"9","type":"complete"}
			> {"type":"ping"}
			< {"type":"pong"}`},
		{"a ping is answered, with its payload, before anything else too", `> {"type":"ping","payload":{"a":[1]}}
			< {"type":"pong","payload":{"a":[1]}}`},
		{"1007: what is not UTF-8 is sent back to nobody", `> {"type":"ping","payload":{"a":"` + "\xff" + `"}}
			1007 Messages are UTF-8`},
		{"a pong needs no ping", ack + `> {"type":"pong"}
			> {"type":"ping"}
			< {"type":"pong"}`},
		{"the server pings too", ack + "wait 25s\n" + `< {"type":"ping"}`},
		{"a client that is silent for too long is dead", ack + "wait 25s\n" + `< {"type":"ping"}
			wait 25s
			< {"type":"ping"}
			wait 25s
			gone`},
		{"a token in the payload says who asks, whatever the case of its name", `> {"type":"connection_init","payload":{"authorization":"Bearer LiLei"}}
			< {"type":"connection_ack","payload":{"viewer":"LiLei"}}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"LiLei","report":""}}}
			< {"id":"1","type":"complete"}`},
		{"our own headers may stand beside it", `> {"type":"connection_init","payload":{"Authorization":"Bearer LiLei","x-twibase-report":"1","other":{}}}
			< {"type":"connection_ack","payload":{"viewer":"LiLei"}}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			< {"id":"1","type":"next","payload":{"data":{"viewer":"LiLei","report":"1"}}}
			< {"id":"1","type":"complete"}`},
		{"4403: a token that is refused", `> {"type":"connection_init","payload":{"authorization":"Bearer nobody"}}
			4403 Invalid token`},
		{"4403: a token that ends", `> {"type":"connection_init","payload":{"authorization":"Bearer minute"}}
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
		{"4403: a token that ends, when operations have answered, or after five seconds", `> {"type":"connection_init","payload":{"authorization":"Bearer minute"}}
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
		{"1013: a token of which nobody can say yet whether it is good", `> {"type":"connection_init","payload":{"authorization":"Bearer later"}}
			1013 Try again later`},
		{"4400: no JSON", "> {\n4400 A message is a JSON object with a type"},
		{"4400: JSON that is no object", "> []\n4400 A message is a JSON object with a type"},
		{"4400: an id that is no text", ack + `> {"id":1,"type":"complete"}
			4400 A message is a JSON object with a type`},
		{"4400: no type", "> {}\n4400 A message needs a type"},
		{"4400: a type of the server's", "> {\"type\":\"connection_ack\"}\n4400 Only servers send messages of type \"connection_ack\""},
		{"4400: a type of the older protocol", "> {\"type\":\"start\"}\n4400 Unknown message type \"start\": this server speaks graphql-transport-ws"},
		{"4400: a type that is long is cut", `> {"type":"` + strings.Repeat("é", 200) + `"}
			4400 Unknown message type "` + strings.Repeat("é", 12) + `…": this server speaks graphql-transport-ws`},
		{"4400: an operation without an id", ack + `> {"type":"subscribe","payload":{"query":"viewer"}}
			4400 A message of type subscribe has an id of 1 to 256 bytes`},
		{"4400: an id that is too long", ack + `> {"id":"` + strings.Repeat("x", transport.MaxID+1) + `","type":"complete"}
			4400 A message of type complete has an id of 1 to 256 bytes`},
		{"4400: an operation without a payload", ack + `> {"id":"1","type":"subscribe"}
			4400 The payload of a subscribe message is an object with a query`},
		{"4400: an operation without a query", ack + `> {"id":"1","type":"subscribe","payload":{}}
			4400 The payload of a subscribe message is an object with a query`},
		{"4400: variables that are no object", ack + `> {"id":"1","type":"subscribe","payload":{"query":"viewer","variables":[]}}
			4400 The variables of a subscribe message has the wrong type`},
		{"4400: a payload of an initialisation that is no object", `> {"type":"connection_init","payload":"Bearer LiLei"}
			4400 The payload of a message of type connection_init is an object`},
		{"4400: an authorization that is no text", `> {"type":"connection_init","payload":{"authorization":{}}}
			4400 The authorization of a connection_init message is a string`},
		{"4401: an operation before the acknowledgement", `> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			4401 Unauthorized: send connection_init first, and wait for connection_ack`},
		{"4408: no initialisation in time", "wait 3s\n4408 Connection initialisation timeout"},
		{"4408: nor is a ping one", "> {\"type\":\"ping\"}\n< {\"type\":\"pong\"}\nwait 3s\n4408 Connection initialisation timeout"},
		{"4409: an id that is in use", ack + `> {"id":"1","type":"subscribe","payload":{"query":"ticks"}}
			> {"id":"1","type":"subscribe","payload":{"query":"viewer"}}
			4409 Subscriber for "1" already exists`},
		{"4429: two initialisations", ack + "> {\"type\":\"connection_init\"}\n4429 Too many initialisation requests"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *world) { w.connect(Protocol).converse(w, test.dialogue) })
		})
	}
}

// converse goes through a dialogue line by line.
func (c *client) converse(w *world, dialogue string) {
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
				c.t.Fatalf("%s came", text)
			}
		default:
			var code websocket.StatusCode
			fmt.Sscan(word, &code)
			c.closed(code, rest)
		}
	}
}

func TestOfAllThatIsOfferedTwoAreLookedFor(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/graphql", nil)
	r.Header["Sec-Websocket-Protocol"] = []string{"graphql-ws", strings.Repeat("a b, ", 10_000)}
	if got := agreeable(r); !slices.Equal(got, []string{Protocol, "graphql-ws"}) {
		t.Errorf("%d are looked for in all that is offered: %.100q", len(got), got)
	}
}

func TestSubprotocols(t *testing.T) {
	for _, test := range []struct {
		name    string
		offered []string
		agreed  string
		ok      bool
	}{
		{"ours is taken", []string{Protocol}, Protocol, true},
		{"also from among others", []string{"graphql-ws", Protocol}, Protocol, true},
		{"4406: another is agreed on, so that its client sees the code", []string{"graphql-ws", "soap"}, "graphql-ws", false},
		{"4406: none", nil, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *world) {
				c := w.connect(test.offered...)
				if c.socket.Subprotocol() != test.agreed {
					t.Errorf("they agreed on %q", c.socket.Subprotocol())
				}
				if !test.ok {
					c.closed(4406, "Subprotocol not acceptable: this server speaks graphql-transport-ws")
				}
			})
		})
	}
}

func TestWhatIsNoTextClosesTheConnection(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		c := w.greeted()
		if err := c.socket.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"ping"}`)); err != nil {
			t.Fatal(err)
		}
		c.closed(4400, "Messages are text")
	})
}
