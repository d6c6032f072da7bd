import { type JobPayload, mapFiles, type StagedFile } from '#kit'
import type { WorkerContext } from './context.ts'

/** Removes the files that came with the request; uploads and outputs of earlier calls stay. */
export async function removeStagedInputs(context: WorkerContext, payload: JobPayload): Promise<void> {
  const schema = context.operations.get(payload.operation)?.input
  if (!schema || payload.keepsStaged) return
  await mapFiles(schema, payload.input, async source => {
    const { key } = source as StagedFile
    if (key?.startsWith('stage/')) {
      await context.store
        .remove(key)
        .catch(error => context.log.warn({ jobId: payload.id, err: error }, 'staged input not removed'))
    }
  })
}
