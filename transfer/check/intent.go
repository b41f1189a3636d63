package check

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// intents reports the writes that were decided and are not whole, which a sweep would finish. Those that were not decided do no harm.
func (r *run) intents(ctx context.Context) error {
	return r.rows(ctx, hbase.Scan{Table: tables.Intents.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		var old []tables.Intent
		var of []hbase.Row
		var gets []hbase.Get
		for _, row := range rows {
			i, ok, err := tables.Intents.Decode(row.Key, row.Cells)
			if err != nil {
				r.corrupt(tables.Intents.Table, row.Key, "kind", err)
				continue
			}
			r.resting = r.resting || ok && i.Due > 0
			if !ok || begun(i).Add(r.Grace).After(r.now) {
				continue
			}
			get := tables.Intents.Get(i.ID)
			if i.Table != "" {
				get = hbase.Get{Table: i.Table, Row: i.Row, Columns: i.Family + ":" + tables.CommitColumn}
			}
			old, of, gets = append(old, i), append(of, row), append(gets, get)
		}
		cells, err := rebuild.Read(ctx, r.Store, gets)
		if err != nil {
			return err
		}
		for j, i := range old {
			last, err := tables.DecodeOp(cells[j])
			if err != nil {
				r.corrupt(i.Table, i.Row, tables.CommitColumn, err)
			} else if id, _ := tables.CommittedBy(last); i.Table == "" || id == i.ID || tables.Intents.Marked(of[j].Cells) {
				r.report(violationOf(tables.Intents.Table, of[j].Key, tables.Attributes, "kind", i.Kind, absent, "it was begun %s ago, and a sweep finishes it",
					r.now.Sub(begun(i)).Round(time.Second)))
			}
		}
		return nil
	})
}

// begun is when an intent was begun, or was to be.
func begun(i tables.Intent) time.Time {
	at, _ := tables.OpTime(i.ID)
	if due := time.UnixMilli(i.Due); due.After(at) {
		return due
	}
	return at
}

// jobs notes whose twits are on their way into timelines.
func (r *run) jobs(ctx context.Context) error {
	open := map[string]bool{}
	err := r.rows(ctx, hbase.Scan{Table: tables.Jobs.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		for _, row := range rows {
			e, ok, err := tables.Jobs.Decode(row.Key, row.Cells)
			if err != nil {
				r.corrupt(tables.Jobs.Table, row.Key, "kind", err)
			} else if ok {
				open[e.ID], r.busy[e.Author] = true, true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.Waiting(len(open))
	return r.broadcasters(ctx, open)
}

// broadcasters notes whose twits readers do not look for in timelines, and shows that none waits for what nobody does.
func (r *run) broadcasters(ctx context.Context, open map[string]bool) error {
	get := tables.Broadcasters.Get()
	cells, err := rebuild.Read(ctx, r.Store, []hbase.Get{get})
	if err != nil {
		return err
	}
	for i, c := range cells[0] {
		state, _, err := tables.Broadcasters.State(cells[0][i : i+1])
		if err != nil {
			r.report(violationOf(get.Table, get.Row, c.Family, c.Qualifier, "unreadable", "readable", "%v", err))
			continue
		}
		r.elsewhere[c.Qualifier] = state != tables.Pushed
		if id, leaving := state.Leaving(); leaving && !open[id] {
			r.report(violationOf(get.Table, get.Row, c.Family, c.Qualifier, text(c.Value), text([]byte(tables.Merged)), "there is no job %s", id),
				tables.Broadcasters.Put(c.Qualifier, tables.Merged, c.Timestamp+1))
		}
	}
	return nil
}

// accounts shows that who has a password is a user.
func (r *run) accounts(ctx context.Context) error {
	return r.rows(ctx, hbase.Scan{Table: tables.Accounts.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		var names []string
		for _, row := range rows {
			name, err := tables.OwnerOf(row.Key)
			if err != nil {
				r.corrupt(tables.Accounts.Table, row.Key, "password", err)
			}
			if _, _, err := tables.Accounts.Decode(row.Cells); err != nil {
				r.corrupt(tables.Accounts.Table, row.Key, "password", err)
			}
			names = append(names, name)
		}
		users, err := r.which(ctx, &tables.Users.AnyObject, names)
		if err != nil {
			return err
		}
		for i, row := range rows {
			if names[i] != "" && !users[names[i]] {
				r.report(violationOf(tables.Accounts.Table, row.Key, tables.Attributes, "password", there, absent, "there is no user %q", names[i]),
					gone(tables.Accounts.Table, row.Key, row.Cells...))
			}
		}
		return nil
	})
}
