// Package outbox is a durable work queue, for the fan-out jobs of package feeds and the intents of
// package writers.
//
// # Protocol
//
// An item is a row. Its own columns never change. The row's other columns are a lease and the
// progress of the work. The lease decides which gateway works on the item:
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
//   - available: the lease has ended. A job is put with a lease that ended in 1970.
//   - leased: one gateway works on the item. After a failure, that gateway may start again before
//     the lease ends. An intent is put with a lease of its gateway, which already works on it.
//   - deferred: the work pauses. No gateway takes the item before the lease ends.
//   - released: the work is done, and the progress is final. Then the row is removed. After a crash
//     another gateway finds nothing to do, and removes the row. Work that records no writes removes
//     the leased item directly.
//
// Renew, Defer and Release are one CheckAndPut each, which expects the lease that was read, and
// stores a new lease with the progress. Each lease ends at least a millisecond after the previous
// one. So no two leases of an item are equal, and a late CheckAndPut fails.
//
// A removal also masks late puts of the item and its leases. For that, the timestamp of the removal
// must not be earlier than those of the leases: see [Properties.LeaseTimestamp].
//
// # Obligations of Work
//
// A paused gateway may continue after its lease ended, and a call of a dead gateway may take effect
// late. So two gateways may work on one item. This is safe if Work follows three rules:
//
//  1. Its writes are idempotent.
//  2. It renews the lease before the first write that could do harm if it arrives late. If the next
//     holder must check such writes, the renewal also records each write in the progress, before
//     Work sends the write. A gateway without the lease gets ErrLeaseLost and stops. So only
//     recorded writes can arrive late, and the next holder repeats and checks them.
//  3. If it records writes, it releases the item before the removal. The release fails if another
//     gateway has taken the item. So no removal loses writes that the other gateway recorded.
//
// # Finding items
//
// The id of an item starts with the time when the id was made. For intents and the jobs of
// operations, that time is the start of the attempt, so the put comes later. Every second a scan
// reads the items that have reached MinAge since the last scan, and items up to clockSkew older.
// The scan also reads older items that the last scan found: by key or, if they are many, by
// starting the scan earlier. A full scan every minute finds items with a late put or an id from a
// slow clock. Failed items are retried with a backoff.
package outbox
