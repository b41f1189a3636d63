// Package permission says who may do what. docs/PERMISSIONS.md is the same table for people, and tests hold both to each other.
package permission

import (
	"strings"

	"twibase/graph/auth"
)

// AdminRole is the code of the role whose holders are administrators.
const AdminRole = "admin"

// Who are sorts of people, a bit for each. One viewer may be of many.
type Who uint8

// The sorts.
const (
	Stranger   Who = 1 << iota // whoever there is, with a token or without
	User                       // whoever has a token
	Owner                      // the user whom it is about; the author of a twit or a comment
	TwitAuthor                 // the author of the twit that a comment is on
	Follower                   // whoever follows the owner
	Admin                      // an administrator
)

// Action is something that not everybody may do.
type Action uint8

// The actions, in the order of the table. The zero value is none of them and is permitted to no viewer. Reads that have no
// action here, such as that of a name, are permitted to every viewer.
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

// table says who may. Its names are those of docs/PERMISSIONS.md.
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

// About is what an action is about, as far as there is such a thing.
type About struct {
	// Owner is the user whom it is about, or the author of what it is about.
	Owner string
	// TwitAuthor is the author of the twit that a comment is on.
	TwitAuthor string
}

// Verdict is whether a viewer may, as far as that is known without reading anything. One who may not yet may after all if the viewer is an
// administrator, or follows somebody.
type Verdict struct {
	Yes     bool
	IfAdmin bool
	// IfFollows is whom, empty if it does not depend on that.
	IfFollows string
}

// Decide is the one function that says who may do what. Known is false for a stranger, whose viewer is not looked at.
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

// For says whom it is for, as in "administrators", for one who may not.
func (a Action) For() string {
	var list []string
	for _, sort := range []struct {
		who  Who
		name string
	}{{User, "whoever has logged in"}, {Owner, "whose it is"}, {TwitAuthor, "the author of the twit"}, {Follower, "followers"}, {Admin, "administrators"}} {
		if table[a].who&sort.who != 0 {
			list = append(list, sort.name)
			if sort.who == User {
				break
			}
		}
	}
	last := len(list) - 1
	if last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}
