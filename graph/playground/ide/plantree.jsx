// The tree of an operation's fields, with the maximum rows of each in each round.
import { count, fit, glyph, plural, short } from './format.js';
import { Picture } from './picture.jsx';

const row = 24;
const head = 24;
const indent = 14;
const few = 8; // the number of rounds that fit in wide cells

export function PlanTree({ plan }) {
  const fields = treeOf(plan);
  const rounds = plan.levels.length;
  const cell = rounds > few ? 28 : 44; // the width of a round
  const most = Math.max(...plan.reads.map(({ gets, rows }) => Math.max(gets, rows)), 1);
  const longest = Math.max(...fields.map(({ depth, label }) => 8 + depth * indent + (label.length + 1) * glyph));
  // The names have the rest of the width, but at least a readable width.
  const names = (width) => Math.max(width - rounds * cell - 70, Math.min(longest, width * 0.4));
  const rows = fields.map((field, index) => {
    const y = head + index * row;
    return {
      key: field.path,
      y,
      height: row,
      data: { 'data-field': field.path, 'data-objects': field.objects },
      label: `${field.label}: ${plural(field.objects, 'object')} at most${field.reads.map((read) => `; ${describe(read)}`).join('')}`,
      hint: [
        ['Field', field.path],
        ['Returns', `at most ${plural(field.objects, 'object')}`],
        ...(field.error ? [['Fails', field.error]] : []),
        ...(field.open ? [['Without bound', field.open]] : []),
        ...field.reads.map((read) => [`Round ${roundsOf(read)}`, describe(read)]),
      ],
      content: (width) => {
        const left = names(width);
        const x = 8 + field.depth * indent;
        return (
          <>
            {field.parent >= 0 && (
              <path className="branch" d={`M${x - indent + 4} ${head + field.parent * row + 18}V${y + 12}H${x - 3}`} />
            )}
            <text x={x} y={y + 16} className={field.error ? 'failing' : ''}>{fit(field.label, left - x)}</text>
            <text x={left + 58} y={y + 16} className="faint end">{field.objects > 0 ? `→ ${count(field.objects)}` : ''}</text>
            {cellsOf(field.reads).map(({ level, rounds, rows, rare }) => (
              <Cell key={level} x={left + 66 + (level - 1) * cell} y={y} width={rounds * cell} {...{ rows, rare, most }} />
            ))}
          </>
        );
      },
    };
  });
  return (
    <>
      <Picture label="Plan: fields, and their reads by round" height={head + rows.length * row + 4} rows={rows} minWidth={Math.min(longest, 130) + 74 + rounds * cell}>
        {(width) => <Head left={names(width)} {...{ rounds, cell }} />}
      </Picture>
      <p className="legend">
        <span><i className="key reads" /> Gets or rows at most</span>
        <span><i className="key rare" /> only under a condition</span>
        <span><i className="key shared" /> in Gets of another field</span>
      </p>
    </>
  );
}

function treeOf({ fields, reads }) {
  const above = [];
  return fields.map((field, index) => {
    while (above.length > 0 && !field.path.startsWith(`${above.at(-1).path}.`)) above.pop();
    const [depth, parent] = [above.length, above.at(-1)?.index ?? -1];
    above.push({ path: field.path, index });
    return { ...field, depth, parent, reads: reads.filter((read) => read.field === field.path) };
  });
}

// cellsOf adds up the reads of a field that begin in the same round.
function cellsOf(reads) {
  const cells = new Map();
  for (const read of reads) {
    const { rounds, rows, rare } = cells.get(read.level) ?? { rounds: 1, rows: 0, rare: true };
    cells.set(read.level, {
      level: read.level,
      rounds: Math.max(rounds, read.rounds),
      rows: rows + read.rows,
      rare: rare && Boolean(read.if),
    });
  }
  return [...cells.values()];
}

function Cell({ x, y, width, rows, rare, most }) {
  if (rows === 0) return <circle className="shared" cx={x + width / 2} cy={y + row / 2} r="3.5" />;
  const strength = 0.14 + 0.36 * (Math.log1p(rows) / Math.log1p(most));
  return (
    <>
      <rect className={rare ? 'reads rare' : 'reads'} x={x + 2.5} y={y + 3.5} width={width - 5} height={row - 7} rx="3" fillOpacity={rare ? 0 : strength} />
      <text x={x + Math.min(width, 88) / 2} y={y + 16} className="middle">{short(rows)}</text>
    </>
  );
}

function Head({ left, rounds, cell }) {
  return (
    <g aria-hidden="true" className="head">
      <text x="8" y="14" className="faint">field</text>
      <text x={left + 58} y="14" className="faint end">objects</text>
      {Array.from({ length: rounds }, (_, index) => (
        <text key={index} x={left + 66 + index * cell + cell / 2} y="14" className="faint middle">{index === 0 && cell > 40 ? 'round 1' : index + 1}</text>
      ))}
    </g>
  );
}

const roundsOf = ({ level, rounds }) => (rounds > 1 ? `${level}–${level + rounds - 1}` : level);

function describe(read) {
  const columns = `${read.table} (${read.columns.join(', ')})`;
  const what = read.with !== undefined ? `in Gets of others: ${columns}`
    : read.gets > 0 ? `${plural(read.gets, 'Get')} of ${columns}`
    : `a scan of ${plural(read.rows, 'row')} of ${columns}`;
  return `${what}, for ${read.name}${read.if ? `, if ${read.if}` : ''}`;
}
