package plan

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func TestLongDataAreWrittenWithSlots(t *testing.T) {
	slots := make(writeSlots, 1)
	var taken []int
	note := func(value string) graphql.Marshaler {
		taken = append(taken, len(slots))
		if value == "panics" {
			panic("a leaf")
		}
		return graphql.MarshalString(value)
	}
	half := strings.Repeat("x", slotBytes/2)
	for _, test := range []struct {
		name   string
		leaves []string
		want   []int
	}{
		{"short data take no slot", []string{"a", "b", half}, []int{0, 0, 0}},
		{"long data take one from the first check on", []string{half, half, "a", half, half, "b"}, []int{0, 0, 1, 1, 1, 1}},
		{"data with a leaf that panics are written twice", []string{half, half, "panics", "a"}, []int{0, 0, 1, 0, 0, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			taken = nil
			var objects []any
			for _, leaf := range test.leaves {
				objects = append(objects, obj("T", "leaf", leaf))
			}
			schema := nullable().with(map[string]resolver{"Query.list": returns(objects)}).
				withMarshaller(func(_ context.Context, value any) graphql.Marshaler { return note(value.(string)) })
			schema.slots = slots
			execute(newExecutor(schema), "{list{leaf}}", "", nil)
			if !slices.Equal(taken, test.want) || len(slots) != 0 {
				t.Errorf("slots taken by leaves: %v, want %v; after the response: %d", taken, test.want, len(slots))
			}
		})
	}
}

func TestOtherGoroutinesRunBetweenSlots(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	o := &output{slots: make(writeSlots, 1), dst: make([]byte, slotBytes+1), reserved: math.MaxInt}
	o.pause()
	var ran atomic.Bool
	go ran.Store(true)
	for range 2 { // Go sometimes runs the goroutine that yields first
		o.pause()
	}
	if !ran.Load() {
		t.Error("a goroutine that was ready did not run between two slots")
	}
	o.releaseSlot()
}

func TestCopyOfALongTextHasRoom(t *testing.T) {
	for _, length := range []int{1, slotBytes, 3*slotBytes + 1} {
		text := []byte(strings.Repeat("abc", length)[:length])
		long := withRoom(text, 7)
		if !bytes.Equal(long, text) || cap(long) < length+7 {
			t.Errorf("a copy of %d bytes has %d, and a capacity of %d", length, len(long), cap(long))
		}
	}
}

func TestReservationReleasesWriteSlot(t *testing.T) {
	slots := make(writeSlots, 1)
	reservations := 0
	executeReserving(t, 0, slots, func(int) error {
		reservations++
		if len(slots) > 0 {
			t.Error("a writer that may wait for memory has a slot")
		}
		return nil
	})
	if reservations == 0 {
		t.Error("nothing was reserved")
	}
}
