package writers

// grown begins to cut the bucket that a member was added to, if the list has become so long that it may be too long.
func (x *execution) grown(*member, map[column]int) {}
