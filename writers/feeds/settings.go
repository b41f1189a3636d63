package feeds

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	settingsInterval = 20 * time.Second
	// Older settings are removed, because their gateway has stopped.
	settingsLifetime = 3 * settingsInterval
	settingsTimeout  = 5 * time.Second
)

// CompareSettings compares the fan-out limits of a store's gateways until ctx is done, and logs an
// error if they differ: see docs/FEEDS.md.
func (f *Feeds) CompareSettings(ctx context.Context) {
	own := tables.GatewaySettings{Gateway: rand.Text(), FanoutLimit: f.o.Limit}
	defer f.removeSettings(own.Gateway)
	ticker := time.NewTicker(settingsInterval)
	defer ticker.Stop()
	logged := map[string]bool{}
	for {
		others, err := f.exchangeSettings(ctx, own)
		if err != nil && ctx.Err() == nil {
			f.o.Log.Warn("the settings of other gateways are unknown", "error", err)
		}
		if err == nil {
			f.differs.Store(slices.ContainsFunc(others, func(other tables.GatewaySettings) bool {
				return other.FanoutLimit != own.FanoutLimit
			}))
		}
		for _, other := range others {
			if other.FanoutLimit != own.FanoutLimit && !logged[other.Gateway] {
				logged[other.Gateway] = true
				f.o.Log.Error("gateways of this store have different fan-out limits: give them the same --fanout-limit",
					"limit", own.FanoutLimit, "other", other.FanoutLimit, "gateway", other.Gateway)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// LimitsDiffer reports whether CompareSettings last found different limits.
func (f *Feeds) LimitsDiffer() bool { return f.differs.Load() }

func (f *Feeds) exchangeSettings(
	ctx context.Context, own tables.GatewaySettings,
) (others []tables.GatewaySettings, err error) {
	ctx, cancel := context.WithTimeout(ctx, settingsTimeout)
	defer cancel()
	if err := hbase.MutateAll(ctx, f.store, []hbase.Mutation{tables.Gateways.Put(own)}); err != nil {
		return nil, err
	}
	cells, err := hbase.GetAll(ctx, f.store, []hbase.Get{tables.Gateways.Get()})
	if err != nil {
		return nil, err
	}
	all := tables.Gateways.Decode(cells[0])
	var now int64
	for _, s := range all {
		now = max(now, s.At) // the store's clock
	}
	var ended []hbase.Mutation
	for _, s := range all {
		switch {
		case now-s.At > settingsLifetime.Milliseconds():
			ended = append(ended, tables.Gateways.Remove(s.Gateway))
		case s.Gateway != own.Gateway:
			others = append(others, s)
		}
	}
	return others, hbase.MutateAll(ctx, f.store, ended)
}

func (f *Feeds) removeSettings(gateway string) {
	ctx, cancel := context.WithTimeout(context.Background(), settingsTimeout)
	defer cancel()
	err := hbase.MutateAll(ctx, f.store, []hbase.Mutation{tables.Gateways.Remove(gateway)})
	if err != nil && !errors.Is(err, hbase.ErrUnavailable) { // other gateways ignore old settings
		f.o.Log.Warn("the settings of this gateway remain in the store", "error", err)
	}
}
