import { mapFiles, type Payload, type StagedFile } from '#kit'
import type { WorkFloor } from './floor.ts'

/** Removes what the request itself brought; uploads and outputs of earlier calls stay. */
export async function removeStaged(floor: WorkFloor, payload: Payload): Promise<void> {
  const schema = floor.operations.get(payload.operation)?.input
  if (!schema || payload.keepsStaged) return
  await mapFiles(schema, payload.input, async source => {
    const { key } = source as StagedFile
    if (key?.startsWith('stage/')) {
      await floor.store
        .remove(key)
        .catch(error => floor.log.warn({ jobId: payload.id, err: error }, 'staged input not removed'))
    }
  })
}
