// A request over time: bars of each round by region server and loader, and its Gets with the plan's
// bounds.
import { boundOf } from './costs.js';
import { count, fit, glyph, milliseconds, plural } from './format.js';
import { Picture } from './picture.jsx';

const heights = { server: 26, loader: 18 };
const axis = 24;
const gap = 8; // between rounds

export function Waterfall({ report, plan }) {
  const rounds = report.levels.map((level, index) => ({ level, round: index + 1, bound: boundOf(plan, level) }));
  const scale = {
    time: Math.max(report.durationMs, ...report.levels.map(({ startMs, ms }) => startMs + ms), 0.001),
    cost: Math.max(...rounds.map(({ level, bound }) => Math.max(costOf(level).number, bound?.[costOf(level).figure] ?? 0)), 1),
  };
  let y = axis;
  const rows = [];
  for (const { level, round, bound } of rounds) {
    for (const [index, server] of level.servers.entries()) {
      rows.push(serverRow({ level, round, bound, server, first: index === 0, y, scale }));
      y += heights.server;
    }
    for (const loader of level.loaders) {
      rows.push(loaderRow({ level, round, loader, y, scale }));
      y += heights.loader;
    }
    y += gap;
  }
  if (rows.length === 0) return <p className="nothing">Nothing was read.</p>;
  return (
    <Picture label="Execution, by round and region server" height={y} rows={rows} minWidth={300}>
      {(width) => <Axis {...columns(width)} time={scale.time} height={y - gap} />}
    </Picture>
  );
}

function columns(width) {
  const names = Math.min(Math.max(width * 0.3, 92), 240);
  const costs = Math.min(Math.max(width * 0.27, 100), 190);
  return { names, from: names + 8, to: width - costs - 12, costs: width - costs };
}

function costOf(level) {
  if (level.gets > 0) return { figure: 'gets', number: level.gets, noun: 'Get' };
  if (level.scans > 0) return { figure: 'rows', number: level.rows, noun: 'row' };
  return { figure: 'rpcs', number: level.rpcs, noun: 'RPC' };
}

// isWriter recognises the name of a writer's loader: the operation type and purpose.
function isWriter({ name }) {
  return name.includes(': ');
}

function serverRow({ level, round, bound, server, first, y, scale }) {
  const cost = costOf(level);
  // A report has the rows of a scan per level only.
  const number = cost.figure === 'gets' ? server.gets : cost.figure === 'rpcs' ? server.rpcs : first ? level.rows : 0;
  const most = bound?.[cost.figure];
  const begun = level.startMs + server.startMs;
  const figures = most === undefined ? plural(number, cost.noun) : `${plural(number, cost.noun)} of at most ${most.toLocaleString('en')}`;
  return {
    key: `${round} ${server.name}`,
    y,
    height: heights.server,
    data: { 'data-round': round, 'data-server': server.name, 'data-cost': number, 'data-bound': most, 'data-ms': server.ms },
    label: `Round ${round}, ${server.name}: ${figures}, ${plural(server.rpcs, 'RPC')}, ${milliseconds(server.ms)}`,
    hint: [
      [`Round ${round}`, server.name],
      ['Time', `${milliseconds(server.ms)}, after ${milliseconds(begun)}`],
      ['Cost', figures],
      ...(level.loaders.some(isWriter) ? [['Bound', 'None: an attempt is repeated if a concurrent write comes first']] : []),
      ['RPCs', server.rpcs],
      ['Tables', level.tables.join(', ')],
      ['Result', `${plural(level.rows, 'row')}, ${plural(level.bytes, 'byte')}`],
      ['For', level.path.join(', ')],
    ],
    content: (width) => {
      const place = columns(width);
      return (
        <>
          <text x="4" y={y + 17} className="round">{first ? round : ''}</text>
          <text x="24" y={y + 17}>{fit(server.name, place.names - 24)}</text>
          <Bar className="server" {...place} start={begun} ms={server.ms} y={y + 6} height={14} time={scale.time} />
          <Cost x={place.costs} width={width - place.costs - 4} y={y + 6} number={number} most={most} noun={cost.noun} scale={scale.cost} />
        </>
      );
    },
  };
}

function loaderRow({ level, round, loader, y, scale }) {
  const end = level.startMs + level.ms;
  const start = Math.max(end - loader.ms, 0);
  const keys = loader.keys > 0 && `${plural(loader.keys, 'key')}${loader.hits > 0 ? `, ${plural(loader.hits, 'hit')}` : ''}`;
  return {
    key: `${round} loader ${loader.name}`,
    y,
    height: heights.loader,
    data: { 'data-loader': loader.name, 'data-keys': loader.keys, 'data-hits': loader.hits },
    label: `Round ${round}, ${loader.name}: ${keys || 'no keys'}, ${plural(loader.gets, 'Get')}`,
    hint: [
      [isWriter(loader) ? 'Writer' : 'Loader', loader.name],
      ['Keys', `${loader.keys}, ${loader.hits} requested before`],
      ['Gets', loader.gets],
      ['Tables', level.tables.join(', ')],
      ['Time', `${milliseconds(loader.ms)}, of which ${milliseconds(level.ms)} at the store`],
    ],
    content: (width) => {
      const place = columns(width);
      return (
        <>
          <text x="24" y={y + 13} className="faint">{fit(loader.name, place.names - 24)}</text>
          <Bar className="loader" {...place} start={start} ms={end - start} y={y + 7} height={4} time={scale.time} />
          <text x={width - 4} y={y + 13} className="faint end">{keys}</text>
        </>
      );
    },
  };
}

function Bar({ className, from, to, start, ms, y, height, time }) {
  const at = (ms) => from + (ms / time) * (to - from);
  return <rect className={className} x={at(start)} y={y} width={Math.max(at(start + ms) - at(start), 2)} height={height} rx="2" />;
}

// Cost draws a number in front of its bound, as shares of the largest number or bound.
function Cost({ x, width, y, number, most, noun, scale }) {
  const text = most === undefined ? `${count(number)} ${noun}${number === 1 ? '' : 's'}` : `${count(number)} ≤ ${count(most)}`;
  const track = width - 14 * glyph;
  const of = (n) => Math.max((n / scale) * track, n > 0 ? 3 : 0);
  return (
    <>
      {track > 30 && most !== undefined && <rect className="bound" x={x + 0.5} y={y + 0.5} width={of(most)} height={13} rx="2" />}
      {track > 30 && <rect className="actual" x={x} y={y + 3} width={of(number)} height={8} rx="2" />}
      <text x={x + width} y={y + 11} className="end">{text}</text>
    </>
  );
}

function Axis({ from, to, time, height }) {
  const steps = Math.max(Math.min(Math.floor((to - from) / 56), 6), 1);
  let step = nice(time / steps);
  while (step > time) step /= 2;
  const marks = Array.from({ length: Math.floor(time / step + 1e-9) + 1 }, (_, index) => index * step);
  return (
    <g aria-hidden="true">
      {marks.map((mark) => {
        const x = Math.round(from + (mark / time) * (to - from)) + 0.5;
        return (
          <g key={mark}>
            <line className="grid" x1={x} x2={x} y1={axis - 6} y2={height} />
            <text className="faint middle" x={x} y={12}>{Number(mark.toPrecision(3))}{mark === 0 ? ' ms' : ''}</text>
          </g>
        );
      })}
    </g>
  );
}

// nice rounds up to 1, 2 or 5 times a power of ten.
function nice(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= step * 0.999);
}
