// Package deploy_test checks that the commands, flags, metrics and paths of this folder, the
// Dockerfile and the packages exist.
package deploy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"twibase/command"
)

func files(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	read := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	read("../Dockerfile")
	read("../.goreleaser.yaml")
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) != ".go" {
			read(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func help(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if status := command.Run(t.Context(), append(args, "--help"), &out, io.Discard); status != 0 {
		t.Fatal(status)
	}
	return out.String()
}

var commandLine = regexp.MustCompile(`(?m)(?:CMD|command:|args:) \[([^]]*)\]|^ExecStart=/usr/bin/twibase (.*)$`)

func TestCommandsHaveTheirFlags(t *testing.T) {
	checked := 0
	for path, text := range files(t) {
		for _, match := range commandLine.FindAllStringSubmatch(text, -1) {
			words := strings.FieldsFunc(match[1]+match[2], func(r rune) bool { return strings.ContainsRune(`, "`, r) })
			words = slices.DeleteFunc(words, func(word string) bool { return word == "/twibase" })
			if !slices.Contains([]string{"serve", "tables", "health"}, words[0]) {
				continue
			}
			name := words[:1]
			if words[0] == "tables" {
				name = words[:2]
			}
			usage := help(t, name...)
			for _, word := range words {
				checked++
				if strings.HasPrefix(word, "--") && !strings.Contains(usage, " "+word) {
					t.Errorf("%s: %s has no %s", path, strings.Join(name, " "), word)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d words of commands were found", checked)
	}
}

func TestMetricsAndPathsExist(t *testing.T) {
	url := started(t)
	_, metrics := get(t, url+"/metrics")
	metric, path := regexp.MustCompile(`\btwibase_[a-z_]+`), regexp.MustCompile(`/(?:readyz|healthz|metrics)\b`)
	metricsFound, pathsFound := 0, 0
	for file, text := range files(t) {
		monitored := strings.HasPrefix(file, "grafana/") || strings.HasPrefix(file, "prometheus/")
		for _, name := range metric.FindAllString(text, -1) {
			metricsFound++
			if !monitored && !strings.Contains(metrics, "# TYPE "+name+" ") {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
		for _, path := range path.FindAllString(text, -1) {
			pathsFound++
			if status, _ := get(t, url+path); status != http.StatusOK {
				t.Errorf("%s: %s has status %d", file, path, status)
			}
		}
	}
	if metricsFound == 0 || pathsFound < 5 {
		t.Errorf("only %d metrics and %d paths were found", metricsFound, pathsFound)
	}
}

// Cluster managers must wait 45 s longer than --drain-delay: docs/FAULTS.md.
func TestGracePeriodsAreLongEnough(t *testing.T) {
	texts := files(t)
	for path, want := range map[string]string{
		"systemd/twibase.service":                "TimeoutStopSec=50s",
		"compose.yaml":                           "stop_grace_period: 50s",
		"helm/twibase/templates/deployment.yaml": "terminationGracePeriodSeconds: {{ add .Values.drainDelaySeconds 45 }}",
	} {
		if !strings.Contains(texts[path], want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
	if usage := strings.Join(strings.Fields(help(t, "serve")), ""); !strings.Contains(usage, "(default:5s)") {
		t.Error("--drain-delay is no longer 5s: change the periods")
	}
}

func TestYAMLIsValid(t *testing.T) {
	for path, text := range files(t) {
		if filepath.Ext(path) != ".yaml" || strings.Contains(path, "templates/") {
			continue
		}
		if err := yaml.Unmarshal([]byte(text), new(any)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	compose := readCompose(t)
	for name, service := range compose.Services {
		for _, config := range service.Configs {
			text := []byte(compose.content(t, config.Source))
			if err := yaml.Unmarshal(text, new(any)); err != nil && config.Source != "haproxy" {
				t.Errorf("%s: %v", config.Source, err)
			}
		}
		for _, volume := range service.Volumes {
			if source, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(source, ".") {
				if _, err := os.Stat(source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func TestDockerIgnoresTheFoldersThatGitIgnores(t *testing.T) {
	ignored := strings.Split(string(read(t, "../.dockerignore")), "\n")
	for line := range strings.Lines(string(read(t, "../.gitignore"))) {
		path, rooted := strings.CutPrefix(strings.TrimRight(line, "/\n"), "/")
		if rooted && !slices.Contains(ignored, path) {
			t.Errorf(".dockerignore lacks %s", path)
		}
	}
}

type compose struct {
	Services map[string]struct {
		Command []string
		Volumes []string
		Configs []struct{ Source, Target string }
	}
	Configs map[string]struct{ Content, File string }
}

func readCompose(t *testing.T) (c compose) {
	t.Helper()
	if err := yaml.Unmarshal(read(t, "compose.yaml"), &c); err != nil || len(c.Services) < 9 {
		t.Fatalf("%d services: %v", len(c.Services), err)
	}
	return c
}

func (c compose) content(t *testing.T, config string) string {
	t.Helper()
	content := c.Configs[config].Content
	if file := c.Configs[config].File; file != "" {
		content = string(read(t, file))
	}
	if content == "" {
		t.Errorf("there is no config %s", config)
	}
	return content
}

func TestPathsInContainersAreMounted(t *testing.T) {
	compose, found := readCompose(t), 0
	absolute := regexp.MustCompile(`/(?:etc|var)/[\w./-]+`)
	for name, service := range compose.Services {
		named := absolute.FindAllString(strings.Join(service.Command, " "), -1)
		var mounted []string // with their folders
		for _, config := range service.Configs {
			mounted = append(mounted, config.Target, filepath.Dir(config.Target))
			text := compose.content(t, config.Source)
			named = append(named, absolute.FindAllString(text, -1)...)
			var prometheus struct {
				Rules []string `yaml:"rule_files"`
			}
			if config.Source == "prometheus" {
				if err := yaml.Unmarshal([]byte(text), &prometheus); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range prometheus.Rules {
				named = append(named, filepath.Join(filepath.Dir(config.Target), file))
			}
		}
		for _, path := range named {
			found++
			if !slices.Contains(mounted, path) {
				t.Errorf("%s: %s is not mounted", name, path)
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d paths were found", found)
	}
}

// The chart's schema rejects unknown values.
func TestSchemaHasAllValues(t *testing.T) {
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	var values map[string]any
	text := files(t)
	if err := json.Unmarshal([]byte(text["helm/twibase/values.schema.json"]), &schema); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(text["helm/twibase/values.yaml"]), &values); err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`\.Values\.([a-zA-Z]+)`)
	for path, text := range text {
		for _, match := range used.FindAllStringSubmatch(text, -1) {
			if _, is := values[match[1]]; !is {
				t.Errorf("%s uses %s, which values.yaml lacks", path, match[1])
			}
		}
	}
	for name := range values {
		if _, is := schema.Properties[name]; !is {
			t.Errorf("the schema lacks %s", name)
		}
	}
}

func started(t *testing.T) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	log, out := io.Pipe()
	ended := make(chan int)
	go func() {
		status := command.Run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:"}, io.Discard, out)
		out.Close()
		ended <- status
	}()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("status %d", status)
		}
	})
	lines := json.NewDecoder(log)
	for {
		var line struct{ Message, URL string }
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Message == "twibase is ready" {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return line.URL
		}
	}
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
