package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// masterCall is any RPC to the master. gohbase has few, and only for the default namespace.
type masterCall struct {
	*hrpc.ListTableNames // implements the other methods of hrpc.Call
	name, table          string
	request, response    proto.Message
}

func (c *masterCall) Name() string               { return c.name }
func (c *masterCall) Description() string        { return c.name }
func (c *masterCall) Table() []byte              { return []byte(c.table) }
func (c *masterCall) ToProto() proto.Message     { return c.request }
func (c *masterCall) NewResponse() proto.Message { return c.response }

func (s *Store) askMaster(ctx context.Context, name, table string, request, response proto.Message) error {
	list, err := hrpc.NewListTableNames(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	call := &masterCall{list, name, table, request, response}
	_, err = s.admin.(gohbase.RPCClient).SendRPC(call)
	return s.finishAdminCall(call, err)
}

func (s *Store) runProcedure(ctx context.Context, name, table string, request proto.Message,
	response interface {
		proto.Message
		GetProcId() uint64
	},
) error {
	if err := s.askMaster(ctx, name, table, request, response); err != nil {
		return err
	}
	id := response.GetProcId()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		var result pb.GetProcedureResultResponse
		err := s.askMaster(ctx, "getProcedureResult", table, &pb.GetProcedureResultRequest{ProcId: &id}, &result)
		if err != nil {
			return err
		}
		switch result.GetState() {
		case pb.GetProcedureResultResponse_FINISHED:
			return s.procedureError(table, result.GetException().GetGenericException())
		case pb.GetProcedureResultResponse_NOT_FOUND:
			return fmt.Errorf("%w: table %s: the master has lost the procedure of %s", hbase.ErrUnavailable, table, name)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return translate(ctx.Err(), location{table: table})
		}
	}
}

func (s *Store) procedureError(table string, e *pb.GenericExceptionMessage) error {
	if e == nil {
		return nil
	}
	err := fmt.Errorf("procedure exception: %s: %s", e.GetClassName(), e.GetMessage())
	s.observe(err)
	return translate(err, location{table: table})
}
