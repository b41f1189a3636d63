package check

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// intents reports committed operations that are incomplete after Grace, and sets r.splitting.
func (r *run) intents(ctx context.Context) error {
	return r.rows(ctx, hbase.Scan{Table: tables.Intents.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		var stale []tables.Intent
		var records []hbase.Row
		for _, row := range rows {
			i, ok, err := tables.Intents.Decode(row.Key, row.Cells)
			if err != nil {
				r.unreadable(attribute(tables.Intents.Table, row.Key, "kind"), err)
				continue
			}
			r.splitting = r.splitting || ok && i.Due > 0
			if ok && !begun(i).Add(r.Grace).After(r.now) {
				stale, records = append(stale, i), append(records, row)
			}
		}
		commits, err := hbase.GetEach(ctx, r.Store, stale, func(i tables.Intent) hbase.Get {
			if i.Table == "" {
				return tables.Intents.Get(i.ID)
			}
			return hbase.Get{Table: i.Table, Row: i.Row, Columns: i.Family + ":" + tables.CommitColumn}
		})
		if err != nil {
			return err
		}
		for j, i := range stale {
			last, err := tables.DecodeCommitRecord(commits[j], i.Family)
			if err != nil {
				r.unreadable(attribute(i.Table, i.Row, tables.CommitColumn), err)
			} else if id, _ := tables.CommittedBy(last); i.Table == "" || id == i.ID || tables.Intents.Marked(records[j].Cells) {
				age := r.now.Sub(begun(i)).Round(time.Second)
				r.add(Violation{Table: tables.Intents.Table, Row: records[j].Key, Column: tables.Attributes + ":kind",
					Stored: i.OpType, Expected: absent, Unrepairable: true, Stale: true,
					Why: fmt.Sprintf("it began %s ago; a gateway or twibase repair completes it", age)}, nil)
			}
		}
		return nil
	})
}

// begun returns when the effects of an operation are due.
func begun(i tables.Intent) time.Time {
	at, _ := tables.OpTime(i.ID)
	if due := time.UnixMilli(i.Due); due.After(at) {
		return due
	}
	return at
}

func (r *run) jobs(ctx context.Context) error {
	err := r.rows(ctx, hbase.Scan{Table: tables.Jobs.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		for _, row := range rows {
			job, ok, err := tables.Jobs.Decode(row.Key, row.Cells)
			if err != nil {
				r.unreadable(attribute(tables.Jobs.Table, row.Key, "kind"), err)
			} else if ok {
				r.pending[job.ID], r.busy[job.Author] = true, true
			}
		}
		return nil
	})
	r.Waiting(len(r.pending))
	return err
}

// broadcasters sets r.merged, and checks that each leaving author has a job.
func (r *run) broadcasters(ctx context.Context) error {
	get := tables.Broadcasters.Get()
	cells, err := hbase.GetOne(ctx, r.Store, get)
	if err != nil {
		return err
	}
	for i, c := range cells {
		state, _, err := tables.Broadcasters.State(cells[i : i+1])
		if err != nil {
			r.unreadable(columnOf(get.Table, get.Row, c), err)
			continue
		}
		r.merged[c.Qualifier] = state != tables.Pushed
		if id, leaving := state.Leaving(); leaving && !r.pending[id] {
			r.report(columnOf(get.Table, get.Row, c), text(c.Value), text([]byte(tables.Merged)), "there is no job "+id,
				tables.Broadcasters.Put(c.Qualifier, tables.Merged, c.Timestamp+1))
		}
	}
	return nil
}

func (r *run) accounts(ctx context.Context) error {
	return r.rows(ctx, hbase.Scan{Table: tables.Accounts.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		var named []hbase.Row
		var names []string
		for _, row := range rows {
			name, err := tables.OwnerOf(row.Key)
			if err == nil {
				named, names = append(named, row), append(names, name)
				_, _, err = tables.Accounts.Decode(row.Cells)
			}
			if err != nil {
				r.unreadable(attribute(tables.Accounts.Table, row.Key, "password"), err)
			}
		}
		users, err := r.existing(ctx, &tables.Users.AnyObject, names)
		if err != nil {
			return err
		}
		for i, row := range named {
			if !users[names[i]] {
				r.report(attribute(tables.Accounts.Table, row.Key, "password"), present, absent,
					noObject(&tables.Users.AnyObject, names[i]), hbase.DeleteCells(tables.Accounts.Table, row.Key, row.Cells...))
			}
		}
		return nil
	})
}
