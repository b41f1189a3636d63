package feeds

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/transfer"
)

type compared struct {
	*Feeds
	log  bytes.Buffer
	stop func()
}

func compare(t *testing.T, store hbase.Store, limit int) *compared {
	ctx, cancel := context.WithCancel(t.Context())
	c := new(compared)
	f := New(store, Options{Limit: limit, Log: slog.New(slog.NewTextHandler(&c.log, nil))})
	c.Feeds = f
	var running sync.WaitGroup
	running.Go(func() { f.CompareSettings(ctx) })
	c.stop = func() { cancel(); running.Wait() }
	return c
}

func TestDifferentFanoutLimitsAreLoggedByAllGateways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := embedded.Open("")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
			t.Fatal(err)
		}
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		errors := func(c *compared, limit, other int) int {
			return strings.Count(c.log.String(), fmt.Sprintf("level=ERROR msg=\"gateways of this store have different fan-out limits: "+
				"give them the same --fanout-limit\" limit=%d other=%d", limit, other))
		}
		first, equal := compare(t, store, 10), compare(t, store, 10)
		pass(5 * settingsInterval)
		if first.log.Len()+equal.log.Len() > 0 {
			t.Errorf("equal limits: %s%s", &first.log, &equal.log)
		}
		if first.LimitsDiffer() || equal.LimitsDiffer() {
			t.Error("equal limits differ")
		}
		other := compare(t, store, 20)
		pass(5 * settingsInterval)
		if n := errors(first, 10, 20); n != 1 {
			t.Errorf("the first gateway logs %d errors: %s", n, &first.log)
		}
		if n := errors(equal, 10, 20); n != 1 {
			t.Errorf("the second gateway logs %d errors: %s", n, &equal.log)
		}
		if n := errors(other, 20, 10); n != 2 {
			t.Errorf("the third gateway logs %d errors: %s", n, &other.log)
		}
		if !first.LimitsDiffer() || !other.LimitsDiffer() {
			t.Error("different limits do not differ")
		}
		other.stop()
		late := compare(t, store, 10)
		pass(settingsInterval)
		if late.LimitsDiffer() {
			t.Error("the limits differ after the third gateway has ended")
		}
		if late.log.Len() > 0 {
			t.Errorf("a gateway that started after the third has ended: %s", &late.log)
		}
		for _, c := range []*compared{first, equal, late} {
			c.stop()
		}
		cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.Gateways.Get()})
		if err != nil || len(cells[0]) > 0 {
			t.Errorf("settings that remain: %v, error %v", cells, err)
		}
	})
}

func TestSettingsAreComparedWithoutALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := embedded.Open("")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
			t.Fatal(err)
		}
		other := tables.Gateways.Put(tables.GatewaySettings{Gateway: "other", FanoutLimit: 20})
		if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{other}); err != nil {
			t.Fatal(err)
		}
		f := New(store, Options{Limit: 10})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.CompareSettings(ctx)
		if !f.LimitsDiffer() {
			t.Error("different limits do not differ")
		}
	})
}

func TestSettingsOfAGatewayThatWasKilledAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := embedded.Open("")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
			t.Fatal(err)
		}
		killed := tables.Gateways.Put(tables.GatewaySettings{Gateway: "killed", FanoutLimit: 20})
		if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{killed}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(settingsLifetime + time.Second)
		f := New(store, Options{Limit: 10})
		others, err := f.exchangeSettings(t.Context(), tables.GatewaySettings{Gateway: "own", FanoutLimit: 10})
		if err != nil || others != nil {
			t.Errorf("got %v, %v", others, err)
		}
		cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.Gateways.Get()})
		if all := tables.Gateways.Decode(cells[0]); err != nil || len(all) != 1 || all[0].Gateway != "own" {
			t.Errorf("stored: %v, %v", all, err)
		}
	})
}
