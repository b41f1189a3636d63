package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// Increment implements [hbase.Store]. A region server recognises a repeated increment by its nonce.
// It is applied twice only if the region moves to another server in between.
func (s *Store) Increment(ctx context.Context, inc hbase.Increment) (int64, error) {
	if err := inc.Validate(); err != nil {
		return 0, err
	}
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return 0, err
	}
	defer cancel()
	base, err := hrpc.NewIncStrSingle(ctx, inc.Table, inc.Row, inc.Family, inc.Qualifier, inc.Delta, hrpc.SkipBatch())
	if err != nil {
		return 0, fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	answer, err := s.sendOne(ctx, &incrementCall{Mutate: base, group: s.nonceGroup, nonce: rand.Uint64()})
	if err != nil {
		return 0, err
	}
	sum := answer.(*pb.MutateResponse).GetResult().GetCell()
	if len(sum) != 1 || len(sum[0].Value) != 8 {
		return 0, fmt.Errorf("%w: table %s: an increment returned %v", hbase.ErrCorrupt, inc.Table, sum)
	}
	return int64(binary.BigEndian.Uint64(sum[0].Value)), nil
}

type incrementCall struct {
	*hrpc.Mutate
	group, nonce uint64
}

// ToProto implements hrpc.Call.
func (c *incrementCall) ToProto() proto.Message {
	request := c.Mutate.ToProto().(*pb.MutateRequest)
	request.NonceGroup, request.Mutation.Nonce = &c.group, &c.nonce
	return request
}

// CellBlocksEnabled tells gohbase to send what ToProto returns.
func (c *incrementCall) CellBlocksEnabled() bool { return false }
