package cluster

import (
	"log/slog"
	"sync"

	"github.com/go-zookeeper/zk"
	"github.com/rs/zerolog"
)

var zkLogs sync.Once

// routeLogs lets ZooKeeper's client log to log, and returns a logger for gohbase that does. ZooKeeper's client has one logger for the whole
// process, which it reads without a lock: the first store's stays.
func routeLogs(log zerolog.Logger) *slog.Logger {
	zkLogs.Do(func() { zk.DefaultLogger = zkLogger{log.With().Str("from", "zookeeper").Logger()} })
	if log.GetLevel() > zerolog.DebugLevel {
		// gohbase tells of each region and connection that it finds.
		log = log.Level(max(log.GetLevel(), zerolog.WarnLevel))
	}
	return slog.New(zerolog.NewSlogHandler(log.With().Str("from", "gohbase").Logger()))
}

type zkLogger struct{ log zerolog.Logger }

// Printf implements zk.Logger. What it is told are connects and reconnects; errors come back from the calls.
func (l zkLogger) Printf(format string, args ...any) { l.log.Debug().Msgf(format, args...) }
