package websocket

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"twibase/graph/endpoint/transport"
	"twibase/graph/limits"
)

func TestConnectionInitAuthenticatesTheClient(t *testing.T) {
	const acknowledged, anonymous = `< {"type":"connection_ack","payload":{"viewer":"LiLei"}}`, `< {"type":"connection_ack","payload":{"viewer":null}}`
	shapes := func(key string) string {
		return `4400 Unknown credentials "` + key + `": send authorization, Authorization, headers.authorization or authToken`
	}
	for _, test := range []struct{ name, payload, want string }{
		{"authorization", `{"authorization":"Bearer LiLei"}`, acknowledged},
		{"Authorization", `{"Authorization":"Bearer LiLei"}`, acknowledged},
		{"headers.authorization", `{"headers":{"authorization":"Bearer LiLei"}}`, acknowledged},
		{"headers.Authorization", `{"headers":{"Authorization":"Bearer LiLei"}}`, acknowledged},
		{"authToken, bare", `{"authToken":"LiLei"}`, acknowledged},
		{"authToken with its scheme", `{"authToken":"Bearer LiLei"}`, acknowledged},
		{"the same token twice", `{"authToken":"LiLei","headers":{"Authorization":"Bearer LiLei"}}`, acknowledged},

		{"no payload", `{}`, anonymous},
		{"null tokens", `{"authorization":null,"headers":{"Authorization":null},"authToken":null,"token":null}`, anonymous},
		{"null headers", `{"headers":null}`, anonymous},
		{"payload without a token", `{"other":{"token":"LiLei"},"headers":{"accept":"a"}}`, anonymous},

		{"token", `{"token":"LiLei"}`, shapes("token")},
		{"accessToken", `{"accessToken":"LiLei"}`, shapes("accessToken")},
		{"X-Auth in headers", `{"headers":{"X-Auth":"LiLei"}}`, shapes("X-Auth")},
		{"authToken in headers", `{"headers":{"authToken":"LiLei"}}`, shapes("authToken")},
		{"AUTHTOKEN", `{"AUTHTOKEN":"LiLei"}`, shapes("AUTHTOKEN")},
		{"auth that is an object", `{"auth":{"bearer":"LiLei"}}`, shapes("auth")},
		{"token in addition to an accepted one", `{"authorization":"Bearer LiLei","token":"LiLei"}`, shapes("token")},
		{"an X-Twibase-Token", `{"X-Twibase-Token":1}`, shapes("X-Twibase-Token")},

		{"two different tokens", `{"authorization":"Bearer LiLei","Authorization":"Bearer minute"}`,
			"4400 Two different tokens: send one"},
		{"two different tokens, one of them in headers",
			`{"authorization":"Bearer LiLei","headers":{"authorization":"Bearer minute"}}`,
			"4400 Two different tokens: send one"},
		{"authToken that is not a string", `{"authToken":1}`, "4400 The authToken of a connection_init message must be a string"},

		{"expired token", `{"authToken":"expired"}`, "4403 Token expired"},
		{"token that is not valid yet", `{"authToken":"early"}`, "4403 Token not valid yet"},
		{"token of another server", `{"authToken":"nobody"}`, "4403 Invalid token"},
		{"authorization without its scheme", `{"authorization":"LiLei"}`,
			`4403 Invalid token: authorization is not of the form "Bearer TOKEN"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *fixture) {
				w.connect(Protocol).converse(w, `> {"type":"connection_init","payload":`+test.payload+"}\n"+test.want)
			})
		})
	}
}

func TestConnectionInitNamesTheClient(t *testing.T) {
	m := message{Payload: []byte(`{"apollographql-client-name":"web","headers":{"graphql-client-version":"1.2"},"accept":"a"}`)}
	headers := http.Header{}
	if _, wrong := m.readInit(headers, &limits.Limits{}); wrong != nil {
		t.Fatalf("%+v", wrong)
	}
	if name, version := transport.ClientOf(headers); name != "web" || version != "1.2" || len(headers) != 2 {
		t.Errorf("the client is %q %q: %v", name, version, headers)
	}
}

func TestCredentialRejectionsFitIntoACloseFrame(t *testing.T) {
	m := message{Payload: []byte(`{"` + strings.Repeat("token", 100) + `":"LiLei"}`)}
	_, wrong := m.readInit(nil, &limits.Limits{})
	if wrong == nil || len(wrong.reason) > maxReason || !strings.HasSuffix(wrong.reason, "or authToken") {
		t.Errorf("%+v", wrong)
	}
}

func TestHandshakeHeadersHaveTheirCanonicalNames(t *testing.T) {
	web := httptest.NewServer(&Server{Draining: t.Context(), Ended: t.Context()})
	defer web.Close()
	c, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	var head []string
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\r\n" {
			break
		}
		head = append(head, strings.TrimSuffix(line, "\r\n"))
	}
	counts := map[string]int{}
	for _, line := range head {
		counts[line]++
	}
	// as in RFC 6455
	for _, want := range []string{"HTTP/1.1 101 Switching Protocols", "Sec-WebSocket-Protocol: graphql-transport-ws",
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="} {
		if counts[want] != 1 {
			t.Errorf("%q occurs %d times in %q", want, counts[want], head)
		}
	}
}
