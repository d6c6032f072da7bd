import { randomUUID } from 'node:crypto'
import { mapOutputs, type Outcome, type OutputFile, outputName, type Payload, type StoredOutput } from '#kit'
import type { StoredObject } from '../sql/job.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { WorkFloor } from './floor.ts'

/** Puts the output files of a result into the store and leaves their keys in their place. */
export async function storeOutputs(
  floor: WorkFloor,
  operation: NamedOperation,
  payload: Payload,
  { result, warnings }: Outcome<unknown>,
): Promise<{ result: string; objects: StoredObject[] }> {
  const objects: StoredObject[] = []
  const stored = await mapOutputs(operation.output, result, async (value, { index }) => {
    const { path, bytes, contentType, name, ...facts } = value as OutputFile
    const key = `scratch/${payload.accountId}/${randomUUID()}`
    const given = index === undefined ? outputName(payload.options.filename, name) : name
    const put = bytes ? floor.store.put(key, bytes, { contentType }) : floor.store.putFile(key, path!, { contentType })
    const { sizeBytes } = await put
    objects.push({
      key,
      size: sizeBytes,
      type: contentType,
      name: given,
      hours: floor.settings.get('cputools.scratch_hours'),
    })
    return { ...facts, key, sizeBytes, contentType, name: given } satisfies StoredOutput
  })
  const told = warnings && warnings.length > 0 ? { ...(stored as object), warnings } : stored
  return { result: JSON.stringify(told), objects }
}
