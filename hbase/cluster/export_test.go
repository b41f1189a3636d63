package cluster

import (
	"context"
	"net"

	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase"
)

// OpenThrough opens a store whose connections to the region servers dial makes.
func OpenThrough(ctx context.Context, url string, dial func(ctx context.Context, network, addr string) (net.Conn, error), options ...Option) (*Store, error) {
	return open(ctx, url, zerolog.Nop(), []gohbase.Option{gohbase.RegionDialer(dial)}, options)
}

// Uncut lets multis have any number of Gets.
func (s *Store) Uncut() { s.maxMulti = 1 << 20 }

// Admin is for what a store's tables can't ask for: disabling one, moving its regions.
func (s *Store) Admin() gohbase.AdminClient { return s.admin }

// ServerOf returns the address of the region server that a row was last asked of.
func (s *Store) ServerOf(table, row string) string { return s.located.find(table, row).Client().Addr() }
