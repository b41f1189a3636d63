package tables

import "twibase/hbase"

// AnnouncementAgain reads an announcement and writes it again.
func (l *AnyList) AnnouncementAgain(c hbase.Cell) (hbase.Cell, error) {
	fresh, err := l.decodeAnnouncement(c.Value)
	if err != nil {
		return hbase.Cell{}, corrupt(err, "announcement")
	}
	return l.AnnouncementCell(fresh, 0), nil
}
