package auth

import (
	"context"
	"testing"
	"time"
)

func TestClientsAboveTheirRowsPerSecondWait(t *testing.T) {
	c := &clock{now}
	const perSecond = 100
	r := NewRows(perSecond, c.now)
	here, there := from("192.0.2.1"), from("192.0.2.2")
	viewer := WithViewer(here, Viewer{Username: "LiLei"})
	namesake := WithViewer(there, Viewer{Username: "192.0.2.1"})
	expect := func(what string, ctx context.Context, want time.Duration) {
		t.Helper()
		if got := r.Wait(ctx); got != want {
			t.Errorf("%s: got a wait of %v, want %v", what, got, want)
		}
	}
	expect("a new client", here, 0)
	r.Charge(here, 1000)
	expect("a client that has read the rows of ten seconds", here, 0)
	r.Charge(here, 50)
	expect("a client that has read more", here, 500*time.Millisecond)
	r.Charge(here, 25_000)
	expect("a client that has read the rows of minutes in one operation", here, 250500*time.Millisecond)
	expect("another address", there, 0)
	expect("a viewer at the address", viewer, 0)
	expect("a viewer whose name is the address", namesake, 0)
	r.Charge(viewer, 2000)
	expect("the viewer", viewer, 10*time.Second)
	expect("the viewer at another address", WithViewer(there, Viewer{Username: "LiLei"}), 10*time.Second)
	c.at = c.at.Add(10 * time.Second)
	expect("the viewer after the wait", viewer, 0)
	r.Charge(viewer, 0)
	expect("an operation without rows", viewer, 0)
	c.at = c.at.Add(time.Hour)
	r.Charge(viewer, 1001)
	expect("an hour saves the rows of ten seconds only", viewer, 10*time.Millisecond)

	unlimited := NewRows(0, c.now)
	unlimited.Charge(here, 1<<40)
	if wait := unlimited.Wait(here); wait != 0 {
		t.Errorf("without a limit: got %v", wait)
	}
}
