package command

import (
	"fmt"
	"runtime/debug"
)

// version returns the commit that the program was built from, and the version of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "twibase, unknown commit"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit, modified := settings["vcs.revision"], ""
	if commit == "" {
		return "twibase, unknown commit, " + info.GoVersion
	}
	if settings["vcs.modified"] == "true" {
		modified = ", modified"
	}
	return fmt.Sprintf("twibase %s of %s%s, %s", commit, settings["vcs.time"], modified, info.GoVersion)
}
