package command

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"twibase/gateway"
)

type settings map[string]flagSetting

type flagSetting struct {
	value  string
	reload bool // SIGHUP may change the value
}

func settingsOf(command *kong.Context) settings {
	all := settings{}
	for _, flag := range command.Flags() {
		if flag.Target.IsValid() {
			all[flag.Name] = flagSetting{fmt.Sprint(reflect.Indirect(flag.Target)), flag.Tag.Has("reload")}
		}
	}
	return all
}

// configReloader applies the --config file again after SIGHUP. Without a file, SIGHUP ends the
// process.
type configReloader struct {
	Failures prometheus.Counter

	process
	signals chan os.Signal
	failing atomic.Bool // the last file was rejected
}

func newConfigReloader(p process) *configReloader {
	r := &configReloader{
		Failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "twibase_config_reload_failures_total",
			Help: "Configuration files that were rejected after SIGHUP.",
		}),
		process: p,
		signals: make(chan os.Signal, 1),
	}
	if p.settings[configFlag].value != "" {
		signal.Notify(r.signals, syscall.SIGHUP)
	}
	return r
}

func failingMetric(flag string, failing func() bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "twibase_reload_failing",
		Help:        "1 while the file or URL of a flag cannot be read again, and its earlier content is in use.",
		ConstLabels: prometheus.Labels{"flag": flag},
	}, func() float64 {
		if failing() {
			return 1
		}
		return 0
	})
}

func (r *configReloader) stop() { signal.Stop(r.signals) }

// config is the configuration at startup.
func (r *configReloader) run(ctx context.Context, config gateway.Config, g *gateway.Gateway) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.signals:
		}
		next, err := r.apply(config, g)
		r.failing.Store(err != nil)
		if err != nil {
			r.Failures.Inc()
			r.log.Error().Err(err).Msg("the configuration cannot be reloaded; the previous one stays in use")
			continue
		}
		r.log.Info().Strs("changed", r.changes(next)).Msg("the configuration was reloaded")
	}
}

func (r *configReloader) apply(config gateway.Config, g *gateway.Gateway) (next settings, err error) {
	line, next, err := r.reload()
	if err != nil {
		return nil, err
	}
	level, err := zerolog.ParseLevel(line.LogLevel)
	if err != nil {
		return nil, err
	}
	if err := line.Serve.setReloadable(&config); err != nil {
		return nil, err
	}
	g.Reload(config)
	zerolog.SetGlobalLevel(level)
	return next, nil
}

// changes returns the reloaded flags with new values, and logs changed flags that need a restart.
func (r *configReloader) changes(next settings) []string {
	changed := []string{}
	for _, name := range slices.Sorted(maps.Keys(next)) {
		switch setting := next[name]; {
		case setting.value == r.settings[name].value:
		case setting.reload:
			changed = append(changed, "--"+name)
			r.settings[name] = setting
		default:
			r.log.Warn().Str("flag", "--"+name).Msg("a changed flag needs a restart")
		}
	}
	return changed
}
