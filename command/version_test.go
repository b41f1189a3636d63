package command

import (
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersion(t *testing.T) {
	stamps := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.time", Value: "2026-11-21T17:00:00Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(append([]debug.BuildSetting(nil), stamps[:2]...), debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, test := range []struct {
		name     string
		settings []debug.BuildSetting
		want     string
	}{
		{"a commit is named, and when it was made", stamps, "twibase 0123abc of 2026-11-21T17:00:00Z, go1.26.8"},
		{"uncommitted changes are mentioned", changed, "twibase 0123abc of 2026-11-21T17:00:00Z, modified, go1.26.8"},
		{"no commit is none", nil, "twibase, unknown commit, go1.26.8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, versionOf(&debug.BuildInfo{GoVersion: "go1.26.8", Settings: test.settings})); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("twibase --version", func(t *testing.T) {
		status, stdout, stderr := command(t, "--version")
		if status != 0 || stdout != version()+"\n" || stderr != "" {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	})
}

// TestAuditReportsWhatItCannotCheck runs the look for vulnerabilities where no database answers.
func TestAuditReportsWhatItCannotCheck(t *testing.T) {
	audit := exec.CommandContext(t.Context(), "scripts/audit")
	audit.Dir = ".."
	audit.Env = append(audit.Environ(), "GOVULNDB=http://127.0.0.1:1", "npm_config_registry=http://127.0.0.1:1")
	output, _ := audit.Output()
	if audit.ProcessState.ExitCode() != 3 || strings.Count(string(output), "NOT CHECKED") != 3 {
		t.Errorf("status %d: %s", audit.ProcessState.ExitCode(), output)
	}
}
