import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { mapOutputs, type StoredOutput } from '#kit'
import { contentDisposition, type ObjectStore } from '../../ops/storage/index.ts'

/** A file as an answer carries it. */
export interface OutputEnvelope {
  inline?: string
  outputKey?: string
  outputUrl?: string
  sizeBytes: number
  contentType: string
}

export interface OutputRoom {
  store: ObjectStore
  inlineOutput?: 'auto' | 'never'
}

/** Of the base64 form, as the limit on inline inputs is of the decoded one. */
export const INLINE_OUTPUT_CHARS = 4 * 2 ** 20
export const OUTPUT_URL_SECONDS = 3600

/** Puts the envelope of every stored file into a result. Parts of a manifest get their index and are never inline. */
export function withEnvelopes(schema: TSchema, result: unknown, room: OutputRoom): Promise<unknown> {
  return mapOutputs(schema, result, async (value, { index }) => {
    const { key, inline, sizeBytes, contentType, name, ...facts } = value as StoredOutput & Record<string, unknown>
    const stored = { key, inline, sizeBytes, contentType, name }
    if (index === undefined) return { ...(await outputEnvelope(stored, room)), ...facts }
    return { index, ...(await outputEnvelope(stored, { ...room, inlineOutput: 'never' })), ...facts }
  })
}

export async function outputEnvelope(output: StoredOutput, room: OutputRoom): Promise<OutputEnvelope> {
  const { key, sizeBytes, contentType } = output
  const isInline = !key || (room.inlineOutput !== 'never' && base64Chars(sizeBytes) <= INLINE_OUTPUT_CHARS)
  return {
    ...(isInline && { inline: await base64Of(output, room.store) }),
    ...(key && { outputKey: key, outputUrl: await outputUrl(output, room.store) }),
    sizeBytes,
    contentType,
  }
}

export function outputUrl(
  { key, name, contentType }: Pick<StoredOutput, 'key' | 'contentType'> & { name: string | undefined },
  store: ObjectStore,
  expiresInSeconds = OUTPUT_URL_SECONDS,
): Promise<string> {
  return store.presignGet(key!, { expiresInSeconds, filename: name, contentType })
}

function base64Chars(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 3) * 4
}

async function base64Of({ key, inline }: StoredOutput, store: ObjectStore): Promise<string> {
  if (inline !== undefined) return inline
  const chunks: Uint8Array[] = []
  for await (const chunk of await store.read(key!)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString('base64')
}

const JSON_ACCEPTED = /(^|[\s,])(application\/(json|\*|[\w.-]+\+json)|\*\/\*)\s*($|[;,])/i
const BYTES_ACCEPTED = /^\s*(application|image|audio|video|font|text)\/[\w.*+-]+/i

/** Whether a caller wants the bytes themselves: asks for a type of files, and takes no JSON. */
export function wantsRawOutput(accept: string | undefined): boolean {
  return accept !== undefined && BYTES_ACCEPTED.test(accept) && !JSON_ACCEPTED.test(accept)
}

/** The one file of a result, where the result is that file and facts beside it. */
export function soleOutput(result: unknown): { output: StoredOutput; facts: Record<string, unknown> } | undefined {
  if (typeof result !== 'object' || result === null || !('output' in result)) return undefined
  const { output, ...facts } = result as { output: Partial<StoredOutput> | undefined }
  const isStored = output && (output.key !== undefined || output.inline !== undefined)
  return isStored ? { output: output as StoredOutput, facts } : undefined
}

const FACTS_MOST = 4096

/** Answers with the bytes; what else the result says stands in `X-Service-Result`. */
export async function sendRawOutput(
  reply: FastifyReply,
  { output, facts }: { output: StoredOutput; facts: Record<string, unknown> },
  store: ObjectStore,
): Promise<FastifyReply> {
  const body: Readable | Buffer = output.key ? await store.read(output.key) : Buffer.from(output.inline!, 'base64')
  const said = asciiJson(facts)
  if (said !== '{}' && said.length <= FACTS_MOST) reply.header('x-service-result', said)
  if (output.key) reply.header('x-service-output-key', output.key)
  return reply
    .header('content-type', output.contentType)
    .header('content-length', output.sizeBytes)
    .header('content-disposition', contentDisposition(output.name))
    .header('x-content-type-options', 'nosniff')
    .send(body)
}

/** Headers carry no letters beyond ASCII, JSON can say them all in it. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
