package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"twibase/hbase"
)

type result struct {
	engine   engine
	designs  []string
	measured []measured
}

func run(ctx context.Context, docs string, names []string) (err error) {
	chosen := comparisons
	if len(names) > 0 {
		chosen = nil
		for _, name := range names {
			at := slices.IndexFunc(comparisons, func(c comparison) bool { return c.name == name })
			if at < 0 {
				return fmt.Errorf("unknown comparison %q", name)
			}
			chosen = append(chosen, comparisons[at])
		}
	}
	server, err := startHBase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	for _, c := range chosen { // warm-up
		c.scales = c.scales[:1]
		if _, err := c.on(ctx, server); err != nil {
			return fmt.Errorf("%s on %s: %w", c.name, server.name(), err)
		}
	}
	for _, c := range chosen {
		var results []result
		for _, e := range []engine{&embeddedEngine{}, server} {
			r, err := c.on(ctx, e)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", c.name, e.name(), err)
			}
			results = append(results, r)
		}
		if err := c.write(ctx, docs, results); err != nil {
			return err
		}
	}
	return nil
}

func (c comparison) on(ctx context.Context, e engine) (result, error) {
	r := result{engine: e}
	for _, scale := range c.scales {
		t := c.at(scale)
		r.designs = nil
		for _, d := range t.designs {
			r.designs = append(r.designs, d.name)
		}
		err := withDesigns(ctx, e, t.designs, func(store hbase.Store) error {
			for _, q := range t.queries {
				for _, size := range q.sizesOrOne() {
					fmt.Fprintf(os.Stderr, "%s of %d on %s: %s %d\n", c.name, scale, e.name(), q.name, size)
					costs, err := measure(ctx, e, store, t, q, size)
					if err != nil {
						return err
					}
					r.measured = append(r.measured, measured{q, scale, size, costs})
				}
			}
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func withDesigns(ctx context.Context, e engine, designs []design, use func(hbase.Store) error) error {
	store, err := e.load(ctx, designs)
	if err != nil {
		return err
	}
	return errors.Join(use(store), e.drop(ctx))
}

func (q query) sizesOrOne() []int {
	if q.axis == "" {
		return []int{1}
	}
	return q.sizes
}

func (c comparison) write(ctx context.Context, docs string, results []result) error {
	text := ""
	if c.more != nil {
		more, err := c.more(ctx, results)
		if err != nil {
			return err
		}
		text = more
	}
	plot := filepath.Join("lab", c.name+".svg")
	if err := drawPlot(filepath.Join(docs, plot), c, results); err != nil {
		return err
	}
	figures := filepath.Join("lab", c.name+".csv")
	if err := c.writeFigures(filepath.Join(docs, figures), results); err != nil {
		return err
	}
	return replacePart(filepath.Join(docs, "LAB.md"), c.name, c.markdown(plot, figures)+text)
}
