package transfer

import (
	"context"

	"twibase/hbase/tables"
)

func parseUser(r *row) *tables.User {
	return &tables.User{
		Username:  r.username("username"),
		Name:      new(r.name("name")),
		Email:     optional(r, "email", r.email),
		Age:       optional(r, "age", func(column string) int { return r.number(column, 0, 150) }),
		AvatarURL: optional(r, "avatar_url", func(column string) string { return r.url(column, r.text(column)) }),
		CreatedAt: optional(r, "created_at", r.time),
	}
}

func (im *importer) importUsers(ctx context.Context) error {
	return pipe(ctx, im, "users", parseUser, func(u *tables.User) string { return u.Username },
		func(ctx context.Context, batch []item[*tables.User]) error {
			w := newWrites(im.store, len(batch))
			for _, it := range batch {
				w.put(tables.Users.Put(it.value.Username, it.value, timeless))
			}
			if err := w.flush(ctx); err != nil || !im.blank {
				return err
			}
			for _, it := range batch {
				im.objects[&tables.Users.AnyObject].note(it.value.Username, it.value.Username)
			}
			return nil
		})
}
