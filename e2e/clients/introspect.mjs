// Compares a server's introspection with its SDL by graphql-js, and prints both as graphql-js does, as JSON:
//
//   node introspect.mjs URL
import {
  assertValidSchema, buildClientSchema, buildSchema, getIntrospectionQuery, introspectionFromSchema, isIntrospectionType, isSpecifiedDirective,
  lexicographicSortSchema, printIntrospectionSchema, printSchema,
} from 'graphql';

const url = process.argv[2];
// Everything in the specification of September 2025, which lacks deprecated directives.
const options = {
  descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true, oneOf: true,
  experimentalDirectiveDeprecation: false,
};

async function ask(query) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });
  return response.json();
}

const { data, errors } = await ask(getIntrospectionQuery(options));
if (errors) throw new Error(JSON.stringify(errors));
const sdl = await (await fetch(new URL('/schema.graphql', url))).text();
const fromSDL = buildSchema(sdl);
const fromIntrospection = buildClientSchema(data);
assertValidSchema(fromSDL);
assertValidSchema(fromIntrospection);

// What the schema itself defines, sorted by name: graphql-js describes the rest itself.
const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID'];
function own({ __schema: { types, directives, ...schema } }) {
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  return {
    ...schema,
    types: types.filter(({ name }) => !name.startsWith('__') && !scalars.includes(name)).sort(byName)
      .map((type) => ({ ...type, possibleTypes: type.possibleTypes && [...type.possibleTypes].sort(byName) })),
    directives: directives.filter((directive) => !isSpecifiedDirective(directive)).sort(byName),
  };
}

console.log(JSON.stringify({
  sdl: printSchema(lexicographicSortSchema(fromSDL)),
  introspection: printSchema(lexicographicSortSchema(fromIntrospection)),
  sdlResult: JSON.stringify(own(introspectionFromSchema(fromSDL, options)), undefined, 1),
  introspectionResult: JSON.stringify(own(data), undefined, 1),
  sdlTypes: Object.values(fromSDL.getTypeMap()).filter((type) => !isIntrospectionType(type)).map(({ name }) => name).sort(),
  introspectionTypes: data.__schema.types.map(({ name }) => name).filter((name) => !name.startsWith('__')).sort(),
  specified: printIntrospectionSchema(lexicographicSortSchema(fromIntrospection)).split('\n\n').join('\n'),
  meta: (await ask(`{ __schema { types { name fields { name args { name defaultValue type { kind ofType { name } } } } } } }`)).data,
  sdlText: sdl,
}));
