package check

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

type referrer struct {
	tables.Referrer
	cells []hbase.Cell
}

func (r *run) references(ctx context.Context) error {
	if err := r.readTree(ctx); err != nil {
		return err
	}
	for _, ref := range tables.References() {
		err := r.rows(ctx, ref.Objects(), func(rows []hbase.Row) error {
			some := r.referrers(ref, rows)
			dangling, err := r.dangling(ctx, ref, some)
			if err != nil {
				return err
			}
			var entries []entry
			for _, x := range some {
				if x.Listed && !dangling[x.Key] {
					entries = append(entries, entry{list: ref.List, owner: x.Owner, cell: x.Member,
						source: ref.Object.Table, why: refersTo(ref, x.Key, x.Owner)})
				}
			}
			return r.expect(ctx, entries)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func refersTo(ref *tables.Reference, key, owner string) string {
	return fmt.Sprintf("the %s of %s %q is %q", ref.Attribute, ref.Object.Name, key, owner)
}

func (r *run) referrers(ref *tables.Reference, rows []hbase.Row) (some []referrer) {
	for _, row := range rows {
		key, err := tables.OwnerOf(row.Key)
		var x tables.Referrer
		exists := false
		if err == nil {
			x, exists, err = ref.Decode(key, row.Cells)
		}
		if err != nil {
			r.unreadable(attribute(ref.Object.Table, row.Key, "name"), err)
		} else if exists {
			some = append(some, referrer{x, row.Cells})
		}
	}
	return some
}

// dangling reports references to missing objects, and departments without a path to the top. It
// returns the referring keys.
func (r *run) dangling(ctx context.Context, ref *tables.Reference, some []referrer) (map[string]bool, error) {
	dangling := map[string]bool{}
	if ref == tables.Parents {
		for _, d := range some {
			dangling[d.Key] = r.climb(d)
		}
		return dangling, nil
	}
	some = slices.DeleteFunc(slices.Clone(some), func(x referrer) bool { return !x.Listed })
	var owners []string
	for _, x := range some {
		owners = append(owners, x.Owner)
	}
	exist, err := r.existing(ctx, ref.List.Owner, owners)
	if err != nil {
		return nil, err
	}
	for _, x := range some {
		if dangling[x.Key] = !exist[x.Owner]; dangling[x.Key] {
			r.wrongReference(ref, x, noObject(ref.List.Owner, x.Owner))
		}
	}
	return dangling, nil
}

func noObject(o *tables.AnyObject, key string) string {
	return fmt.Sprintf("there is no %s %q", o.Name, o.NameOf(key))
}

func (r *run) wrongReference(ref *tables.Reference, x referrer, why string) {
	for i := range x.cells {
		if x.cells[i].Qualifier == ref.Attribute {
			r.differs(rebuild.Change{Table: ref.Object.Table, Row: tables.RowKey(x.Key), Old: &x.cells[i]}, why)
		}
	}
}

func sourceOfReferrer(ref *tables.Reference, owner string, member hbase.Cell) (source, error) {
	key, err := ref.KeyOf(owner, member)
	return source{row: ref.Get(key), why: func(cells []hbase.Cell) string {
		x, exists, err := ref.Decode(key, cells)
		switch {
		case err != nil: // reported with the object
		case !exists:
			return noObject(ref.Object, key)
		case x.Owner != owner:
			return refersTo(ref, key, x.Owner)
		case x.Member.Qualifier != member.Qualifier:
			return fmt.Sprintf("%s %q has another name", ref.Object.Name, key)
		}
		return ""
	}}, err
}
