package oracle

// administrator reports whether the viewer is an administrator, by token or role.
func (c *call) administrator() bool {
	return c.viewer.Admin || c.HasRole(c.viewer.Username, "admin")
}

// owns reports whether the viewer sees private data of the user.
func (c *call) owns(u *User) bool { return c.viewer.Username == u.Username || c.administrator() }

// sees reports whether the viewer sees the user's twits for followers.
func (c *call) sees(u *User) bool { return c.owns(u) || c.Follows(c.viewer.Username, u.Username) }

func (c *call) seesTwit(t *Twit) bool {
	return !t.deleted && (!t.FollowersOnly || c.sees(t.Author))
}

func (c *call) seesComment(comment *Comment) bool {
	return c.sees(comment.Author) || c.viewer.Username == comment.Twit.Author.Username
}
