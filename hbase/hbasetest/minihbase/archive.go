package minihbase

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// archive returns the name of the class-data archive of the jars in lib. It halves the CPU time of
// an HBase's start. It depends on the JVM and the jars' folder.
func archive(lib string) string {
	java, _ := exec.LookPath("java")
	java, _ = filepath.EvalSymlinks(java)
	release, _ := os.ReadFile(filepath.Join(filepath.Dir(java), "..", "release")) // has the version
	return filepath.Join(lib, fmt.Sprintf("hbase-%.8x.jsa", sha256.Sum256([]byte(lib+java+string(release)))))
}

// The jars come first, because a JVM ignores the archive if a folder precedes them.
func classPath(lib, conf string) []string {
	arguments := []string{"-cp", filepath.Join(lib, "*") + ":" + conf}
	if file := archive(lib); exists(file) {
		arguments = append(arguments, "-XX:SharedArchiveFile="+file)
	}
	return arguments
}

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
