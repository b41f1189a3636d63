package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
)

// recipe: socket

// socket is a WebSocket for genqlient, which does not know the messages ping and pong: it takes them for errors.
type socket struct {
	*websocket.Conn
	writing sync.Mutex // gorilla allows one writer at a time
}

// dial opens a socket. It is a graphql.Dialer.
type dial func(*socket)

func (opened dial) DialContext(ctx context.Context, url string, header http.Header) (graphql.WSConn, error) {
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, url, header)
	if err != nil {
		return nil, err
	}
	s := &socket{Conn: conn}
	opened(s)
	return s, nil
}

// ReadMessage answers pings, and returns the next message of another type.
func (s *socket) ReadMessage() (kind int, text []byte, err error) {
	for {
		if kind, text, err = s.Conn.ReadMessage(); err != nil {
			return kind, text, err
		}
		var message struct{ Type string }
		if err := json.Unmarshal(text, &message); err != nil {
			return kind, text, err
		}
		switch message.Type {
		case "ping":
			if err := s.WriteMessage(websocket.TextMessage, []byte(`{"type":"pong"}`)); err != nil {
				return kind, text, err
			}
		case "pong":
		default:
			return kind, text, nil
		}
	}
}

func (s *socket) WriteMessage(kind int, text []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.Conn.WriteMessage(kind, text)
}

// end of recipe
