import type { Readable } from 'node:stream'
import type { StoredOutput } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import type { AnswerSink } from './sink.ts'

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
  reply: AnswerSink,
  sole: { output: StoredOutput; facts: Record<string, unknown>; nameKey?: (key: string) => string },
  store: ObjectStore,
): Promise<AnswerSink> {
  const { output, facts, nameKey } = sole
  const body: Readable | Buffer = output.key ? await store.read(output.key) : Buffer.from(output.inline!, 'base64')
  const factsText = toAsciiJson(facts)
  if (factsText !== '{}' && factsText.length <= MAX_FACTS_CHARS) reply.header('x-service-result', factsText)
  if (output.key) reply.header('x-service-output-key', nameKey?.(output.key) ?? output.key)
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
