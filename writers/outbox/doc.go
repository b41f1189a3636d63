// Package outbox runs durable background work: items that a write left in the store, for any gateway to do.
//
// # Protocol
//
// An item is one row. It has the item's own columns, which are written once, a lease, and the progress of
// the work. All gateways scan the table. A lease decides which of them works on an item:
//
//		        put                Renew                Release              remove
//		(none) ─────► available ──────────► leased ──────────────► released ────────► (none)
//		               ▲     ▲               │  │                   │
//		               │     └───────────────┘  │ Defer             │ crash or failure
//		               │       lease ends       ▼                   │
//		               ├──────────────────── deferred               │
//		               │  lease ends                                │
//		               └────────────────────────────────────────────┘
//
//	  - available: the lease ended. A new item has a lease that may have ended in 1970, so an item always has one.
//	  - leased: one gateway works on the item until the lease ends. It renews the lease as it makes progress,
//	    and each renewal stores that progress. The same gateway may take its own item again before that, for
//	    instance after a failure.
//	  - deferred: the work pauses. Nobody takes the item before the lease ends, the last holder neither.
//	  - released: the work is done, and the stored progress says so. Then the row is removed.
//
// Renew, Defer and Release are one CheckAndPut each. It expects the lease that was read, and writes the
// new lease together with the progress. A new lease ends at least a millisecond after the one before it,
// so no two leases of an item are equal, and a CheckAndPut that reaches the store late changes nothing.
//
// # Crashes
//
//	the gateway dies        the store has         what follows
//	before the put          no item               the intent of the write puts it, under the same id
//	after the put           an available item     a scan finds it within a second
//	during the work         a leased item         LeaseTime after the last renewal another gateway
//	                                              continues from the stored progress
//	before the removal      a released item       another gateway finds nothing left to do and removes it
//	during the removal      either of the two     the same
//
// A removal masks a put of the same item that arrives later, and since it removes the lease, every CheckAndPut
// that arrives later fails. So the timestamps of an item's leases are not later than that of its removal: see
// Config.LeaseTimestamp.
//
// # Item types
//
// A Config says what the items of a table are. There are two types:
//
//	                  fan-out jobs (package feeds)        intents (package writers)
//	put               with a lease that ended in 1970     with a lease of the gateway that executes the operation
//	found             at once, by Notify or a scan        by a scan, from an age of five seconds on (MinAge)
//	start             -                                   not before Due
//	renewed           by the work, with its progress      by Keep, beside the work
//	lease timestamp   the store's clock                   the intent's, as of its removal
//	removed           by the outbox, at the greatest      by the work
//	                  timestamp there is
//	workers           one pool                            two pools, the second for what is Long
//
// # Why an item may run twice
//
// A lease is a matter of clocks. A gateway that was paused for longer than its lease, or whose clock is
// slow, still believes that it holds the item. So two gateways can work on one item at the same time, and a
// call to the store can take effect long after its gateway died. This does no harm if Work follows three
// rules:
//
//  1. Its writes are idempotent.
//  2. It renews the lease before its first write, and again before writes that the stored progress does not
//     cover. A gateway that lost the lease gets ErrLost there, and stops. So all that can still arrive from
//     it is what the stored progress announces, and the next holder repeats or checks just that. Work without
//     progress is repeated as a whole, and whatever it writes late is masked or the same.
//  3. If anybody else's late writes would need checking, it releases the item before it reports that it is
//     done. Then no other gateway can have announced writes that the removal would forget.
//
// # Finding items
//
// The id of an item starts with the time at which it was put, by the clock of the gateway that put it.
// Every second a scan reads of each shard what it could not have seen in the scan before, less clockSkew, and by
// their keys the items that it saw. So it does not step over the deletion markers of all that was removed
// since the oldest was put. If these are more than maxEarlier, it reads from the oldest on. Once a minute, and
// at the start, a full scan reads from the beginning: it finds items that were put late or by a clock that is
// far behind. Items that this gateway put itself start at once, by Notify. The oldest item goes first. What
// fails waits, each time longer, before this gateway tries it again; other gateways may take it when its lease
// has ended.
package outbox
