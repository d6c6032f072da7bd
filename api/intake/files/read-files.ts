import { buffer } from 'node:stream/consumers'
import type { TSchema } from 'typebox'
import { type DrawnSource, FILE_RULE, findMarkedValues, newId, Problem, type StagedFile } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { SourceCall } from '../parts.ts'
import type { FileLimits } from './limits.ts'
import { readKeptBytes, stageFilesOf } from './stage-files.ts'

interface ReadFile {
  name: string | undefined
  type: string
  bytes: Buffer
}

const KEPT_MS = 60_000
const NO_UPLOADS: FileLimits['uploads'] = new Map()

interface Named {
  schema: TSchema
  body: unknown
  maxBytes: number
}

/** The files that the body of a free route names. Callers without an account give the bytes, or the token of a baton. */
export async function readFreeFiles(
  context: ApiContext,
  asked: Pick<SourceCall, 'caller' | 'request'>,
  { schema, body, maxBytes }: Named,
): Promise<ReadFile[]> {
  const { caller, request } = asked
  const call = { id: newId(), billable: undefined, caller, request, uploads: NO_UPLOADS }
  const { input } = await stageFilesOf(context, call, schema, body)
  return readFiles(context, call, { schema, body: input, maxBytes })
}

/**
 * The files that the body of a priced route names, in their order, for a handler that needs them whole and small. What
 * products keep is drawn once for the job; nothing is fetched from the web.
 */
export async function readFiles(
  context: Pick<ApiContext, 'calls' | 'db' | 'store'>,
  job: { id: string },
  { schema, body, maxBytes }: Named,
): Promise<ReadFile[]> {
  const places = findMarkedValues(FILE_RULE, schema, body)
  const files = places.map(({ path, value }) => ({ field: path.join('/'), file: value as StagedFile }))
  for (const { field, file } of files)
    if (file.url !== undefined) throw new Problem('MODE_DISABLED', { field, mode: 'url', instead: 'inputKey' })
  const sizeBytes = files.reduce((sum, { file }) => sum + file.sizeBytes, 0)
  if (sizeBytes > maxBytes) throw new Problem('BODY_TOO_LARGE', { maxBytes, sizeBytes })
  await drawSources(
    context,
    job.id,
    files.flatMap(({ file }) => file.drawn ?? []),
  )
  return Promise.all(
    files.map(async ({ file }) => {
      const bytes = readKeptBytes(file) ?? (await buffer(await context.store.read(file.key!)))
      return { name: file.name, type: file.type, bytes }
    }),
  )
}

/** Draws what products keep, once for all attempts of a job. */
export async function drawSources(
  { calls, db }: Pick<ApiContext, 'calls' | 'db'>,
  jobId: string,
  sources: readonly DrawnSource[],
): Promise<void> {
  const until = new Date(Date.now() + KEPT_MS)
  for (const kind of calls.sources) {
    await kind.draw(
      db,
      jobId,
      until,
      sources.filter(({ field }) => field === kind.field),
    )
  }
}
