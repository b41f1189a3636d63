package embedded

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"twibase/hbase"
)

// checkLogs looks for damage in the write-ahead log, and in MANIFEST, the list of files. Pebble
// treats a damaged record as the end of a log that a crash cut off, and would lose acknowledged
// writes without an error.
func checkLogs(dir string, fs vfs.FS) error {
	desc, err := pebble.Peek(dir, fs)
	if err != nil || !desc.Exists {
		return err
	}
	if err := checkLog(fs, desc.ManifestFilename, logFile{}); err != nil {
		return err
	}
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		digits, ok := strings.CutSuffix(name, ".log")
		number, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil {
			continue
		}
		if err := checkLog(fs, fs.PathJoin(dir, name), logFile{writes: true, number: uint32(number)}); err != nil {
			return err
		}
	}
	return nil
}

func checkLog(fs vfs.FS, name string, log logFile) error {
	f, err := fs.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if log.data, err = io.ReadAll(f); err != nil {
		return err
	}
	if at := log.damage(); at >= 0 {
		return fmt.Errorf("%w: %s is damaged at byte %d", hbase.ErrCorrupt, name, at)
	}
	return nil
}

// logFile is a log of Pebble's: blocks of 32 KB that hold chunks.
//
//	┌────────────┬──────────┬────────┬───────────────┬────────────────────────────┬──────────┐
//	│ checksum 4 │ length 2 │ kind 1 │ log number 4  │ synced bytes of the log 8  │ content… │
//	└────────────┴──────────┴────────┴───────────────┴────────────────────────────┴──────────┘
//	└── short header: MANIFEST ──────┘
//	└── long header: write-ahead log, kinds 9 to 12 ──────────────────────────────┘
//
// A record of MANIFEST, usually one chunk, was synced before the next record was written.
type logFile struct {
	data   []byte
	writes bool
	number uint32
}

const (
	logBlock    = 32 << 10
	shortHeader = 7
	longHeader  = 19
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damage returns the offset of a damaged chunk, or -1. An unreadable chunk is damaged if a later
// chunk shows that it was synced. In MANIFEST, it is also damaged if a crash can't have cut it
// short.
func (l logFile) damage() int {
	for at := 0; at < len(l.data); {
		room := logBlock - at%logBlock
		if room < l.header() {
			at += room
			continue
		}
		if n, _ := l.chunk(at); n > 0 {
			at += n
			continue
		}
		if l.synced(at) || !l.writes && !l.cutShort(at) {
			return at
		}
		return -1
	}
	return -1
}

func (l logFile) header() int {
	if l.writes {
		return longHeader
	}
	return shortHeader
}

// chunk returns the length of the chunk at an offset, or 0 if it is unreadable, and the bytes that
// were synced before it was written.
func (l logFile) chunk(at int) (length int, synced uint64) {
	header := l.header()
	if at+header > len(l.data) {
		return 0, 0
	}
	kind := l.data[at+6]
	known := kind >= 1 && kind <= 4
	if l.writes {
		known = kind >= 9 && kind <= 12 && binary.LittleEndian.Uint32(l.data[at+7:]) == l.number
	}
	if !known {
		return 0, 0
	}
	end := at + header + int(binary.LittleEndian.Uint16(l.data[at+4:]))
	if end > len(l.data) || end-at > logBlock-at%logBlock {
		return 0, 0
	}
	sum := crc32.Checksum(l.data[at+6:end], castagnoli)
	if binary.LittleEndian.Uint32(l.data[at:]) != (sum>>15|sum<<17)+0xa282ead8 {
		return 0, 0
	}
	if synced = uint64(at); l.writes {
		synced = binary.LittleEndian.Uint64(l.data[at+11:])
	}
	return end - at, synced
}

// synced reports whether a later chunk shows that the offset was synced.
func (l logFile) synced(at int) bool {
	for later := at + 1; later+l.header() <= len(l.data); later++ {
		if n, synced := l.chunk(later); n > 0 && synced > uint64(at) {
			return true
		}
	}
	return false
}

// cutShort reports whether a crash may have cut short a chunk at an offset.
func (l logFile) cutShort(at int) bool {
	if len(l.data)-at < shortHeader || strings.Trim(string(l.data[at:]), "\x00") == "" {
		return true
	}
	end := at + shortHeader + int(binary.LittleEndian.Uint16(l.data[at+4:]))
	return end > len(l.data) && end-at <= logBlock-at%logBlock
}
