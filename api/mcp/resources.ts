import { isUtf8 } from 'node:buffer'
import { Problem } from '#kit'
import { readObject } from '../../sql/object.ts'
import { requireScope } from '../oauth/scopes.ts'
import type { McpExchange } from './exchange.ts'
import { CODES, McpError } from './protocol.ts'
import { MAX_SENT_BYTES } from './sent-bytes.ts'

/** The key of a file of a result, in the address that the result links to. */
const KEY = /scratch\/[0-9a-f-]{36}\/[0-9a-f-]{36}/

/** Reads a file that a result links to, for clients that cannot fetch its address. It belongs to the caller's account. */
export async function readResource({ context, era, message, request }: McpExchange): Promise<object> {
  const uri = String(message.params.uri)
  const [key] = KEY.exec(uri.replaceAll(/%2f/gi, '/')) ?? []
  const code = era.isModern ? CODES.invalidParams : CODES.resourceNotFound
  if (key === undefined) {
    throw new McpError(code, 'Resource not found: only files that results link to can be read.', { data: { uri } })
  }
  const { caller } = request
  if (!caller) throw new Problem('MISSING_AUTH')
  requireScope(caller, 'mcp:read')
  const { db, store } = context
  const record = await readObject(db, caller.accountId, key)
  const facts = record && !record.isExpired ? await store.stat(key) : undefined
  if (!facts) throw new McpError(code, 'Resource not found: the file is no longer kept.', { data: { uri } })
  if (facts.sizeBytes > MAX_SENT_BYTES) {
    const reason = `The file has ${facts.sizeBytes} bytes; fetch its address, or pass its key on to the next tool.`
    throw new McpError(CODES.refused, reason, { data: { uri, sizeBytes: facts.sizeBytes } })
  }
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(key)) chunks.push(Buffer.from(chunk as Buffer))
  const bytes = Buffer.concat(chunks)
  const content = isUtf8(bytes) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }
  const contents = [{ uri, mimeType: facts.contentType ?? 'application/octet-stream', ...content }]
  return { contents, ...(era.isModern && { ttlMs: 0, cacheScope: 'private' }) }
}
