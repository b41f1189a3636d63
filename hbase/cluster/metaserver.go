package cluster

import (
	"context"
	"encoding/binary"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tsuna/gohbase/pb"
	"github.com/tsuna/gohbase/region"
	"google.golang.org/protobuf/proto"
)

const metaServerTimeout = 4 * time.Second

// checkMetaServer returns the refusal of hbase:meta's server. It opens its own connection, because
// gohbase does not report why a connection failed.
func (s *Store) checkMetaServer(ctx context.Context, dial dialFunc, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, metaServerTimeout)
	defer cancel()
	client := region.NewClient(s.metaServer, region.RegionClient, 1, 0, s.user, readTimeout, nil, dial, log)
	defer client.Close()
	if client.Dial(ctx) == nil {
		get := newGet(ctx, metaTable, "\x00", firstCell)
		get.SetRegion(region.NewInfo(0, []byte("hbase"), []byte("meta"), []byte("hbase:meta,,1"), nil, nil))
		client.QueueRPC(get)
		select {
		case <-get.ResultChan():
		case <-ctx.Done():
		}
	}
	return s.refusals.of(s.metaServer)
}

func parseServer(znode []byte) string {
	const magic = 0xFF // then the length of an id, the id, and a message
	if len(znode) < 5 || znode[0] != magic {
		return ""
	}
	id := int(binary.BigEndian.Uint32(znode[1:]))
	if id > len(znode)-5 {
		return ""
	}
	message, ok := strings.CutPrefix(string(znode[5+id:]), "PBUF")
	var server pb.MetaRegionServer
	if !ok || proto.Unmarshal([]byte(message), &server) != nil {
		return ""
	}
	return net.JoinHostPort(server.GetServer().GetHostName(), strconv.FormatUint(uint64(server.GetServer().GetPort()), 10))
}
