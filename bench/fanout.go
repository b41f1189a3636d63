package main

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers"
	"twibase/writers/feeds"
)

// Without TWIBASE_DATA, the hub has hubFollowers generated followers.
const (
	hub          = "u31891"
	hubFollowers = 9458
	dataVariable = "TWIBASE_DATA"
	posts        = 15
)

func fanOut(ctx context.Context, _ *dataset) error {
	followers, source, err := readHubFollowers()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := newTable(fmt.Sprintf("A post until it is in the timelines of all %d followers of %s (%s)",
		len(followers), hub, source),
		"engine", "batch puts of the entries", "post, acknowledged", "in all timelines", "× batch puts")
	defer t.end()
	if err := fanOutOn(ctx, t, "embedded", "embedded:"+dir+"/store", followers); err != nil {
		return err
	}
	h, err := startHBase(ctx, dir+"/hbase")
	if h == nil {
		return err
	}
	defer h.Kill()
	return fanOutOn(ctx, t, "real HBase", h.URL(), followers)
}

func readHubFollowers() (names []string, source string, err error) {
	folder := os.Getenv(dataVariable)
	if folder == "" {
		for i := range hubFollowers {
			names = append(names, username(i))
		}
		return names, "generated: " + dataVariable + " is not set", nil
	}
	file, err := os.Open(filepath.Join(folder, "follows.csv.gz"))
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, "", err
	}
	for rows := csv.NewReader(unpacked); ; {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return names, "real", nil
		}
		if err != nil {
			return nil, "", err
		}
		if row[1] == hub {
			names = append(names, row[0])
		}
	}
}

func fanOutOn(ctx context.Context, t table, engine, setting string, followers []string) error {
	err := fill(ctx, setting, func(to *writer) {
		n := len(followers)
		row := tables.Users.Put(hub, &tables.User{Name: new("Hub"), FollowerCount: &n}, stamp)
		for _, name := range followers {
			row.Cells = append(row.Cells, tables.Followers.Cell(tables.Follow{Username: name, At: tables.UnknownTime}, stamp))
		}
		to.put(row)
	})
	if err != nil {
		return err
	}
	store, err := open(ctx, setting)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, stop := context.WithCancel(ctx)
	done := make(chan tables.Job, 1)
	seen := &timelineStore{Store: store}
	f := feeds.New(seen, feeds.Options{Done: func(e tables.Job) { done <- e }})
	w := writers.New(store, writers.Options{Jobs: f.Notify})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Run(ctx)
	}()
	defer func() { stop(); <-ended }()
	defer w.Close(ctx)
	var raw, acknowledged, complete []time.Duration
	var ratios []float64
	for i := range posts + 5 { // warm-up
		begin := time.Now()
		if err := batch(ctx, store, followers, i); err != nil {
			return err
		}
		puts := time.Since(begin)
		begin = time.Now()
		key, err := w.PostTwit(ctx, hub, writers.NewTwit{Content: "x", Visibility: tables.Public})
		if err != nil {
			return err
		}
		posted := time.Since(begin)
		<-done
		fanOutTime := seen.last.Sub(begin)
		if err := checkTimelines(ctx, store, key, followers); err != nil {
			return err
		}
		if i >= 5 {
			raw, acknowledged, complete = append(raw, puts), append(acknowledged, posted), append(complete, fanOutTime)
			ratios = append(ratios, fanOutTime.Seconds()/puts.Seconds())
		}
	}
	t.row(engine, ms(median(raw)), ms(median(acknowledged)), ms(median(complete)), times(median(ratios)))
	return nil
}

// timelineStore must have one writer at a time.
type timelineStore struct {
	hbase.Store
	last time.Time
}

func (e *timelineStore) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	errs, err := e.Store.Mutate(ctx, mutations)
	if put, ok := mutations[0].(hbase.Put); ok && put.Table == tables.Timelines.Table {
		e.last = time.Now()
	}
	return errs, err
}

func batch(ctx context.Context, store hbase.Store, followers []string, i int) error {
	twit := (&tables.Twit{AuthorName: hub, PostedAt: epoch.Add(time.Duration(i) * time.Second), Name: fmt.Sprint("batch",
		i)}).Key()
	puts := make([]hbase.Mutation, len(followers))
	for i, name := range followers {
		puts[i] = hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(name, 0),
			Cells: []hbase.Cell{tables.Timelines.Cell(twit, 1)}}
	}
	errs, err := store.Mutate(ctx, puts)
	return errors.Join(append(errs, err)...)
}

func checkTimelines(ctx context.Context, store hbase.Store, key tables.TwitKey, followers []string) error {
	gets := make([]hbase.Get, len(followers))
	for i, name := range followers {
		gets[i] = tables.Timelines.Get(name, 0, hbase.Exactly(tables.Timelines.Position(key)))
	}
	results, err := store.Get(ctx, gets)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.Err != nil || len(r.Cells) != 1 {
			return fmt.Errorf("the timeline of %s has %d entries of the twit, want 1: %w", followers[i], len(r.Cells), r.Err)
		}
	}
	return nil
}
