package websocket

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
)

func TestTooLongMessageClosesTheConnection(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		c := w.initialized()
		c.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", maxMessage-34) + `"}}`)
		if _, text, err := c.socket.Read(context.Background()); len(text) != maxMessage || err != nil {
			t.Fatal(len(text), err)
		}
		go c.socket.Write(context.Background(), websocket.MessageText, make([]byte, maxMessage+1))
		c.closed(websocket.StatusMessageTooBig, "read limited at 1048577 bytes")
	})
}

func TestOperationAboveTheLimitIsRejected(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		c := w.initialized()
		for i := range transport.MaxOperations {
			c.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"ticks"}}`, i))
		}
		c.send(`{"id":"more","type":"subscribe","payload":{"query":"viewer"}}`)
		c.expect(`{"id":"more","type":"error","payload":[{"message":"the number of operations of a connection is limited to 100, and this is 101",` +
			`"extensions":{"actual":101,"code":"LIMIT_EXCEEDED","limit":100}}]}`)
		c.send(`{"id":"7","type":"complete"}`)
		c.send(`{"id":"more","type":"subscribe","payload":{"query":"rejected"}}`)
		c.expect(`{"id":"more","type":"error","payload":[{"message":"no"}]}`)
	})
}

func TestSlowReaderIsCutOff(t *testing.T) {
	flood := `{"id":"1","type":"subscribe","payload":{"query":"flood"}}`
	t.Run("with a code if it reads again", func(t *testing.T) {
		in(t, func(t *testing.T, w *fixture) {
			c := w.initialized()
			c.send(flood)
			time.Sleep(writeTimeout + time.Second)
			c.expect(`{"id":"1","type":"next","payload":{"data":"` + strings.Repeat("x", 1<<16) + `"}}`)
			c.closed(4413, "Messages are read too slowly")
		})
	})
	t.Run("without a code otherwise", func(t *testing.T) {
		in(t, func(t *testing.T, w *fixture) {
			c := w.initialized()
			c.send(flood)
			time.Sleep(writeTimeout - time.Second)
			synctest.Wait()
			if w.runs("flood") != 1 {
				t.Error("it was cut off too early")
			}
			time.Sleep(writeTimeout)
			synctest.Wait()
			if w.runs("flood") != 0 {
				t.Error("the operation still runs")
			}
		})
	})
}

func TestOldestSlowReaderIsCutOff(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		w.server.Sending = inflight.New(100 << 10)
		first, second := w.initialized(), w.initialized()
		first.send(`{"id":"1","type":"subscribe","payload":{"query":"flood"}}`)
		synctest.Wait()
		second.send(`{"id":"1","type":"subscribe","payload":{"query":"flood"}}`)
		synctest.Wait()
		if n := w.runs("flood"); n != 1 {
			t.Errorf("%d operations run", n)
		}
		second.expect(`{"id":"1","type":"next","payload":{"data":"` + strings.Repeat("x", 1<<16) + `"}}`)
		if _, _, err := first.socket.Read(context.Background()); err == nil {
			t.Error("the first client still gets messages")
		}
	})
}

func TestCloseHandshakeIsBounded(t *testing.T) {
	// endless is the beginning of a binary frame with an empty mask that announces 1 TiB.
	endless := string(binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, 1<<40)) + "\x00\x00\x00\x00x"
	wrong := `{"type":"x"}`
	wrong = string([]byte{0x81, 0x80 | byte(len(wrong)), 0, 0, 0, 0}) + wrong
	const soon = 2 * time.Second
	for _, test := range []struct {
		name, protocol, frames string
		ended                  bool
		want                   time.Duration
	}{
		{"4400", Protocol, wrong + endless, false, closeTimeout},
		{"4406", "soap", endless, false, closeTimeout},
		{"4400 when the server ends", Protocol, wrong + endless, true, soon},
		{"4406 when the server ends", "soap", endless, true, soon},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *fixture) {
				begin := time.Now()
				w.handshake(test.protocol, test.frames)
				time.Sleep(soon)
				synctest.Wait()
				if test.ended {
					w.end()
				}
				served := make(chan time.Duration, 1)
				go func() {
					w.served.Wait()
					served <- time.Since(begin)
				}()
				select {
				case took := <-served:
					if took != test.want {
						t.Errorf("the connection was served for %v, want %v", took, test.want)
					}
				case <-time.After(time.Minute):
					t.Error("the connection is open after a minute")
				}
			})
		})
	}
}

