package explain

import (
	"context"
	"testing"
)

func rootCall(ordinary bool) *Call {
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
	relation   = Read{Loader: "related", Table: "edges", Columns: "i:state", Subject: "by the viewer"}
	rare       = Read{Loader: "list", Table: "things", Columns: "l", If: "a condition"}
)

func TestReadsOfARowShareGets(t *testing.T) {
	for _, test := range []struct {
		name  string
		reads []Read
		gets  int64
	}{
		{"named columns of a row are one Get", []Read{attributes, length}, 1},
		{"named columns and a first page are one Get", []Read{attributes, length, page}, 1},
		{"a first page and named columns are one Get", []Read{page, length, attributes}, 1},
		{"two first pages are two Gets", []Read{page, other, attributes}, 2},
		{"a further page is a Get of its own", []Read{further, attributes}, 2},
		{"two further pages are two Gets", []Read{further, further}, 2},
		{"another table", []Read{elsewhere, attributes}, 2},
		{"another row", []Read{relation, attributes}, 2},
		{"equal reads are sent once", []Read{page, page, relation, relation, attributes, attributes}, 2},
		{"several Gets per object", []Read{{Loader: "list", Table: "things", Times: 7}}, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := rootCall(false)
			things := c.Set(c.Parents, 10, c.Begin())
			for _, r := range test.reads {
				c.Read(c.Begin(), things, r)
			}
			if got := c.estimate.totals(); got.Gets != 10*test.gets || got.Rounds != 1 || got.Rows != got.Gets {
				t.Errorf("10 objects cost %s, want %d Gets per object in 1 round", got, test.gets)
			}
		})
	}
	t.Run("reads of different rounds are not merged", func(t *testing.T) {
		c := rootCall(false)
		c.Read(c.Read(c.Begin(), c.Parents, attributes), c.Parents, page)
		if got := c.estimate.totals(); got.Gets != 2 || got.Rounds != 2 {
			t.Error(got)
		}
	})
	t.Run("a shared row is read once", func(t *testing.T) {
		c := rootCall(false)
		c.Read(c.Begin(), c.Shared(), relation)
		c.Read(c.Begin(), c.Shared(), relation)
		if got := c.estimate.totals(); got.Gets != 1 {
			t.Error(got)
		}
	})
}

func TestOnlySerialReadsTakeFurtherRounds(t *testing.T) {
	for _, test := range []struct {
		name     string
		ordinary bool
		reads    func(c *Call)
		want     string
	}{
		{"concurrent reads are one round", false, func(c *Call) {
			c.Read(c.Begin(), c.Parents, page)
			c.Read(c.Begin(), c.Parents, elsewhere)
		}, "1 round, 2 Gets, 1 RPC, 2 rows"},
		{"serial reads are several rounds", false, func(c *Call) {
			c.Read(c.Read(c.Begin(), c.Parents, page), c.Parents, further)
		}, "2 rounds, 2 Gets, 2 RPCs, 2 rows"},
		{"serial reads of one loader", false, func(c *Call) {
			c.Read(c.Begin(), c.Parents, Read{Table: "things", Times: 64, Rounds: 64})
		}, "64 rounds, 64 Gets, 64 RPCs, 64 rows"},
		{"a read with a condition counts", false, func(c *Call) {
			c.Read(c.Read(c.Begin(), c.Parents, rare), c.Parents, page)
		}, "2 rounds, 2 Gets, 2 RPCs, 2 rows"},
		{"a read with a condition does not count ordinarily", true, func(c *Call) {
			c.Read(c.Read(c.Begin(), c.Parents, rare), c.Parents, page)
		}, "1 round, 1 Get, 1 RPC, 1 row"},
		{"a scan has a chain of rounds", false, func(c *Call) {
			c.Read(c.Begin(), c.Parents, page)
			things := c.Set(c.Parents, 20, c.Scan(c.Begin(), attributes, 21))
			c.Read(things.Ready, things, page)
		}, "3 rounds, 21 Gets, 1 scan, 3 RPCs, 42 rows"},
		{"a stage without a read is no round", false, func(c *Call) {
			c.Read(c.Begin().Next(), c.Parents, page)
		}, "1 round, 1 Get, 1 RPC, 1 row"},
		{"an empty set", false, func(c *Call) {
			c.Read(c.Begin(), c.Set(c.Parents, 0, c.Begin()), page)
		}, "nothing is read"},
		{"256 Gets are one RPC", false, func(c *Call) {
			c.Read(c.Begin(), c.Set(c.Parents, 256, c.Begin()), page)
			c.Read(c.Begin().Next(), c.Set(c.Parents, 1, c.Begin()), further)
		}, "2 rounds, 257 Gets, 2 RPCs, 257 rows"},
		{"257 Gets are two RPCs", false, func(c *Call) {
			c.Read(c.Begin(), c.Set(c.Parents, 257, c.Begin()), page)
		}, "1 round, 257 Gets, 2 RPCs, 257 rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := rootCall(test.ordinary)
			test.reads(c)
			if got := c.estimate.totals().String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestNumbersDoNotOverflow(t *testing.T) {
	c := rootCall(false)
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
