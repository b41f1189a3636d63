package command

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestVersionIsPrinted(t *testing.T) {
	status, stdout, stderr := command(t, "--version")
	if status != 0 || stdout != version()+"\n" || !strings.HasSuffix(stdout, ", "+runtime.Version()+"\n") || stderr != "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// Without a vulnerability database, the script cannot check the Go modules and three npm lock
// files.
func TestAuditReportsWhatItCannotCheck(t *testing.T) {
	audit := exec.CommandContext(t.Context(), "scripts/audit")
	audit.Dir = ".."
	audit.Env = append(audit.Environ(), "GOVULNDB=http://127.0.0.1:1", "npm_config_registry=http://127.0.0.1:1")
	output, _ := audit.Output()
	if audit.ProcessState.ExitCode() != 3 || strings.Count(string(output), "NOT CHECKED") != 4 {
		t.Errorf("status %d: %s", audit.ProcessState.ExitCode(), output)
	}
}
