import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { newId, Problem, step } from '#kit'
import type { PreparationRequest } from '../../../../sql/esigndoc/preparations.ts'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { FoundPlaces, PageGeometry, PlaceSearch, StoredFile } from '../document.ts'
import type { StoredDocument } from '../seal-request.ts'
import type { EnvelopeStepDeps } from '../worker-deps.ts'

type Deps = EnvelopeStepDeps<typeof callers>

export default step({
  summary: 'Look at the documents of an envelope before it is made: pages, places of fields, what cannot be signed.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  limitSeconds: 120,
  async run({ id }, deps: Deps) {
    const found = await deps.sql.readPreparation(id)
    if (!found || found.result || found.problem) return
    const { accountId, request } = found
    try {
      await deps.sql.finishPreparation(id, await look(accountId, request, deps), null)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      await deps.sql.finishPreparation(id, null, error.toData())
    }
  },
})

function look(accountId: string, request: PreparationRequest, deps: Deps): Promise<object> {
  switch (request.kind) {
    case 'image':
      return deps.measureImage(request.file, deps.signal)
    case 'verification':
      return deps.documents.verify(request.file, deps.signal)
    case 'documents':
      return prepare({ ...request, accountId }, deps)
  }
}

interface Asked {
  accountId: string
  files: readonly StoredFile[]
  search: PlaceSearch | null
}

interface Prepared {
  name: string
  original: StoredDocument
  content: StoredDocument
  pages: PageGeometry[]
}

const PDF = 'application/pdf'

async function prepare({ accountId, files, search }: Asked, deps: Deps): Promise<object> {
  const prepared: Prepared[] = []
  for (const given of files) {
    const file = given.type === PDF ? given : await convert(accountId, given, deps)
    const { pages, sha256 } = await deps.documents.inspect(file, deps.signal)
    const original = { key: file.key, type: PDF, sizeBytes: file.sizeBytes, sha256 }
    prepared.push({ name: given.name, original, content: original, pages })
  }
  if (!search) return { files: prepared, found: null }
  const stored = prepared.map(({ name, original }) => ({ ...original, name }))
  const { changed, ...found } = await deps.documents.findPlaces(stored, search, deps.signal)
  for (const { file, bytes, sha256, pages } of changed) {
    const { key, sizeBytes } = await store(accountId, bytes, deps)
    Object.assign(prepared[file]!, { content: { key, type: PDF, sizeBytes, sha256 }, pages })
  }
  return { files: prepared, found: { ...found, changed: [] } satisfies FoundPlaces }
}

async function convert(accountId: string, file: StoredFile, deps: Deps): Promise<StoredFile> {
  const bytes = await deps.convert(file, deps.signal)
  return { ...(await store(accountId, bytes, deps)), name: file.name, type: PDF }
}

async function store(accountId: string, bytes: Uint8Array, { sql, store: objects }: Deps) {
  const key = `signing/${accountId}/${newId()}-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
  await sql.reserveObject(accountId, key, PDF)
  await objects.put(key, bytes, { contentType: PDF })
  return { key, sizeBytes: bytes.length }
}
