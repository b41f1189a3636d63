package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// known are the ids of what there is, by the names of the nouns.
type known map[string][]string

// thing returns what a hash picks of a noun, whole: a promise of it would fail at another place than gqlgen's executor has it fail.
func (h holey) thing(ctx context.Context, noun string, hash uint64) (model.Node, error) {
	ids := h.known[noun]
	id, err := relay.UnmarshalID(ids[hash%uint64(len(ids))])
	if err != nil {
		return nil, err
	}
	switch noun {
	case "user":
		return read(ctx, loaders.Users, "User", id.Key)
	case "role":
		return read(ctx, loaders.Roles, "Role", id.Key)
	case "department":
		return read(ctx, loaders.Departments, "Department", id.Key)
	case "game":
		return read(ctx, loaders.Games, "Game", id.Key)
	}
	return h.Resolver.Query().Node(ctx, id)
}

func read[T any](ctx context.Context, objects loaders.Object[T], typ, key string) (model.Node, error) {
	var fields []string
	for _, field := range walkSchema.Types[typ].Fields {
		fields = append(fields, field.Name)
	}
	things, err := objects.Read(ctx, []string{key}, fields)
	if err != nil || things[0] == nil {
		return nil, err
	}
	return any(things[0]).(model.Node), nil
}

func hashOf(name string, input any) uint64 {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	h := fnv.New64a()
	fmt.Fprint(h, name, string(text))
	return h.Sum64() >> 7
}

// nouns names those that payloads have, by their types.
var nouns = map[reflect.Type]string{
	reflect.TypeFor[*tables.User](): "user", reflect.TypeFor[*tables.Role](): "role", reflect.TypeFor[*tables.Department](): "department",
	reflect.TypeFor[*tables.Game](): "game", reflect.TypeFor[*tables.Twit](): "twit", reflect.TypeFor[*tables.Comment](): "comment",
}

// payload makes up what a mutation answers, the same for the same input, and changes nothing: with things that exist, errors of the user, and holes.
func payload[P any](ctx context.Context, h holey, name string, input any) (*P, error) {
	w, hash := whimsOf(ctx), hashOf(name, input)
	switch {
	case w.hit(w.holes*2, name, fmt.Sprint(hash)):
		return nil, hbase.ErrUnavailable
	case w.hit(w.holes*2, "nil "+name, fmt.Sprint(hash)):
		return nil, nil
	case w.hit(w.holes*4, "panic "+name, fmt.Sprint(hash)):
		panic(name)
	}
	loaders.Forget(ctx) // as those do that change something
	p := new(P)
	fields := reflect.ValueOf(p).Elem()
	for i := range fields.NumField() {
		field, name := fields.Field(i), fields.Type().Field(i).Name
		switch noun := nouns[field.Type()]; {
		case noun != "" && hash>>i%4 > 0:
			thing, err := h.thing(ctx, noun, hash>>i)
			if err != nil {
				return nil, err
			}
			if thing := reflect.ValueOf(thing); thing.IsValid() {
				field.Set(thing)
			}
		case name == "UserErrors" && hash>>i%4 > 0: // else it is null where it must not be
			field.Set(reflect.ValueOf([]*model.UserError{}))
			for n := range hash >> i % 3 {
				var e *model.UserError
				if !w.hit(w.holes, "user error", fmt.Sprint(hash, n)) {
					e = &model.UserError{Code: "NOT_FOUND", Message: "a \"reason\"\n" + fmt.Sprint(n)}
				}
				field.Set(reflect.Append(field, reflect.ValueOf(e)))
			}
		case name == "ClientMutationID":
			text := fmt.Sprint(hash)
			field.Set(reflect.ValueOf(&text))
		}
	}
	return p, nil
}

func (h holey) Mutation() exec.MutationResolver         { return holeyMutation{h} }
func (h holey) Subscription() exec.SubscriptionResolver { return holeySubscription{h} }

type holeySubscription struct{ holey }

// tell sends some twits, of which some are null.
func (h holeySubscription) tell(ctx context.Context, hash uint64) (<-chan *tables.Twit, error) {
	w := whimsOf(ctx)
	if w.hit(w.holes*2, "subscription", fmt.Sprint(hash)) {
		return nil, hbase.ErrUnavailable
	}
	ctx = h.Resolver.Fresh(ctx)
	events := make(chan *tables.Twit, 4)
	defer close(events)
	for n := range hash % 5 {
		thing, err := h.thing(ctx, "twit", hash>>n)
		if err != nil {
			return nil, err
		}
		twit, _ := thing.(*tables.Twit)
		events <- twit
	}
	return events, nil
}

func (h holeySubscription) TwitPosted(ctx context.Context, username string, _ *tables.ID) (<-chan *tables.Twit, error) {
	return h.tell(ctx, hashOf("twitPosted", username))
}

func (h holeySubscription) TimelineTwitAdded(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
	return h.tell(ctx, hashOf("timelineTwitAdded", after))
}

type holeyMutation struct{ holey }

func (h holeyMutation) SignUp(ctx context.Context, input model.SignUpInput) (*model.SignUpPayload, error) {
	return payload[model.SignUpPayload](ctx, h.holey, "SignUp", input)
}

func (h holeyMutation) LogIn(ctx context.Context, input model.LogInInput) (*model.LogInPayload, error) {
	return payload[model.LogInPayload](ctx, h.holey, "LogIn", input)
}

