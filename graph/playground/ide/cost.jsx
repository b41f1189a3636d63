// The cost of requests: a button to explain the request instead of running it, a switch for reports, and their view.
import { ToolbarButton, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useState, useSyncExternalStore } from 'react';

// The extensions of the last response. Only the fetcher changes them.
let shown = null;
const listeners = new Set();

function show(cost) {
  shown = cost;
  for (const listener of listeners) listener();
}

function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let reporting = false; // request reports
let explaining = false; // explain the current request

// costing returns a fetcher that requests and shows reports and plans.
export function costing(fetcher) {
  return async (params, options) => {
    if (params.operationName === 'IntrospectionQuery') return fetcher(params, options);
    const header = explaining ? 'X-Twibase-Explain' : reporting ? 'X-Twibase-Report' : null;
    show(null);
    if (!header) return fetcher(params, options);
    const response = await fetcher(params, { ...options, headers: { ...options?.headers, [header]: '1' } });
    show(response.extensions ?? null);
    return response;
  };
}

export function Cost() {
  const cost = useSyncExternalStore(subscribe, () => shown);
  if (!cost) return null;
  return (
    <section className="cost" aria-label="Cost">
      {cost.plan && <pre>{cost.plan.text}</pre>}
      {cost.report && <Report {...cost.report} />}
    </section>
  );
}

function Report({ levels, rounds, gets, scans, rpcs, rows, bytes, durationMs }) {
  return (
    <>
      <p>
        {rounds} rounds, {gets} Gets, {scans} scans, {rpcs} RPCs, {rows} rows, {bytes} bytes in {durationMs} ms
      </p>
      <table>
        <thead>
          <tr>{['level', 'loader', 'keys', 'hits', 'Gets', 'ms'].map((name) => <th key={name}>{name}</th>)}</tr>
        </thead>
        <tbody>
          {levels.flatMap((level, index) =>
            level.loaders.map(({ name, keys, hits, gets, ms }) => (
              <tr key={`${index} ${name}`} title={level.path.join('\n')}>
                {[index + 1, name, keys, hits, gets, ms].map((value, column) => <td key={column}>{value}</td>)}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </>
  );
}

export function CostButtons() {
  const { run } = useGraphiQLActions();
  const busy = useGraphiQL((state) => state.isFetching);
  const [pressed, press] = useState(reporting);
  const explain = () => {
    explaining = true;
    run(); // calls the fetcher synchronously
    explaining = false;
  };
  const toggle = () => press((reporting = !reporting));
  return (
    <>
      <ToolbarButton onClick={explain} disabled={busy} label="Explain: show the reads" className="cost-explain">
        <Icon path="M5 5h5v4H5zM14 10h5v4h-5zM14 17h5v4h-5zM7.5 9v10H14M7.5 12H14" />
      </ToolbarButton>
      <ToolbarButton onClick={toggle} aria-pressed={pressed} label="Report the cost" className="cost-report">
        <Icon path="M4 20h16M7 16v-5M12 16V5M17 16v-8" />
      </ToolbarButton>
    </>
  );
}

const Icon = ({ path }) => (
  <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d={path} />
  </svg>
);
