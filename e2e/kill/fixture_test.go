//go:build linux

package kill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
)

const recoveryTime = 10 * time.Second

type fixture struct {
	store    string
	options  []cluster.Option
	gateways []*gateway
	tokens   *auth.Tokens
	clients  []*client
	pause    time.Duration // of a client, after each mutation or query
	// star is never deleted.
	star  string
	phase atomic.Int64
	// broadcasts has the stored states of authors. The counts are those of their changes.
	broadcasts                             map[string]tables.Broadcast
	becameBroadcaster, stoppedBroadcasting int
	// jobsPending: the last check found jobs in quarantine.
	jobsPending bool

	acknowledged                              map[string]*atomic.Int64
	unknown, rejected, reads, timelineEntries atomic.Int64

	mu       sync.Mutex
	failures []string // the first 50
}

func (f *fixture) errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.failures) < 50 {
		f.failures = append(f.failures, fmt.Sprintf(format, args...))
	}
}

var mutationNames = []string{
	"signUp", "createUser", "updateUser", "deleteUser", "follow", "unfollow",
	"postTwit", "deleteTwit", "addComment", "deleteComment",
	"createRole", "updateRole", "deleteRole", "assignRole", "revokeRole",
	"createDepartment", "updateDepartment", "moveDepartment", "deleteDepartment",
	"createGame", "updateGame", "deleteGame", "recordPlay",
}

func newFixture(t *testing.T, store string, gateways, clients int, seed uint64) *fixture {
	t.Helper()
	dir := t.TempDir()
	secret := strings.Repeat("secret..", 4)
	f := &fixture{
		store:        store,
		broadcasts:   map[string]tables.Broadcast{},
		acknowledged: map[string]*atomic.Int64{},
		tokens:       &auth.Tokens{Secrets: auth.NewSecrets([]byte(secret)), Now: time.Now},
	}
	for _, name := range mutationNames {
		f.acknowledged[name] = new(atomic.Int64)
	}
	users := "username,name\nstar,Star\n"
	for i := range clients {
		name := fmt.Sprint("u", i)
		users += name + "," + name + "\n"
		f.clients = append(f.clients, &client{
			f:          f,
			name:       name,
			rand:       rand.New(rand.NewPCG(seed, uint64(i))),
			facts:      map[string][]string{},
			dependents: map[string][]string{},
			ids:        map[string]string{},
		})
	}
	for name, text := range map[string]string{
		"jwt.secret":      secret + "\n",
		"users.csv":       users,
		"games.csv":       "id,name\ngo,Go\n",
		"departments.csv": "id,name,parent\ntop,Top,\n",
		"twits.csv":       "id,author,posted_at,content,photo_urls\nt,star,2020-01-01T00:00:00Z,hello,\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"import", "--store", store}
	for _, name := range []string{"users", "games", "departments", "twits"} {
		args = append(args, filepath.Join(dir, name+".csv"))
	}
	// A new cluster may create tables too slowly. Then the next import continues.
	for try := 0; ; try++ {
		if status, out := command(t, args...); status == 0 {
			break
		} else if try == 2 {
			t.Fatal(out)
		}
	}
	for range gateways {
		f.gateways = append(f.gateways, newGateway(t, dir, store, filepath.Join(dir, "jwt.secret")))
	}
	return f
}

func (f *fixture) start(t *testing.T) {
	t.Helper()
	for _, g := range f.gateways {
		g.start(t)
	}
	for _, g := range f.gateways {
		g.awaitReady(t)
	}
	if f.star == "" {
		star, err := f.object(`user(username:"star"){twits{nodes{id}}}`)
		if nodes := list(dig(star, "twits", "nodes")); err == nil && len(nodes) == 1 {
			f.star = text(nodes[0], "id")
		} else {
			t.Fatal("reading the star's twit: ", star, err)
		}
	}
}

func (f *fixture) verify(t *testing.T) int {
	t.Helper()
	compared := f.compareFacts()
	for _, g := range f.gateways {
		if g.process == nil {
			continue
		}
		if jobs := g.metric(t, "twibase_fanout_jobs"); jobs != 0 {
			f.errorf("%v fan-out jobs are not done", jobs)
		}
		g.checkWatchdog(t)
		g.stop(syscall.SIGTERM)
	}
	status, out := command(t, "repair", "--check", "--store", f.store)
	if status != 0 {
		f.errorf("repair --check: status %d\n%s", status, out)
	}
	f.jobsPending = strings.Contains(out, "jobs are pending")
	f.countBroadcasters(t)
	for _, failure := range f.failures {
		t.Error(failure)
	}
	return compared
}

func (f *fixture) compareFacts() (compared int) {
	for _, noun := range nouns {
		for _, c := range f.clients {
			found, err := noun.read(c)
			if err != nil {
				f.errorf("reading the %ss of %s: %v", noun.name, c.name, err)
				return compared
			}
			compared += c.compare(noun, found)
		}
	}
	for _, c := range f.clients {
		c.retry = nil
		maps.DeleteFunc(c.dependents, func(fact string, _ []string) bool { return c.facts[fact] == nil })
	}
	return compared
}

// The returned end may be called twice.
func (f *fixture) load() (end func()) {
	stop := new(atomic.Bool)
	var running sync.WaitGroup
	for _, c := range f.clients {
		running.Go(func() { c.run(stop) })
	}
	for i := range 2 {
		running.Go(func() { f.read(stop, i) })
	}
	return func() {
		stop.Store(true)
		running.Wait()
	}
}

// Incomplete operations must fail no query.
func (f *fixture) read(stop *atomic.Bool, reader int) {
	const query = `{viewer{
		followers(first:5){totalCount nodes{name}}
		following(first:5){nodes{name twits(first:2){nodes{content commentCount}}}}
		timeline(first:5){nodes{content author{name}}}
		twits(first:5){totalCount nodes{comments(first:3){nodes{content}}}}
		roles{nodes{name}}
		games{nodes{name playerCount}}
	}}`
	for n := reader; !stop.Load(); n++ {
		_, errs, err := f.query(n%len(f.gateways), f.clients[n%len(f.clients)].name, query, nil)
		switch {
		case err != nil || slices.ContainsFunc(errs, isUnavailable):
			time.Sleep(20 * time.Millisecond)
		case len(errs) > 0:
			f.errorf("reading: %v", errs)
		default:
			f.reads.Add(1)
		}
		time.Sleep(f.pause)
	}
}

var httpClient = &http.Client{
	Timeout:   40 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 100},
}

