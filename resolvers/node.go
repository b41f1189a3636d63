package resolvers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

var (
	queryNode   = nodeByID{}
	queryNodes  = nodesByID{}
	queryViewer = viewer{}
)

type nodeByID struct{}

func (nodeByID) resolve(ctx context.Context, id tables.ID) (model.Node, error) {
	nodes, errs := nodes(ctx, []*tables.ID{&id})
	return nodes[0], errs[0]
}

func (nodeByID) cost(call *costCall) error {
	id := argument[tables.ID](call, "id")
	nodesCost(call, []*tables.ID{&id}, call.Open("id"))
	return nil
}

type nodesByID struct{}

func (nodesByID) resolve(ctx context.Context, ids []*tables.ID) ([]model.Node, error) {
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	nodes, errs := nodes(ctx, ids)
	for i, err := range errs {
		if err != nil {
			path := append(slices.Clone(graphql.GetPath(ctx)), ast.PathIndex(i))
			graphql.AddError(ctx, gqlerror.WrapPath(path, err))
		}
	}
	return nodes, nil
}

func (nodesByID) cost(call *costCall) error {
	ids := argument[[]*tables.ID](call, "ids")
	if err := checkIDs(ids); err != nil {
		return err
	}
	nodesCost(call, ids, call.Open("ids"))
	return nil
}

func checkIDs(ids []*tables.ID) error {
	if len(ids) > relay.MaxPage {
		return apierr.LimitExceeded("the number of ids", relay.MaxPage, len(ids))
	}
	return nil
}

type viewer struct{}

func (viewer) resolve(ctx context.Context) (*tables.User, error) {
	viewer, known := auth.ViewerOf(ctx)
	if !known {
		return nil, nil
	}
	return queryUser.resolve(ctx, viewer.Username)
}

func (viewer) cost(call *costCall) error {
	if _, known := auth.ViewerOf(call.Ctx); known {
		returnRoot(call, loaders.Users, selected(call.Ctx).names())
	}
	return nil
}

type nodeReader struct {
	noun tables.Noun
	typ  string
	// read returns nil for missing or hidden entries. Objects with rows are lazy, even if missing.
	// The error is nil, index-aligned, or one error for all keys.
	read func(ctx context.Context, keys []string) ([]model.Node, error)
	cost func(call *costCall, objects *explain.Set) explain.Stage
}

var nodeReaders = []nodeReader{
	rowReader("User", loaders.Users),
	rowReader("Role", loaders.Roles),
	rowReader("Department", loaders.Departments),
	rowReader("Game", loaders.Games),
	entryReader(tables.NounTwit, "Twit", twitEntries),
	entryReader(tables.NounComment, "Comment", commentEntries),
}

type nodePointer[T any] interface {
	*T
	model.Node
}

func rowReader[T any, N nodePointer[T]](typ string, objects loaders.Object[T]) nodeReader {
	return nodeReader{
		objects.Kind().Noun, typ,
		func(ctx context.Context, keys []string) ([]model.Node, error) {
			return asNodes[T, N](objects.Roots(ctx, keys, selectedOf(ctx, typ).names())), nil
		},
		func(call *costCall, rows *explain.Set) explain.Stage {
			call.read(call.Begin(), rows, objects.RootShape(selectedOf(call.Ctx, typ).names()))
			return call.Begin() // the objects are lazy
		},
	}
}

func entryReader[T any, N nodePointer[T]](noun tables.Noun, typ string, all entries[T]) nodeReader {
	return nodeReader{
		noun, typ,
		func(ctx context.Context, keys []string) ([]model.Node, error) {
			found, err := all.readByKey(ctx, keys)
			return asNodes[T, N](found), err
		},
		func(call *costCall, objects *explain.Set) explain.Stage {
			return all.readVisibleCost(call, call.Begin(), objects)
		},
	}
}

func asNodes[T any, N nodePointer[T]](objects []*T) []model.Node {
	nodes := make([]model.Node, len(objects))
	for i, object := range objects {
		if object != nil {
			nodes[i] = N(object)
		}
	}
	return nodes
}

func nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, []error) {
	found, errs := make([]model.Node, len(ids)), make([]error, len(ids))
	var reads []func()
	for _, reader := range nodeReaders {
		var keys []string
		var indexes []int
		for i, id := range ids {
			if id.Noun == reader.noun {
				keys, indexes = append(keys, id.Key), append(indexes, i)
			}
		}
		if len(keys) > 0 {
			reads = append(reads, func() {
				nodes, err := reader.read(ctx, keys)
				for j, i := range indexes {
					if errs[i] = loaders.At(err, j); errs[i] == nil {
						found[i] = nodes[j]
					}
				}
			})
		}
	}
	loaders.Together(ctx, reads...)
	return found, errs
}

// nodesCost declares the reads of nodes. If open is true, any id may be of any noun. The fields of
// several nodes are resolved after all nodes are read.
func nodesCost(call *costCall, ids []*tables.ID, open bool) {
	counts := map[tables.Noun]int64{}
	if open {
		for _, reader := range nodeReaders {
			counts[reader.noun] = int64(len(ids))
		}
	} else {
		for _, id := range ids {
			counts[id.Noun]++
		}
	}
	sets, ends, end := make([]*explain.Set, len(nodeReaders)), make([]explain.Stage, len(nodeReaders)), call.Begin()
	for i, reader := range nodeReaders {
		sets[i] = call.Set(call.Parents, counts[reader.noun], call.Begin())
		ends[i] = reader.cost(call, sets[i])
		end = explain.Latest(end, ends[i])
	}
	for i, reader := range nodeReaders {
		if len(ids) > 1 {
			ends[i] = end
		}
		if ends[i] != call.Begin() {
			sets[i] = call.Set(call.Parents, counts[reader.noun], ends[i])
		}
		call.Returns(reader.typ, sets[i])
	}
}

// SampleIDs returns an id of each noun, of objects that need not exist.
func SampleIDs() (ids []string) {
	twit := &tables.Twit{AuthorName: "x", Name: "x", PostedAt: time.UnixMilli(0)}
	for _, object := range []interface{ ID() tables.ID }{
		&tables.User{Username: "x"}, &tables.Role{Code: "x"}, &tables.Department{Code: "x"}, &tables.Game{Code: "x"},
		twit, &tables.Comment{Twit: twit.Key(), AuthorName: "x", PostedAt: time.UnixMilli(0)},
	} {
		ids = append(ids, strings.Trim(string(relay.AppendID(nil, object.ID())), `"`))
	}
	return ids
}
