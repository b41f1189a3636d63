// The cost of the last request of each tab: { plan, report, time, size }. Each of them may be
// missing. Times are in ms, sizes in bytes.
import { useSyncExternalStore } from 'react';

const costs = new Map(); // by the id of the tab
const listeners = new Set();

export function showCost(tab, cost) {
  costs.set(tab, cost);
  for (const listener of listeners) listener();
}

export const useCost = (tab) => useSyncExternalStore(subscribe, () => costs.get(tab) ?? null);

function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// boundOf returns the maximum number of Gets and of rows of a report's level. It adds up the plan's
// reads with the fields and loaders of the level. A read that shares the Gets of another counts as
// that one. boundOf returns null for calls of writers, which are not in the plan.
export function boundOf(plan, level) {
  const loaders = new Set(level.loaders.map(({ name }) => name));
  const reads = new Set();
  for (const [index, read] of (plan?.reads ?? []).entries()) {
    if (level.path.includes(read.field) && loaders.has(read.name)) reads.add(plan.reads[read.with ?? index]);
  }
  if (reads.size === 0) return null;
  const sum = (figure) => [...reads].reduce((total, read) => total + read[figure], 0);
  return { gets: sum('gets'), rows: sum('rows') };
}
