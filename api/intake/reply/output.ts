import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { mapOutputs, type StoredOutput } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'

/** A file in an answer. */
export interface OutputEnvelope {
  inline?: string
  outputKey?: string
  outputUrl?: string
  sizeBytes: number
  contentType: string
}

export interface OutputOptions {
  store: ObjectStore
  inlineOutput?: 'auto' | 'never'
}

/** Measured in base64, while the limit on inline inputs is measured decoded. */
export const INLINE_OUTPUT_CHARS = 4 * 2 ** 20
export const OUTPUT_URL_SECONDS = 3600

/** Replaces every stored file in a result by its envelope. Parts of a manifest get an index and are never inline. */
export function withEnvelopes(schema: TSchema, result: unknown, options: OutputOptions): Promise<unknown> {
  return mapOutputs(schema, result, async (value, { index }) => {
    const { key, inline, sizeBytes, contentType, name, ...facts } = value as StoredOutput & Record<string, unknown>
    const stored = { key, inline, sizeBytes, contentType, name }
    if (index === undefined) return { ...(await makeEnvelope(stored, options)), ...facts }
    return { index, ...(await makeEnvelope(stored, { ...options, inlineOutput: 'never' })), ...facts }
  })
}

export async function makeEnvelope(output: StoredOutput, limits: OutputOptions): Promise<OutputEnvelope> {
  const { key, sizeBytes, contentType } = output
  const isInline = !key || (limits.inlineOutput !== 'never' && base64Chars(sizeBytes) <= INLINE_OUTPUT_CHARS)
  return {
    ...(isInline && { inline: await readAsBase64(output, limits.store) }),
    ...(key && { outputKey: key, outputUrl: await presignOutput(output, limits.store) }),
    sizeBytes,
    contentType,
  }
}

export function presignOutput(
  { key, name, contentType }: Pick<StoredOutput, 'key' | 'contentType'> & { name: string | undefined },
  store: ObjectStore,
  expiresInSeconds = OUTPUT_URL_SECONDS,
): Promise<string> {
  return store.presignGet(key!, { expiresInSeconds, filename: name, contentType })
}

function base64Chars(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 3) * 4
}

async function readAsBase64({ key, inline }: StoredOutput, store: ObjectStore): Promise<string> {
  if (inline !== undefined) return inline
  const chunks: Uint8Array[] = []
  for await (const chunk of await store.read(key!)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString('base64')
}

const JSON_ACCEPTED = /(^|[\s,])(application\/(json|\*|[\w.-]+\+json)|\*\/\*)\s*($|[;,])/i
const BYTES_ACCEPTED = /^\s*(application|image|audio|video|font|text)\/[\w.*+-]+/i

/** Whether the caller wants the bytes: it accepts a file type and no JSON. */
export function wantsRawOutput(accept: string | undefined): boolean {
  return accept !== undefined && BYTES_ACCEPTED.test(accept) && !JSON_ACCEPTED.test(accept)
}

/** The file of a result that consists of one file and facts about it. */
export function soleOutput(result: unknown): { output: StoredOutput; facts: Record<string, unknown> } | undefined {
  if (typeof result !== 'object' || result === null || !('output' in result)) return undefined
  const { output, ...facts } = result as { output: Partial<StoredOutput> | undefined }
  const isStored = output && (output.key !== undefined || output.inline !== undefined)
  return isStored ? { output: output as StoredOutput, facts } : undefined
}

const MAX_FACTS_CHARS = 4096

/** Answers with the bytes; the rest of the result goes into `X-Service-Result`. */
export async function sendRawOutput(
  reply: FastifyReply,
  { output, facts }: { output: StoredOutput; facts: Record<string, unknown> },
  store: ObjectStore,
): Promise<FastifyReply> {
  const body: Readable | Buffer = output.key ? await store.read(output.key) : Buffer.from(output.inline!, 'base64')
  const factsText = toAsciiJson(facts)
  if (factsText !== '{}' && factsText.length <= MAX_FACTS_CHARS) reply.header('x-service-result', factsText)
  if (output.key) reply.header('x-service-output-key', output.key)
  return reply
    .header('content-type', output.contentType)
    .header('content-length', output.sizeBytes)
    .header('content-disposition', contentDisposition(output.name))
    .header('x-content-type-options', 'nosniff')
    .send(body)
}

/** Headers must be ASCII, so other characters are escaped in the JSON. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
