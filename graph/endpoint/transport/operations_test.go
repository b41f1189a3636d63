package transport

import (
	"strconv"
	"testing"
	"testing/synctest"
)

func TestOperationsThatHaveNotEndedAreBounded(t *testing.T) {
	for _, test := range []struct {
		name string
		free func(o *Operations, op *Operation, read chan struct{}) // frees the id
	}{
		{"last message is being sent", func(o *Operations, op *Operation, read chan struct{}) {
			o.End(op, func() { <-read })
		}},
		{"stopped", func(o *Operations, op *Operation, read chan struct{}) {
			o.Stop(op.ID)
			<-read
			o.End(op, func() { t.Error("a stopped operation sends a last message") })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var o Operations
				read := make(chan struct{})
				for i := range maxRunning {
					_, op, err := o.Start(t.Context(), strconv.Itoa(i))
					if err != nil {
						t.Fatalf("operation %d: %v", i, err)
					}
					go test.free(&o, op, read)
					synctest.Wait()
				}
				if _, _, err := o.Start(t.Context(), "a"); err != ErrTooMany {
					t.Errorf("one more operation: got %v, want ErrTooMany", err)
				}
				if o.Close() {
					t.Error("idle although operations have not ended")
				}
				close(read)
				synctest.Wait()
				if !o.Close() {
					t.Error("not idle although all operations have ended")
				}
			})
		})
	}
}
