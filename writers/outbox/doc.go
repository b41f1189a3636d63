// Package outbox is a durable work queue, for the fan-out jobs of package feeds and the intents of
// package writers.
//
// # Protocol
//
// An item is a row. Its own columns never change. Its other columns are the progress of the work,
// and a lease, which decides which gateway works on the item:
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
//   - leased: one gateway works on the item, and may start again after a failure. An intent is put
//     with the lease of its gateway, which already works on it.
//   - deferred: the work pauses. No gateway takes the item before the lease ends.
//   - released: the progress is final. Then the row is removed, after a crash by another gateway.
//     Work that records no writes removes the leased item directly.
//
// Renew, Defer and Release are one CheckAndPut each. It expects the lease that was read, and stores
// a new lease with the progress. Each lease ends at least a millisecond after the previous one. So
// no two leases of an item are equal, and a late CheckAndPut fails.
//
// A removal also masks late puts of the item and its leases: see [Properties.LeaseTimestamp].
//
// # Obligations of Work
//
// Two gateways may work on one item: a paused gateway may continue after its lease ended, and a
// call of a dead gateway may take effect late. This is safe if Work follows three rules:
//
//  1. Its writes are idempotent.
//  2. It renews the lease before the first write that could do harm if it arrives late. If the next
//     holder must check such writes, the renewal also records each of them in the progress. Without
//     the lease it fails. So only recorded writes can arrive late, and the next holder repeats and
//     checks them.
//  3. If it records writes, it releases the item before the removal. Without the lease the release
//     fails. So no removal loses writes that another gateway recorded.
//
// # Finding items
//
// The id of an item starts with the time when it was made. For intents and the jobs of operations,
// the attempt starts then, and the put comes later. Every second a scan reads the items that have
// reached MinAge since the last scan, and items up to clockSkew older. It also reads older items
// that the last scan found: by key or, if they are many, by starting earlier. A full scan every
// minute finds items with a late put or an id from a slow clock. Failed items are retried with a
// backoff.
package outbox
