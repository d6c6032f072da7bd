import { buffer } from 'node:stream/consumers'
import { type JobPayload, mapFiles, type StagedFile } from '#kit'
import type { ObjectStore } from '../ops/providers/storage/contract.ts'
import type { SavedParts } from '../pools/index.ts'
import type { WorkerContext } from './context.ts'
import { findOperation } from './tools.ts'

/** Removes the files that came with the request, and what was saved of a long run; uploads and outputs of earlier calls stay. */
export async function removeStagedInputs(context: WorkerContext, payload: JobPayload): Promise<void> {
  if (context.operations.get(payload.operation)?.uses.includes('savedParts')) {
    await removeSavedParts(context.store, payload.id).catch(error =>
      context.log.warn({ jobId: payload.id, err: error }, 'saved parts not removed'),
    )
  }
  const schema = (await findOperation(context, payload))?.input
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

/**
 * The parts of a job in the object store. Their keys name the job as those of staged inputs do, so that what a dead
 * worker leaves of an ended job is removed with them.
 */
export function openSavedParts(store: ObjectStore, jobId: string): SavedParts {
  const prefix = `stage/${jobId}/part-`
  return {
    async list() {
      const keys = await Array.fromAsync(store.list(prefix))
      return keys.map(({ key }) => key.slice(prefix.length))
    },
    read: async name => (await buffer(await store.read(`${prefix}${name}`))).toString(),
    async save(name, content) {
      await store.put(`${prefix}${name}`, Buffer.from(content), { contentType: 'application/json' })
    },
  }
}

async function removeSavedParts(store: ObjectStore, jobId: string): Promise<void> {
  for await (const { key } of store.list(`stage/${jobId}/part-`)) await store.remove(key)
}
