// Package minihbase starts a real HBase for tests and for trying things out: ZooKeeper, a master and three region
// servers in one Java process that listens on the loopback interface alone.
//
// Its jars are fetched with Maven once and kept in the user's cache folder. Any number of them run side by side, each
// with a ZooKeeper port and a data folder of its own.
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
)

const (
	regionServers = 3
	startTimeout  = 3 * time.Minute
	znode         = "/hbase"
)

// HBase is a running HBase.
type HBase struct {
	url     string
	process *process
}

// Start starts an HBase that keeps its data in folder dir, which is made if there is none; what an earlier one left there is served
// again. It returns when a cell that was put can be read, or with an error that holds the end of HBase's log.
// [ErrMissing] is the error if Java or Maven is not installed. One dir serves one HBase at a time.
func Start(ctx context.Context, dir string) (*HBase, error) { return start(ctx, dir, nil, nil) }

// start is Start, with further options of the JVM and of the master.
func start(ctx context.Context, dir string, jvm, master []string) (*HBase, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	lib, err := jars(ctx)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(dir, "conf")
	if err := writeRecipe(dir); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	// What an earlier HBase left in ZooKeeper is sessions of its own: to outlive them would take this one as long as they last.
	if err := errors.Join(os.MkdirAll(data, 0o755), os.RemoveAll(filepath.Join(data, "zk"))); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(filepath.Join(dir, "hbase.log"), "java", slices.Concat(jvm, []string{
		"@" + filepath.Join(dir, "jvm.args"),
		"-Dtwibase.data=" + data,
		fmt.Sprint("-Dtwibase.zkport=", port),
		fmt.Sprint("-Dtwibase.servers=", regionServers),
		"-cp", conf + ":" + filepath.Join(lib, "*"),
		"org.apache.hadoop.hbase.master.HMaster"}, master, []string{fmt.Sprint("--localRegionServers=", regionServers), "start"})...)
	if err != nil {
		return nil, err
	}
	h := &HBase{url: fmt.Sprintf("hbase://127.0.0.1:%d%s", port, znode), process: p}
	if err := ready(ctx, p, h.url); err != nil {
		p.kill()
		return nil, fmt.Errorf("minihbase: %w\n%s", err, p.log.tail())
	}
	return h, nil
}

// URL returns the URL to open it with.
func (h *HBase) URL() string { return h.url }

// Log returns the end of its log.
func (h *HBase) Log() string { return h.process.log.tail() }

// Done returns a channel that is closed when the process has ended.
func (h *HBase) Done() <-chan struct{} { return h.process.done }

// Kill ends the process at once. What was acknowledged is in its log, and there again after a new Start.
func (h *HBase) Kill() { h.process.kill() }

// freePort finds a port below those that the system gives to connections: HBase takes a second to listen on it, in which no one
// else should get it.
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
