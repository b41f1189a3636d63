// Runs requests through graphql-js, the reference implementation: it reads and writes JSON lines.
//
// Single values are the server's: it gets a request for each field of an object, with coerced
// arguments. The values are kept, as the data do not change.
import { createInterface } from 'node:readline'
import {
  buildSchema, execute, getIntrospectionQuery, getNamedType, getOperationAST, getVariableValues, GraphQLBoolean,
  GraphQLDeprecatedDirective, GraphQLError, GraphQLNonNull, GraphQLString, introspectionTypes, isAbstractType,
  isIntrospectionType, isLeafType, isListType, isNonNullType, isObjectType, isSpecifiedScalarType, Kind, parse,
  specifiedRules, validate
} from 'graphql'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const { sdl, url } = JSON.parse((await lines.next()).value)

// graphql-js 16 has signatures that are older than the September 2025 edition, and parts of a later draft.
const introspected = name => introspectionTypes.find(type => type.name === name)
const deprecating = { __Type: ['fields', 'enumValues', 'inputFields'], __Field: ['args'], __Directive: ['args'] }
for (const [type, fields] of Object.entries(deprecating)) {
  for (const field of fields) introspected(type).getFields()[field].args[0].type = new GraphQLNonNull(GraphQLBoolean)
}
for (const field of ['isDeprecated', 'deprecationReason']) delete introspected('__Directive').getFields()[field]
introspected('__Schema').getFields().directives.args = []
const locations = introspected('__DirectiveLocation').getValues()
locations.splice(locations.findIndex(({ name }) => name === 'DIRECTIVE_DEFINITION'), 1)
GraphQLDeprecatedDirective.args[0].type = new GraphQLNonNull(GraphQLString)
GraphQLDeprecatedDirective.locations =
  GraphQLDeprecatedDirective.locations.filter(location => location !== 'DIRECTIVE_DEFINITION')
const schema = buildSchema(sdl)

