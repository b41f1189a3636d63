package tables

import (
	"fmt"
	"strings"

	"twibase/hbase"
)

// Accounts are the hashes of the passwords of those who can log in, by username. They lie apart from [Users], so that no read of a user
// ever has one in its hands.
var Accounts = accounts{Table: "accounts"}

type accounts struct{ Table string }

const accountPassword = "password"

// Get reads the account of a user.
func (a accounts) Get(username string) hbase.Get {
	return hbase.Get{Table: a.Table, Row: RowKey(username), Columns: Attributes + ":" + accountPassword}
}

// Decode returns the hash of the password, empty if there is no account, and the timestamp of the cell that has it.
func (a accounts) Decode(cells []hbase.Cell) (hash string, timestamp int64, err error) {
	if len(cells) == 0 {
		return "", 0, nil
	}
	hash = string(cells[0].Value)
	if !strings.HasPrefix(hash, "$") || strings.ContainsFunc(hash, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", 0, fmt.Errorf("%w: an account's password is no hash", hbase.ErrCorrupt) // which nobody is to read in a log
	}
	return hash, cells[0].Timestamp, nil
}

// Put writes the hash of the password, in the PHC string format.
func (a accounts) Put(username, hash string, timestamp int64) hbase.Put {
	return hbase.Put{Table: a.Table, Row: RowKey(username), Cells: []hbase.Cell{textCell(accountPassword, hash, timestamp)}}
}

// Delete removes the account, as it was at that timestamp.
func (a accounts) Delete(username string, timestamp int64) hbase.Delete {
	return hbase.Delete{Table: a.Table, Row: RowKey(username), Columns: []hbase.Deletion{
		{Kind: hbase.AllVersions, Family: Attributes, Qualifier: accountPassword, Timestamp: timestamp}}}
}
