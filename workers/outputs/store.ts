import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  chooseOutputName,
  cleanName,
  type JobPayload,
  mapOutputs,
  type Outcome,
  type OutputFile,
  type StoredOutput,
  type Warning,
} from '#kit'
import type { StoredObject } from '../../sql/job.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import type { WorkerContext } from '../context.ts'

/** Hashing more than this would take a time that callers notice; it is done for those who ask for the receipt. */
const HASHED_BYTES = 1024 * 1024

/** Stores the output files of a result and replaces them by their keys. */
export async function storeOutputs(
  context: WorkerContext,
  operation: NamedOperation,
  payload: JobPayload,
  { result, warnings = [] }: Outcome<unknown>,
): Promise<{ fields: object; warnings: readonly Warning[]; objects: StoredObject[] }> {
  const objects: StoredObject[] = []
  const noted: string[] = []
  const storing = mapOutputs(operation.output, result, async (value, { index }) => {
    const { path, bytes, contentType, name, ...facts } = value as OutputFile
    const key = `scratch/${payload.accountId}/${randomUUID()}`
    const fileName = index === undefined ? chooseOutputName(payload.options.filename, name) : cleanName(name)
    context.outputNotes.add(key)
    noted.push(key)
    const writing = bytes
      ? context.store.put(key, bytes, { contentType })
      : context.store.putFile(key, path!, { contentType })
    const { sizeBytes } = await writing
    const sha256 = sizeBytes <= HASHED_BYTES ? hash(bytes ?? (await readFile(path!))) : undefined
    objects.push({
      key,
      size: sizeBytes,
      type: contentType,
      name: fileName,
      hours: context.settings.get('cputools.scratch_hours'),
    })
    return { ...facts, key, sizeBytes, contentType, name: fileName, ...(sha256 && { sha256 }) } satisfies StoredOutput
  })
  const stored = await storing.catch(async (error: unknown) => {
    await discardOutputs(context, noted)
    throw error
  })
  return { fields: stored as object, warnings, objects }
}

export async function discardOutputs({ store, outputNotes }: WorkerContext, keys: readonly string[]): Promise<void> {
  for (const key of keys) await store.remove(key)
  outputNotes.remove(keys)
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
