package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"twibase/hbase"
)

const (
	zkSession    = 10 * time.Second
	probeBackoff = 200 * time.Millisecond
)

// await returns when HBase has registered in ZooKeeper. metaServer may be "". gohbase would retry a
// wrong address until the deadline, without an explanation.
func (a address) await(ctx context.Context) (metaServer string, err error) {
	conn, _, err := zk.Connect(strings.Split(a.quorum, ","), zkSession)
	if err != nil {
		return "", fmt.Errorf("%w: ZooKeeper at %s: %w", hbase.ErrUnavailable, a.quorum, err)
	}
	defer conn.Close()
	found := make(chan zookeeperAnswer, 1)
	go func() { found <- awaitZnode(ctx, conn, a) }()
	select {
	case answer := <-found:
		return answer.metaServer, answer.err
	case <-ctx.Done():
	}
	select {
	case answer := <-found: // awaitZnode also ends with ctx. Its error explains more than a timeout
		return answer.metaServer, answer.err
	case <-time.After(probeBackoff):
		return "", fmt.Errorf("%w: no ZooKeeper answers at %s; are host and port right? %w",
			hbase.ErrUnavailable, a.quorum, ctx.Err())
	}
}

type zookeeperAnswer struct {
	metaServer string
	err        error
}

func awaitZnode(ctx context.Context, conn *zk.Conn, a address) zookeeperAnswer {
	for {
		switch meta, _, err := conn.Get(a.znode + "/meta-region-server"); {
		case err != nil && !errors.Is(err, zk.ErrNoNode):
			return zookeeperAnswer{err: fmt.Errorf("%w: ZooKeeper at %s: %w", hbase.ErrUnavailable, a.quorum, err)}
		case len(meta) > 0: // gohbase panics if it is empty
			return zookeeperAnswer{metaServer: parseServer(meta)}
		}
		select {
		case <-time.After(probeBackoff):
		case <-ctx.Done():
			return zookeeperAnswer{err: a.unregistered(conn)}
		}
	}
}

func (a address) unregistered(conn *zk.Conn) error {
	if root, _, err := conn.Exists(a.znode); err == nil && !root {
		return fmt.Errorf("%w: ZooKeeper at %s has no znode %s; is it HBase's zookeeper.znode.parent?",
			hbase.ErrUnavailable, a.quorum, a.znode)
	}
	return fmt.Errorf("%w: HBase at %s%s is not up", hbase.ErrUnavailable, a.quorum, a.znode)
}
