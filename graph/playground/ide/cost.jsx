// What requests cost: a button that asks for the plan instead of running the request, one that asks for a report of each request that is run,
// and where both are shown.
import { ToolbarButton, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useState, useSyncExternalStore } from 'react';

// What is shown: the extensions of an answer. Only the fetcher changes it.
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

let reporting = false; // whether reports are asked for
let explaining = false; // whether what is sent now is to be explained

// costing returns a fetcher that asks for reports and plans, and shows them.
export function costing(fetcher) {
  return async (params, options) => {
    if (params.operationName === 'IntrospectionQuery') return fetcher(params, options);
    const header = explaining ? 'X-Twibase-Explain' : reporting ? 'X-Twibase-Report' : null;
    show(null);
    if (!header) return fetcher(params, options);
    const answer = await fetcher(params, { ...options, headers: { ...options?.headers, [header]: '1' } });
    show(answer.extensions ?? null);
    return answer;
  };
}

// Cost stands below the answer.
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
    run(); // calls the fetcher at once, if there is anything to send
    explaining = false;
  };
  const toggle = () => press((reporting = !reporting));
  return (
    <>
      <ToolbarButton onClick={explain} disabled={busy} label="Explain: what would it read?" className="cost-explain">
        <Icon path="M5 5h5v4H5zM14 10h5v4h-5zM14 17h5v4h-5zM7.5 9v10H14M7.5 12H14" />
      </ToolbarButton>
      <ToolbarButton onClick={toggle} aria-pressed={pressed} label="Report what it cost" className="cost-report">
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
