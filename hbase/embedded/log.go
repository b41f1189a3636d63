package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
)

// pebbleLog is Pebble's logger. What Pebble tells about its work is for debugging.
type pebbleLog struct{ log *slog.Logger }

func (l pebbleLog) Infof(format string, args ...any) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug(fmt.Sprintf(format, args...), "component", "pebble")
	}
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...), "component", "pebble")
}

// Fatalf is called when going on would lose acknowledged writes, for example when the log can't be written. Pebble relies on
// its not returning; what was acknowledged is on disk.
func (l pebbleLog) Fatalf(format string, args ...any) {
	l.log.Error("the embedded store can't go on: "+fmt.Sprintf(format, args...), "component", "pebble")
	os.Exit(1)
}
