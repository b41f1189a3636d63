// Package minihbase starts a real HBase for tests: ZooKeeper, a master and three region servers, in
// one Java process ([Start]) or in five ([StartDistributed]), on the loopback interface only.
//
// The first start lets Maven download the jars into the user's cache folder, and writes an archive
// of their classes there.
package minihbase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"twibase/hbase/cluster"
)

const (
	regionServers = 3
	startTimeout  = 3 * time.Minute
	znode         = "/hbase"
)

type HBase struct {
	url     string
	process *process
}

// Start starts an HBase with its data in dir, which no other HBase may use, and returns when a cell
// can be written and read. Its error has the end of HBase's log, or is [ErrMissing].
func Start(ctx context.Context, dir string) (*HBase, error) { return start(ctx, dir, nil, nil, nil) }

// StartWith is [Start] with settings such as hbase.quota.enabled=true. It starts faster, because
// its JVM uses only the first compiler, whose code is slower.
func StartWith(ctx context.Context, dir string, settings ...string) (*HBase, error) {
	return StartSecured(ctx, dir, Security{Settings: settings})
}

func StartSecured(ctx context.Context, dir string, security Security) (*HBase, error) {
	master := impatient
	for _, setting := range security.Settings {
		master = append(master[:len(master):len(master)], "-D"+setting)
	}
	return start(ctx, dir, append(shortLived[:1:1], security.JVM...), master, security.Options)
}

func start(ctx context.Context, dir string, jvm, master []string, client []cluster.Option) (*HBase, error) {
	lib, err := jars(ctx)
	if err != nil {
		return nil, err
	}
	return startFrom(ctx, lib, dir, jvm, master, client)
}

func startFrom(ctx context.Context, lib, dir string, jvm, master []string, client []cluster.Option) (*HBase, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := writeRecipe(dir); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	// ZooKeeper would wait for earlier sessions to expire.
	if err := errors.Join(os.MkdirAll(data, 0o755), os.RemoveAll(filepath.Join(data, "zk"))); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(filepath.Join(dir, "hbase.log"), "java", slices.Concat([]string{
		"@" + filepath.Join(dir, "jvm.args"),
		"-Dtwibase.data=" + data,
		fmt.Sprint("-Dtwibase.zkport=", port),
		fmt.Sprint("-Dtwibase.servers=", regionServers),
	}, classPath(lib, filepath.Join(dir, "conf")), jvm, []string{"org.apache.hadoop.hbase.master.HMaster"}, master,
		[]string{fmt.Sprint("--localRegionServers=", regionServers), "start"})...)
	if err != nil {
		return nil, err
	}
	h := &HBase{url: fmt.Sprintf("hbase://127.0.0.1:%d%s", port, znode), process: p}
	if err := ready(ctx, p, h.url, client); err != nil {
		p.kill()
		return nil, fmt.Errorf("minihbase: %w\n%s", err, p.log.tail())
	}
	return h, nil
}

func (h *HBase) URL() string { return h.url }

func (h *HBase) Log() string { return h.process.log.tail() }

func (h *HBase) Done() <-chan struct{} { return h.process.done }

// Kill keeps acknowledged writes, which Start restores.
func (h *HBase) Kill() { h.process.kill() }

// freePort returns a port below the ephemeral ones, which could be in use when HBase listens, a
// second later.
func freePort() (int, error) {
	for tries := 0; ; tries++ {
		port := 20_000 + rand.IntN(12_000)
		l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, l.Close()
		}
		if tries == 20 {
			return 0, err
		}
	}
}
