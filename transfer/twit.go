package transfer

import (
	"context"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func parseTwit(r *row) *tables.Twit {
	t := &tables.Twit{
		AuthorName: r.checked("author", tables.CheckUsername),
		PostedAt:   r.time("posted_at"),
		Name:       r.checked("id", tables.CheckTwitID),
		Content:    r.content("content"),
		Visibility: tables.Public,
	}
	if text := r.text("visibility"); text != "" {
		var err error
		if t.Visibility, err = tables.ParseVisibility(text); err != nil {
			r.fail("visibility", "%q is neither PUBLIC nor FOLLOWERS", text)
		}
	}
	if r.has("title") {
		t.Title = new(parse(r, "title", tables.ParseLine))
	}
	photos := r.text("photo_urls")
	if len(photos) > maxText {
		r.fail("photo_urls", "it has %d bytes, more than %d", len(photos), maxText)
	}
	for _, s := range strings.Fields(photos) {
		url, err := tables.ParseURL(s)
		if err != nil {
			r.fail("photo_urls", "%v", err)
		}
		t.PhotoURLs = append(t.PhotoURLs, url)
	}
	if t.Content == "" && len(t.PhotoURLs) == 0 {
		r.fail("content", "a twit must have content or a photo")
	}
	return t
}

func (im *importer) importTwits(ctx context.Context) error {
	return pipe(ctx, im, "twits", parseTwit, func(t *tables.Twit) string { return t.Name },
		func(ctx context.Context, batch []item[*tables.Twit]) error {
			batch, err := known(ctx, im, batch,
				name[*tables.Twit]{"author", &tables.Users.AnyObject, func(t *tables.Twit) string { return t.AuthorName },
					[]*tables.AnyList{&tables.Twits.AnyList, &tables.Albums.AnyList}})
			if err != nil {
				return err
			}
			return im.writeTwits(ctx, batch)
		})
}

func (im *importer) writeTwits(ctx context.Context, batch []item[*tables.Twit]) error {
	lists, albums := im.lists[&tables.Twits.AnyList], im.lists[&tables.Albums.AnyList]
	added, err := im.newTwits(ctx, batch)
	if err != nil {
		return err
	}
	derived, sources := im.visibleWrites(), im.sourceWrites()
	byAuthor := map[string][]tables.TwitKey{}
	for _, t := range added {
		timestamp := stamp(t.PostedAt)
		lists.count(t.AuthorName, tables.Twits.IsPublic(t))
		lists.put(derived, t.AuthorName, tables.Twits.Cell(t, timestamp))
		if t.InAlbum() {
			albums.count(t.AuthorName, tables.Albums.IsPublic(t))
			albums.put(derived, t.AuthorName, tables.Albums.Cell(t, timestamp))
		}
		byAuthor[t.AuthorName] = append(byAuthor[t.AuthorName], t.Key())
		sources.put(tables.TwitNames.Put(t, timestamp))
	}
	if err := im.fanOutToFollowers(ctx, derived, byAuthor); err != nil {
		return err
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return sources.flush(ctx)
}

// newTwits returns the twits that were never stored. A row is bad if a different twit has its id. A
// deleted twit is compared by author and time only.
func (im *importer) newTwits(ctx context.Context, batch []item[*tables.Twit]) ([]*tables.Twit, error) {
	names, err := hbase.GetEach(ctx, im.store, batch, func(it item[*tables.Twit]) hbase.Get {
		return tables.TwitNames.Get(it.value.Name)
	})
	if err != nil {
		return nil, err
	}
	cells, err := hbase.GetEach(ctx, im.store, batch, func(it item[*tables.Twit]) hbase.Get {
		return im.lists[&tables.Twits.AnyList].get(it.value.AuthorName, it.value.Key().Position)
	})
	if err != nil {
		return nil, err
	}
	var added []*tables.Twit
	first := map[string]*tables.Twit{}
	for i, it := range batch {
		t := it.value
		key, _, stored, err := tables.TwitNames.Decode(names[i])
		if err != nil {
			return nil, err
		}
		same := true
		switch {
		case stored:
			same = key == t.Key() && (len(cells[i]) == 0 || hasValueOf(cells[i][0], t))
		case first[t.Name] != nil:
			same = first[t.Name].Key() == t.Key() && hasValueOf(tables.Twits.Cell(first[t.Name], 1), t)
		default:
			first[t.Name] = t
			added = append(added, t)
		}
		if same {
			continue
		}
		if err := im.progress.skip(taken(it)); err != nil {
			return nil, err
		}
	}
	return added, nil
}

func hasValueOf(cell hbase.Cell, t *tables.Twit) bool {
	return string(cell.Value) == string(tables.Twits.Cell(t, 1).Value)
}

func taken(it item[*tables.Twit]) *RowError {
	return it.bad("id", "%q is the id of a twit with another author, time, content, title, visibility or photos: "+
		"a twit cannot be changed", it.value.Name)
}

func exportTwits(ctx context.Context, store hbase.Store, row emit) error {
	return eachTwit(ctx, store, func(twits []*tables.Twit) error {
		for _, t := range twits {
			visibility := ""
			if t.Visibility != tables.Public {
				visibility = t.Visibility.String()
			}
			err := row(t.Name, t.AuthorName, instant(t.PostedAt), t.Content,
				strings.Join(t.PhotoURLs, " "), value(t.Title), visibility)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
