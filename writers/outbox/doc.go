// Package outbox is a durable work queue, for the fan-out jobs of package feeds and the intents of
// package writers.
//
// # Protocol
//
// An item is a row with the item's own columns, which never change, a lease, and the progress of
// the work. The lease decides which gateway works on an item:
//
//	        put                Renew                Release              remove
//	(none) ─────► available ──────────► leased ──────────────► released ────────► (none)
//	               ▲     ▲               │  │  │                │                   ▲
//	               │     └───────────────┘  │  └────────────────┼───────────────────┘
//	               │       lease ends       ▼ Defer             │  remove: no recorded writes
//	               ├──────────────────── deferred               │
//	               │  lease ends                                │ crash or failure
//	               └────────────────────────────────────────────┘
//
// The states:
//   - available: the lease has ended. Jobs are put with a lease that ended in 1970, and begin as
//     available. Intents are put with a lease of their gateway, which already works on them, and
//     begin as leased.
//   - leased: one gateway works on the item. After a failure it may start again before the lease
//     ends.
//   - deferred: the work pauses. No gateway takes the item before the lease ends.
//   - released: the work is done, and the progress is final. Then the row is removed. Work that
//     records no writes removes the leased item directly.
//
// Renew, Defer and Release are one CheckAndPut each: it expects the lease that was read, and stores
// a new lease with the progress. Each lease ends at least a millisecond after the one before it. So
// no two leases of an item are equal, and a late CheckAndPut fails.
//
// # Crashes
//
//	the gateway dies        the store has         recovery
//	before the put          no item               the sweep that completes the operation puts its job
//	after the put           an available item     a scan finds it, within a second of its MinAge
//	during the work         a leased item         another gateway continues from the progress after the lease
//	after the release       a released item       another gateway finds nothing left to do and removes it
//
// A removal also deletes the lease, and masks late puts of the item. For that, the timestamps of
// leases must not be later than that of the removal: [Properties.LeaseTimestamp].
//
// # Obligations of Work
//
// A paused gateway may work on an item after its lease ended, and a call may take effect after the
// gateway's death. So two gateways may work on one item. This is safe if Work follows three rules:
//
//  1. Its writes are idempotent.
//  2. It renews the lease before its first write that could do harm by arriving late. If the next
//     holder must check such writes, each is recorded in the progress first, by the CheckAndPut
//     that renews the lease. A gateway without the lease gets ErrLeaseLost there and stops. So only
//     recorded writes can arrive late, and the next holder repeats and checks them.
//  3. If it records writes, it releases the item before it removes it: no other gateway can then
//     have recorded writes that the removal would forget.
//
// # Finding items
//
// The id of an item starts with the time when the id was made: for an intent, and for the jobs of
// an operation, when the attempt that committed began. The put may come later. Every second a scan
// reads the items that have reached MinAge since the last scan, and those that are up to clockSkew
// older. It also reads earlier items that the last scan found: by key or, if they are many, by
// starting the scan earlier. A full scan once a minute finds items whose put arrived late or whose
// id is from a slow clock. A failed item is retried with a backoff.
package outbox
