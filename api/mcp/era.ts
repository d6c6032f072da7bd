import type { IncomingHttpHeaders } from 'node:http'
import { isObject } from '../intake/x402/payments.ts'
import { type Fields, type Message, metaOf } from './message.ts'
import {
  CODES,
  LEGACY_VERSIONS,
  McpError,
  META,
  MODERN_VERSIONS,
  TASKS_EXTENSION,
  UNNAMED_VERSION,
} from './protocol.ts'

/** Which revision a message speaks, and what its client can do. */
export interface Era {
  isModern: boolean
  version: string
  /** Whether the client knows tasks; only told in the modern era. */
  hasTasks: boolean
}

/** The part of the body that each method repeats in the header `Mcp-Name`. */
const NAMED_BY: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

const isModernVersion = (version: unknown) => (MODERN_VERSIONS as readonly unknown[]).includes(version)
const isLegacyVersion = (version: unknown) => (LEGACY_VERSIONS as readonly unknown[]).includes(version)

/** The body decides; the headers must agree with it. */
export function readEra(message: Message, headers: IncomingHttpHeaders): Era {
  const meta = metaOf(message)
  const header = headers['mcp-protocol-version'] as string | undefined
  const claim = meta[META.version]
  if (claim === undefined) return readUnclaimedEra(message, header)
  if (typeof claim !== 'string') throw missingMeta([META.version])
  if (header !== undefined && header !== claim) throw mismatch('MCP-Protocol-Version', header, claim)
  if (isLegacyVersion(claim)) return { isModern: false, version: claim, hasTasks: false }
  if (!isModernVersion(claim)) throw unsupportedVersion(claim)
  if (!isObject(meta[META.capabilities])) throw missingMeta([META.capabilities])
  if (message.id !== undefined) checkHeaders(message, headers)
  return { isModern: true, version: claim, hasTasks: declaresTasks(meta[META.capabilities] as Fields) }
}

/** A request that claims no version is of the era that begins with `initialize`, and so is that method whatever it says. */
function readUnclaimedEra({ id, method }: Message, header: string | undefined): Era {
  if (header === undefined || method === 'initialize') {
    return { isModern: false, version: UNNAMED_VERSION, hasTasks: false }
  }
  if (isLegacyVersion(header)) return { isModern: false, version: header, hasTasks: false }
  if (!isModernVersion(header)) throw unsupportedVersion(header)
  if (id !== undefined) throw missingMeta([META.version, META.capabilities])
  return { isModern: true, version: header, hasTasks: false }
}

function checkHeaders({ method, params }: Message, headers: IncomingHttpHeaders): void {
  if (headers['mcp-protocol-version'] === undefined)
    throw mismatch('MCP-Protocol-Version', undefined, metaOf({ params })[META.version])
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method', headers['mcp-method'], method)
  const source = NAMED_BY[method]
  if (source === undefined) return
  const given = headers['mcp-name'] as string | undefined
  const name = params[source]
  if (given === undefined || decode(given) !== name) throw mismatch('Mcp-Name', given, name)
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** Names that a header cannot carry are sent in base64 between markers. */
function decode(value: string): string {
  const encoded = ENCODED.exec(value)?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

function declaresTasks({ extensions }: Fields): boolean {
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION])
}

function mismatch(header: string, given: unknown, inBody: unknown): McpError {
  const state = given === undefined ? 'is missing' : 'differs from the body'
  const mismatch = { name: header, header: given ?? null, body: inBody ?? null }
  return new McpError(CODES.headerMismatch, `Header mismatch: ${header} ${state}.`, { status: 400, data: { mismatch } })
}

function missingMeta(missing: readonly string[]): McpError {
  return new McpError(CODES.invalidParams, `Invalid params: _meta needs ${missing.join(' and ')}.`, {
    status: 400,
    data: { missing },
  })
}

function unsupportedVersion(requested: string): McpError {
  return new McpError(CODES.unsupportedVersion, `Unsupported protocol version: ${requested}`, {
    status: 400,
    data: { supported: [...MODERN_VERSIONS, ...LEGACY_VERSIONS], requested },
  })
}