async function post (body) {
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

// The order of types and directives and the descriptions of the built-in ones, which the
// specification leaves open, are the server's.
const { data: { __schema: own } } = await post({ query: getIntrospectionQuery() })
const describe = (built, told) => {
  if (!built || !told) return
  built.description = told.description
  for (const part of ['fields', 'args', 'enumValues']) {
    for (const { name, ...of } of told[part] ?? []) {
      const parts = part === 'args' ? built.args : part === 'fields' ? built.getFields() : built.getValues()
      describe(Object.values(parts).find(each => each.name === name), of)
    }
  }
}
const types = schema.getTypeMap()
for (const type of Object.values(types)) {
  if (isSpecifiedScalarType(type) || isIntrospectionType(type)) {
    describe(type, own.types.find(({ name }) => name === type.name))
  }
}
const inOrder = (list, names) => list.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
const sorted = inOrder(Object.values(types), own.types.map(type => type.name))
for (const type of sorted) {
  delete types[type.name]
  types[type.name] = type
}
inOrder(schema.getDirectives(), own.directives.map(directive => directive.name))
for (const directive of schema.getDirectives()) {
  describe(directive, own.directives.find(({ name }) => name === directive.name))
}

const leapYear = year => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const daysOf = (year, month) => [31, leapYear(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
const isDate = text => {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  return year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}
const isDateTime = text => {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-](\d\d):(\d\d))$/.exec(text)
  return parts !== null && isDate(parts[1]) && parts[2] < 24 && parts[3] < 60 && parts[4] < 60 &&
    !(parts[7] > 23) && !(parts[8] > 59)
}
// A Date or a URL is any string as an input: fields check the format.
const isText = () => true
for (const [name, is] of Object.entries({ Date: isText, DateTime: isDateTime, URL: isText })) {
  const scalar = schema.getType(name)
  scalar.parseValue = value => {
    if (typeof value === 'string' && is(value)) return value
    throw new GraphQLError(`${name} cannot represent ${JSON.stringify(value)}`)
  }
  scalar.parseLiteral = node => {
    if (node.kind !== Kind.STRING) throw new GraphQLError(`${name} is written as a string`, { nodes: node })
    return scalar.parseValue(node.value)
  }
}

// A source is an object of the server: the fields that lead to it, each with the indexes into its lists.
const hasID = type => isObjectType(type) && type.getInterfaces().some(i => i.name === 'Node')
const root = { steps: [] }

/** Writes a request that asks for one field of the object that the steps lead to. */
function requestOf (steps) {
  const variables = {}
  const definitions = []
  const last = steps.at(-1)
  let text = ''
  if (!isLeafType(getNamedType(last.type))) {
    const named = getNamedType(last.type)
    text = isAbstractType(named) || hasID(named) ? '{__typename id}' : '{__typename}'
  }
  for (const step of [...steps].reverse()) {
    const args = Object.entries(step.args).map(([name, value]) => {
      const variable = `v${definitions.length}`
      definitions.push(`$${variable}:${step.field.args.find(arg => arg.name === name).type}`)
      variables[variable] = value
      return `${name}:$${variable}`
    })
    text = `${step.field.name}${args.length ? `(${args})` : ''}${text}`
    text = step.parent === schema.getQueryType() ? `{${text}}` : `{...on ${step.parent}{${text}}}`
  }
  return { query: `query${definitions.length ? `(${definitions})` : ''}${text}`, variables }
}

const kept = new Map()
async function ask (steps) {
  const request = requestOf(steps)
  const key = JSON.stringify(request)
  if (!kept.has(key)) kept.set(key, post(request))
  return kept.get(key)
}

/** Resolves a field with the server's value. */
async function fieldResolver (source, args, _, info) {
  const field = info.parentType.getFields()[info.fieldName]
  const step = { parent: info.parentType, field, type: field.type, args: { ...args }, indexes: [] }
  const steps = [...(source ?? root).steps, step]
  const answer = await ask(steps)
  if (answer.errors) throw new GraphQLError(answer.errors[0].message, { extensions: answer.errors[0].extensions })
  let value = answer.data
  for (const { field, indexes } of steps) {
    value = value[field.name]
    for (const index of indexes) value = value[index]
  }
  return sourceOf(value, field.type, steps)
}

function sourceOf (value, type, steps) {
  if (value === null) return null
  if (isNonNullType(type)) return sourceOf(value, type.ofType, steps)
  if (isListType(type)) {
    const last = steps.at(-1)
    const at = i => [...steps.slice(0, -1), { ...last, indexes: [...last.indexes, i] }]
    return value.map((element, i) => sourceOf(element, type.ofType, at(i)))
  }
  if (isLeafType(type)) return value
  if (value.id === undefined) return { __typename: value.__typename, steps }
  const node = schema.getQueryType().getFields().node
  const step = { parent: schema.getQueryType(), field: node, type: node.type, args: { id: value.id }, indexes: [] }
  return { __typename: value.__typename, steps: [step] }
}

/** Returns how far the request comes, and what becomes of it there. */
async function outcomeOf ({ query, operationName, variables }) {
  let document
  try {
    document = parse(query)
  } catch (error) {
    return { phase: 'syntax', errors: [error] }
  }
  let errors
  try {
    errors = validate(schema, document, specifiedRules)
  } catch (error) { // a rule reads the arguments of @skip before they are validated
    errors = [error]
  }
  if (errors.length) return { phase: 'validation', errors }
  const operation = getOperationAST(document, operationName || undefined)
  if (!operation) return { phase: 'operation', errors: [{ message: 'no such operation' }] }
  const values = variables === '' ? {} : JSON.parse(variables)
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], values)
  if (coerced.errors) return { phase: 'variables', errors: coerced.errors }
  if (operation.operation !== 'query') return { phase: 'execution', errors: [] }
  const result = await execute({
    schema,
    document,
    operationName: operationName || undefined,
    variableValues: values,
    fieldResolver,
    typeResolver: value => value.__typename
  })
  if (!('data' in result)) return { phase: 'execution without data', errors: result.errors }
  // The order of members is that of the selection: a string keeps it.
  return { phase: 'execution', data: JSON.stringify(result.data), errors: result.errors ?? [] }
}

for await (const line of lines) {
  const request = JSON.parse(line)
  const failure = error => ({ phase: 'failure', errors: [{ message: error.stack }] })
  outcomeOf(request).catch(failure).then(({ phase, data, errors }) => {
    const located = errors.map(({ message, path }) => ({ message, path }))
    process.stdout.write(JSON.stringify({ id: request.id, phase, data, errors: located }) + '\n')
  })
}
