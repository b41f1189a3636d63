package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

var nodeCosts = costs{
	"Query.node": func(q *inquiry) error {
		id := argument[tables.ID](q, "id")
		nodesCost(q, []*tables.ID{&id})
		return nil
	},
	"Query.nodes": func(q *inquiry) error {
		ids := argument[[]*tables.ID](q, "ids")
		err := checkIDs(ids)
		if err == nil {
			nodesCost(q, ids)
		}
		return err
	},
	"Query.viewer": func(q *inquiry) error {
		if _, known := auth.ViewerOf(q.Ctx); known {
			objectCost(q, loaders.Users, "User")
		}
		return nil
	},
}

// Node is the resolver for the node field.
func (r *queryResolver) Node(ctx context.Context, id tables.ID) (model.Node, error) {
	nodes, errs := nodes(ctx, []*tables.ID{&id})
	return nodes[0], errs[0]
}

// Nodes is the resolver for the nodes field.
func (r *queryResolver) Nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, error) {
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

func checkIDs(ids []*tables.ID) error {
	if len(ids) > relay.MaxPage {
		return apierr.LimitExceeded("the number of ids", relay.MaxPage, len(ids))
	}
	return nil
}

// nodes answers the things of these ids, nil where there is none that the viewer may see. The ids of one noun are read
// together, and all nouns at the same time.
func nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, []error) {
	found, errs := make([]model.Node, len(ids)), make([]error, len(ids))
	var reads []func()
	for noun, read := range readers {
		var keys []string
		var at []int
		for i, id := range ids {
			if id.Noun == noun {
				keys, at = append(keys, id.Key), append(at, i)
			}
		}
		if len(keys) > 0 {
			reads = append(reads, func() {
				read(ctx, keys, func(i int, node model.Node, err error) { found[at[i]], errs[at[i]] = node, err })
			})
		}
	}
	if len(reads) > 0 {
		loaders.Together(ctx, reads...)
	}
	return found, errs
}

// reader reads the things of one noun by their keys, and hands over each.
type reader func(ctx context.Context, keys []string, found func(i int, node model.Node, err error))

var readers = map[tables.Noun]reader{
	tables.NounUser:       readerOf(rowsByKey("User", loaders.Users)),
	tables.NounRole:       readerOf(rowsByKey("Role", loaders.Roles)),
	tables.NounDepartment: readerOf(rowsByKey("Department", loaders.Departments)),
	tables.NounGame:       readerOf(rowsByKey("Game", loaders.Games)),
	tables.NounTwit:       readerOf(twitsByKey),
	tables.NounComment:    readerOf(commentsByKey),
}

// nodeCost tells what it costs to read the things of a crowd by their keys.
type nodeCost func(q *inquiry, things *explain.Crowd) (read explain.Moment)

// readerCosts are those of the readers, each with the name of its type.
var readerCosts = map[tables.Noun]struct {
	typ  string
	cost nodeCost
}{
	tables.NounUser:       {"User", rowsCost("User", loaders.Users)},
	tables.NounRole:       {"Role", rowsCost("Role", loaders.Roles)},
	tables.NounDepartment: {"Department", rowsCost("Department", loaders.Departments)},
	tables.NounGame:       {"Game", rowsCost("Game", loaders.Games)},
	tables.NounTwit: {"Twit", func(q *inquiry, twits *explain.Crowd) explain.Moment {
		return q.twitsCost(q.Begin(), twits)
	}},
	tables.NounComment: {"Comment", func(q *inquiry, comments *explain.Crowd) explain.Moment {
		return q.commentsCost(q.Begin(), comments)
	}},
}

func rowsCost[T any](noun string, objects loaders.Object[T]) nodeCost {
	return func(q *inquiry, rows *explain.Crowd) explain.Moment {
		q.read(q.Begin(), rows, objects.OutlineRoot(selected(q.Ctx, noun).names()))
		return q.Begin()
	}
}

// nodesCost is that of nodes.
func nodesCost(q *inquiry, ids []*tables.ID) {
	counts := map[tables.Noun]int64{}
	for _, id := range ids {
		counts[id.Noun]++
	}
	things, end := map[tables.Noun]*explain.Crowd{}, q.Begin()
	for noun := range readers {
		things[noun] = q.Crowd(q.Parents, counts[noun], q.Begin())
		end = explain.Latest(end, readerCosts[noun].cost(q, things[noun]))
	}
	for noun, crowd := range things {
		// What is below begins when all have been read.
		if end != q.Begin() {
			crowd = q.Crowd(q.Parents, counts[noun], end)
		}
		q.Lead(readerCosts[noun].typ, crowd)
	}
}

// node is what a pointer to every row type with an ID is.
type node[T any] interface {
	*T
	model.Node
}

func rowsByKey[T any](noun string, objects loaders.Object[T]) func(context.Context, []string) ([]*T, error) {
	return func(ctx context.Context, keys []string) ([]*T, error) {
		return objects.Roots(ctx, keys, selected(ctx, noun).names())
	}
}

func readerOf[T any, N node[T]](read func(context.Context, []string) ([]N, error)) reader {
	return func(ctx context.Context, keys []string, found func(int, model.Node, error)) {
		things, err := read(ctx, keys)
		for i := range keys {
			if e := loaders.At(err, i); e != nil {
				found(i, nil, e)
			} else if things[i] != nil {
				found(i, things[i], nil)
			}
		}
	}
}

// Viewer is the resolver for the viewer field.
func (r *queryResolver) Viewer(ctx context.Context) (*tables.User, error) {
	viewer, ok := auth.ViewerOf(ctx)
	if !ok {
		return nil, nil
	}
	return r.User(ctx, viewer.Username)
}

// rootObject answers the object of a key that the client wrote, nil if there can't be one.
func rootObject[T any](ctx context.Context, objects loaders.Object[T], noun, key string, check func(string) error) (*T, error) {
	if check(key) != nil {
		return nil, nil
	}
	found, err := objects.Roots(ctx, []string{key}, selected(ctx, noun).names())
	return found[0], loaders.At(err, 0)
}

// Query returns exec.QueryResolver implementation.
func (r *Resolver) Query() exec.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *Resolver }
