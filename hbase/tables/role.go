package tables

// Role is a role of users.
type Role struct {
	Code           string
	Name           *string
	Version        *string
	DepartmentCode *string // of the department that defines the role
	UserCount      *int
}

func (r *Role) ID() ID { return ID{NounRole, r.Code} }

// Roles are the roles, by code.
var Roles = &Object[Role]{
	AnyObject: AnyObject{Noun: NounRole, Name: "role", Table: "roles", Reusable: true, CheckKey: CheckCode},

	key: func(r *Role) *string { return &r.Code }, keyColumn: "id",
	attributes: []attribute[Role]{
		text("name", func(r *Role) **string { return &r.Name }).inFile("name", ParseLine).writable(OfLine),
		version(func(r *Role) **string { return &r.Version }),
		text("department", func(r *Role) **string { return &r.DepartmentCode }).
			inFile("department", checked(CheckCode)).writable(OfCode),
		count("userCount", func(r *Role) **int { return &r.UserCount }),
	},
}

// Assignments relate users to roles.
var Assignments = &Relation{
	Name: "assignRole", Inverse: "revokeRole", Verb: "has the role", Table: "assignments", File: "user_roles",
	From:   End{List: &UserRoles.AnyList, Column: "username", Argument: "Username", Input: "username"},
	To:     End{List: &RoleUsers.AnyList, Column: "role", Argument: "Role", Input: "role"},
	Strict: true,
}

// RoleUsers are the users of a role, ascending.
var RoleUsers = nameList(
	AnyList{Table: "roles", Family: "u", Owner: &Roles.AnyObject, Count: "userCount", Cursor: 'h'}, CheckUsername)

// UserRoles are the roles of a user, ascending.
var UserRoles = nameList(
	AnyList{Table: "user_roles", Family: "l", Owner: &Users.AnyObject, Count: "roleCount", Cursor: 'r'}, CheckCode)

func nameList(l AnyList, check func(string) error) *List[string] {
	return newList(List[string]{
		AnyList: l,
		decode: func(_ *Memory, _, qualifier string, _ []byte) (string, error) {
			return qualifier, check(qualifier)
		},
		encode: func(name string) (string, []byte) { return name, nil },
	})
}

// Definers are the departments that define roles.
var Definers = reference(Reference{Attribute: "department"}, Roles, DepartmentRoles,
	func(r *Role) *string { return r.DepartmentCode },
	func(r *Role) string { return r.Code },
	func(code string) string { return code })
