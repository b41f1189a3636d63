package hbasetest

import (
	"testing"
	"time"

	"twibase/hbase"
)

type scenario struct {
	name   string
	writes []write
	get    hbase.Get
	want   []string
}

func (s *suite) play(t *testing.T, scenarios []scenario) {
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			c.get.Row = row(t, "")
			s.write(t, s.table, c.get.Row, c.writes...)
			s.expect(t, c.get, c.want...)
		})
	}
}

func (s *suite) testVersions(t *testing.T) {
	one, two, three := put1("v:q", 10, "one"), put1("v:q", 20, "two"), put1("v:q", 30, "three")
	many := []write{one, two, three, put1("v:q", 40, "four"), put1("v:q", 50, "five")}
	s.play(t, []scenario{
		{"one version is the default", []write{one, two, three},
			hbase.Get{}, []string{"v:q@30=three"}},
		{"the newest version has the greatest timestamp", []write{three, one, two},
			hbase.Get{}, []string{"v:q@30=three"}},
		{"versions are ordered newest first", []write{two, three, one},
			hbase.Get{Versions: 3}, []string{"v:q@30=three", "v:q@20=two", "v:q@10=one"}},
		{"Versions is a limit", []write{one, two, three},
			hbase.Get{Versions: 2}, []string{"v:q@30=three", "v:q@20=two"}},
		{"a limit beyond the versions", []write{one},
			hbase.Get{Versions: 9}, []string{"v:q@10=one"}},
		{"the family's VERSIONS is a limit", append(many, put1("v:q", 60, "six"), put1("v:q", 70, "seven")),
			hbase.Get{Versions: 100}, []string{"v:q@70=seven", "v:q@60=six", "v:q@50=five", "v:q@40=four", "v:q@30=three"}},
		{"a family of one version", []write{put1("i:q", 10, "one"), put1("i:q", 20, "two")},
			hbase.Get{Versions: 100}, []string{"i:q@20=two"}},
		{"versions are counted per column", []write{one, two, put1("v:r", 5, "r"), put1("v:p", 40, "p")},
			hbase.Get{Versions: 2}, []string{"v:p@40=p", "v:q@20=two", "v:q@10=one", "v:r@5=r"}},
		{"a put of the same timestamp replaces the version", []write{one, two, put1("v:q", 10, "again")},
			hbase.Get{Versions: 3}, []string{"v:q@20=two", "v:q@10=again"}},
		{"a shorter value replaces a longer one", []write{put1("i:q", 10, "long value"), put1("i:q", 10, "")},
			hbase.Get{}, []string{"i:q@10="}},
		{"versions of named columns", []write{one, two, put1("v:r", 10, "r")},
			hbase.Get{Columns: "v:q", Versions: 2}, []string{"v:q@20=two", "v:q@10=one"}},
	})
	t.Run("a put without a timestamp has the store's time", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put1("i:q", 0, "now"))
		cells := s.get(t, hbase.Get{Row: row(t, "")})
		if now := time.Now(); len(cells) != 1 || now.Sub(time.UnixMilli(cells[0].Timestamp)).Abs() > time.Hour {
			t.Errorf("got %v at %v", text(cells), now)
		}
	})
	t.Run("a put without a timestamp is older than a put with a future timestamp", func(t *testing.T) {
		future := time.Now().Add(24 * time.Hour).UnixMilli()
		s.write(t, s.table, row(t, ""), put1("i:q", future, "future"), put1("i:q", 0, "now"))
		if cells := s.get(t, hbase.Get{Row: row(t, "")}); len(cells) != 1 || string(cells[0].Value) != "future" {
			t.Errorf("got %v", text(cells))
		}
	})
}
