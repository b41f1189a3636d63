//go:build linux

package kill

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/hbase/tables"
)

// settled is after how long what was acknowledged is whole again: docs/WRITES.md.
const settled = 10 * time.Second

// world is a store, its gateways, and who writes there.
type world struct {
	store    string
	gateways []*gateway
	tokens   *auth.Tokens
	clients  []*client
	nouns    []noun
	// star is a twit that nobody deletes.
	star string
	// turns are those of the tide; states is what is stored of authors, over and back how many crossed the limit, as far as that was seen.
	turns      atomic.Int64
	states     map[string]tables.Broadcast
	over, back int
	// waits is whether jobs were left at the last look, that rest.
	waits bool

	acknowledged map[string]*atomic.Int64
	unknown      atomic.Int64
	refused      atomic.Int64
	reads        atomic.Int64
	entries      atomic.Int64
	mu           sync.Mutex
	// faults are what was wrong, some of it.
	faults []string
}

func (w *world) wrong(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) < 50 {
		w.faults = append(w.faults, fmt.Sprintf(format, args...))
	}
}

// mentioned returns the names of a kind that may be there.
func (c *client) mentioned(kind string) (names []string) {
	for fact := range c.facts {
		if rest, mine := strings.CutPrefix(fact, kind+" "); mine {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// mutations are all that nouns make.
var mutations = []string{"signUp", "createUser", "updateUser", "deleteUser", "follow", "unfollow", "postTwit", "deleteTwit", "addComment", "deleteComment",
	"createRole", "updateRole", "deleteRole", "assignRole", "revokeRole", "createDepartment", "updateDepartment", "moveDepartment", "deleteDepartment",
	"createGame", "updateGame", "deleteGame", "recordPlay"}

// newWorld imports users into a store, and starts gateways that serve it.
func newWorld(t *testing.T, store string, gateways, clients int, seed uint64) *world {
	t.Helper()
	dir := t.TempDir()
	secret := strings.Repeat("secret..", 4)
	w := &world{store: store, nouns: nouns, states: map[string]tables.Broadcast{}, acknowledged: map[string]*atomic.Int64{},
		tokens: &auth.Tokens{Secrets: auth.NewSecrets([]byte(secret)), Now: time.Now}}
	for _, name := range mutations {
		w.acknowledged[name] = new(atomic.Int64)
	}
	users := "username,name\nstar,Star\n"
	for i := range clients {
		name := fmt.Sprint("u", i)
		users += name + "," + name + "\n"
		w.clients = append(w.clients, &client{w: w, name: name, rand: rand.New(rand.NewPCG(seed, uint64(i))), facts: map[string][]string{},
			gone: map[string][]string{}, ids: map[string]string{}})
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
	data := []string{"import", "--store", store}
	for _, form := range []string{"users", "games", "departments", "twits"} {
		data = append(data, filepath.Join(dir, form+".csv"))
	}
	for try := 0; ; try++ { // a cluster that has just been started may take its time to make tables; another import completes the first
		if status, out := command(t, data...); status == 0 {
			break
		} else if try == 2 {
			t.Fatal(out)
		}
	}
	for range gateways {
		w.gateways = append(w.gateways, newGateway(t, dir, store, filepath.Join(dir, "jwt.secret")))
	}
	return w
}

// start starts all gateways.
func (w *world) start(t *testing.T) {
	t.Helper()
	for _, g := range w.gateways {
		g.start(t)
	}
	for _, g := range w.gateways {
		g.await(t)
	}
	if w.star == "" {
		data, err := w.see(`{user(username:"star"){twits{nodes{id}}}}`, nil)
		if nodes := list(dig(data, "user", "twits", "nodes")); err == nil && len(nodes) == 1 {
			w.star = text(nodes[0], "id")
		} else {
			t.Fatal("the star's twit: ", data, err)
		}
	}
}

// see asks as an administrator, and wants an answer.
func (w *world) see(query string, variables map[string]any) (any, error) {
	data, errs, err := w.ask(0, "", query, variables)
	if err == nil && len(errs) > 0 {
		err = fmt.Errorf("%v", errs)
	}
	return data, err
}

// pages hands the edges of a whole connection to f.
func (w *world) pages(query string, variables map[string]any, path []string, f func(edge any)) error {
	for {
		data, err := w.see(query, variables)
		if err != nil {
			return err
		}
		c := dig(data, path...)
		for _, edge := range list(dig(c, "edges")) {
			f(edge)
		}
		if more, _ := dig(c, "pageInfo", "hasNextPage").(bool); !more {
			return nil
		}
		variables["after"] = text(c, "pageInfo", "endCursor")
	}
}

// load lets all clients write, and some read, until the function that it returns is called.
func (w *world) load() (end func()) {
	stop := new(atomic.Bool)
	var all sync.WaitGroup
	for _, c := range w.clients {
		all.Go(func() { c.run(stop) })
	}
	for i := range 2 {
		all.Go(func() { w.read(stop, i) })
	}
	return func() { // once or twice
		stop.Store(true)
		all.Wait()
	}
}

// read reads what is being written. Whatever is half done, nothing that is read fails.
func (w *world) read(stop *atomic.Bool, reader int) {
	for n := reader; !stop.Load(); n++ {
		c := w.clients[n%len(w.clients)]
		_, errs, err := w.ask(n%len(w.gateways), c.name, `{viewer{followers(first:5){totalCount nodes{name}} following(first:5){nodes{name twits(first:2){nodes{content commentCount}}}}
			timeline(first:5){nodes{content author{name}}} twits(first:5){totalCount nodes{comments(first:3){nodes{content}}}} roles{nodes{name}} games{nodes{name playerCount}}}}`, nil)
		switch {
		case err != nil || slices.ContainsFunc(errs, unavailable):
			time.Sleep(20 * time.Millisecond)
		case len(errs) > 0:
			w.wrong("reading fails: %v", errs)
		default:
			w.reads.Add(1)
		}
	}
}

// verify compares all that clients know with what there is, and goes on from that.
func (w *world) verify() (checked int) {
	for _, noun := range w.nouns { // in their order: the later ones go through what the earlier ones found
		for _, c := range w.clients {
			found, err := noun.read(c, w)
			if err != nil {
				w.wrong("reading the %ss of %s: %v", noun.name, c.name, err)
				return checked
			}
			checked += c.compare(noun, found)
		}
	}
	for _, c := range w.clients {
		c.doubt = nil
		maps.DeleteFunc(c.gone, func(fact string, _ []string) bool { return c.facts[fact] == nil })
	}
	return checked
}

// compare compares the facts of a noun with what was found.
func (c *client) compare(n noun, found facts) (checked int) {
	for fact, possible := range c.facts {
		if kind, _, _ := strings.Cut(fact, " "); !slices.Contains(n.kinds, kind) {
			continue
		}
		checked++
		is := found[fact]
		if !slices.Contains(possible, is) {
			c.w.wrong("%s: %q is %q, and must be one of %q", c.name, fact, is, possible)
		}
		if delete(found, fact); is == "" {
			delete(c.facts, fact)
		} else {
			c.facts[fact] = []string{is}
		}
	}
	for fact, is := range found {
		c.w.wrong("%s: %q is %q, and nobody made it", c.name, fact, is)
	}
	return checked
}
