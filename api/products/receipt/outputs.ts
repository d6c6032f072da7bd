import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { mapOutputs, type StoredOutput } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { OutputFile } from '../../../tasks/products/receipt/statement.ts'

/** What workers have not hashed is read, up to this size: more would hold up this process for other callers. */
const MAX_BYTES = 256 * 2 ** 20

/** The files of a result, each with its hash if that is known or the file is still kept. */
export async function hashOutputs(
  store: ObjectStore,
  schema: TSchema | undefined,
  result: unknown,
): Promise<OutputFile[]> {
  const outputs: OutputFile[] = []
  if (!schema || result === null) return outputs
  await mapOutputs(schema, result, async value => {
    const output = value as StoredOutput
    const { contentType: content_type, sizeBytes: size } = output
    outputs.push({ content_type, size, sha256: output.sha256 ?? (await hashKept(store, output)) })
    return value
  })
  return outputs
}

async function hashKept(store: ObjectStore, { key, inline, sizeBytes }: StoredOutput): Promise<string | null> {
  const hash = createHash('sha256')
  if (inline !== undefined) return hash.update(Buffer.from(inline, 'base64')).digest('hex')
  if (!key || sizeBytes > MAX_BYTES || !(await store.stat(key))) return null
  for await (const chunk of await store.read(key)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
