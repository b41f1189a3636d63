package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

// springFiles is a gateway in Java, with Spring for GraphQL, java-dataloader and HBase's client.
// Its schema has no connections. Its tables have a row per user, and HBase's default attributes.
//
//go:embed spring
var springFiles embed.FS

type spring string

func buildSpring(ctx context.Context, dir string) (spring, error) {
	files, err := fs.Sub(springFiles, "spring")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "mvn", "-q", "-B", "-ntp", "-f", filepath.Join(dir, "pom.xml"),
		"package").CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn package: %w\n%s", err, out)
	}
	return spring(dir), nil
}

func (s spring) start(ctx context.Context, store, data string) (*loadtest.Gateway, error) {
	at, err := url.Parse(store)
	if err != nil {
		return nil, err
	}
	args, err := minihbase.JVM()
	if err != nil {
		return nil, err
	}
	args = append(args, "-Xmx512m", "-Djava.io.tmpdir="+string(s), "-Dzookeeper="+at.Host, "-jar",
		filepath.Join(string(s), "target", "spring-gateway-1.jar"))
	if out, err := exec.CommandContext(ctx, "java",
		append(args[:len(args):len(args)], "load", data)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("load: %w\n%s", err, out)
	}
	return loadtest.Start(ctx, "java", args...)
}
