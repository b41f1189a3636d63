package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
	"twibase/graph/relay"
	"twibase/hbase/tables"
)

type naming struct {
	mutation, key, id string
	object            *tables.AnyObject
	optional          bool
}

// namings are the fields that name an existing object, except the username of a log-in.
func namings(t *testing.T, s *ast.Schema) (all []naming) {
	t.Helper()
	for _, mutation := range s.Mutation.Fields {
		input := s.Types[mutation.Arguments.ForName("input").Type.Name()]
		changed := tables.ObjectNamed(strings.ToLower(strings.TrimLeft(mutation.Name, "abcdefghijklmnopqrstuvwxyz")))
		for _, field := range input.Fields {
			n := naming{mutation: mutation.Name, key: field.Name, id: field.Name + "Id"}
			switch target := tables.TargetOf(field.Name); {
			case target != nil:
				n.object, n.optional = target, true
			case field.Name == "username":
				n.object, n.id = tables.ObjectNamed("user"), "userId"
			case field.Name == "code":
				n.object, n.id = changed, changed.Name+"Id"
			default:
				n.object = tables.ObjectNamed(field.Name)
			}
			creates := slices.Contains([]string{"signUp", "logIn"}, n.mutation) || strings.HasPrefix(n.mutation, "create")
			if n.object == nil || field.Type.NonNull && creates {
				continue
			}
			if id := input.Fields.ForName(n.id); field.Type.NonNull || id == nil || id.Type.String() != "ID" {
				t.Errorf("%s.%s names a %s, but is not nullable with %s: ID as a sibling", input.Name, n.key, n.object.Name, n.id)
			}
			all = append(all, n)
		}
	}
	return all
}

func (n naming) with(fields string) string {
	input := regexp.MustCompile(`\b`+n.key+`:("\w*"|null),?`).ReplaceAllString(mutationInputs[n.mutation], "")
	return strings.NewReplacer("{,", "{", ",}", "}").Replace("{" + fields + "," + input[1:])
}

func (n naming) named() string {
	if m := regexp.MustCompile(`\b` + n.key + `:"(\w+)"`).FindStringSubmatch(mutationInputs[n.mutation]); m != nil {
		return m[1]
	}
	return "empty"
}

func (n naming) byKey(key string) string { return fmt.Sprintf("%s:%q", n.key, key) }

func (n naming) byID(key string) string {
	return n.id + ":" + string(relay.AppendID(nil, tables.ID{Noun: n.object.Noun, Key: key}))
}

func (n naming) run(t *testing.T, s *peopleGateway, fields string) string {
	t.Helper()
	object := strings.ToLower(strings.TrimLeft(n.mutation, "abcdefghijklmnopqrstuvwxyz"))
	if object == "" {
		object = "user"
	} else if object == "play" {
		object = "game"
	}
	query := fmt.Sprintf(`mutation{%s(input:%s){changed:%s{id name}userErrors{code field path}}}`, n.mutation, n.with(fields), object)
	body := s.ask(t, s.ids.Replace(query), nil, as("boss"))
	if a, err := decodeAnswer(body); err != nil || len(a.Errors) > 0 {
		t.Fatalf("%s: %s", query, body)
	}
	return string(body)
}

func TestInputsNameObjectsByKeyOrID(t *testing.T) {
	folder := folderOf(t, people)
	all := namings(t, exec.NewPlannedSchema(exec.Config{}, tasksOf).Schema())
	if len(all) < 20 {
		t.Fatalf("found only %d names: %v", len(all), all)
	}
	for _, n := range all {
		t.Run(n.mutation+"/"+n.id, func(t *testing.T) {
			s := newPeopleGateway(t, folder)
			rejected := func(field string) string {
				return fmt.Sprintf(`"userErrors":[{"code":"BAD_USER_INPUT","field":%q,"path":[%q]}]`, field, field)
			}
			before := allCells(t, s.store)
			bad := map[string]string{
				n.byKey(n.named()) + "," + n.byID(n.named()): rejected(n.id),
				n.id + `:"<p>"`:   rejected(n.id),
				n.id + `:"LiLei"`: rejected(n.id),
				n.id + `:""`:      rejected(n.id),
			}
			if !n.optional {
				bad[""] = rejected(n.key)
				bad[n.key+":null,"+n.id+":null"] = rejected(n.key)
			}
			for fields, want := range bad {
				if got := n.run(t, s, fields); !strings.Contains(got, want) {
					t.Errorf("%s: got %s, want %s", fields, got, want)
				}
			}
			byKey, byID := n.run(t, s, n.byKey("nowhere")), n.run(t, s, n.byID("nowhere"))
			path := `"field":%q,"path":[%[1]q]`
			if want := strings.ReplaceAll(byKey, fmt.Sprintf(path, n.key), fmt.Sprintf(path, n.id)); byID != want {
				t.Errorf("an id without an object: got %s, want %s", byID, want)
			}
			if diff := cmp.Diff(before, allCells(t, s.store)); diff != "" {
				t.Errorf("the store changed (-before +after):\n%s", diff)
			}
			byKey = n.run(t, newPeopleGateway(t, folder), n.byKey(n.named()))
			byID = n.run(t, s, n.byID(n.named())+","+n.key+":null")
			if byID != byKey || !strings.Contains(byKey, `"userErrors":[]`) {
				t.Errorf("got %s, want %s", byID, byKey)
			}
		})
	}
}
