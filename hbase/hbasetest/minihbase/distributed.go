package minihbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Distributed is an HBase of five processes. It is not safe for concurrent use.
type Distributed struct {
	url               string
	zookeeper, master *process
	servers           [regionServers]*process
	ports             [regionServers]int
	java              []string // options
	dir               string
	port              int      // of ZooKeeper
	settings          []string // of masters and region servers
	starts            int
}

// session is the ZooKeeper session timeout of region servers.
const session = 6 * time.Second

// A short masterSession would end the master on a busy machine.
const masterSession = time.Minute

func StartDistributed(ctx context.Context, dir string) (*Distributed, error) {
	return StartDistributedSecured(ctx, dir, Security{})
}

func StartDistributedSecured(ctx context.Context, dir string, security Security) (d *Distributed, err error) {
	lib, err := jars(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
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
	d = &Distributed{url: fmt.Sprintf("hbase://127.0.0.1:%d%s", port, znode), dir: dir, port: port}
	d.java = slices.Concat([]string{
		"@" + filepath.Join(dir, "jvm.args"), "-Xmx512m", shortLived[0],
		"-Dtwibase.data=" + data, fmt.Sprint("-Dtwibase.zkport=", port), fmt.Sprint("-Dtwibase.servers=", regionServers),
	}, classPath(lib, filepath.Join(dir, "conf")), security.JVM)
	for _, setting := range security.Settings {
		d.settings = append(d.settings, "-D", setting)
	}
	begun := d // d is nil after an error
	defer func() {
		if err != nil {
			begun.Kill()
		}
	}()
	lines := fmt.Sprintf("tickTime=500\nmaxSessionTimeout=%d\ndataDir=%s/zk\nclientPort=%d\n"+
		"clientPortAddress=127.0.0.1\nadmin.enableServer=false\n", masterSession.Milliseconds(), data, port)
	if err := os.WriteFile(filepath.Join(dir, "zoo.cfg"), []byte(lines), 0o644); err != nil {
		return nil, err
	}
	if err := d.StartZooKeeper(ctx); err != nil {
		return nil, err
	}
	if err := d.StartMaster(); err != nil {
		return nil, err
	}
	for i := range d.servers {
		if err := d.StartServer(i); err != nil {
			return nil, err
		}
	}
	if err := ready(ctx, d.master, d.url, security.Options); err != nil {
		return nil, fmt.Errorf("minihbase: %w\n%s", err, d.Log())
	}
	return d, nil
}

func (d *Distributed) start(name string, args ...string) (*process, error) {
	d.starts++
	log := filepath.Join(d.dir, fmt.Sprintf("%s-%d.log", name, d.starts))
	return startProcess(log, "java", slices.Concat(d.java, args)...)
}

func (d *Distributed) server(name, class, port string, session time.Duration) (*process, error) {
	args := []string{class, "-D", "hbase.cluster.distributed=true", "-D", port,
		"-D", fmt.Sprint("zookeeper.session.timeout=", session.Milliseconds())}
	return d.start(name, append(append(args, d.settings...), "start")...)
}

// JavaClient returns java's arguments for a client.
func (d *Distributed) JavaClient() []string { return slices.Clone(d.java) }

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

func (d *Distributed) URL() string { return d.url }

func (d *Distributed) Servers() int { return len(d.servers) }

// StartZooKeeper keeps sessions when it restarts ZooKeeper.
func (d *Distributed) StartZooKeeper(ctx context.Context) (err error) {
	const class = "org.apache.zookeeper.server.ZooKeeperServerMain"
	if d.zookeeper, err = d.start("zookeeper", class, filepath.Join(d.dir, "zoo.cfg")); err != nil {
		return err
	}
	return listens(ctx, d.port)
}

func (d *Distributed) KillZooKeeper() { d.zookeeper.kill() }

// StartMaster does not wait until the master serves.
func (d *Distributed) StartMaster() (err error) {
	const class = "org.apache.hadoop.hbase.master.HMaster"
	d.master, err = d.server("master", class, "hbase.master.port=0", masterSession)
	return err
}

// StartServer starts or restarts a region server. The periodic balancer is off: a restarted server
// gets regions only when another server fails or a client runs the balancer.
func (d *Distributed) StartServer(i int) (err error) {
	if d.ports[i], err = freePort(); err != nil {
		return err
	}
	const class = "org.apache.hadoop.hbase.regionserver.HRegionServer"
	d.servers[i], err = d.server("server", class, fmt.Sprint("hbase.regionserver.port=", d.ports[i]), session)
	return err
}

func (d *Distributed) Port(i int) int { return d.ports[i] }

func (d *Distributed) ServerEnded(i int) bool {
	select {
	case <-d.servers[i].done:
		return true
	default:
		return false
	}
}

// KillServer kills a region server, whose regions are reassigned after the session timeout.
func (d *Distributed) KillServer(i int) { d.servers[i].kill() }

// TerminateServer sends SIGTERM. The server closes its regions, and the master reassigns them.
func (d *Distributed) TerminateServer(i int) {
	d.servers[i].signal(syscall.SIGTERM)
	<-d.servers[i].done
}

// KillMaster leaves regions on their servers.
func (d *Distributed) KillMaster() { d.master.kill() }

// StopServer suspends a region server until ContinueServer. Its connections stay open. If the
// session timeout passes, it ends as soon as it continues.
func (d *Distributed) StopServer(i int) { d.servers[i].signal(syscall.SIGSTOP) }

func (d *Distributed) ContinueServer(i int) { d.servers[i].signal(syscall.SIGCONT) }

func (d *Distributed) Log() string { return d.master.log.tail() }

func (d *Distributed) Kill() {
	for _, p := range append(d.servers[:], d.master, d.zookeeper) {
		if p != nil {
			p.kill()
		}
	}
}