func (h holeyMutation) AddComment(ctx context.Context, input model.AddCommentInput) (*model.AddCommentPayload, error) {
	return payload[model.AddCommentPayload](ctx, h.holey, "AddComment", input)
}

func (h holeyMutation) DeleteComment(ctx context.Context, input model.DeleteCommentInput) (*model.DeleteCommentPayload, error) {
	return payload[model.DeleteCommentPayload](ctx, h.holey, "DeleteComment", input)
}

func (h holeyMutation) CreateDepartment(ctx context.Context, input model.CreateDepartmentInput) (*model.CreateDepartmentPayload, error) {
	return payload[model.CreateDepartmentPayload](ctx, h.holey, "CreateDepartment", input)
}

func (h holeyMutation) UpdateDepartment(ctx context.Context, input model.UpdateDepartmentInput) (*model.UpdateDepartmentPayload, error) {
	return payload[model.UpdateDepartmentPayload](ctx, h.holey, "UpdateDepartment", input)
}

func (h holeyMutation) MoveDepartment(ctx context.Context, input model.MoveDepartmentInput) (*model.MoveDepartmentPayload, error) {
	return payload[model.MoveDepartmentPayload](ctx, h.holey, "MoveDepartment", input)
}

func (h holeyMutation) DeleteDepartment(ctx context.Context, input model.DeleteDepartmentInput) (*model.DeleteDepartmentPayload, error) {
	return payload[model.DeleteDepartmentPayload](ctx, h.holey, "DeleteDepartment", input)
}

func (h holeyMutation) CreateGame(ctx context.Context, input model.CreateGameInput) (*model.CreateGamePayload, error) {
	return payload[model.CreateGamePayload](ctx, h.holey, "CreateGame", input)
}

func (h holeyMutation) UpdateGame(ctx context.Context, input model.UpdateGameInput) (*model.UpdateGamePayload, error) {
	return payload[model.UpdateGamePayload](ctx, h.holey, "UpdateGame", input)
}

func (h holeyMutation) DeleteGame(ctx context.Context, input model.DeleteGameInput) (*model.DeleteGamePayload, error) {
	return payload[model.DeleteGamePayload](ctx, h.holey, "DeleteGame", input)
}

func (h holeyMutation) RecordPlay(ctx context.Context, input model.RecordPlayInput) (*model.RecordPlayPayload, error) {
	return payload[model.RecordPlayPayload](ctx, h.holey, "RecordPlay", input)
}

func (h holeyMutation) CreateRole(ctx context.Context, input model.CreateRoleInput) (*model.CreateRolePayload, error) {
	return payload[model.CreateRolePayload](ctx, h.holey, "CreateRole", input)
}

func (h holeyMutation) UpdateRole(ctx context.Context, input model.UpdateRoleInput) (*model.UpdateRolePayload, error) {
	return payload[model.UpdateRolePayload](ctx, h.holey, "UpdateRole", input)
}

func (h holeyMutation) DeleteRole(ctx context.Context, input model.DeleteRoleInput) (*model.DeleteRolePayload, error) {
	return payload[model.DeleteRolePayload](ctx, h.holey, "DeleteRole", input)
}

func (h holeyMutation) AssignRole(ctx context.Context, input model.AssignRoleInput) (*model.AssignRolePayload, error) {
	return payload[model.AssignRolePayload](ctx, h.holey, "AssignRole", input)
}

func (h holeyMutation) RevokeRole(ctx context.Context, input model.RevokeRoleInput) (*model.RevokeRolePayload, error) {
	return payload[model.RevokeRolePayload](ctx, h.holey, "RevokeRole", input)
}

func (h holeyMutation) PostTwit(ctx context.Context, input model.PostTwitInput) (*model.PostTwitPayload, error) {
	return payload[model.PostTwitPayload](ctx, h.holey, "PostTwit", input)
}

func (h holeyMutation) DeleteTwit(ctx context.Context, input model.DeleteTwitInput) (*model.DeleteTwitPayload, error) {
	return payload[model.DeleteTwitPayload](ctx, h.holey, "DeleteTwit", input)
}

func (h holeyMutation) Like(ctx context.Context, input model.LikeInput) (*model.LikePayload, error) {
	return payload[model.LikePayload](ctx, h.holey, "Like", input)
}

func (h holeyMutation) Unlike(ctx context.Context, input model.UnlikeInput) (*model.UnlikePayload, error) {
	return payload[model.UnlikePayload](ctx, h.holey, "Unlike", input)
}

func (h holeyMutation) CreateUser(ctx context.Context, input model.CreateUserInput) (*model.CreateUserPayload, error) {
	return payload[model.CreateUserPayload](ctx, h.holey, "CreateUser", input)
}

func (h holeyMutation) UpdateUser(ctx context.Context, input model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	return payload[model.UpdateUserPayload](ctx, h.holey, "UpdateUser", input)
}

func (h holeyMutation) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	return payload[model.DeleteUserPayload](ctx, h.holey, "DeleteUser", input)
}

func (h holeyMutation) Follow(ctx context.Context, input model.FollowInput) (*model.FollowPayload, error) {
	return payload[model.FollowPayload](ctx, h.holey, "Follow", input)
}

func (h holeyMutation) Unfollow(ctx context.Context, input model.UnfollowInput) (*model.UnfollowPayload, error) {
	return payload[model.UnfollowPayload](ctx, h.holey, "Unfollow", input)
}
