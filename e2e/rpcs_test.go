package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/explain"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
	"twibase/resolvers"
	"twibase/sample"
	"twibase/transfer"
	"twibase/writers"
)

const (
	allRPCs   = "gohbase_rpc_size_bytes"
	allMultis = "gohbase_batch_flush_size"
)

func TestRPCsOnHBaseAreCountedInReports(t *testing.T) {
	t.Run("the examples", func(t *testing.T) {
		store, embedded := onHBase(t), sampleStore(t)
		if _, err := transfer.EnsureTables(t.Context(), store, 3); err != nil {
			t.Fatal(err)
		}
		if err := sample.Load(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		var requests []request
		for _, name := range exampleNames(t) {
			requests = append(requests, request{query: example(t, name), viewer: auth.Viewer{Username: "LiLei"}})
		}
		compareRPCs(t, store, embedded,
			append(requests, request{query: `{users(first:2){nodes{username}} games(first:2){nodes{code}}}`}))
	})
	t.Run("nested queries", func(t *testing.T) {
		minihbase.Slow(t)
		w := newFixture(t, generated(t, 1), transfer.Options{})
		w.learnExampleIDs(t)
		store := onHBase(t)
		importInto(t, store, w.folder, w.options)
		var requests []request
		for _, q := range exampleQueries(w) {
			r := request{query: q.query, variables: w.opaque.Variables(q.variables)}
			if q.viewers != nil {
				r.viewer = auth.Viewer(q.viewers[0])
			}
			requests = append(requests, r)
		}
		requests = append(requests, request{query: `{users(first:100){nodes{followers(first:100){nodes{name following(first:100){nodes{username}}}}}}}`})
		compareRPCs(t, store, w.store, requests)
	})
}

func compareRPCs(t *testing.T, store, embedded hbase.Store, requests []request) {
	t.Helper()
	onCluster, onEmbedded := newPlanHandler(store), newPlanHandler(embedded)
	alone := make([]*costs.Report, len(requests))
	servers := 0
	for i, r := range requests {
		reportOf(t, onCluster, r)
		before, multisBefore := minihbase.Observed(t, allRPCs), minihbase.Observed(t, allMultis)
		got := reportOf(t, onCluster, r)
		multis := minihbase.Observed(t, allMultis) - multisBefore
		if sent := minihbase.Observed(t, allRPCs) - before; got.RPCs != sent || sent == 0 {
			t.Errorf("%d RPCs reported, %d sent\n%s", got.RPCs, sent, r)
		}
		if pages := got.RPCs - multis; (pages > 0) != (got.Scans > 0) {
			t.Errorf("%d RPCs are not multis, but there are %d scans\n%s", pages, got.Scans, r)
		}
		for _, level := range got.Levels {
			gets := 0
			for _, l := range level.Loaders {
				gets += l.Gets
			}
			// n Gets over s servers are at most s + n/256 multis.
			if most := int64(level.RegionServers + gets/256); gets > 0 && level.RPCs > most || level.RegionServers < 1 ||
				level.RegionServers > 3 {
				t.Errorf("a level of %d Gets took %d RPCs to %d region servers\n%s", gets, level.RPCs, level.RegionServers, r)
			}
			servers = max(servers, level.RegionServers)
		}
		predicted, body, err := r.costs(onCluster, explain.Header)
		if p := predicted.Extensions.Plan; err != nil || p == nil || int64(got.Rounds) > p.Rounds || got.Gets > p.Gets ||
			got.RPCs > 3*p.RPCs {
			t.Errorf("%d rounds, %d Gets and %d RPCs exceed the plan: %v %s\n%s",
				got.Rounds, got.Gets, got.RPCs, err, excerpt(body), r)
		}
		if other := reportOf(t, onEmbedded, r); counts(got) != counts(other) {
			t.Errorf("HBase: %s; embedded: %s\n%s", counts(got), counts(other), r)
		}
		alone[i] = got
	}
	if servers < 2 {
		t.Error("no level used more than one region server")
	}

	const connections = 64
	served := overConnections(t, onCluster, connections)
	before, reported := minihbase.Observed(t, allRPCs), make([]int64, connections)
	var group errgroup.Group
	for c := range connections {
		group.Go(func() error {
			for n := range 3 {
				i := (c + n*5) % len(requests)
				r := reportOf(t, served, requests[i])
				reported[c] += r.RPCs
				if counts(r) != counts(alone[i]) || r.RPCs != alone[i].RPCs || r.Stalls != 0 {
					return fmt.Errorf("%s, %d RPCs and %d stalls; alone: %s, %d RPCs\n%s",
						counts(r), r.RPCs, r.Stalls, counts(alone[i]), alone[i].RPCs, requests[i])
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error("over 64 connections: ", err)
	}
	var sum int64
	for _, n := range reported {
		sum += n
	}
	if sent := minihbase.Observed(t, allRPCs) - before; sum != sent {
		t.Errorf("over 64 connections: %d RPCs reported, %d sent", sum, sent)
	}
}

func newPlanHandler(store hbase.Store) http.Handler {
	return endpoint.New(plannedSchema(),
		endpoint.Config{Timeout: time.Minute, RecordCalls: resolvers.RecordCalls, Costs: resolvers.Costs(tables.ListBound),
			Around: loadersOver(store)})
}

func overConnections(t *testing.T, handler http.Handler, connections int) http.Handler {
	const header = "X-Viewer"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var viewer auth.Viewer
		if json.Unmarshal([]byte(r.Header.Get(header)), &viewer) == nil {
			r = r.WithContext(auth.WithViewer(r.Context(), viewer))
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	t.Cleanup(transport.CloseIdleConnections)
	return &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		if viewer, is := auth.ViewerOf(r.In.Context()); is {
			text, _ := json.Marshal(viewer)
			r.Out.Header.Set(header, string(text))
		}
	}}
}

func reportOf(t *testing.T, handler http.Handler, r request) *costs.Report {
	a, body, err := r.costs(handler, costs.Header)
	if err != nil || a.Errors != nil || a.Extensions.Report == nil {
		t.Error(err, string(excerpt(body)))
		return &costs.Report{}
	}
	return a.Extensions.Report
}

func counts(r *costs.Report) string {
	return fmt.Sprintf("%d rounds, %d Gets, %d scans, %d rows", r.Rounds, r.Gets, r.Scans, r.Rows)
}

// gohbase sometimes combines concurrent calls of two tables into one multi, without reporting that.
func TestWritersCountTheirRPCs(t *testing.T) {
	store := onHBase(t)
	importInto(t, store, folderOf(t, people), transfer.Options{})
	write := func(times int) (counted, sent int64) {
		w, stats := writers.New(store, writers.Options{}), new(hbase.Stats)
		ctx, before := hbase.WithStats(t.Context(), stats), minihbase.Observed(t, allRPCs)
		for range times {
			_, err := w.PostTwit(ctx, "owner", writers.NewTwit{Content: "Hi", Visibility: tables.Public})
			if err := errors.Join(err, w.Relate(ctx, tables.Follows, "somebody", "owner"),
				w.Unrelate(ctx, tables.Follows, "somebody", "owner")); err != nil {
				t.Fatal(err)
			}
		}
		w.Close(ctx)
		return stats.RPCs.Load(), minihbase.Observed(t, allRPCs) - before
	}
	write(1)
	counted, sent := write(20)
	t.Logf("%d RPCs counted, %d sent", counted, sent)
	if sent == 0 || counted < sent || counted > sent+sent/10 {
		t.Errorf("%d RPCs counted, %d sent", counted, sent)
	}
}
