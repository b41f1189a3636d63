package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// Flush writes what the region servers hold of a table in memory to its files, as they do by themselves when it has grown: whoever measures reads
// wants those of a table that has been there for a while. It takes a second. It does so by a snapshot, which it drops again, as gohbase has no
// other call that flushes.
func (s *Store) Flush(ctx context.Context, table string) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	name := fmt.Sprintf("flush-%x", rand.Uint64())
	take, err := hrpc.NewSnapshot(ctx, name, table)
	if err != nil {
		return fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	if err := s.administer(take, s.admin.CreateSnapshot(take)); err != nil {
		return err
	}
	drop, err := hrpc.NewSnapshot(ctx, name, table)
	if err != nil {
		return fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	return s.administer(drop, s.admin.DeleteSnapshot(drop))
}
