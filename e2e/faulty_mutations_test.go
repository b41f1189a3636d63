package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"time"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
)

type known map[string][]string

// object reads the row, because a lazy object would fail at another path than gqlgen's.
func (h faultyResolvers) object(ctx context.Context, noun string, hash uint64) (model.Node, error) {
	ids := h.known[noun]
	id, err := relay.UnmarshalID(ids[hash%uint64(len(ids))])
	if err != nil {
		return nil, err
	}
	switch noun {
	case "user":
		return readObject(ctx, loaders.Users, "User", id.Key)
	case "role":
		return readObject(ctx, loaders.Roles, "Role", id.Key)
	case "department":
		return readObject(ctx, loaders.Departments, "Department", id.Key)
	case "game":
		return readObject(ctx, loaders.Games, "Game", id.Key)
	}
	return h.Resolver.Query().Node(ctx, id)
}

func readObject[T any](ctx context.Context, objects loaders.Object[T], typ, key string) (model.Node, error) {
	var fields []string
	for _, field := range apiSchema.Types[typ].Fields {
		fields = append(fields, field.Name)
	}
	read, err := objects.Read(ctx, []string{key}, fields)
	if err != nil || read[0] == nil {
		return nil, err
	}
	return any(read[0]).(model.Node), nil
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

var nouns = map[reflect.Type]string{
	reflect.TypeFor[*tables.User](): "user", reflect.TypeFor[*tables.Role](): "role",
	reflect.TypeFor[*tables.Department](): "department",
	reflect.TypeFor[*tables.Game]():       "game", reflect.TypeFor[*tables.Twit](): "twit",
	reflect.TypeFor[*tables.Comment](): "comment",
}

// payload depends only on the input, and writes nothing.
func payload[P any](ctx context.Context, h faultyResolvers, name string, input any) (*P, error) {
	plan, hash := faultPlanOf(ctx), hashOf(name, input)
	switch {
	case plan.applies(plan.missing*2, name, fmt.Sprint(hash)):
		return nil, hbase.ErrUnavailable
	case plan.applies(plan.missing*2, "nil "+name, fmt.Sprint(hash)):
		return nil, nil
	case plan.applies(plan.missing*4, "panic "+name, fmt.Sprint(hash)):
		panic(name)
	}
	loaders.Forget(ctx)
	p := new(P)
	fields := reflect.ValueOf(p).Elem()
	for i := range fields.NumField() {
		field, name := fields.Field(i), fields.Type().Field(i).Name
		switch noun := nouns[field.Type()]; {
		case noun != "" && hash>>i%4 > 0:
			o, err := h.object(ctx, noun, hash>>i)
			if err != nil {
				return nil, err
			}
			if v := reflect.ValueOf(o); v.IsValid() {
				field.Set(v)
			}
		case name == "UserErrors" && hash>>i%4 > 0: // otherwise null in a non-null field
			field.Set(reflect.ValueOf([]*model.UserError{}))
			for n := range hash >> i % 3 {
				var e *model.UserError
				if !plan.applies(plan.missing, "user error", fmt.Sprint(hash, n)) {
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

func (h faultyResolvers) Mutation() exec.MutationResolver         { return faultyMutation{h} }
func (h faultyResolvers) Subscription() exec.SubscriptionResolver { return faultySubscription{h} }

type faultySubscription struct{ faultyResolvers }

func eventsOf[T any](
	ctx context.Context, h faultySubscription, hash uint64, pick func(ctx context.Context, hash uint64) (*T, error),
) (<-chan *T, error) {
	p := faultPlanOf(ctx)
	if p.applies(p.missing*2, "subscription", fmt.Sprint(hash)) {
		return nil, hbase.ErrUnavailable
	}
	ctx = h.Resolver.WithLoaders(ctx)
	events := make(chan *T, 4)
	defer close(events)
	for n := range 1 + hash%4 {
		event, err := pick(ctx, hash>>n)
		if err != nil {
			return nil, err
		}
		events <- event
	}
	return events, nil
}

func objectsOf[T any](h faultySubscription, noun string) func(context.Context, uint64) (*T, error) {
	return func(ctx context.Context, hash uint64) (*T, error) {
		o, err := h.object(ctx, noun, hash)
		event, _ := any(o).(*T)
		return event, err
	}
}

func (h faultySubscription) TwitPosted(
	ctx context.Context, username string, _ *tables.ID,
) (<-chan *tables.Twit, error) {
	return eventsOf(ctx, h, hashOf("twitPosted", username), objectsOf[tables.Twit](h, "twit"))
}

func (h faultySubscription) TimelineTwitAdded(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
	return eventsOf(ctx, h, hashOf("timelineTwitAdded", after), objectsOf[tables.Twit](h, "twit"))
}

func (h faultySubscription) CommentAdded(
	ctx context.Context, twitID tables.ID, _ *tables.ID,
) (<-chan *tables.Comment, error) {
	return eventsOf(ctx, h, hashOf("commentAdded", twitID), objectsOf[tables.Comment](h, "comment"))
}

func (h faultySubscription) TwitDeleted(
	ctx context.Context, username string, _ *string,
) (<-chan *tables.TwitDeletion, error) {
	pick := func(_ context.Context, hash uint64) (*tables.TwitDeletion, error) {
		id, err := relay.UnmarshalID(h.known["twit"][hash%uint64(len(h.known["twit"]))])
		if err != nil || id.Noun != tables.NounTwit || hash%5 == 0 {
			return nil, err
		}
		key, err := tables.ParseTwitKey(id.Key)
		return &tables.TwitDeletion{At: time.UnixMilli(int64(hash % 1e12)), Twit: key}, err
	}
	return eventsOf(ctx, h, hashOf("twitDeleted", username), pick)
}

func (h faultySubscription) FollowerChanged(
	ctx context.Context, after *string,
) (<-chan *tables.FollowerChange, error) {
	pick := func(_ context.Context, hash uint64) (*tables.FollowerChange, error) {
		id, err := relay.UnmarshalID(h.known["user"][hash%uint64(len(h.known["user"]))])
		if err != nil || id.Noun != tables.NounUser || hash%5 == 0 {
			return nil, err
		}
		return &tables.FollowerChange{At: time.UnixMilli(int64(hash % 1e12)), Follower: id.Key, Added: hash%2 == 0}, nil
	}
	return eventsOf(ctx, h, hashOf("followerChanged", after), pick)
}

type faultyMutation struct{ faultyResolvers }

func (h faultyMutation) SignUp(ctx context.Context, input model.SignUpInput) (*model.SignUpPayload, error) {
	return payload[model.SignUpPayload](ctx, h.faultyResolvers, "SignUp", input)
}

func (h faultyMutation) LogIn(ctx context.Context, input model.LogInInput) (*model.LogInPayload, error) {
	return payload[model.LogInPayload](ctx, h.faultyResolvers, "LogIn", input)
}

func (h faultyMutation) AddComment(ctx context.Context, input model.AddCommentInput) (*model.AddCommentPayload, error) {
	return payload[model.AddCommentPayload](ctx, h.faultyResolvers, "AddComment", input)
}

func (h faultyMutation) DeleteComment(
	ctx context.Context, input model.DeleteCommentInput,
) (*model.DeleteCommentPayload, error) {
	return payload[model.DeleteCommentPayload](ctx, h.faultyResolvers, "DeleteComment", input)
}

func (h faultyMutation) CreateDepartment(
	ctx context.Context, input model.CreateDepartmentInput,
) (*model.CreateDepartmentPayload, error) {
	return payload[model.CreateDepartmentPayload](ctx, h.faultyResolvers, "CreateDepartment", input)
}

func (h faultyMutation) UpdateDepartment(
	ctx context.Context, input model.UpdateDepartmentInput,
) (*model.UpdateDepartmentPayload, error) {
	return payload[model.UpdateDepartmentPayload](ctx, h.faultyResolvers, "UpdateDepartment", input)
}

func (h faultyMutation) MoveDepartment(
	ctx context.Context, input model.MoveDepartmentInput,
) (*model.MoveDepartmentPayload, error) {
	return payload[model.MoveDepartmentPayload](ctx, h.faultyResolvers, "MoveDepartment", input)
}

func (h faultyMutation) DeleteDepartment(
	ctx context.Context, input model.DeleteDepartmentInput,
) (*model.DeleteDepartmentPayload, error) {
	return payload[model.DeleteDepartmentPayload](ctx, h.faultyResolvers, "DeleteDepartment", input)
}

func (h faultyMutation) CreateGame(ctx context.Context, input model.CreateGameInput) (*model.CreateGamePayload, error) {
	return payload[model.CreateGamePayload](ctx, h.faultyResolvers, "CreateGame", input)
}

func (h faultyMutation) UpdateGame(ctx context.Context, input model.UpdateGameInput) (*model.UpdateGamePayload, error) {
	return payload[model.UpdateGamePayload](ctx, h.faultyResolvers, "UpdateGame", input)
}

func (h faultyMutation) DeleteGame(ctx context.Context, input model.DeleteGameInput) (*model.DeleteGamePayload, error) {
	return payload[model.DeleteGamePayload](ctx, h.faultyResolvers, "DeleteGame", input)
}

func (h faultyMutation) RecordPlay(ctx context.Context, input model.RecordPlayInput) (*model.RecordPlayPayload, error) {
	return payload[model.RecordPlayPayload](ctx, h.faultyResolvers, "RecordPlay", input)
}

func (h faultyMutation) CreateRole(ctx context.Context, input model.CreateRoleInput) (*model.CreateRolePayload, error) {
	return payload[model.CreateRolePayload](ctx, h.faultyResolvers, "CreateRole", input)
}

func (h faultyMutation) UpdateRole(ctx context.Context, input model.UpdateRoleInput) (*model.UpdateRolePayload, error) {
	return payload[model.UpdateRolePayload](ctx, h.faultyResolvers, "UpdateRole", input)
}

func (h faultyMutation) DeleteRole(ctx context.Context, input model.DeleteRoleInput) (*model.DeleteRolePayload, error) {
	return payload[model.DeleteRolePayload](ctx, h.faultyResolvers, "DeleteRole", input)
}

func (h faultyMutation) AssignRole(ctx context.Context, input model.AssignRoleInput) (*model.AssignRolePayload, error) {
	return payload[model.AssignRolePayload](ctx, h.faultyResolvers, "AssignRole", input)
}

func (h faultyMutation) RevokeRole(ctx context.Context, input model.RevokeRoleInput) (*model.RevokeRolePayload, error) {
	return payload[model.RevokeRolePayload](ctx, h.faultyResolvers, "RevokeRole", input)
}

func (h faultyMutation) PostTwit(ctx context.Context, input model.PostTwitInput) (*model.PostTwitPayload, error) {
	return payload[model.PostTwitPayload](ctx, h.faultyResolvers, "PostTwit", input)
}

func (h faultyMutation) DeleteTwit(ctx context.Context, input model.DeleteTwitInput) (*model.DeleteTwitPayload, error) {
	return payload[model.DeleteTwitPayload](ctx, h.faultyResolvers, "DeleteTwit", input)
}

func (h faultyMutation) Like(ctx context.Context, input model.LikeInput) (*model.LikePayload, error) {
	return payload[model.LikePayload](ctx, h.faultyResolvers, "Like", input)
}

func (h faultyMutation) Unlike(ctx context.Context, input model.UnlikeInput) (*model.UnlikePayload, error) {
	return payload[model.UnlikePayload](ctx, h.faultyResolvers, "Unlike", input)
}

func (h faultyMutation) CreateUser(ctx context.Context, input model.CreateUserInput) (*model.CreateUserPayload, error) {
	return payload[model.CreateUserPayload](ctx, h.faultyResolvers, "CreateUser", input)
}

func (h faultyMutation) UpdateUser(ctx context.Context, input model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	return payload[model.UpdateUserPayload](ctx, h.faultyResolvers, "UpdateUser", input)
}

func (h faultyMutation) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	return payload[model.DeleteUserPayload](ctx, h.faultyResolvers, "DeleteUser", input)
}

func (h faultyMutation) Follow(ctx context.Context, input model.FollowInput) (*model.FollowPayload, error) {
	return payload[model.FollowPayload](ctx, h.faultyResolvers, "Follow", input)
}

func (h faultyMutation) Unfollow(ctx context.Context, input model.UnfollowInput) (*model.UnfollowPayload, error) {
	return payload[model.UnfollowPayload](ctx, h.faultyResolvers, "Unfollow", input)
}
