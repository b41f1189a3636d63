package tables

// own are the tables of the rows that an object of a noun has of its own: its attributes, its lists, and its edges to others.
var own = map[Noun][]string{
	NounUser: {Users.Table, Following.Table, Follows.Table, Albums.Table, Timelines.Table, UserComments.Table, UserRoles.Table, Assignments.Table,
		UserGames.Table, Plays.Table},
	NounTwit:       {Comments.Table},
	NounRole:       {Roles.Table},
	NounDepartment: {Departments.Table},
	NounGame:       {Games.Table},
}

// Own returns the tables of the rows that the object has of its own. They are those for which [IsOf] holds.
func (id ID) Own() []string { return own[id.Noun] }
