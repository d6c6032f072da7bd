import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { mapOutputs, type StoredOutput } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { OutputFile } from '../../../tasks/products/receipt/statement.ts'

/** What workers have not hashed is read, so much for a receipt: more would hold up this process for other callers. */
const MAX_BYTES = 256 * 2 ** 20

/** The files of a result, each with its hash if that is known or the file is still kept. */
export async function hashOutputs(
  store: ObjectStore,
  schema: TSchema | undefined,
  result: unknown,
): Promise<OutputFile[]> {
  const outputs: OutputFile[] = []
  let leftBytes = MAX_BYTES
  if (!schema || result === null) return outputs
  await mapOutputs(schema, result, async value => {
    const output = value as StoredOutput
    const { contentType: content_type, sizeBytes: size } = output
    const isRead = output.sha256 === undefined && size <= leftBytes
    if (isRead) leftBytes -= size
    outputs.push({ content_type, size, sha256: output.sha256 ?? (isRead ? await hashKept(store, output) : null) })
    return value
  })
  return outputs
}

async function hashKept(store: ObjectStore, { key, inline }: StoredOutput): Promise<string | null> {
  const hash = createHash('sha256')
  if (inline !== undefined) return hash.update(Buffer.from(inline, 'base64')).digest('hex')
  if (!key || !(await store.stat(key))) return null
  for await (const chunk of await store.read(key)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
