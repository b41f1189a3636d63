package cluster

import (
	"context"
	"net"

	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase"
)

// OpenThrough opens a store whose connections to the region servers dial makes.
func OpenThrough(ctx context.Context, url string, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (*Store, error) {
	return open(ctx, url, zerolog.Nop(), gohbase.RegionDialer(dial))
}

// Uncut lets multis have any number of calls, until restore is called.
func Uncut() (restore func()) {
	most := maxChunk
	maxChunk = 1 << 20
	return func() { maxChunk = most }
}

// Admin is for what a store's tables can't ask for: disabling one, moving its regions.
func (s *Store) Admin() gohbase.AdminClient { return s.admin }

// ServerOf returns the address of the region server that a row was last asked of.
func (s *Store) ServerOf(table, row string) string { return s.located.find(table, row).Client().Addr() }
