// Package permission decides who may do what. docs/PERMISSIONS.md has the same table; tests compare
// the two.
package permission

import (
	"strings"

	"twibase/graph/auth"
)

// AdminRole is the code of the role whose holders are administrators.
const AdminRole = "admin"

// Who is a set of roles that a viewer can have towards an object.
type Who uint8

// The roles.
const (
	Stranger   Who = 1 << iota // every viewer, with a token or without
	User                       // a viewer with a token
	Owner                      // the user that the action is about; the author of a twit or a comment
	TwitAuthor                 // the author of the twit that a comment is on
	Follower                   // a follower of the owner
	Admin                      // an administrator
)

// Action is something that not every viewer may do.
type Action uint8

// The actions, in the order of the table. The zero value is permitted to no viewer. Reads without an
// action, such as that of a name, are permitted to every viewer.
const (
	SignUp Action = iota + 1
	LogIn
	CreateUser
	UpdateUser
	DeleteUser
	Follow
	Unfollow
	PostTwit
	DeleteTwit
	Like
	Unlike
	AddComment
	DeleteComment
	CreateRole
	UpdateRole
	DeleteRole
	AssignRole
	RevokeRole
	CreateDepartment
	UpdateDepartment
	MoveDepartment
	DeleteDepartment
	CreateGame
	UpdateGame
	DeleteGame
	RecordPlay
	SeeEmail
	SeeTimeline
	SeeTwit
	SeeMoment
	CountMoments
	SeeComment
	Subscribe
	actions
)

const (
	everybody = Stranger | users
	users     = User | Owner | TwitAuthor | Follower | Admin
	own       = Owner | Admin
)

// table has the roles that permit each action. Its names are those of docs/PERMISSIONS.md.
var table = [actions]struct {
	name string
	who  Who
}{
	SignUp:           {"signUp", everybody},
	LogIn:            {"logIn", everybody},
	CreateUser:       {"createUser", Admin},
	UpdateUser:       {"updateUser", own},
	DeleteUser:       {"deleteUser", own},
	Follow:           {"follow", users},
	Unfollow:         {"unfollow", users},
	PostTwit:         {"postTwit", users},
	DeleteTwit:       {"deleteTwit", own},
	Like:             {"like", users},
	Unlike:           {"unlike", users},
	AddComment:       {"addComment", users},
	DeleteComment:    {"deleteComment", own | TwitAuthor},
	CreateRole:       {"createRole", Admin},
	UpdateRole:       {"updateRole", Admin},
	DeleteRole:       {"deleteRole", Admin},
	AssignRole:       {"assignRole", Admin},
	RevokeRole:       {"revokeRole", Admin},
	CreateDepartment: {"createDepartment", Admin},
	UpdateDepartment: {"updateDepartment", Admin},
	MoveDepartment:   {"moveDepartment", Admin},
	DeleteDepartment: {"deleteDepartment", Admin},
	CreateGame:       {"createGame", Admin},
	UpdateGame:       {"updateGame", Admin},
	DeleteGame:       {"deleteGame", Admin},
	RecordPlay:       {"recordPlay", users},
	SeeEmail:         {"User.email", own},
	SeeTimeline:      {"User.timeline", own},
	SeeTwit:          {"Twit, for everybody", everybody},
	SeeMoment:        {"Twit, for followers", own | Follower},
	CountMoments:     {"User.twitCount, User.album.totalCount", own | Follower},
	SeeComment:       {"Comment", own | TwitAuthor | Follower},
	Subscribe:        {"timelineTwitAdded", users},
}

// About is the object of an action. Its fields are empty where there is none.
type About struct {
	// Owner is the user that the action is about, or the author of the twit or the comment.
	Owner string
	// TwitAuthor is the author of the twit that a comment is on.
	TwitAuthor string
}

// Verdict is whether an action is permitted, as far as that is known without a read.
type Verdict struct {
	Yes     bool
	IfAdmin bool // it is permitted if the viewer is an administrator
	// IfFollows is the user whom the viewer has to follow, empty if the verdict does not depend on that.
	IfFollows string
}

// Decide decides whether a viewer may do something. known is false for a viewer without a token: then
// viewer is ignored.
func Decide(action Action, viewer auth.Viewer, known bool, about About) Verdict {
	who := table[action].who
	is := Stranger
	if known {
		is |= User
		if about.Owner == viewer.Username {
			is |= Owner
		}
		if about.TwitAuthor == viewer.Username {
			is |= TwitAuthor
		}
		if viewer.Admin {
			is |= Admin
		}
	}
	verdict := Verdict{Yes: who&is != 0}
	if !verdict.Yes && known {
		verdict.IfAdmin = who&Admin != 0
		if who&Follower != 0 {
			verdict.IfFollows = about.Owner
		}
	}
	return verdict
}

// String returns the action's name.
func (a Action) String() string { return table[a].name }

// For describes the viewers to whom the action is permitted, as in "administrators".
func (a Action) For() string {
	var list []string
	for _, role := range []struct {
		who  Who
		name string
	}{
		{User, "whoever has logged in"}, {Owner, "whose it is"}, {TwitAuthor, "the author of the twit"},
		{Follower, "followers"}, {Admin, "administrators"},
	} {
		if table[a].who&role.who != 0 {
			list = append(list, role.name)
			if role.who == User {
				break
			}
		}
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}
