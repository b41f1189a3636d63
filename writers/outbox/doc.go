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
//	  - available: the lease ended. A new item has a lease, too, which may have ended in 1970.
//	  - leased: one gateway works on the item. Each renewal of the lease also stores the progress. The same
//	    gateway may take its own item again before the lease ends, for instance after a failure.
//	  - deferred: the work pauses. No gateway takes the item before the lease ends, the last holder neither.
//	  - released: the work is done, and the stored progress says so. Then the row is removed.
//
// Renew, Defer and Release are one CheckAndPut each, from the lease that was read to a new lease and the
// progress. A new lease ends at least a millisecond after the one before it, also a released one. So no two
// leases of an item are equal, and a CheckAndPut that arrives late fails.
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
// A removal masks a put of the same item that arrives later, and removes the lease, so that a late
// CheckAndPut fails. For that, the timestamps of the leases are not later than that of the removal: see
// [Properties.LeaseTimestamp].
//
// # Item types
//
//	                  fan-out jobs (package feeds)        intents (package writers)
//	put               with a lease that ended in 1970     with a lease of the gateway that executes the operation
//	found             at once, by Notify or a scan        by a scan, from an age of five seconds on (MinAge)
//	start             -                                   not before Due
//	renewed           by the work, with its progress      by Keep, beside the work
//	lease timestamp   the store's clock                   the intent's, as of its removal
//	removed           at the greatest timestamp           at the intent's timestamp
//	workers           one pool                            two pools, the second for what is Long
//
// # Obligations of Work
//
// A gateway that was paused, or whose clock is slow, still believes that it holds a lease that has ended, and
// its calls may take effect long after its death. So two gateways may work on one item at the same time. This
// does no harm if Work follows three rules:
//
//  1. Its writes are idempotent.
//  2. It renews the lease before its first write, and before writes that the stored progress does not cover.
//     A gateway that lost the lease gets ErrLost there, and stops. So what can still arrive from it is what the
//     stored progress announces, and the next holder repeats or checks just that. Work without progress is
//     repeated as a whole.
//  3. If the late writes of others would need checking, it releases the item before it removes it.
//     Then no other gateway can have announced writes that the removal would forget.
//
// # Finding items
//
// The id of an item starts with the time at which it was put, by the clock of the gateway that put it. Every
// second a scan reads what was put since the scan before, less clockSkew, and by their keys the items that it
// saw then. Once a minute, and at the start, a full scan finds what was put late, or by a clock that is far
// behind. The oldest item goes first. What fails waits, each time longer, before this gateway tries it again.
package outbox
