import { createHash, X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_LIMITS, type InputFile, markInputFile, newId, Problem } from '#kit'
import type { ToolJob } from '../../../pools/job.ts'
import { listSealRoots } from '../../../sql/esigndoc/seal-key.ts'
import type {
  DocumentEngine,
  PlaceSearch,
  SealedFile,
  SealRequest,
  StoredFile,
} from '../../../tasks/products/esigndoc/document.ts'
import { findPlaces } from '../../../tasks/products/esigndoc/documents/find-places.ts'
import { inspectDocument, openForSigning } from '../../../tasks/products/esigndoc/documents/inspect.ts'
import { renderPage } from '../../../tasks/products/esigndoc/documents/render-page.ts'
import { sealDocuments } from '../../../tasks/products/esigndoc/documents/seal.ts'
import { verifySeal } from '../../../tasks/products/esigndoc/documents/verify.ts'
import type { WorkerContext } from '../../context.ts'
import { openSigner, type SignerContext } from './signer.ts'

export type DocumentContext = SignerContext & Pick<WorkerContext, 'store'> & Partial<Pick<WorkerContext, 'pools'>>

/** A folder for one piece of work, with the files that it reads; all of it is gone afterwards. */
interface Desk {
  pools: NonNullable<DocumentContext['pools']>
  job: ToolJob
  /** Fetches a file once. */
  fetch(file: StoredFile): Promise<string>
  /** Fetches a document and finds out whether it can be read. */
  open(file: StoredFile): Promise<InputFile>
}

const LIMIT_SECONDS = 120

/** Runs the engines on documents of the store. */
export function openDocuments(context: DocumentContext): DocumentEngine {
  return {
    inspect: (file, signal) => withDesk(context, signal, desk => inspect(desk, file)),
    findPlaces: (files, search, signal) => withDesk(context, signal, desk => find(desk, files, search)),
    renderPage: (file, page, width, signal) => withDesk(context, signal, desk => render(desk, file, page, width)),
    seal: (request, signal) => withDesk(context, signal, desk => seal(context, desk, request)),
    verify: (file, signal) => withDesk(context, signal, desk => verify(context, desk, file)),
  }
}

async function withDesk<Result>(
  { pools, store }: DocumentContext,
  signal: AbortSignal,
  work: (desk: Desk) => Promise<Result>,
): Promise<Result> {
  if (!pools) throw new Error('this process has no engines')
  const jobId = `signing-${newId()}`
  const folder = await pools.openFolder(jobId)
  const job = { jobId, folder, signal, limitSeconds: LIMIT_SECONDS }
  const fetched = new Map<string, Promise<string>>()
  const fetchTo = async (key: string, path: string) => {
    await store.fetchTo(key, path)
    return path
  }
  const fetch = ({ key }: StoredFile) => {
    const path = fetched.get(key) ?? fetchTo(key, join(folder, `stored-${fetched.size}`))
    fetched.set(key, path)
    return path
  }
  const open = async (file: StoredFile) => {
    const path = await fetch(file)
    const { type, sizeBytes, name } = file
    const probe = { path, type, sizeBytes, probe: 'pdf' as const }
    const [facts = {}] = await pools.probe([probe], folder, signal, { limits: FILE_LIMITS }).catch(refuseLocked)
    return markInputFile({ path, type, sizeBytes, name, facts }) as unknown as InputFile
  }
  try {
    return await work({ pools, job, fetch, open })
  } finally {
    await pools.closeFolder(jobId)
  }
}

function refuseLocked(error: unknown): never {
  const isLocked = error instanceof Problem && /^PDF_PASSWORD/.test(error.code)
  throw isLocked ? new Problem('PDF_ENCRYPTED') : error
}

async function inspect(desk: Desk, file: StoredFile) {
  const input = await desk.open(file)
  const found = await desk.pools.useTools(desk.job, ['qpdf', 'libpdf', 'poppler'], (tools, { out }) =>
    inspectDocument(input, { ...tools, out }),
  )
  return { ...found, sha256: hash(await readFile(input.path)) }
}

