package tables

// Role is what a person can be, such as an administrator. Fields but the code are nil where they were not read or are absent; counts then are zero.
type Role struct {
	Code    string
	Name    *string
	Version *string
	// DepartmentCode is the department that defines the role.
	DepartmentCode *string
	UserCount      *int
}

// ID names the role.
func (r *Role) ID() ID { return ID{NounRole, r.Code} }

// Roles are the roles, by code.
var Roles = &Object[Role]{
	Table: "roles",
	key:   func(r *Role) *string { return &r.Code },
	attributes: []attribute[Role]{
		text("name", func(r *Role) **string { return &r.Name }),
		version(func(r *Role) **string { return &r.Version }),
		text("department", func(r *Role) **string { return &r.DepartmentCode }),
		count("userCount", func(r *Role) **int { return &r.UserCount }),
	},
}

// RoleUsers are the usernames of those who have the role, ascending.
var RoleUsers = nameList("roles", "u", "roles", "userCount", CheckUsername)

// UserRoles are the codes of the roles that the user has, ascending.
var UserRoles = nameList("user_roles", "l", "users", "roleCount", CheckCode)

// nameList is a list of names in their own order.
func nameList(table, family, countTable, count string, check func(string) error) *List[string] {
	return &List[string]{
		Table: table, Family: family, CountTable: countTable, Count: count,
		position: check,
		decode: func(_ *Memory, _, qualifier string, _ []byte) (string, error) {
			return qualifier, check(qualifier)
		},
		encode: func(name string) (string, []byte) { return name, nil },
	}
}
