// Package outbox is a durable work queue, for fan-out jobs and intents.
//
// # Protocol
//
// An item is a row. Its own columns never change. Other columns have the progress of the work, and
// the lease, which decides which gateway works on the item:
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
//     with the lease of its gateway.
//   - deferred: no gateway takes the item before the lease ends.
//   - released: the progress is final. Then the row is removed: by the same gateway or, if that
//     crashes, by another one.
//
// Renew, Defer and Release are one CheckAndPut each. It expects the lease that was read, and stores
// the progress and a lease that ends at least a millisecond later. So no two leases of an item are
// equal, and a late CheckAndPut fails.
//
// A removal also masks late puts of the item and its leases: see [Properties.LeaseTimestamp].
//
// # Obligations of Work
//
// After its lease has ended, a paused gateway may continue, and a call of a dead gateway may take
// effect. This is safe if Work follows three rules:
//
//  1. Its writes are idempotent.
//  2. It renews the lease before the first write that could do harm if it arrives late. If the next
//     holder must check such writes, the renewal also records each write in the progress before
//     Work sends it, and fails without the lease. So only recorded writes can arrive late, and the
//     next holder repeats and checks them.
//  3. If it records writes, it releases the item before the removal. Without the lease the release
//     fails. So no removal loses writes that another gateway recorded.
//
// # Finding items
//
// The id of an item starts with the time when the id was made. For intents and the jobs of
// operations, that is the start of the attempt, so the put comes later. Every second a scan reads
// the items that have reached MinAge since the last scan, and items up to clockSkew older. It also
// reads older items that the last scan found: by key or, if they are many, by starting earlier. A
// full scan every minute finds items with a late put or an id from a slow clock.
package outbox