func get(url string) (status int, err error) {
	r, err := httpClient.Get(url)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

func (f *fixture) query(gateway int, viewer, query string, variables map[string]any) (data any, errs []any, err error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+f.gateways[gateway].address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	v := auth.Viewer{Username: viewer}
	if viewer == "" {
		v = auth.Viewer{Username: "root", Admin: true}
	}
	token, _, err := f.tokens.Sign(v)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := httpClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	var result struct {
		Data   any
		Errors []any
	}
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		return nil, nil, err
	}
	if response.StatusCode >= 500 {
		return nil, nil, fmt.Errorf("status %d", response.StatusCode)
	}
	return result.Data, result.Errors, nil
}

func (f *fixture) object(field string) (any, error) { return f.queryObject("{object:"+field+"}", nil) }

func (f *fixture) queryObject(query string, variables map[string]any) (any, error) {
	data, errs, err := f.query(0, "", query, variables)
	if err == nil && len(errs) > 0 {
		err = fmt.Errorf("%v", errs)
	}
	return dig(data, "object"), err
}

func (f *fixture) eachEdge(object, connection, selection string, each func(edge any)) error {
	query := fmt.Sprintf(`query($after:String){object:%s{c:%s(first:100,after:$after){
		edges{%s} pageInfo{hasNextPage endCursor}}}}`, object, connection, selection)
	for after := any(nil); ; {
		o, err := f.queryObject(query, map[string]any{"after": after})
		if err != nil {
			return err
		}
		page := dig(o, "c")
		for _, edge := range list(dig(page, "edges")) {
			each(edge)
		}
		if more, _ := dig(page, "pageInfo", "hasNextPage").(bool); !more {
			return nil
		}
		after = dig(page, "pageInfo", "endCursor")
	}
}
