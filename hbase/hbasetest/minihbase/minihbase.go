// Package minihbase starts a real HBase for tests and for trying things out: ZooKeeper, a master and three region
// servers in one Java process that listens on the loopback interface alone.
//
// Its jars are fetched with Maven once and kept in the user's cache folder. Any number of them run side by side, each
// with a ZooKeeper port and a data folder of its own.
package minihbase

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
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
func Start(ctx context.Context, dir string) (*HBase, error) {
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
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(filepath.Join(dir, "hbase.log"), "java",
		"@"+filepath.Join(dir, "jvm.args"),
		"-Dtwibase.data="+data,
		fmt.Sprint("-Dtwibase.zkport=", port),
		fmt.Sprint("-Dtwibase.servers=", regionServers),
		"-cp", conf+":"+filepath.Join(lib, "*"),
		"org.apache.hadoop.hbase.master.HMaster", fmt.Sprint("--localRegionServers=", regionServers), "start")
	if err != nil {
		return nil, err
	}
	h := &HBase{url: fmt.Sprintf("hbase://127.0.0.1:%d%s", port, znode), process: p}
	if err := h.ready(ctx); err != nil {
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

// Kill ends the process at once, as a crash would. What was acknowledged is there again after a new Start.
func (h *HBase) Kill() { h.process.kill() }

// Shutdown asks the process to end in good order, and kills it if that takes longer than timeout.
func (h *HBase) Shutdown(timeout time.Duration) { h.process.terminate(timeout) }

func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
