package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"github.com/tsuna/gohbase/region"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

type serving struct {
	hrpc.RegionClient
	name string
}

func (s serving) Addr() string { return s.name }

func newRegion(start, stop, name string) hrpc.RegionInfo {
	r := region.NewInfo(1, nil, []byte("t"), []byte(start+"-"+stop), []byte(start), []byte(stop))
	if name != "" {
		r.SetClient(serving{name: name})
	}
	return r
}

func calledAt(region hrpc.RegionInfo) hrpc.Call {
	call, err := hrpc.NewGetStr(context.Background(), "t", "")
	if err != nil {
		panic(err)
	}
	call.SetRegion(region)
	return call
}

func TestRegionCacheFindsTheRegionsOfCalls(t *testing.T) {
	t.Run("finds the regions of calls", func(t *testing.T) {
		l := &regionCache{}
		for _, r := range []hrpc.RegionInfo{newRegion("m", "t", "s"), newRegion("", "c", "s"), newRegion("t", "", "s")} {
			l.learn(calledAt(r))
		}
		for row, want := range map[string]string{
			"": "-c", "b": "-c", "c": "", "lzz": "", "m": "m-t", "szz": "m-t", "t": "t-", "\xff": "t-",
		} {
			got := ""
			if r := l.find("t", row); r != nil {
				got = string(r.Name())
			}
			if got != want {
				t.Errorf("row %q: got region %q, want %q", row, got, want)
			}
		}
		if r := l.find("another", "b"); r != nil {
			t.Errorf("row of an unknown table: got %s", r)
		}
	})
	t.Run("ignores a call that was not sent", func(t *testing.T) {
		l := &regionCache{}
		if l.learn(calledAt(nil)); l.find("t", "a") != nil {
			t.Error("found a region")
		}
	})
	t.Run("regions never overlap, and the latest is found", func(t *testing.T) {
		seed := rand.Uint64()
		t.Log("seed ", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		l := &regionCache{}
		for range 2000 {
			a, b := random.IntN(20), random.IntN(20)
			start, stop := strings.Repeat("x", min(a, b)), strings.Repeat("x", max(a, b)+1)
			if b == 0 {
				stop = ""
			}
			r := newRegion(start, stop, "s")
			l.learn(calledAt(r))
			if l.find("t", start) != r {
				t.Fatalf("%s is not found", r)
			}
			known := l.tables["t"]
			for i := 1; i < len(known); i++ {
				if stop := known[i-1].StopKey(); len(stop) == 0 || string(stop) > string(known[i].StartKey()) {
					t.Fatalf("%s and %s overlap", known[i-1], known[i])
				}
			}
		}
	})
}

func TestRouteGroupsGetsByServer(t *testing.T) {
	l := &regionCache{}
	unavailable, dead := newRegion("p", "q", "s1"), newRegion("q", "r", "s1")
	unavailable.MarkUnavailable()
	dead.MarkDead()
	for _, r := range []hrpc.RegionInfo{
		newRegion("", "b", "s1"), newRegion("b", "c", "s2"), newRegion("c", "d", "s1"), newRegion("o", "p", ""),
		unavailable, dead,
	} {
		l.learn(calledAt(r))
	}
	var gets []hbase.Get
	var all []int
	for i, row := range strings.Fields("c a b o p a2 q bb z") {
		gets, all = append(gets, hbase.Get{Table: "t", Row: row}), append(all, i)
	}
	servers, unknown := l.route(gets, all)
	got := map[string]string{}
	for server, routes := range servers {
		for _, r := range routes {
			got[server.(serving).name] += fmt.Sprint(string(r.region.Name()), " ", r.get, ", ")
		}
	}
	if diff := cmp.Diff(map[string]string{"s1": "c-d 0, -b 1, -b 5, ", "s2": "b-c 2, b-c 7, "}, got); diff != "" {
		t.Errorf("Gets by server (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{3, 4, 6, 8}, unknown); diff != "" {
		t.Errorf("Gets of unknown or unavailable regions (-want +got):\n%s", diff)
	}
}

func TestMultiHasAnActionForEachRegion(t *testing.T) {
	regions := []hrpc.RegionInfo{newRegion("", "m", "s"), newRegion("m", "", "s")}
	var gets []hbase.Get
	var routes []routedGet
	for i, row := range []string{"a", "z", "b", "y"} {
		gets = append(gets, hbase.Get{Table: "t", Row: row})
		routes = append(routes, routedGet{regions[i%2], i})
	}
	var got []string
	m := newMulti(t.Context(), "server", routes, gets, []*selection{firstCell, firstCell, firstCell, firstCell})
	for _, region := range m.request.RegionAction {
		for _, action := range region.Action {
			got = append(got, fmt.Sprintf("%s %s %d", region.Region.Value, action.Get.Row, action.GetIndex()))
		}
	}
	if diff := cmp.Diff([]string{"-m a 1", "-m b 3", "m- z 2", "m- y 4"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type oneTable struct {
	gohbase.Client
	regions []hrpc.RegionInfo
	calls   []string
}

func (c *oneTable) CacheRegions(table []byte) error {
	c.calls = append(c.calls, "scan of hbase:meta")
	if string(table) != "t" {
		return gohbase.TableNotFound
	}
	return nil
}

func (c *oneTable) SendRPC(call hrpc.Call) (proto.Message, error) {
	for _, r := range c.regions {
		if stop := string(r.StopKey()); stop == "" || string(call.Key()) < stop {
			call.SetRegion(r)
			c.calls = append(c.calls, "read in "+string(r.Name()))
			return new(pb.GetResponse), nil
		}
	}
	return nil, gohbase.TableNotFound
}

func TestWarmReadsARowOfEachRegion(t *testing.T) {
	regions := []hrpc.RegionInfo{newRegion("", "g", ""), newRegion("g", "p", ""), newRegion("p", "", "")}
	t.Run("scans hbase:meta once per table, and reads a row of each region", func(t *testing.T) {
		client := &oneTable{regions: regions}
		s := &Store{client: client}
		if err := s.Warm(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		want := []string{"scan of hbase:meta", "read in -g", "read in g-p", "read in p-"}
		if diff := cmp.Diff(want, client.calls); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if r := s.regions.find("t", "h"); r != regions[1] {
			t.Errorf("row h: got region %v, want %v", r, regions[1])
		}
	})
	t.Run("a missing table", func(t *testing.T) {
		s := &Store{client: &oneTable{}}
		if err := s.Warm(t.Context(), "missing"); !errors.Is(err, hbase.ErrTableNotFound) {
			t.Errorf("got %v, want ErrTableNotFound", err)
		}
	})
}

func TestBreakerStaysOpenForALaterConnection(t *testing.T) {
	var b breaker
	region, before, after := newRegion("", "", ""), serving{name: "before"}, serving{name: "after"}
	b.add(before, region)
	b.add(after, region)
	b.remove(before, []hrpc.RegionInfo{region})
	if n := b.open.Load(); n != 1 {
		t.Errorf("the first probe closed the breaker of the second: open for %d regions", n)
	}
	b.remove(after, []hrpc.RegionInfo{region})
	if n := b.open.Load(); n != 0 {
		t.Errorf("the breaker is open for %d regions", n)
	}
}

// disconnected is a region whose connection gohbase removes after the first call of Client.
type disconnected struct {
	hrpc.RegionInfo
	calls int
}

func (d *disconnected) Client() hrpc.RegionClient {
	if d.calls++; d.calls > 1 {
		return nil
	}
	return d.RegionInfo.Client()
}

func TestConnectionCanBeLostWhileItsAddressIsRead(t *testing.T) {
	if got := serverAddress(calledAt(&disconnected{RegionInfo: newRegion("", "", "server:1")})); got != "server:1" {
		t.Errorf("got %q", got)
	}
}

func TestLateCallDoesNotBringBackASplitRegion(t *testing.T) {
	l := &regionCache{}
	parent, daughter := newRegion("", "", "s"), newRegion("", "m", "s")
	l.learn(calledAt(parent))
	parent.MarkDead()
	l.learn(calledAt(daughter))
	l.learn(calledAt(parent))
	if got := l.find("t", "a"); got != daughter {
		t.Errorf("got region %s", got.Name())
	}
}
