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

	"twibase/bench/gateway"
)

// springFiles are a gateway as it is mostly built in Java: Spring for GraphQL, java-dataloader and HBase's own client. It has tables of its own, a row for a
// user in each, with the attributes that HBase gives them, and a schema without connections.
//
//go:embed spring
var springFiles embed.FS

// jvm is what HBase's own scripts tell the Java of a client, and a heap that is not the machine's.
var jvm = []string{"-Xmx512m", "-Djava.net.preferIPv4Stack=true", "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
	"--add-modules=jdk.unsupported",
	"--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
	"--add-opens=java.base/java.lang.reflect=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
	"--add-opens=java.base/java.util.concurrent=ALL-UNNAMED", "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"}

// startSpring builds it in folder dir, lets it load the data into the HBase of that URL, and starts it.
func startSpring(ctx context.Context, dir, store, data string) (*gateway.Gateway, error) {
	at, err := url.Parse(store)
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(springFiles, "spring")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "mvn", "-q", "-B", "-ntp", "-f", filepath.Join(dir, "pom.xml"), "package").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mvn package: %w\n%s", err, out)
	}
	args := append(jvm[:len(jvm):len(jvm)], "-Dzookeeper="+at.Host, "-jar", filepath.Join(dir, "target", "spring-gateway-1.jar"))
	if out, err := exec.CommandContext(ctx, "java", append(args, "load", data)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("load: %w\n%s", err, out)
	}
	return gateway.Start(ctx, "java", args...)
}
