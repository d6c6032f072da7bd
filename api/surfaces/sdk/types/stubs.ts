import type { SurfaceOptions } from '../../entries.ts'
import { buildInputSchema } from '../../mcp/input-schema.ts'
import { type Plain, toPlainSchema } from '../../openapi/plain-schema.ts'
import type { ClientCall, PlainEntry } from '../calls.ts'
import { typeNameOf } from './names.ts'

const HEAD = `from typing import Any, Literal, TypedDict, overload

from typing_extensions import NotRequired

from coinop.files import FileInput
from coinop.options import CallOptions
from coinop.tickets import Ticket

class OutputFile(TypedDict):
    inline: NotRequired[str]
    outputKey: str
    outputUrl: str
    sizeBytes: int
    contentType: str

class Binary:
    content: bytes
    content_type: str
    headers: dict[str, str]
`

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** The types of the Python client, for editors and type checkers: a class for each call and each family. */
export function stubFamilies(
  entries: readonly PlainEntry[],
  calls: readonly ClientCall[],
  options: Pick<SurfaceOptions, 'canFetch'>,
): string {
  const byName = new Map(entries.map(entry => [entry.name, entry]))
  const families = [...Map.groupBy(calls, ({ family }) => family)].map(([family, members]) => {
    const classes = members.map(call => stubCall(call, byName.get(call.name)!, options))
    const attributes = members.map(call => `    ${pythonNameOf(call)}: ${typeNameOf(call.name)}Call`)
    return `${classes.join('\n')}\nclass ${typeNameOf(family)}Calls:\n${attributes.join('\n')}\n`
  })
  const names = [...new Set(calls.map(({ family }) => family))]
  const all = names.map(family => `    ${family}: ${typeNameOf(family)}Calls`)
  return `${HEAD}\n${families.join('\n')}\nclass Calls:\n${all.join('\n')}\n`
}

function stubCall(call: ClientCall, entry: PlainEntry, options: Pick<SurfaceOptions, 'canFetch'>): string {
  const name = typeNameOf(call.name)
  const parameters = listParameters(call, entry, options)
  const result = stubResult(call, entry, name)
  const head = ['self', 'input: None = ...', 'options: CallOptions | None = ...', '/']
  const star = parameters.length > 0 ? ['*', ...parameters] : []
  const method = (verb: string, answer: string) => `    def ${verb}(${[...head, ...star].join(', ')}) -> ${answer}: ...`
  const dynamic = (verb: string, answer: string) =>
    `    def ${verb}(self, input: dict[str, Any], options: CallOptions | None = ..., /) -> ${answer}: ...`
  const both = (verb: string, answer: string) =>
    ['    @overload', method(verb, answer), '    @overload', dynamic(verb, answer)].join('\n')
  const members = [
    both('__call__', result.type),
    call.quote !== 'none' && both('quote', 'dict[str, Any]'),
    call.isOperation && both('start', `Ticket[${result.type}]`),
  ].filter(member => member !== false)
  return `${result.declaration}class ${name}Call:\n    ${JSON.stringify(entry.summary)}\n${members.join('\n')}\n`
}

function listParameters(call: ClientCall, entry: PlainEntry, options: Pick<SurfaceOptions, 'canFetch'>): string[] {
  const { properties, required = [] } = buildInputSchema(entry, options) as {
    properties: Record<string, Plain>
    required?: string[]
  }
  return Object.entries(properties)
    .filter(([name]) => !OWN.has(name) && /^[A-Za-z_]\w*$/.test(name))
    .map(([name, field]) => {
      const type = typeOf(field, name, call.files)
      const parameter = KEYWORDS.has(name) ? `${name}_` : name
      return required.includes(name) ? `${parameter}: ${type}` : `${parameter}: ${type} | None = ...`
    })
}

const OWN = new Set(['async', 'dryRun', 'idempotencyKey', 'idempotency_key', 'dry_run'])

function typeOf(field: Plain, path: string, files: readonly string[]): string {
  if (files.includes(path)) return 'FileInput'
  const { type, items, anyOf, enum: words } = field as Plain & { type?: string; anyOf?: Plain[]; enum?: unknown[] }
  if (words) return `Literal[${words.map(printLiteral).join(', ')}]`
  if (anyOf) return [...new Set(anyOf.map(arm => typeOf(arm, path, files)))].join(' | ')
  if (type === 'array') return items ? `list[${typeOf(items as Plain, `${path}.*`, files)}]` : 'list[Any]'
  return SIMPLE[type ?? ''] ?? 'Any'
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
}

function printLiteral(word: unknown): string {
  if (word === null) return 'None'
  return typeof word === 'boolean' ? (word ? 'True' : 'False') : JSON.stringify(word)
}

function stubResult({ contentType }: ClientCall, { reply }: PlainEntry, name: string) {
  if (contentType?.startsWith('text/') || contentType?.includes('ndjson')) return { type: 'str', declaration: '' }
  if (contentType !== undefined) return { type: 'Binary', declaration: '' }
  const schema = reply.schema && toPlainSchema(reply.schema)
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Plain>
    required?: string[]
  }
  const fields = Object.entries(properties)
  const isPlain = fields.length > 0 && fields.every(([field]) => /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.has(field))
  if (!isPlain) return { type: 'Any', declaration: '' }
  const lines = fields.map(([field, schema]) => {
    const type = resultTypeOf(schema)
    return `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}`
  })
  return { type: `${name}Result`, declaration: `class ${name}Result(TypedDict):\n${lines.join('\n')}\n` }
}

function resultTypeOf(field: Plain): string {
  const { $ref, type, items } = field as { $ref?: string; type?: string; items?: Plain }
  if ($ref?.endsWith('/Output')) return 'OutputFile'
  if (type === 'array' && items) return `list[${resultTypeOf(items)}]`
  return typeOf(field, '', [])
}

function pythonNameOf({ name, family }: ClientCall): string {
  const method = name.slice(family.length + 1).replaceAll('-', '_')
  return KEYWORDS.has(method) ? `${method}_` : method
}
