// Package browser tests the IDE and pages of other origins in a real browser.
package browser

import (
	"cmp"
	"fmt"
	"os"
	"testing"

	"twibase/hbase/hbasetest/minihbase"
)

func needsBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser: run without -short")
	}
	needs(t, "make build installs it", "../../node_modules/puppeteer-core", "../../graph/playground/dist/index.html")
	needs(t, "make chromium installs it; or set CHROMIUM to your browser's path",
		cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium"))
}

func needs(t *testing.T, remedy string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		minihbase.Missing(t, fmt.Sprintf("%s is missing: %s", path, remedy))
	}
}
