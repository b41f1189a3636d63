package cluster

import (
	"context"
	"net"

	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase"
)

// OpenThrough opens a store with connections that dial makes.
func OpenThrough(ctx context.Context, url string, dial dialFunc, options ...Option) (*Store, error) {
	return open(ctx, url, zerolog.Nop(), []gohbase.Option{gohbase.RegionDialer(dial)}, options)
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

func (s *Store) Uncut() { s.maxMulti = 1 << 20 }

func (s *Store) Admin() gohbase.AdminClient { return s.admin }

// ServerOf returns the address of the region server that last served a row.
func (s *Store) ServerOf(table, row string) string { return s.regions.find(table, row).Client().Addr() }
