package cluster

import (
	"context"
	"fmt"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// Mutate implements [hbase.Store].
func (s *Store) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	ctx, cancel, err := s.beginCall(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	errs := make([]error, len(mutations))
	valid := make([]int, 0, len(mutations))
	for i, m := range mutations {
		if errs[i] = validate(m); errs[i] != nil {
			continue
		}
		table, row := m.At()
		if errs[i] = s.refused(table, row); errs[i] == nil {
			valid = append(valid, i)
		}
	}
	s.send(ctx, batch{
		table: func(i int) string {
			table, _ := mutations[i].At()
			return table
		},
		call: func(ctx context.Context, i int) hrpc.Call { return newMutation(ctx, mutations[i]) },
		done: func(i int, err error) { errs[i] = err },
	}, valid)
	for _, err := range errs {
		if err != nil {
			return errs, canceled(ctx)
		}
	}
	return nil, nil
}

func validate(m hbase.Mutation) error {
	if m == nil {
		return fmt.Errorf("%w: a nil mutation", hbase.ErrInvalid)
	}
	return m.Validate()
}
