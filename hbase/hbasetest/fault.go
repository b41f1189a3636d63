package hbasetest

import (
	"context"
	"time"
)

type faultList []Fault

func decide[T any](f *Faults, items []T, op func(T) Op) (faults faultList, send []T) {
	for _, item := range items {
		fault := f.hook(op(item))
		faults = append(faults, fault)
		if fault.passes() {
			send = append(send, item)
		}
	}
	return faults, send
}

func (f Fault) passes() bool { return f.Err == nil || f.Done }

func (l faultList) wait(ctx context.Context) error {
	var delay time.Duration
	for _, fault := range l {
		delay = max(delay, fault.Delay)
	}
	if delay == 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// before is for scans, which ignore Done.
func (f *Faults) before(ctx context.Context, op Op) error {
	fault := f.hook(op)
	if err := (faultList{fault}).wait(ctx); err != nil {
		return err
	}
	return fault.Err
}

func (f *Faults) around(ctx context.Context, op Op, do func() error) error {
	fault := f.hook(op)
	if err := (faultList{fault}).wait(ctx); err != nil {
		return err
	}
	if fault.passes() {
		if err := do(); err != nil {
			return err
		}
	}
	return fault.Err
}
