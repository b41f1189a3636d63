package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const application = "../../examples/web"

// address matches the gateway's, also in the Content-Security-Policy.
var address = regexp.MustCompile(`(http|ws)s?://[\w.:-]+`)

// The gateway has only the application's trusted documents.
func TestWebApplicationUpdatesAndReconnects(t *testing.T) {
	needsBrowser(t)
	needs(t, "make web builds it", application+"/dist/index.html", application+"/node_modules/axe-core")
	var proxy proxy
	static := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
		case "/disconnect":
			proxy.closeConnections()
			return
		default:
			http.FileServer(http.Dir(application+"/dist")).ServeHTTP(w, r)
			return
		}
		page, err := os.ReadFile(application + "/dist/index.html")
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(address.ReplaceAll(page, []byte("${1}://"+proxy.address)))
	}))
	defer static.Close()
	api := start(t, "--production", "--documents", application+"/documents.json", "--cors", static.URL)
	proxy.open(t, strings.TrimPrefix(api.url, "http://"))

	report := useApplication(t, static.URL, api.token(t, "LiLei"), api.token(t, "HanMeimei"))
	for _, test := range []struct{ name, step, want string }{
		{"a visitor browses the tree of departments", "departments",
			`{"top":["CEO","董事会"],"path":["Departments","CEO","开发部","开发2"],"role":["Web Developer 15 users"],"users":12}`},
		{"a visitor sees public twits, and cannot like them", "anonymous",
			`{"twits":["Six rounds of Tetris, and Lily still says she let me win.",` +
				`"My desk, before and after. Guess which is which.","Skating on the lake, for the last time this winter.",` +
				`"Lily says I took her sweater. I am wearing mine. They are the same sweater."],"canLike":0}`},
		{"a bad token is rejected with the reason", "badToken", `"the token is not one of this server's"`},
		{"the timeline begins with the newest twit", "first",
			`["Six rounds of Tetris, and Lily still says she let me win.","The view from the new kitchen 🌄"]`},
		{"scrolling loads every twit once", "scrolled", `{"twits":17,"distinct":17,"pages":1}`},
		{"a new twit appears by the subscription", "live",
			`["Good morning!","Six rounds of Tetris, and Lily still says she let me win."]`},
		{"a twit for followers is marked", "forFollowers", `true`},
		{"the keyboard likes", "liked", `"Like, 1 like"`},
		{"a comment comes first, as after a refetch", "comment",
			`["Good morning!","Like, 1 like","1 comment","And a good night."]`},
		{"a post is on the profile and in its count, as after a refetch", "own",
			`{"before":"6 twits\n76 followers\n5 following","after":["7 twits\n76 followers\n5 following","It is my own."]}`},
		{"a lost connection loses no twit", "lost", `["Is anybody there?","Good morning!"]`},
		{"the timeline in the store misses no twit", "away",
			`{"newest":["While you were away.","Is anybody there?"],"requests":0}`},
		{"follow and unfollow change the count, as after a refetch", "follow",
			`[["Unfollow","2 twits\n72 followers\n3 following"],["Follow","2 twits\n71 followers\n3 following"]]`},
		{"a rejected input is explained", "userError", `"it has no visible character"`},
		{"a text whose response was lost is stored once", "lostResponse",
			`["The server cannot be reached.","Once.","It is my own."]`},
		{"an unknown user is not an error", "nobody", `"There is no such user."`},
		{"the error of a field is shown, and can be retried", "failedField", `"This could not be loaded completely."`},
		{"without a network the page says so, and recovers", "offline", `"The server cannot be reached."`},
		{"axe-core finds nothing", "violations", `[]`},
		{"no page is wider than 420 pixels", "tooWide", `[]`},
		{"the dark scheme is dark", "dark", `"rgb(18, 20, 23)"`},
		{"signing out forgets the token", "signedOut", `{"title":"Sign in","kept":0}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(report.Seen[test.step]); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	t.Run("documents.json is committed as it was built", checkCommitted)
	t.Run("the page sends hashes of its documents only", func(t *testing.T) { checkDocuments(t, report.Requests) })
	for _, message := range report.Errors {
		t.Error("console: ", message)
	}
}

type proxy struct {
	address string

	mu    sync.Mutex
	conns []net.Conn
}

func (p *proxy) open(t *testing.T, gateway string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		listener.Close()
		p.closeConnections()
	})
	p.address = listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", gateway)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, server)
			p.mu.Unlock()
			go forward(client, server)
			go forward(server, client)
		}
	}()
}

func forward(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
}

func (p *proxy) closeConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
}

type webReport struct {
	Seen     map[string]json.RawMessage
	Requests []map[string]json.RawMessage
	Errors   []string
}

func useApplication(t *testing.T, url string, tokens ...string) (report webReport) {
	t.Helper()
	screenshots := t.ArtifactDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	arguments := append([]string{"web.mjs", url, screenshots}, tokens...)
	command := exec.CommandContext(ctx, "node", arguments...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Log("the screenshots are in ", screenshots)
	return report
}

func checkDocuments(t *testing.T, requests []map[string]json.RawMessage) {
	text, err := os.ReadFile(filepath.Join(application, "documents.json"))
	if err != nil {
		t.Fatal(err)
	}
	var documents map[string]string
	if err := json.Unmarshal(text, &documents); err != nil {
		t.Fatal(err)
	}
	if len(requests) == 0 {
		t.Error("no request was seen")
	}
	for _, request := range requests {
		var id string
		if err := json.Unmarshal(request["documentId"], &id); err != nil || documents[id] == "" || request["query"] != nil {
			t.Errorf("a request is not by a hash of documents.json: %s", request)
		}
	}
}

func checkCommitted(t *testing.T) {
	if os.Getenv("CI") == "" {
		t.Skip("the documents may be ahead of the commit: set CI to compare")
	}
	command := exec.Command("git", "diff", "--exit-code", "--stat", "--", application+"/documents.json")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("commit the changes of make web: %v\n%s", err, output)
	}
}
