package cluster

import (
	"fmt"
	"net"
	"path"
	"strconv"
	"strings"
	"time"

	"twibase/hbase"
)

const (
	scheme       = "hbase://"
	defaultPort  = "2181"
	defaultZnode = "/hbase"
	maxFlush     = 100 * time.Millisecond
)

type address struct {
	quorum, znode string
	flush         time.Duration
}

// CheckURL returns the error of [Open] for a malformed URL. The error omits a user and password.
func CheckURL(url string) error {
	_, err := parseURL(url)
	return err
}

func parseURL(url string) (address, error) {
	bad := func(format string, args ...any) (address, error) {
		if at := strings.LastIndexByte(url, '@'); at >= 0 {
			url = "…" + url[at:]
		}
		return address{}, fmt.Errorf("%w: store %q: %s; "+
			"write hbase://host:port[,host:port]/znode, for example hbase://127.0.0.1:2181/hbase",
			hbase.ErrInvalid, url, fmt.Sprintf(format, args...))
	}
	rest, ok := strings.CutPrefix(url, scheme)
	if !ok {
		return bad("it does not start with %s", scheme)
	}
	if strings.ContainsAny(rest, "@# \t") {
		return bad("it can have no user, '#' or blanks")
	}
	rest, query, _ := strings.Cut(rest, "?")
	flush, err := flushInterval(query)
	if err != nil {
		return bad("%v", err)
	}
	hosts, znode, _ := strings.Cut(rest, "/")
	if znode = "/" + strings.TrimSuffix(znode, "/"); znode == "/" {
		znode = defaultZnode
	}
	if path.Clean(znode) != znode {
		return bad("%s is no path of a znode", znode)
	}
	var servers []string
	for server := range strings.SplitSeq(hosts, ",") {
		host, port, err := net.SplitHostPort(server)
		if err != nil {
			host, port = strings.Trim(server, "[]"), defaultPort
		}
		notIP := err != nil && strings.Contains(host, ":") && net.ParseIP(host) == nil
		if host == "" || strings.ContainsAny(host, "[]") || notIP {
			return bad("%q names no host", server)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return bad("%q is no port", port)
		}
		servers = append(servers, net.JoinHostPort(host, port))
	}
	return address{strings.Join(servers, ","), znode, flush}, nil
}

func flushInterval(query string) (time.Duration, error) {
	if query == "" {
		return 0, nil
	}
	value, ok := strings.CutPrefix(query, "flush=")
	interval, err := time.ParseDuration(value)
	if !ok || err != nil || interval < 0 || interval > maxFlush {
		return 0, fmt.Errorf("%q is not flush= and a duration of at most %s, as in flush=1ms", query, maxFlush)
	}
	return interval, nil
}
