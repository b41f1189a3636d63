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
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
	"twibase/writers"
	"twibase/writers/feeds"
)

// The author of the fan-out, whose followers are those in the data that the environment names, or as many made ones.
const (
	hub          = "u31891"
	hubFollowers = 9458
	dataSetting  = "TWIBASE_DATA"
	posts        = 15
)

// fanOut compares a post, until it is in all timelines, with the batch puts of the same entries.
func fanOut(ctx context.Context, _ *world) error {
	followers, from, err := hubsFollowers()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := newTable(fmt.Sprintf("A post until it is in the timelines of all %d followers of %s, %s", len(followers), hub, from),
		"engine", "batch puts of the entries", "post, acknowledged", "in all timelines", "× batch puts")
	defer t.end()
	if err := fanOutOn(ctx, t, "embedded", "embedded:"+dir+"/store", followers); err != nil {
		return err
	}
	h, err := minihbase.Start(ctx, dir+"/hbase")
	if errors.Is(err, minihbase.ErrMissing) {
		fmt.Println("\nNo HBase: there is no Java here, or no Maven.")
		return nil
	}
	if err != nil {
		return err
	}
	defer h.Kill()
	return fanOutOn(ctx, t, "real HBase", h.URL(), followers)
}

func hubsFollowers() (names []string, from string, err error) {
	folder := os.Getenv(dataSetting)
	if folder == "" {
		for i := range hubFollowers {
			names = append(names, username(i))
		}
		return names, "who are made up: " + dataSetting + " is not set", nil
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
			return names, "who are the real ones", nil
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
	seen := &entries{Store: store}
	f := feeds.New(seen, feeds.Options{Done: func(e tables.Job) { done <- e }})
	w := writers.New(store, writers.Options{Jobs: f.Notify})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Run(ctx)
	}()
	defer func() { stop(); <-ended }()
	defer w.Close(ctx)
	var raw, acknowledged, whole []time.Duration
	var ratios []float64
	for i := range posts + 5 { // the first ones warm up
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
		spread := seen.last.Sub(begin)
		if err := everywhere(ctx, store, key, followers); err != nil {
			return err
		}
		if i >= 5 {
			raw, acknowledged, whole = append(raw, puts), append(acknowledged, posted), append(whole, spread)
			ratios = append(ratios, spread.Seconds()/puts.Seconds())
		}
	}
	t.row(engine, ms(middle(raw)), ms(middle(acknowledged)), ms(middle(whole)), times(middle(ratios)))
	return nil
}

// entries is a store that notes when it last put something into timelines. It is written to by one at a time.
type entries struct {
	hbase.Store
	last time.Time
}

func (e *entries) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	errs, err := e.Store.Mutate(ctx, mutations)
	if put, ok := mutations[0].(hbase.Put); ok && put.Table == tables.Timelines.Table {
		e.last = time.Now()
	}
	return errs, err
}

// batch puts an entry into each timeline, in one call.
func batch(ctx context.Context, store hbase.Store, followers []string, i int) error {
	twit := (&tables.Twit{AuthorName: hub, PostedAt: begin.Add(time.Duration(i) * time.Second), Name: fmt.Sprint("batch", i)}).Key()
	puts := make([]hbase.Mutation, len(followers))
	for i, name := range followers {
		puts[i] = hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(name, 0), Cells: []hbase.Cell{tables.Timelines.Cell(twit, 1)}}
	}
	errs, err := store.Mutate(ctx, puts)
	return errors.Join(append(errs, err)...)
}

// everywhere checks that all have a twit.
func everywhere(ctx context.Context, store hbase.Store, key tables.TwitKey, followers []string) error {
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
			return fmt.Errorf("the timeline of %s has %d entries for a twit: %w", followers[i], len(r.Cells), r.Err)
		}
	}
	return nil
}
