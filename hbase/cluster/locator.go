package cluster

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase/zk"

	"twibase/hbase"
)

// locator returns an error for an empty or truncated znode, where gohbase's ZooKeeper client
// panics. gohbase then tries again.
type locator struct {
	zk.Client
	log     *zerolog.Logger
	failure atomic.Pointer[error] // of the last call; may be nil
}

// setLocator replaces client's ZooKeeper client, for which gohbase has no option.
func setLocator(client any, log *zerolog.Logger) *locator {
	field := reflect.ValueOf(client).Elem().FieldByName("zkClient")
	pointer := (*zk.Client)(field.Addr().UnsafePointer())
	l := &locator{Client: *pointer, log: log}
	*pointer = l
	return l
}

func (l *locator) LocateResource(znode zk.ResourceName) (address string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the znode %s is empty or cut off: %v", znode, p)
		}
		l.note(znode, err)
	}()
	return l.Client.LocateResource(znode)
}

func (l *locator) note(znode zk.ResourceName, err error) {
	if err == nil {
		if l.failure.Swap(nil) != nil {
			l.log.Info().Str("znode", string(znode)).Msg("ZooKeeper names a server of HBase again")
		}
		return
	}
	err = fmt.Errorf("%w: %w", hbase.ErrUnlocated, err)
	if before := l.failure.Swap(&err); before == nil || (*before).Error() != err.Error() {
		l.log.Warn().Str("znode", string(znode)).Err(err).
			Msg("ZooKeeper names no server of HBase: calls that need it fail")
	}
}

func (l *locator) err() error {
	if failure := l.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}
