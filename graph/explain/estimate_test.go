package explain

import (
	"context"
	"testing"
)

// asking returns a root resolver's call in a new estimate.
func asking(ordinary bool) *Call {
	e := newEstimate(ordinary)
	e.steps = []*step{{}}
	return &Call{Ctx: context.Background(), Parents: &Set{Cardinality: 1}, estimate: e, step: e.steps[0]}
}

var (
	attributes = Read{Loader: "things", Table: "things", Columns: "i:name", Kind: Named}
	length     = Read{Loader: "listLength", Table: "things", Columns: "i:length", Kind: Named}
	page       = Read{Loader: "list", Table: "things", Columns: "l", Limit: 21, Kind: First}
	other      = Read{Loader: "other", Table: "things", Columns: "o", Limit: 21, Kind: First}
	further    = Read{Loader: "list", Table: "things", Columns: "l", Limit: 21}
	elsewhere  = Read{Loader: "elsewhere", Table: "others", Columns: "l", Limit: 21, Kind: First}
	question   = Read{Loader: "related", Table: "edges", Columns: "i:state", Subject: "by the viewer"}
	rare       = Read{Loader: "list", Table: "things", Columns: "l", If: "the moon is full"}
)

func TestReadsOfARow(t *testing.T) {
	for _, test := range []struct {
		name  string
		reads []Read
		gets  int64 // for each thing
	}{
		{"named columns are one Get", []Read{attributes, length}, 1},
		{"a first page takes them along", []Read{attributes, length, page}, 1},
		{"in whatever order", []Read{page, length, attributes}, 1},
		{"one page, as nobody knows whether two are of one length where others ask too", []Read{page, other, attributes}, 2},
		{"a page further on goes alone", []Read{further, attributes}, 2},
		{"and once more for another", []Read{further, further}, 2},
		{"another table is another Get", []Read{elsewhere, attributes}, 2},
		{"a question is another row's", []Read{question, attributes}, 2},
		{"equal reads are one", []Read{page, page, question, question, attributes, attributes}, 2},
		{"several Gets for each are several", []Read{{Loader: "list", Table: "things", Times: 7}}, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := asking(false)
			things := c.Set(c.Parents, 10, c.Begin())
			for _, r := range test.reads {
				c.Read(c.Begin(), things, r)
			}
			if got := c.estimate.totals(); got.Gets != 10*test.gets || got.Rounds != 1 || got.Rows != got.Gets {
				t.Errorf("10 things cost %s", got)
			}
		})
	}
	t.Run("a round later nothing goes along", func(t *testing.T) {
		c := asking(false)
		c.Read(c.Read(c.Begin(), c.Parents, attributes), c.Parents, page)
		if got := c.estimate.totals(); got.Gets != 2 || got.Rounds != 2 {
			t.Error(got)
		}
	})
	t.Run("what all have in common is read once", func(t *testing.T) {
		c := asking(false)
		c.Read(c.Begin(), c.Shared(), question)
		c.Read(c.Begin(), c.Shared(), question)
		if got := c.estimate.totals(); got.Gets != 1 {
			t.Error(got)
		}
	})
}

func TestRounds(t *testing.T) {
	for _, test := range []struct {
		name     string
		ordinary bool
		reads    func(c *Call)
		want     string
	}{
		{"reads side by side are one", false, func(c *Call) {
			c.Read(c.Begin(), c.Parents, page)
			c.Read(c.Begin(), c.Parents, elsewhere)
		}, "1 round, 2 Gets, 1 RPC, 2 rows"},
		{"reads one after the other are several", false, func(c *Call) {
			c.Read(c.Read(c.Begin(), c.Parents, page), c.Parents, further)
		}, "2 rounds, 2 Gets, 2 RPCs, 2 rows"},
		{"also those of one loader", false, func(c *Call) {
			c.Read(c.Begin(), c.Parents, Read{Table: "things", Times: 64, Rounds: 64})
		}, "64 rounds, 64 Gets, 64 RPCs, 64 rows"},
		{"rare reads count", false, func(c *Call) {
			c.Read(c.Read(c.Begin(), c.Parents, rare), c.Parents, page)
		}, "2 rounds, 2 Gets, 2 RPCs, 2 rows"},
		{"and ordinarily nobody waits for them", true, func(c *Call) {
			c.Read(c.Read(c.Begin(), c.Parents, rare), c.Parents, page)
		}, "1 round, 1 Get, 1 RPC, 1 row"},
		{"a scan runs beside the rounds, and may bring what has rounds of its own", false, func(c *Call) {
			c.Read(c.Begin(), c.Parents, page)
			things := c.Set(c.Parents, 20, c.Scan(c.Begin(), attributes, 21))
			c.Read(things.Ready, things, page)
		}, "3 rounds, 21 Gets, 1 scan, 3 RPCs, 42 rows"},
		{"waiting for others' rows is no round without a read", false, func(c *Call) {
			c.Read(c.Begin().Next(), c.Parents, page)
		}, "1 round, 1 Get, 1 RPC, 1 row"},
		{"what nobody is there for is not read", false, func(c *Call) {
			c.Read(c.Begin(), c.Set(c.Parents, 0, c.Begin()), page)
		}, "nothing is read"},
		{"256 Gets are one RPC", false, func(c *Call) {
			c.Read(c.Begin(), c.Set(c.Parents, 256, c.Begin()), page)
			c.Read(c.Begin().Next(), c.Set(c.Parents, 1, c.Begin()), further)
		}, "2 rounds, 257 Gets, 2 RPCs, 257 rows"},
		{"257 are two", false, func(c *Call) {
			c.Read(c.Begin(), c.Set(c.Parents, 257, c.Begin()), page)
		}, "1 round, 257 Gets, 2 RPCs, 257 rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := asking(test.ordinary)
			test.reads(c)
			if got := c.estimate.totals().String(); got != test.want {
				t.Errorf("it takes %s; want %s", got, test.want)
			}
		})
	}
}

func TestNumbersDoNotOverflow(t *testing.T) {
	c := asking(false)
	things := c.Parents
	for range 40 {
		things = c.Set(things, 100, things.Ready)
		c.Returns("", things)
		c.Read(things.Ready, things, Read{Table: "things", Times: 400, Rounds: 3})
	}
	got := c.estimate.totals()
	if got.Gets != Most || got.Rows != Most || got.Objects != Most || got.RPCs < Most/chunk || got.RPCs > Most {
		t.Errorf("%+v", got)
	}
	if text := got.String(); text != "3 rounds, countless Gets, 35184372088834 RPCs, countless rows, countless objects" {
		t.Error(text)
	}
}
