package minihbase

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// archive returns the name of the class-data archive of the jars in lib. With it, an HBase starts
// with half of the CPU time, because its classes are already parsed and verified. A JVM ignores the
// archive of another version, or of other jars.
func archive(lib string) string { return filepath.Join(lib, "hbase.jsa") }

// classPath returns the arguments of a JVM for the jars, their archive, and conf. The jars come
// first, because a JVM ignores the archive if a folder precedes them.
func classPath(lib, conf string) []string {
	return []string{"-XX:SharedArchiveFile=" + archive(lib), "-cp", filepath.Join(lib, "*") + ":" + conf}
}

// writeArchive starts an HBase to list the classes that it loads.
func writeArchive(ctx context.Context, lib string) error {
	work, err := os.MkdirTemp(filepath.Dir(lib), "archive-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	list, written := filepath.Join(work, "classes"), filepath.Join(work, "hbase.jsa")
	h, err := startFrom(ctx, lib, filepath.Join(work, "hbase"), []string{"-XX:DumpLoadedClassList=" + list}, nil, nil)
	if err != nil {
		return err
	}
	h.Kill()
	dump := exec.CommandContext(ctx, "java", "-Xshare:dump", "-XX:+UseSerialGC", "-XX:SharedClassListFile="+list,
		"-XX:SharedArchiveFile="+written, "-cp", filepath.Join(lib, "*"))
	dump.WaitDelay = time.Second
	if out, err := dump.CombinedOutput(); err != nil {
		return fmt.Errorf("minihbase: java could not write an archive of HBase's classes: %w\n%s", err, out)
	}
	return os.Rename(written, archive(lib))
}