async function find(desk: Desk, files: readonly StoredFile[], search: PlaceSearch) {
  const inputs = await openAll(desk, files)
  const found = await desk.pools.useTools(desk.job, ['qpdf', 'libpdf', 'poppler'], async (given, { out }) => {
    const tools = { ...given, out }
    const documents = []
    for (const [index, input] of inputs.entries()) documents.push(await openForSigning(input, `file-${index}`, tools))
    return findPlaces(documents, search, tools)
  })
  const changed = await Promise.all(
    found.changed.map(async ({ path, ...one }) => {
      const bytes = await readFile(path)
      return { ...one, bytes, sha256: hash(bytes) }
    }),
  )
  return { ...found, changed }
}

/** One after the other, because each is probed in a confined process of its own. */
async function openAll(desk: Desk, files: readonly StoredFile[]): Promise<InputFile[]> {
  const inputs: InputFile[] = []
  for (const file of files) inputs.push(await desk.open(file))
  return inputs
}

async function render(desk: Desk, file: StoredFile, page: number, width: number) {
  const input = await desk.open(file)
  const image = await desk.pools.useTools(desk.job, ['libpdf', 'qpdf', 'pageRenderer', 'sharp'], (tools, { out }) =>
    renderPage(input, page, width, { ...tools, out }),
  )
  const bytes = await readFile(image.path)
  return { bytes, contentType: 'image/webp' as const, width: image.width, height: image.height }
}

async function seal(context: DocumentContext, desk: Desk, request: SealRequest) {
  const inputs = await openAll(desk, request.files)
  const images = new Map<string, string>()
  for (const file of listFiles(request)) images.set(file.key, await desk.fetch(file))
  const { signer, key } = await openSigner(context, desk)
  const sealed = await desk.pools.useTools(desk.job, ['qpdf', 'libpdf', 'sharp'], async (given, { out }) => {
    const save = async (bytes: Uint8Array, name: string) => {
      await writeFile(out(name), bytes, { flag: 'wx' })
      return out(name)
    }
    const tools = { ...given, out, save }
    const files = []
    for (const [index, input] of inputs.entries()) {
      const { path, pages } = await openForSigning(input, `file-${index}`, tools)
      files.push({ path, pages: pages.length, facts: input.facts, name: request.files[index]!.name })
    }
    return sealDocuments(request, { files, images }, key, tools)
  })
  const { documents, certificate, ...facts } = sealed
  const read = async ({ path, ...one }: (typeof documents)[number]): Promise<SealedFile> => {
    const bytes = await readFile(path)
    return { ...one, bytes, sha256: hash(bytes) }
  }
  return {
    ...facts,
    documents: await Promise.all(documents.map(read)),
    ...(certificate && { certificate: await read(certificate) }),
    signer,
  }
}

/** What people have uploaded: images of signatures, and attachments. */
function listFiles({ fields, certificate }: SealRequest): StoredFile[] {
  const marks = certificate.recipients.flatMap(({ mark }) => mark ?? [])
  const images = marks.flatMap(mark => (mark.mode === 'upload' ? [mark.image] : []))
  const entered = fields.flatMap(({ value }) => {
    if (value.kind === 'attachment') return [value.file]
    return value.kind === 'mark' && value.mark.mode === 'upload' ? [value.mark.image] : []
  })
  return [...images, ...entered]
}

async function verify(context: DocumentContext, desk: Desk, file: StoredFile) {
  const input = await desk.open(file)
  const { signer: _, key } = await openSigner(context, desk)
  const issuers = key.certificates.slice(1).map(bytes => new X509Certificate(bytes).toString())
  const roots = [...new Set([...(await listSealRoots(context.db)), ...issuers])]
  const path = join(desk.job.folder, 'roots.pem')
  await writeFile(path, roots.join('\n'))
  const found = await desk.pools.useTools(desk.job, ['qpdf', 'libpdf'], (tools, { out }) =>
    verifySeal(input, [path], new Date(), { ...tools, out }),
  )
  return { ...found, sha256: hash(await readFile(input.path)) }
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
