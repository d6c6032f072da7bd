import type { TSchema } from 'typebox'
import type { SurfaceOptions } from '../../entries.ts'
import { headersByArgument } from '../../mcp/arguments.ts'
import { type Plain, sharedSchemas, toPlainSchema } from '../../openapi/plain-schema.ts'
import type { ClientCall, PlainEntry } from '../calls.ts'
import { methodNameOf } from '../typescript/names.ts'
import { typeNameOf } from './names.ts'
import { printDoc, printName, printType } from './print-type.ts'

const IMPORTS = `import type {
  Binary, CallOptions, FileInput, Named, OutputFile, Quote, Rows, Ticket,
} from './types.js'
`

/** The typed calls of one family: an interface with a method for each, and the types of its arguments and results. */
export function declareFamily(family: string, entries: readonly PlainEntry[], calls: readonly ClientCall[]): string {
  const named = new Map(entries.map(entry => [entry.name, entry]))
  const types = calls.map(call => declareTypes(call, named.get(call.name)!))
  const methods = calls.map(call => declareMethod(call, named.get(call.name)!))
  return `${types.join('\n')}\nexport interface ${typeNameOf(family)}Calls {\n${methods.join('\n')}\n}\n`
}

/** What comes before and after the families. */
export function declareCatalog(families: readonly string[], options: Pick<SurfaceOptions, 'canFetch'>): string[] {
  const { Deliver, Delivered } = sharedSchemas(options)
  const shared = Object.entries({ Deliver, Delivered }).map(
    ([name, schema]) => `export type ${name} = ${printType(schema!)}\n`,
  )
  const members = families.map(family => `  readonly ${printName(family)}: ${typeNameOf(family)}Calls`)
  return [`${IMPORTS}\n${shared.join('')}`, `export interface Calls {\n${members.join('\n')}\n}\n`]
}

function declareTypes(call: ClientCall, entry: PlainEntry): string {
  const name = typeNameOf(call.name)
  return `export type ${name}Input = ${printInput(call, entry)}\nexport type ${name}Result = ${printResult(call, entry)}\n`
}

/** The path, the query, the headers and the body are one object of arguments. */
function printInput(call: ClientCall, entry: PlainEntry): string {
  const parts = [printFields(pathSchema(call, entry.params)), printFields(entry.query), printHeaders(call, entry)]
  const body = { fields: printFields(entry.body && withoutFlags(entry.body)), ...OWN_BODIES, none: undefined }[
    call.body
  ]
  const given = [...parts, body].filter(part => part !== undefined && part !== '{}')
  return given.length === 0 ? 'Record<string, never>' : given.join(' & ')
}

/** The clients set them: `quote` asks for the price, and `start` for a ticket. */
const FLAGS = new Set(['async', 'dryRun'])

function withoutFlags(schema: TSchema | Plain): Plain {
  const plain = toPlainSchema(schema)
  const { oneOf, anyOf, properties } = plain as { oneOf?: Plain[]; anyOf?: Plain[]; properties?: Plain }
  return {
    ...plain,
    ...(oneOf && { oneOf: oneOf.map(withoutFlags) }),
    ...(anyOf && { anyOf: anyOf.map(withoutFlags) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !FLAGS.has(name))),
    }),
  }
}

const OWN_BODIES = {
  document: '{\n  /** The document: any JSON value. */\n  body: unknown\n}',
  bytes:
    '{\n  /** The bytes. */\n  file: FileInput\n  /** Their type. Left out: that of a Blob, or of its name. */\n  contentType?: string\n}',
}

/** A parameter of the path that is not declared is a text. */
function pathSchema({ inPath }: ClientCall, params: TSchema | undefined): Plain | undefined {
  if (inPath.length === 0) return undefined
  const { properties = {} } = (params ? toPlainSchema(params) : {}) as { properties?: Record<string, Plain> }
  const fields = inPath.map(name => [name, properties[name] ?? { type: 'string' }] as const)
  return { type: 'object', properties: Object.fromEntries(fields), required: inPath }
}

function printHeaders({ inHeaders }: ClientCall, entry: PlainEntry): string | undefined {
  if (!entry.headers || Object.keys(inHeaders).length === 0) return undefined
  const { properties = {}, required = [] } = toPlainSchema(entry.headers) as {
    properties?: Record<string, Plain>
    required?: string[]
  }
  const named = [...headersByArgument(entry)].filter(([argument]) => Object.hasOwn(inHeaders, argument))
  return printFields({
    type: 'object',
    properties: Object.fromEntries(named.map(([argument, header]) => [argument, properties[header]!])),
    required: named.flatMap(([argument, header]) => (required.includes(header) ? [argument] : [])),
  })
}

function printFields(schema: TSchema | Plain | undefined): string | undefined {
  if (!schema) return undefined
  const printed = printType(toPlainSchema(schema))
  return printed === 'Record<string, unknown>' ? undefined : printed
}

function printResult({ contentType }: ClientCall, { reply }: PlainEntry): string {
  if (contentType?.startsWith('text/') || contentType?.includes('ndjson')) return 'string'
  if (contentType !== undefined) return 'Binary'
  return reply.schema ? printType(toPlainSchema(reply.schema)) : 'unknown'
}

function declareMethod(call: ClientCall, entry: PlainEntry): string {
  const type = typeNameOf(call.name)
  const isOptional = !hasRequired(call, entry)
  const given = `(input${isOptional ? '?' : ''}: ${type}Input, options?: CallOptions)`
  const members = [
    call.quote !== 'none' &&
      `    /** Its price. Nothing runs and nothing is charged. */\n    quote${given}: Promise<Quote>`,
    call.isOperation && `    /** Starts it in the background. */\n    start${given}: Promise<Ticket<${type}Result>>`,
  ].filter(member => member !== false)
  const signature = `${given}: Promise<${type}Result>`
  const doc = printDoc(entry.summary, '  ')
  const name = printName(methodNameOf(call))
  if (members.length === 0) return `${doc}  ${name}${signature}`
  return `${doc}  readonly ${name}: {\n    ${signature}\n${members.join('\n')}\n  }`
}

function hasRequired({ inPath, body }: ClientCall, entry: PlainEntry): boolean {
  if (inPath.length > 0 || body === 'bytes' || body === 'document') return true
  return [entry.query, entry.headers, entry.body].some(schema => schema && isNeeded(toPlainSchema(schema)))
}

function isNeeded({ required, oneOf, anyOf }: Plain): boolean {
  return Boolean((required as string[] | undefined)?.length) || Boolean(oneOf ?? anyOf)
}
