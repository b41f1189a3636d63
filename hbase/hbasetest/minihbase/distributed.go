package minihbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Distributed is an HBase of five processes, ZooKeeper, a master and three region servers: for tests in which region servers die. Its methods are
// for one goroutine.
type Distributed struct {
	url               string
	zookeeper, master *process
	servers           [regionServers]*process
	// start starts one of the processes.
	start  func(name string, args ...string) (*process, error)
	starts int
}

// session is for how long ZooKeeper waits for a region server that has fallen silent: so long nobody has its regions.
const session = 6 * time.Second

// masterSession is the same for the master, which no test stops: on a machine that has no time for it, it would end, and no region would find a server
// again.
const masterSession = time.Minute

// StartDistributed is like [Start], for an HBase of several processes.
func StartDistributed(ctx context.Context, dir string) (d *Distributed, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	lib, err := jars(ctx)
	if err != nil {
		return nil, err
	}
	if err := writeRecipe(dir); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(filepath.Join(data, "zk"), 0o755); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	d = &Distributed{url: fmt.Sprintf("hbase://127.0.0.1:%d%s", port, znode)}
	d.start = func(name string, args ...string) (*process, error) {
		return startProcess(filepath.Join(dir, name+".log"), "java", append([]string{
			"@" + filepath.Join(dir, "jvm.args"), "-Xmx512m",
			"-Dtwibase.data=" + data, fmt.Sprint("-Dtwibase.zkport=", port), fmt.Sprint("-Dtwibase.servers=", regionServers),
			"-cp", filepath.Join(dir, "conf") + ":" + filepath.Join(lib, "*")}, args...)...)
	}
	begun := d // which an error returns as nil
	defer func() {
		if err != nil {
			begun.Kill()
		}
	}()
	config := filepath.Join(dir, "zoo.cfg")
	lines := fmt.Sprintf("tickTime=500\nmaxSessionTimeout=%d\ndataDir=%s/zk\nclientPort=%d\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n",
		masterSession.Milliseconds(), data, port)
	if err := os.WriteFile(config, []byte(lines), 0o644); err != nil {
		return nil, err
	}
	if d.zookeeper, err = d.start("zookeeper", "org.apache.zookeeper.server.ZooKeeperServerMain", config); err != nil {
		return nil, err
	}
	if err := listens(ctx, port); err != nil {
		return nil, err
	}
	if d.master, err = d.server("master", "org.apache.hadoop.hbase.master.HMaster", "hbase.master.port", masterSession); err != nil {
		return nil, err
	}
	for i := range d.servers {
		if err := d.StartServer(i); err != nil {
			return nil, err
		}
	}
	if err := ready(ctx, d.master, d.url); err != nil {
		return nil, fmt.Errorf("minihbase: %w\n%s", err, d.Log())
	}
	return d, nil
}

// server starts a master or a region server, at any port that is free.
func (d *Distributed) server(name, class, port string, session time.Duration) (*process, error) {
	return d.start(name, class, "-D", "hbase.cluster.distributed=true", "-D", port+"=0",
		"-D", fmt.Sprint("zookeeper.session.timeout=", session.Milliseconds()), "start")
}

func listens(ctx context.Context, port int) error {
	var dialer net.Dialer
	for {
		c, err := dialer.DialContext(ctx, "tcp4", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// URL returns the URL to open it with.
func (d *Distributed) URL() string { return d.url }

// Servers is how many region servers it has.
func (d *Distributed) Servers() int { return len(d.servers) }

// StartServer starts a region server that has ended. The master gives it regions when it next balances them, or when another one dies.
func (d *Distributed) StartServer(i int) (err error) {
	d.starts++
	d.servers[i], err = d.server(fmt.Sprintf("server-%d", d.starts), "org.apache.hadoop.hbase.regionserver.HRegionServer", "hbase.regionserver.port", session)
	return err
}

// ServerEnded reports whether a region server has ended, by itself or killed.
func (d *Distributed) ServerEnded(i int) bool {
	select {
	case <-d.servers[i].done:
		return true
	default:
		return false
	}
}

// KillServer ends a region server at once. Others take its regions when ZooKeeper has waited for it in vain.
func (d *Distributed) KillServer(i int) { d.servers[i].kill() }

// StopServer stops a region server where it is: it keeps its connections, and answers nobody until ContinueServer. One that is stopped for longer
// than ZooKeeper waits ends when it goes on, and finds its regions with others.
func (d *Distributed) StopServer(i int) { d.servers[i].signal(syscall.SIGSTOP) }

// ContinueServer lets a region server go on that was stopped.
func (d *Distributed) ContinueServer(i int) { d.servers[i].signal(syscall.SIGCONT) }

// Log returns the end of the master's log.
func (d *Distributed) Log() string { return d.master.log.tail() }

// Kill ends all processes at once.
func (d *Distributed) Kill() {
	for _, p := range append(d.servers[:], d.master, d.zookeeper) {
		if p != nil {
			p.kill()
		}
	}
}
