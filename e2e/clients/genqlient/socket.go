package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
)

// socket is a WebSocket for genqlient, which treats any message but next and complete as a broken
// connection.
type socket struct {
	*websocket.Conn
	writing sync.Mutex // gorilla allows one writer at a time
}

// dial is a graphql.Dialer.
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

// ReadMessage returns only messages that genqlient knows. It answers pings, and turns an error into
// a result. Pings come every 25 s, so a minute of silence means that the connection is lost.
func (s *socket) ReadMessage() (kind int, text []byte, err error) {
	for {
		if err := s.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			return 0, nil, err
		}
		kind, text, err = s.Conn.ReadMessage()
		var message struct {
			Type, ID string
			Payload  json.RawMessage
		}
		if err == nil {
			err = json.Unmarshal(text, &message)
		}
		switch {
		case err != nil:
			return 0, nil, err
		case message.Type == "ping":
			if err := s.WriteMessage(websocket.TextMessage, []byte(`{"type":"pong"}`)); err != nil {
				return 0, nil, err
			}
		case message.Type == "pong":
		case message.Type == "error":
			result := map[string]any{"errors": message.Payload}
			text, err = json.Marshal(map[string]any{"type": "next", "id": message.ID, "payload": result})
			return kind, text, err
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
