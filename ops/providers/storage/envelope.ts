import type { TSchema } from 'typebox'
import { mapOutputs, type StoredOutput } from '#kit'
import type { ObjectStore } from './contract.ts'

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
  /** How the caller is told a key; by default as it is. */
  nameKey?: (key: string) => string
}

/** Measured in base64, while the limit on inline inputs is measured decoded. */
export const INLINE_OUTPUT_CHARS = 4 * 2 ** 20
export const OUTPUT_URL_SECONDS = 3600

/** Replaces every stored file in a result by its envelope. Parts of a manifest get an index and are never inline. */
export function withEnvelopes(schema: TSchema, result: unknown, options: OutputOptions): Promise<unknown> {
  return mapOutputs(schema, result, async (value, { index }) => {
    const {
      key,
      inline,
      sizeBytes,
      contentType,
      name,
      sha256: _,
      ...facts
    } = value as StoredOutput & Record<string, unknown>
    const stored = { key, inline, sizeBytes, contentType, name }
    if (index === undefined) return { ...(await makeEnvelope(stored, options)), ...facts }
    return { index, ...(await makeEnvelope(stored, { ...options, inlineOutput: 'never' })), ...facts }
  })
}

export async function makeEnvelope(output: StoredOutput, limits: OutputOptions): Promise<OutputEnvelope> {
  const { key, sizeBytes, contentType } = output
  const { nameKey = plainKey, store } = limits
  const isInline = !key || (limits.inlineOutput !== 'never' && base64Chars(sizeBytes) <= INLINE_OUTPUT_CHARS)
  return {
    ...(isInline && { inline: await readAsBase64(output, store) }),
    ...(key && { outputKey: nameKey(key), outputUrl: await presignOutput(output, store) }),
    sizeBytes,
    contentType,
  }
}

function plainKey(key: string): string {
  return key
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
