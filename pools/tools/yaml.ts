import {
  isCollection,
  isScalar,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  type ScalarTag,
  visit,
  type YAMLWarning,
} from 'yaml'
import { Problem, type Warning } from '#kit'

type Documents = Exclude<ReturnType<typeof parseAllDocuments<ParsedNode>>, { empty: true }>

// Decision 0690: read YAML with `yaml`.

export function bind() {
  return { toJson, toYaml }
}

interface Converted {
  text: string
  documents: number
  warnings: Warning[]
}

/** Writes one document as it is, and several as an array. */
async function toJson(text: string, { indent }: { indent: number }): Promise<Converted> {
  return convert(text, (documents, lineCounter) => {
    for (const document of documents) refuseWhatJsonLacks(document, lineCounter)
    const warnings: Warning[] = []
    for (const document of documents) {
      visit(document, {
        Scalar: (key, node, path) => {
          if (key !== 'key' || isInSet(path)) keepDigits(node, warnings)
        },
      })
    }
    const values = documents.map(document => document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown)
    const written = JSON.stringify(values.length === 1 ? values[0] : values, replaceCollection, indent)
    return { text: written, warnings }
  })
}

/** Writes JSON as YAML, and YAML anew with its comments. */
async function toYaml(text: string, { indent }: { indent: number }): Promise<Converted> {
  const isJson = /^\s*[[{]/.test(text)
  return convert(text, documents => {
    for (const document of documents) visit(document, { Scalar: keepWriting })
    if (isJson) for (const document of documents) visit(document, { Collection: openOut, Scalar: leaveQuotes })
    return { text: documents.map(document => document.toString({ indent, lineWidth: 0 })).join(''), warnings: [] }
  })
}

/** TypeScript's library does not declare it yet. */
const rawJson = JSON as typeof JSON & { rawJSON(text: string): unknown }
const MAX_ALIASES = 100
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

type Write = (documents: Documents, lineCounter: LineCounter) => { text: string; warnings: Warning[] }

function convert(text: string, write: Write): Converted {
  const lineCounter = new LineCounter()
  try {
    const found = parseAllDocuments(text, {
      intAsBigInt: true,
      lineCounter,
      merge: true,
      compat: 'yaml-1.1',
      prettyErrors: false,
      customTags: tags => [...tags, WHOLE_FLOAT, AS_WRITTEN],
    })
    const documents = 'empty' in found ? [] : found
    const [error] = documents.flatMap(document => document.errors)
    if (error) throw new Problem('YAML_INVALID', { ...locate(lineCounter, error.pos[0]), detail: error.message })
    if (documents.length === 0) throw new Problem('YAML_INVALID', { detail: 'The text has no value.' })
    for (const document of documents) refuseUnknownAliases(document, lineCounter)
    const written = write(documents, lineCounter)
    const byMessage = Map.groupBy(
      documents.flatMap(document => document.warnings),
      ({ message }) => message,
    )
    const warnings = [...byMessage.values()].map(alike => describeWarnings(lineCounter, alike))
    return { text: written.text, documents: documents.length, warnings: [...warnings, ...written.warnings] }
  } catch (error) {
    if (error instanceof ReferenceError) throw new Problem('YAML_INVALID', { detail: error.message })
    if (error instanceof RangeError) throw new Problem('YAML_INVALID', { detail: 'It is nested too deeply.' })
    throw error
  }
}

const AMBIGUOUS = /^Value may be parsed as either !*(\S+) or !*(\S+)$/

/** The library warns of tags, and of plain values that readers of YAML 1.1 take for something else. */
function describeWarnings(lineCounter: LineCounter, alike: readonly YAMLWarning[]): Warning {
  const { message, pos } = alike[0]!
  const [, now, before] = AMBIGUOUS.exec(message) ?? []
  if (now === undefined) return { code: 'TAG_DROPPED', message: `${message}.` }
  const { line } = locate(lineCounter, pos[0])
  const others = alike.length === 1 ? '' : ` and ${alike.length - 1} more`
  return { code: 'VALUE_AMBIGUOUS', message: `Line ${line}${others}: read as ${now}; YAML 1.1 reads it as ${before}.` }
}

function locate(lineCounter: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lineCounter.linePos(offset)
  return { line, column: col }
}

/** JSON can hold more digits than a double, and neither infinity nor what is no number. */
function keepDigits(node: Scalar, warnings: Warning[]): void {
  const { value, source = '' } = node
  if (typeof value === 'bigint') node.value = rawJson.rawJSON(JSON_NUMBER.test(source) ? source : String(value))
  if (value instanceof Uint8Array) node.value = Buffer.from(value).toString('base64')
  if (typeof value !== 'number') return
  if (JSON_NUMBER.test(source)) node.value = rawJson.rawJSON(source)
  else if (!Number.isFinite(value))
    warnings.push({ code: 'NOT_A_NUMBER', message: `JSON has no ${source}; it became null.` })
}

/** The keys of a set are its members. */
function isInSet(path: readonly unknown[]): boolean {
  const owner = path.at(-2)
  return isCollection(owner) && owner.tag === SET
}

const SET = 'tag:yaml.org,2002:set'

/** JSON has lists for sets, and objects for maps in order. */
function replaceCollection(_key: string, value: unknown): unknown {
  if (value instanceof Set) return [...value]
  return value instanceof Map ? Object.fromEntries(value) : value
}

type Document = Documents[number]

function refuseUnknownAliases(document: Document, lineCounter: LineCounter): void {
  const anchors = new Set<string>()
  visit(document, {
    Value: (_, { anchor }) => {
      if (anchor) anchors.add(anchor)
    },
    Alias: (_, node) => {
      if (!anchors.has(node.source)) refuse(node, `There is no anchor ${node.source} before its use.`, lineCounter)
    },
  })
}

function refuseWhatJsonLacks(document: Document, lineCounter: LineCounter): void {
  const anchors = new Map<string, Node>()
  visit(document, {
    Value: (key, node, path) => {
      if (node.anchor) anchors.set(node.anchor, node)
      if (key === 'key' && isCollection(node) && !isInSet(path)) refuse(node, COLLECTION_KEY, lineCounter)
    },
    Alias: (key, node, path) => {
      const named = anchors.get(node.source)
      if (named && path.includes(named)) refuse(node, `The value ${node.source} contains itself.`, lineCounter)
      if (key === 'key' && isCollection(named) && !isInSet(path)) refuse(node, COLLECTION_KEY, lineCounter)
    },
  })
}

const COLLECTION_KEY = 'A key is a list or a map; in JSON keys are texts.'

function refuse({ range }: Node, detail: string, lineCounter: LineCounter): never {
  throw new Problem('YAML_INVALID', { ...(range ? locate(lineCounter, range[0]) : {}), detail })
}

/** The library knows a float only with a point or an exponent, even if its tag says that it is one. */
const WHOLE_FLOAT: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?\d+$/,
  resolve: Number,
}

/** A number as its text says, as a double would lose digits, and an integer the sign of zero. */
class NumberAsWritten {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

const AS_WRITTEN: ScalarTag = {
  tag: 'number-as-written',
  default: true,
  identify: value => value instanceof NumberAsWritten,
  resolve: source => source,
  stringify: ({ value }) => (value as NumberAsWritten).source,
}

function keepWriting(_key: unknown, node: Scalar): void {
  const { value, source = '', tag } = node
  const isKept = typeof value === 'number' ? /\d/.test(source) : value === 0n && source === '-0'
  if (isKept && tag === undefined) node.value = new NumberAsWritten(source)
}

function openOut(_key: unknown, node: unknown): void {
  if (isCollection(node)) node.flow = false
}

function leaveQuotes(_key: unknown, node: unknown): void {
  if (isScalar(node)) node.type = undefined
}
