package gateway

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestDifferentFanoutLimitsOfASharedStoreAreAMetric(t *testing.T) {
	for _, test := range []struct {
		name   string
		shared bool
		second int
		want   string
	}{
		{"different limits", true, 20, "1"},
		{"equal limits", true, 10, "0"},
		{"a store of one gateway", false, 20, "0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := sampleStore(t)
				ctx, stop := context.WithCancel(t.Context())
				var work sync.WaitGroup
				defer work.Wait()
				defer stop()
				gateways := []*Gateway{
					New(store, Config{FanoutLimit: 10, Shared: test.shared}),
					New(store, Config{FanoutLimit: test.second, Shared: test.shared}),
				}
				for _, g := range gateways {
					work.Go(func() { g.Run(ctx) })
				}
				time.Sleep(time.Minute) // fake time
				for i, g := range gateways {
					if got := strings.Join(exposed(g, "twibase_fanout_limit_conflict "), ""); got != test.want {
						t.Errorf("gateway %d: twibase_fanout_limit_conflict is %q, want %q", i, got, test.want)
					}
				}
			})
		})
	}
}
