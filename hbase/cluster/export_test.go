package cluster

import (
	"context"

	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase"
	"google.golang.org/protobuf/proto"
)

func OpenThrough(ctx context.Context, url string, dial dialFunc, options ...Option) (*Store, error) {
	return open(ctx, url, zerolog.Nop(), dial, options)
}

func (s *Store) LogTo(log zerolog.Logger) { s.log = log }

func (s *Store) Admin() gohbase.AdminClient { return s.admin }

func (s *Store) Client() gohbase.Client { return s.client }

func (s *Store) ServerOf(table, row string) string { return s.regions.find(table, row).Client().Addr() }

func (s *Store) Administer(ctx context.Context, name string, request, response proto.Message) error {
	return s.askMaster(ctx, name, "", request, response)
}
