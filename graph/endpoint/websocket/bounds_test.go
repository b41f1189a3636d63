package websocket

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"twibase/graph/endpoint/backlog"
)

func TestAMessageThatIsTooLongClosesTheConnection(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		c := w.greeted()
		c.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", MaxMessage-34) + `"}}`)
		if _, text, err := c.socket.Read(context.Background()); len(text) != MaxMessage || err != nil {
			t.Fatal(len(text), err)
		}
		go c.socket.Write(context.Background(), websocket.MessageText, make([]byte, MaxMessage+1))
		c.closed(websocket.StatusMessageTooBig, "read limited at 1048577 bytes")
	})
}

func TestOneOperationTooManyIsRefusedAlone(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		c := w.greeted()
		for i := range MaxOperations {
			c.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"ticks"}}`, i))
		}
		c.send(`{"id":"more","type":"subscribe","payload":{"query":"viewer"}}`)
		c.expect(`{"id":"more","type":"error","payload":[{"message":"the number of operations of a connection is limited to 100, and this is 101",` +
			`"extensions":{"actual":101,"code":"LIMIT_EXCEEDED","limit":100}}]}`)
		c.send(`{"id":"7","type":"complete"}`)
		c.send(`{"id":"more","type":"subscribe","payload":{"query":"refused"}}`)
		c.expect(`{"id":"more","type":"error","payload":[{"message":"no"}]}`)
	})
}

func TestAReaderThatIsTooSlowIsCutOff(t *testing.T) {
	flood := `{"id":"1","type":"subscribe","payload":{"query":"flood"}}`
	t.Run("with a code, if it reads on soon after", func(t *testing.T) {
		in(t, func(t *testing.T, w *world) {
			c := w.greeted()
			c.send(flood)
			time.Sleep(writeTimeout + time.Second)
			c.expect(`{"id":"1","type":"next","payload":{"data":"` + strings.Repeat("x", 1<<16) + `"}}`)
			c.closed(4413, "Messages are read too slowly")
		})
	})
	t.Run("at last", func(t *testing.T) {
		in(t, func(t *testing.T, w *world) {
			c := w.greeted()
			c.send(flood)
			time.Sleep(writeTimeout - time.Second)
			synctest.Wait()
			if w.runs("flood") != 1 {
				t.Error("it was cut off too early")
			}
			time.Sleep(writeTimeout)
			synctest.Wait()
			if w.runs("flood") != 0 {
				t.Error("it goes on")
			}
		})
	})
}

func TestOfTooManySlowReadersTheFirstIsCutOff(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		w.server.Backlog = backlog.New(100 << 10) // of messages of 64 KiB
		first, second := w.greeted(), w.greeted()
		first.send(`{"id":"1","type":"subscribe","payload":{"query":"flood"}}`)
		synctest.Wait()
		second.send(`{"id":"1","type":"subscribe","payload":{"query":"flood"}}`)
		synctest.Wait()
		if n := w.runs("flood"); n != 1 {
			t.Errorf("%d go on", n)
		}
		second.expect(`{"id":"1","type":"next","payload":{"data":"` + strings.Repeat("x", 1<<16) + `"}}`)
		if _, _, err := first.socket.Read(context.Background()); err == nil {
			t.Error("the first still hears something")
		}
	})
}

func TestAClientThatGoesTakesItsOperationsWithIt(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		c := w.greeted()
		c.send(`{"id":"1","type":"subscribe","payload":{"query":"ticks"}}`)
		synctest.Wait()
		if w.runs("ticks") != 1 {
			t.Error("it does not run")
		}
		c.socket.CloseNow()
		synctest.Wait()
		if w.runs("ticks") != 0 {
			t.Error("it runs on")
		}
	})
}

func TestAServerThatEndsSendsSubscribersElsewhereAndFinishesTheRest(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		idle, subscriber, asker := w.greeted(), w.greeted(), w.greeted()
		subscriber.send(`{"id":"1","type":"subscribe","payload":{"query":"ticks"}}`)
		asker.send(`{"id":"1","type":"subscribe","payload":{"query":"slow"}}`)
		synctest.Wait()
		begin := time.Now()
		w.move()
		ended := make(chan time.Duration)
		go func() {
			w.server.Shutdown(context.Background())
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

func TestAServerThatEndsTellsTheEndOfEachOperation(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		c := w.greeted()
		for i := range MaxOperations {
			c.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"slow"}}`, i))
		}
		synctest.Wait()
		go w.server.Shutdown(context.Background())
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
		if complete != MaxOperations {
			t.Errorf("%d were told to be complete", complete)
		}
	})
}

func TestAServerThatEndsWaitsNoLongerThanItIsTold(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		c := w.greeted()
		c.send(`{"id":"1","type":"subscribe","payload":{"query":"slow"}}`)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		begin := time.Now()
		w.server.Shutdown(ctx)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
