package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"golang.org/x/sync/errgroup"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/transfer"
)

var nulled = flag.Int("nulled", 3000, "number of random queries of TestSemanticNonNullIsWhereNullHasAnError")

var neverNull = map[string]string{
	"Subscription.timelineTwitAdded": "the twit of an event is null if its author is deleted before the delivery",
	"Subscription.twitPosted":        "the twit of an event is null if its author is deleted before the delivery",
	"Subscription.commentAdded":      "the comment of an event is null if its author is deleted before the delivery",
	"Subscription.twitDeleted":       "as the other subscriptions",
	"Subscription.followerChanged":   "as the other subscriptions",
	"FollowerChange.follower":        "it is null if the follower was deleted",
	"FollowerChange.viewer":          "it is null if the viewer is deleted before the delivery",
	"TwitDeletion.author":            "it is null if the author is deleted before the delivery",
}

func TestSemanticNonNullIsWhereNullHasAnError(t *testing.T) {
	random, all := seedOf(t), newNulls(apiSchema)
	for part, bound := range []int{0, 5} {
		store := inMemory(t)
		importInto(t, store, generated(t, 1), transfer.Options{ListBound: bound})
		e := newExecutors(store)
		pool := e.collectArguments(t)
		deleteSome(t, &peopleGateway{gateway: &gateway{store: store}}, pool)
		e.collectNulls(t, all, pool, random+uint64(part), *nulled/2)
		e.collectNullsOfComments(t, all, pool["user username"])
	}
	collectNullsOfMutations(t, all)
	marks, failed := 0, 0
	for position, marked := range all.positions() {
		example := all.silent[position]
		switch {
		case marked && example != "":
			t.Errorf("%s has @semanticNonNull, and is null without an error: %s", position, example)
		case !marked && example == "" && neverNull[position] == "":
			t.Errorf("%s is null only with an error, %d times: it needs @semanticNonNull", position, all.failed[position])
		case !marked && example != "" && neverNull[position] != "":
			t.Errorf("%s is null without an error: remove it from neverNull", position)
		case marked:
			marks++
			failed += all.failed[position]
		}
	}
	t.Logf("%d positions with @semanticNonNull were null %d times, always with an error", marks, failed)
	if failed < *nulled/10 {
		t.Errorf("only %d nulls of fields with @semanticNonNull: the store fails too rarely", failed)
	}
}

func deleteSome(t *testing.T, s *peopleGateway, pool map[string][]string) {
	for _, table := range []struct{ name, pool string }{
		{tables.Users.Table, "user username"}, {tables.Roles.Table, "role code"},
		{tables.Departments.Table, "department code"}, {tables.Games.Table, "game code"},
	} {
		for i, key := range pool[table.pool] {
			if i%7 == 3 {
				s.commitDeletion(t, table.name, key)
			}
		}
	}
}

func (e *executors) collectNulls(t *testing.T, all *nulls, pool map[string][]string, random uint64, n int) {
	var next, executed atomic.Int64
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				q := &queries{Rand: rand.New(rand.NewPCG(random, uint64(i))), schema: e.schema, pool: pool}
				r := q.request(q.query())
				r.faults.missing = 0
				document, errs := gqlparser.LoadQueryWithRules(e.schema, r.query, rules.NewDefaultRules())
				if errs != nil {
					continue
				}
				r.query = formatted(e.schema, document)
				status, body := r.send(e.planned)
				if status != http.StatusOK {
					return fmt.Errorf("status %d: %s\n%s", status, body, r)
				}
				if err := all.add(document.Operations[0], "Query", body); err != nil {
					return fmt.Errorf("%w\n%s", err, r)
				}
				executed.Add(1)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatalf("seed %d: %v", random, err)
	}
	if t.Logf("%d of %d queries were executed", executed.Load(), n); executed.Load() < int64(n)*7/10 {
		t.Error("too few queries were executed")
	}
}

func (e *executors) collectNullsOfComments(t *testing.T, all *nulls, viewers []string) {
	ids := e.known["comment"]
	const text = `query($ids:[ID!]!){nodes(ids:$ids){...on Comment{twit{id}}}}`
	document, errs := gqlparser.LoadQueryWithRules(e.schema, text, rules.NewDefaultRules())
	if errs != nil {
		t.Fatal(errs)
	}
	query := formatted(e.schema, document)
	for _, viewer := range viewers[:min(len(viewers), 60)] {
		r := request{query: query, viewer: auth.Viewer{Username: viewer},
			variables: map[string]any{"ids": ids[:min(len(ids), relay.MaxPage)]}}
		_, body := r.send(e.planned)
		if err := all.add(document.Operations[0], "Query", body); err != nil {
			t.Fatal(err)
		}
	}
}

func formatted(schema *ast.Schema, document *ast.QueryDocument) string {
	for _, operation := range document.Operations {
		operation.SelectionSet = withTypenames(schema, operation.SelectionSet, "Query")
	}
	for _, fragment := range document.Fragments {
		fragment.SelectionSet = withTypenames(schema, fragment.SelectionSet, fragment.TypeCondition)
	}
	var text strings.Builder
	formatter.NewFormatter(&text).FormatQueryDocument(document)
	return text.String()
}

func collectNullsOfMutations(t *testing.T, all *nulls) {
	send := func(s *peopleGateway, viewer oracle.Viewer, mutation, input string) {
		payload := all.schema.Types[all.schema.Mutation.Fields.ForName(mutation).Type.Name()]
		text := s.ids.Replace("mutation{" + mutation + "(input:" + input + ")" + everyField(all.schema, payload, 3) + "}")
		document, errs := gqlparser.LoadQueryWithRules(all.schema, text, rules.NewDefaultRules())
		if errs != nil {
			t.Fatal(errs, text)
		}
		if err := all.add(document.Operations[0], "Mutation", s.ask(t, text, nil, viewer)); err != nil {
			t.Fatal(err)
		}
	}
	limits := newLimitGateway(t)
	for _, r := range userErrorCases {
		send(limits, as("boss"), r.mutation, r.input)
	}
	folder := folderOf(t, people)
	for mutation, input := range mutationInputs {
		s := newPeopleGateway(t, folder)
		send(s, as("ghost"), mutation, input)
		send(s, root, mutation, input)
		send(newPeopleGateway(t, folder), as("boss"), mutation, input)
	}
}

func everyField(schema *ast.Schema, typ *ast.Definition, depth int) string {
	text := "{__typename"
	for _, field := range typ.Fields {
		below := schema.Types[field.Type.Name()]
		required := false
		for _, argument := range field.Arguments {
			required = required || argument.Type.NonNull
		}
		switch {
		case required || strings.HasPrefix(field.Name, "__") || below.IsAbstractType():
		case !below.IsCompositeType():
			text += " " + field.Name
		case depth > 0:
			text += " " + field.Name + everyField(schema, below, depth-1)
		}
	}
	return text + "}"
}
