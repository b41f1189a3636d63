package transfer

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Export writes a store as CSV files for [Import] into a folder, which it creates if needed, and
// returns the number of rows. It omits optional columns without a value. The order of rows depends
// on the rows only. Each file atomically replaces an existing file. An export may contain rows that
// are written concurrently.
func Export(ctx context.Context, store hbase.Store, dir string) (rows int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for i := range schemas {
		f := &schemas[i]
		n, err := exportFile(filepath.Join(dir, f.name+".csv"), f, func(row emit) error {
			return f.exports(ctx, store, row)
		})
		if err != nil {
			return rows, fmt.Errorf("export %s: %w", f.name, err)
		}
		rows += n
	}
	return rows, nil
}

// exportFile buffers rows to learn which optional columns are used.
func exportFile(path string, schema *schema, export func(emit) error) (rows int, err error) {
	buffered, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.rows")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, buffered.Close(), os.Remove(buffered.Name())) }()
	buffer := bufio.NewWriter(buffered)
	encoder := gob.NewEncoder(buffer)
	used := make([]bool, len(schema.columns()))
	for i := range schema.required {
		used[i] = true
	}
	err = export(func(fields ...string) error {
		rows++
		for i, field := range fields {
			used[i] = used[i] || field != ""
		}
		return encoder.Encode(fields)
	})
	if err = errors.Join(err, buffer.Flush()); err == nil {
		_, err = buffered.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, err
	}
	return rows, replaceFile(path, func(w io.Writer) error {
		return writeCSV(w, buffered, rows, schema.columns(), used)
	})
}

func writeCSV(w io.Writer, buffered io.Reader, rows int, header []string, used []bool) error {
	out := csv.NewWriter(w)
	write := func(fields []string) error {
		record := make([]string, 0, len(fields))
		for i, field := range fields {
			if used[i] {
				record = append(record, field)
			}
		}
		return out.Write(record)
	}
	if err := write(header); err != nil {
		return err
	}
	decoder := gob.NewDecoder(bufio.NewReader(buffered))
	for range rows {
		var fields []string
		if err := decoder.Decode(&fields); err != nil {
			return err
		}
		if err := write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func replaceFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}

type emit func(fields ...string) error

const ownersRead = 256

func eachMember[E any](
	ctx context.Context, store hbase.Store, l *tables.List[E], owners []string, f func(owner string, members []E) error,
) error {
	for some := range slices.Chunk(owners, ownersRead) {
		err := rebuild.BucketPages(ctx, store, &l.AnyList, some, func(page *rebuild.BucketPage) error {
			members, _, err := l.Decode(page.Owner, page.Cells)
			if err != nil {
				return err
			}
			return f(page.Owner, members)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func eachTwit(ctx context.Context, store hbase.Store, f func([]*tables.Twit) error) error {
	for users, err := range rebuild.Batches(rebuild.Objects(ctx, store, tables.Users), ownersRead) {
		if err != nil {
			return err
		}
		authors := make([]string, len(users))
		for i, u := range users {
			authors[i] = u.Username
		}
		each := func(_ string, twits []*tables.Twit) error { return f(twits) }
		if err := eachMember(ctx, store, tables.Twits, authors, each); err != nil {
			return err
		}
	}
	return nil
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
