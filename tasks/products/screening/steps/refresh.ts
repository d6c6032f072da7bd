import { createHash, type Hash } from 'node:crypto'
import { Type } from 'typebox'
import { Problem, step } from '#kit'
import type * as callers from '../../../../sql/screening/steps.ts'
import type { OpenedFile, StepDeps } from '../../step-deps.ts'
import { ListFault } from '../lists/fault.ts'
import { READERS } from '../lists/readers.ts'
import { activateLoad, dropLoad, storeEntities } from '../load.ts'
import { INDEX_VERSION } from '../prepare.ts'
import { findSource, type ListSource } from '../sources.ts'

type Deps = StepDeps<typeof callers>

const HOUR_SECONDS = 3_600
/** Refreshes are spread by so much of the interval, so that publishers are not all asked at once. */
const JITTER = 0.1

export default step({
  summary: 'Look for a new version of a list, load it, and do so again after some hours.',
  payload: Type.Object({ list: Type.String() }),
  limitSeconds: 3_600,
  async run({ list }, deps: Deps) {
    const { settings, sql } = deps
    const source = findSource(list)
    const chosen = settings.get('screening.lists')
    // Lists that the operator has chosen since then begin too; one that is chosen no more ends here.
    await sql.ensureRefreshes(chosen.filter(key => key !== list && findSource(key)))
    if (!source || !chosen.includes(list)) return
    await refresh(source, deps)
    const seconds = settings.get('screening.refresh_hours') * HOUR_SECONDS
    await sql.queueNextRefresh(list, Math.round(seconds * (1 + JITTER * Math.random())))
  },
})

/** What is wrong with a file or its server is noted for the operator, and the version that stands stays. */
async function refresh(source: ListSource, deps: Deps): Promise<void> {
  let version: number | undefined
  try {
    const files = await openFiles(source, deps)
    if (files === 'unchanged') await deps.sql.noteUnchanged(source.key)
    if (files === 'unchanged' || files === undefined) return
    const hash = createHash('sha256')
    let publishedAt: string | undefined
    const read = { read: (name: string) => hashing(files.get(name)!, hash) }
    const note = (time: string) => {
      publishedAt = time
    }
    const names = source.files.map(({ name }) => name)
    version = await storeEntities(deps.sql, source, READERS[source.format](read, names, note), id => {
      version = id
    })
    const facts = { sha256: hash.digest('hex'), publishedAt, etag: joinEtags(source, files) }
    const leastShare = 1 - deps.settings.get('screening.shrink_percent') / 100
    const keep = deps.settings.get('screening.kept_versions')
    const activation = await activateLoad(deps.sql, version, facts, { leastShare, keep })
    deps.log({ list: source.key, version, ...activation }, 'a screening list was loaded')
  } catch (error) {
    deps.signal.throwIfAborted()
    if (!isOfSource(error)) throw error
    const { message } = error as Error
    if (version !== undefined) {
      await deps.sql.failLoad(version, message)
      await dropLoad(deps.sql, version, 'refused')
    } else await deps.sql.noteFailure(source, message)
    deps.log({ list: source.key, failure: message }, 'a screening list could not be loaded')
  }
}

/** Faults of the file, its server or the way to it; others are those of our own database or code. */
function isOfSource(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: unknown }
  if (error instanceof ListFault || error instanceof Problem || name === 'DestinationRefused') return true
  return (
    typeof code === 'string' &&
    /^(E[A-Z]+|UND_.*|HPE_.*|Z_.*|CERT_.*|DEPTH_.*|SELF_.*|ERR_(TLS|STREAM|SSL).*)$/.test(code)
  )
}

const MARK = ' | '

/** The files of a source; undefined if it cannot be had here. */
async function openFiles(source: ListSource, deps: Deps): Promise<Map<string, OpenedFile> | 'unchanged' | undefined> {
  const state = await deps.sql.readState(source.key)
  const known = state?.indexVersion === INDEX_VERSION && state.etag ? state.etag.split(MARK) : []
  const open = ({ name, url }: ListSource['files'][number], etag?: string) =>
    deps.outside.open({ list: source.key, name, url }, { signal: deps.signal, ...(etag && { etag }) })
  const opened = await Promise.all(source.files.map((file, at) => open(file, known[at])))
  if (opened.every(file => file === undefined)) return undefined
  if (opened.every(file => file === 'unchanged')) return 'unchanged'
  const files = new Map<string, OpenedFile>()
  for (const [at, file] of source.files.entries()) {
    const found = opened[at] === 'unchanged' ? await open(file) : opened[at]
    if (found === undefined || found === 'unchanged') throw new ListFault(`The file ${file.name} is missing.`)
    files.set(file.name, found)
  }
  return files
}

function joinEtags(source: ListSource, files: ReadonlyMap<string, OpenedFile>): string | undefined {
  const etags = source.files.map(({ name }) => files.get(name)?.etag)
  return etags.every(etag => etag !== undefined) ? etags.join(MARK) : undefined
}

async function* hashing({ chunks }: OpenedFile, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}
