package oracle

func (c *call) administrator() bool {
	return c.viewer.Admin || c.HasRole(c.viewer.Username, "admin")
}

func (c *call) owns(u *User) bool { return c.viewer.Username == u.Username || c.administrator() }

func (c *call) sees(u *User) bool { return c.owns(u) || c.Follows(c.viewer.Username, u.Username) }

func (c *call) seesTwit(t *Twit) bool {
	return !t.deleted && (!t.FollowersOnly || c.sees(t.Author))
}

func (c *call) seesComment(comment *Comment) bool {
	return c.sees(comment.Author) || c.viewer.Username == comment.Twit.Author.Username
}
