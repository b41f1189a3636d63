package hbase

import "errors"

// The errors of a store. Engines wrap them with what happened; callers ask with errors.Is.
var (
	// ErrInvalid is a request that no store can serve.
	ErrInvalid = errors.New("hbase: invalid request")
	// ErrCellTooLarge is a cell of more than [MaxCellSize].
	ErrCellTooLarge = errors.New("hbase: cell too large")
	// ErrTableNotFound is a table that does not exist.
	ErrTableNotFound = errors.New("hbase: table not found")
	// ErrTableExists is a table that exists already.
	ErrTableExists = errors.New("hbase: table exists")
	// ErrFamilyNotFound is a column family that the table does not have.
	ErrFamilyNotFound = errors.New("hbase: column family not found")
	// ErrNotLong is an increment of a cell that does not hold eight bytes.
	ErrNotLong = errors.New("hbase: field is not a long")
	// ErrUnavailable is a region or a server that does not answer now. A retry may help: it is Temporary.
	ErrUnavailable error = unavailable{}
	// ErrCorrupt is stored data that can't be decoded. It is never reported as absence.
	ErrCorrupt = errors.New("hbase: corrupt data")
	// ErrLocked is an embedded store that another process has open.
	ErrLocked = errors.New("hbase: store is in use by another process")
	// ErrFormat is an embedded store that a newer version wrote.
	ErrFormat = errors.New("hbase: store has an unknown format")
	// ErrClosed is a call of a store that was closed.
	ErrClosed = errors.New("hbase: store is closed")
)

type unavailable struct{}

func (unavailable) Error() string { return "hbase: unavailable" }

// Temporary tells callers that do not know stores that a retry may help.
func (unavailable) Temporary() bool { return true }
