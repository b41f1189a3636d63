package main

import (
	"fmt"
	"runtime/debug"
)

// version says of which commit the program is built, and by which Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "twibase of no known commit"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	stamped := map[string]string{}
	for _, s := range info.Settings {
		stamped[s.Key] = s.Value
	}
	commit, changed := stamped["vcs.revision"], ""
	if commit == "" {
		return "twibase of no known commit, " + info.GoVersion
	}
	if stamped["vcs.modified"] == "true" {
		changed = ", changed since"
	}
	return fmt.Sprintf("twibase %s of %s%s, %s", commit, stamped["vcs.time"], changed, info.GoVersion)
}
