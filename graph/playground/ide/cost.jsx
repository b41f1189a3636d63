// The panel with the cost of the last request: figures, execution and plan.
import { ToolbarButton, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { boundOf, useCost } from './costs.js';
import { explain, measure, measures, setTab } from './fetcher.js';
import { bytes, count, milliseconds } from './format.js';
import { Icon } from './icon.jsx';
import { PlanTree } from './plantree.jsx';
import { forBrowser } from './settings.js';
import { Waterfall } from './waterfall.jsx';

export function Cost() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  useEffect(() => setTab(tab), [tab]);
  const cost = useCost(tab);
  const [chosen, choose] = useState(() => forBrowser.get('view') || 'execution');
  const [open, setOpen] = useState(true);
  if (!cost || !(cost.plan || cost.report || cost.time)) return null;
  const views = [
    { id: 'execution', title: 'Execution', picture: cost.report && <Waterfall {...cost} /> },
    { id: 'plan', title: 'Plan', picture: cost.plan && <PlanTree {...cost} /> },
  ].filter(({ picture }) => picture);
  const view = views.find(({ id }) => id === chosen) ?? views[0];
  const show = (id) => {
    choose(id);
    setOpen(true);
    forBrowser.set('view', id);
  };
  return (
    <section className="cost" aria-label="Cost">
      <header>
        <div role="tablist" aria-label="Pictures of the cost" onKeyDown={({ key, currentTarget }) => {
          if (views.length < 2 || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return;
          show(views.find(({ id }) => id !== view.id).id);
          currentTarget.querySelector('[aria-selected="false"]').focus();
        }}>
          {views.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`cost-${id}`}
              aria-controls="cost-view"
              aria-selected={id === view.id}
              tabIndex={id === view.id ? 0 : -1}
              onClick={() => show(id)}
            >
              {title}
            </button>
          ))}
        </div>
        <Figures {...cost} />
        {view && (
          <button type="button" className="fold" aria-expanded={open} aria-label="Picture of the cost" onClick={() => setOpen(!open)}>
            <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><path d={open ? 'M2 4l4 4 4-4' : 'M2 8l4-4 4 4'} /></svg>
          </button>
        )}
      </header>
      {view && open && <div id="cost-view" role="tabpanel" aria-labelledby={`cost-${view.id}`}>{view.picture}</div>}
    </section>
  );
}

function Figures({ time, size, report, plan }) {
  const totals = report ?? plan;
  // The plan has no calls of writers.
  const planned = plan && (report?.levels ?? []).every((level) => boundOf(plan, level));
  const most = (figure) => (report && planned ? plan[figure] : undefined);
  const servers = Math.max(...(report?.levels ?? []).map(({ regionServers }) => regionServers), 1);
  return (
    <dl className="figures">
      {time !== undefined && <Figure name="Response" title="From the request until the response was read" value={milliseconds(time)} />}
      {size !== undefined && <Figure name="Size" title="Of the JSON, before compression" value={bytes(size)} />}
      {report && <Figure name="Server" title="From the arrival of the request until its data were written" value={milliseconds(report.durationMs)} />}
      {totals && (
        <>
          <Figure name="Rounds" value={count(totals.rounds)} most={most('rounds')} />
          <Figure name="RPCs" value={count(totals.rpcs)} most={servers === 1 ? most('rpcs') : undefined} />
          <Figure name="Gets" value={count(totals.gets)} most={most('gets')} />
          <Figure name="Rows" value={count(totals.rows)} most={most('rows')} />
        </>
      )}
      {report && <Figure name="Read" title="Bytes of the keys and values that the store returned" value={bytes(report.bytes)} />}
    </dl>
  );
}

function Figure({ name, value, most, title }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{value}{most !== undefined && <span> ≤ {count(most)}</span>}</dd>
    </div>
  );
}

export function CostButtons() {
  const { run } = useGraphiQLActions();
  const busy = useGraphiQL((state) => state.isFetching);
  const [on, setOn] = useState(measures);
  const toggle = () => {
    measure(!on);
    setOn(!on);
  };
  return (
    <>
      <ToolbarButton onClick={() => explain(run)} disabled={busy} label="Explain: show the plan only" className="cost-explain">
        <Icon path="M5 5h5v4H5zM14 10h5v4h-5zM14 17h5v4h-5zM7.5 9v10H14M7.5 12H14" />
      </ToolbarButton>
      <ToolbarButton onClick={toggle} aria-pressed={on} label="Show the cost of requests" className="cost-report">
        <Icon path="M4 20h16M7 16v-5M12 16V5M17 16v-8" />
      </ToolbarButton>
    </>
  );
}
