// Fails if a schema breaks clients of the last release, except by accepted changes:
//
//   node scripts/compatibility.mjs RELEASED ACCEPTED FILE…
//
// RELEASED is the SDL of the last release, FILE… the current schema. Each line of ACCEPTED is the
// message of an accepted change, or a comment with #.
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  buildASTSchema, DangerousChangeType, findBreakingChanges, findDangerousChanges, isInputObjectType, parse, print, visit,
} from 'graphql';

/** Describes the breaking changes from one SDL to another. Empty if there are none. */
export function report(released, schema, accepted) {
  const [before, after] = [build(released), build(schema)];
  const changes = [
    ...findBreakingChanges(before, after),
    ...findDangerousChanges(before, after).filter(({ type }) => type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE),
  ].map(({ description }) => description).concat(changedDefaults(before, after));
  const expected = accepted.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
  const unexpected = changes.filter((change) => !expected.includes(change));
  const stale = expected.filter((change) => !changes.includes(change));
  return (unexpected.length ? BREAKS(unexpected) : '') + (stale.length ? STALE(stale) : '');
}

/** Changed defaults of input fields. graphql-js compares only the defaults of arguments. */
function changedDefaults(before, after) {
  const text = (field) => (field.astNode.defaultValue ? print(field.astNode.defaultValue) : 'none');
  return Object.values(before.getTypeMap()).filter(isInputObjectType).flatMap((type) => {
    const now = after.getType(type.name)?.getFields() ?? {};
    return Object.values(type.getFields())
      .filter((field) => field.astNode.defaultValue && now[field.name] && text(now[field.name]) !== text(field))
      .map((field) => `${type}.${field.name} has changed its default from ${text(field)} to ${text(now[field.name])}.`);
  });
}

const list = (changes) => changes.map((change) => `  ${change}\n`).join('');
const BREAKS = (changes) => `the schema breaks clients of the last release:

${list(changes)}
To keep clients working, keep what they use and deprecate it: @deprecated(reason: "Use … instead."). Give new arguments
and input fields a nullable type or a default. In these messages ! also stands for @semanticNonNull.
To break clients deliberately, add the messages to graph/schema/testdata/accepted.txt, below a comment with the reason,
and describe the changes in CHANGELOG.md.
`;
const STALE = (changes) => `graph/schema/testdata/accepted.txt has changes that the schema does not make; remove them:

${list(changes)}`;

/** A schema whose fields with @semanticNonNull are non-null, as in generated types. */
function build(sdl) {
  return buildASTSchema(visit(parse(sdl), { FieldDefinition: (field) => ({ ...field, type: strict(field) }) }));
}

function strict({ type, directives }) {
  const mark = directives.find(({ name }) => name.value === 'semanticNonNull');
  if (!mark) return type;
  const levels = mark.arguments.find(({ name }) => name.value === 'levels')?.value.values.map(({ value }) => Number(value)) ?? [0];
  const at = (type, level) => {
    if (type.kind === 'NonNullType') return { ...type, type: at(type.type, level) };
    const inner = type.kind === 'ListType' ? { ...type, type: at(type.type, level + 1) } : type;
    return levels.includes(level) ? { kind: 'NonNullType', type: inner } : inner;
  };
  return at(type, 0);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [released, accepted, ...files] = argv.slice(2).map((file) => readFileSync(file, 'utf8'));
  const message = report(released, files.join('\n'), accepted);
  if (message) {
    console.error(message);
    process.exitCode = 1;
  }
}