func (c *client) part(bytes int) {
	c.t.Helper()
	message, err := c.socket.Writer(context.Background(), websocket.MessageText)
	if err == nil {
		_, err = message.Write(make([]byte, bytes))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestIncompleteMessageTimesOut(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		w.server.Receiving = inflight.New(1 << 20)
		c, other := w.initialized(), w.initialized()
		began := time.Now()
		c.part(64 << 10)
		synctest.Wait()
		if bytes, _ := w.server.Receiving.Load(); bytes < 64<<10 {
			t.Errorf("%d bytes in flight", bytes)
		}
		other.send(`{"type":"ping"}`)
		other.expect(`{"type":"pong"}`)
		c.expect(`{"type":"ping"}`)
		c.closed(4408, "A message did not come in time")
		if took := time.Since(began); took != readTimeout {
			t.Errorf("it is closed after %v", took)
		}
		w.shutdown(cancelled())
		if bytes, cut := w.server.Receiving.Load(); bytes != 0 || cut != 0 {
			t.Errorf("%d bytes in flight after the end, %d requests cut off", bytes, cut)
		}
	})
}

func TestOldestIncompleteMessageIsCutOff(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		w.server.Receiving = inflight.New(200 << 10)
		first, second, third := w.initialized(), w.initialized(), w.initialized()
		first.part(64 << 10)
		synctest.Wait()
		second.part(64 << 10)
		synctest.Wait()
		third.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", 64<<10) + `"}}`)
		third.expect(`{"type":"pong","payload":{"a":"` + strings.Repeat("x", 64<<10) + `"}}`)
		if _, _, err := first.socket.Read(context.Background()); err == nil || websocket.CloseStatus(err) != -1 {
			t.Errorf("first client: %v", err)
		}
		second.expect(`{"type":"ping"}`)
		second.closed(4408, "A message did not come in time")
		w.shutdown(cancelled())
		if bytes, cut := w.server.Receiving.Load(); bytes != 0 || cut != 1 {
			t.Errorf("%d bytes in flight after the end, %d requests cut off", bytes, cut)
		}
	})
}

func TestLostConnectionEndsItsOperations(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		c := w.initialized()
		c.send(`{"id":"1","type":"subscribe","payload":{"query":"ticks"}}`)
		synctest.Wait()
		if w.runs("ticks") != 1 {
			t.Error("the operation does not run")
		}
		c.socket.CloseNow()
		synctest.Wait()
		if w.runs("ticks") != 0 {
			t.Error("the operation still runs")
		}
	})
}

func TestShutdownEndsSubscriptionsAndFinishesOperations(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		idle, subscriber, asker := w.initialized(), w.initialized(), w.initialized()
		subscriber.send(`{"id":"1","type":"subscribe","payload":{"query":"ticks"}}`)
		asker.send(`{"id":"1","type":"subscribe","payload":{"query":"slow"}}`)
		synctest.Wait()
		begin := time.Now()
		w.move()
		ended := make(chan time.Duration)
		go func() {
			w.shutdown(context.Background())
			ended <- time.Since(begin)
		}()
		idle.closed(websocket.StatusGoingAway, "Going away")
		subscriber.closed(websocket.StatusGoingAway, "Going away")
		asker.expect(`{"id":"1","type":"next","payload":{"data":"slow"}}`)
		asker.expect(`{"id":"1","type":"complete"}`)
		asker.closed(websocket.StatusGoingAway, "Going away")
		if took := <-ended; took != 5*time.Second {
			t.Errorf("it took %s", took)
		}
		w.connect(Protocol).closed(websocket.StatusGoingAway, "Going away")
	})
}

func TestShutdownCompletesEachOperation(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		c := w.initialized()
		for i := range transport.MaxOperations {
			c.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"slow"}}`, i))
		}
		synctest.Wait()
		go w.shutdown(context.Background())
		complete := 0
		for {
			_, text, err := c.socket.Read(context.Background())
			if err != nil {
				break
			}
			if strings.HasSuffix(string(text), `"type":"complete"}`) {
				complete++
			}
		}
		if complete != transport.MaxOperations {
			t.Errorf("%d operations were completed", complete)
		}
	})
}

func TestShutdownWaitsUntilItsContextEnds(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		c := w.initialized()
		c.send(`{"id":"1","type":"subscribe","payload":{"query":"slow"}}`)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		begin := time.Now()
		w.shutdown(ctx)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestMessageThatCannotBeParsedNowClosesTheConnection(t *testing.T) {
	in(t, func(t *testing.T, w *fixture) {
		parsed := 0
		w.server.Parsing = func(_ context.Context, bytes int) (func(), *apierr.Error) {
			if bytes > 100 {
				return nil, &apierr.Error{Code: apierr.CodeUnavailable}
			}
			parsed++
			return func() { parsed-- }, nil
		}
		c := w.initialized()
		synctest.Wait()
		if parsed != 0 {
			t.Errorf("%d messages are being parsed", parsed)
		}
		c.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", 100) + `"}}`)
		c.closed(websocket.StatusTryAgainLater, "Try again later")
	})
}
