package cluster

import (
	"errors"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
)

func TestInvalidURLsAreRejected(t *testing.T) {
	for url, want := range map[string]address{
		"hbase://127.0.0.1:2181/hbase":       {"127.0.0.1:2181", "/hbase", 0},
		"hbase://zk1,zk2:2182,zk3/a/b":       {"zk1:2181,zk2:2182,zk3:2181", "/a/b", 0},
		"hbase://zk1":                        {"zk1:2181", "/hbase", 0},
		"hbase://zk1/":                       {"zk1:2181", "/hbase", 0},
		"hbase://zk1/hbase/":                 {"zk1:2181", "/hbase", 0},
		"hbase://[::1]:2181,[fe80::1]/hbase": {"[::1]:2181,[fe80::1]:2181", "/hbase", 0},
		"hbase://zk1?flush=1ms":              {"zk1:2181", "/hbase", time.Millisecond},
		"hbase://zk1/a/b?flush=0s":           {"zk1:2181", "/a/b", 0},
	} {
		t.Run(url+" is parsed", func(t *testing.T) {
			got, err := parseURL(url)
			if err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
	for url, reason := range map[string]string{
		"":                          "start with",
		"embedded:data":             "start with",
		"hbase:zk1":                 "start with",
		"hbase://":                  "no host",
		"hbase:///hbase":            "no host",
		"hbase://:2181":             "no host",
		"hbase://zk1,,zk2":          "no host",
		"hbase://zk1:port":          `"port" is no port`,
		"hbase://zk1:0":             "no port",
		"hbase://zk1:65536":         "no port",
		"hbase://zk1:1:2":           "no host",
		"hbase://zk1//hbase":        "no path",
		"hbase://zk1/a/../b":        "no path",
		"hbase://me@zk1/hbase":      "no user",
		"hbase://me:SECRET@zk1":     "no user",
		"mysql://me:SECRET@zk1":     "start with",
		"hbase://me:SECRET@@zk1":    "no user",
		"hbase://zk1/hbase?x=1":     "as in flush=1ms",
		"hbase://zk1?flush=1":       "as in flush=1ms",
		"hbase://zk1?flush=-1ms":    "as in flush=1ms",
		"hbase://zk1?flush=101ms":   "at most 100ms",
		"hbase://zk1 ,zk2:21/hbase": "blanks",
	} {
		t.Run(url+" is rejected with a reason and a remedy", func(t *testing.T) {
			got, err := parseURL(url)
			if !errors.Is(err, hbase.ErrInvalid) {
				t.Fatalf("got %+v, %v; want ErrInvalid", got, err)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("the error has a password: %v", err)
			}
			for _, part := range []string{reason, "write hbase://host:port"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want it to contain %q", err, part)
				}
			}
		})
	}
}
