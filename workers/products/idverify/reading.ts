import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_LIMITS, markInputFile, newId, type ProbeKind, Problem } from '#kit'
import type { Pools } from '../../../pools/index.ts'
import type {
  DocumentType,
  FaceFault,
  ImageQuality,
  ReadDocument,
  Reading,
  StoredSide,
} from '../../../tasks/products/idverify/index.ts'
import type { WorkerContext } from '../../context.ts'

type ReaderContext = Pick<WorkerContext, 'log' | 'store'> & Partial<Pick<WorkerContext, 'pools'>>

interface ReadyImage {
  side: StoredSide['side']
  path: string
  type: string
  sizeBytes: number
}

/** Runs operations on the images of one attempt, in a folder that is gone afterwards. */
interface Run {
  pools: Pools
  jobId: string
  folder: string
  signal: AbortSignal
  log: WorkerContext['log']
}

const LIMIT_SECONDS = 60

export async function readImages(
  { pools, store, log }: ReaderContext,
  images: readonly StoredSide[],
  signal: AbortSignal,
): Promise<Reading> {
  if (!pools) return { state: 'missing', quality: [] }
  const jobId = `identity-${newId()}`
  const folder = await pools.openFolder(jobId)
  try {
    const ready = await Promise.all(
      images.map(async ({ side, key, type, size }) => {
        const path = store.localPath?.(key) ?? join(folder, side)
        if (!store.localPath) await store.fetchTo(key, path)
        return { side, path, type, sizeBytes: size }
      }),
    )
    return await readAll({ pools, jobId, folder, signal, log }, ready)
  } finally {
    await pools.closeFolder(jobId)
  }
}

const PRINT_OPTIONS = {
  ...{ assets: [], failOn: [], background: true, media: 'print', outline: true, tagged: true },
  ...{ javascript: false, network: 'none', timezone: 'UTC', colorScheme: 'light' },
  wait: { delayMs: 0, networkIdle: false, timeoutMs: 20_000 },
  page: { format: 'A4', margin: '18mm', landscape: false, scale: 1, preferCssPageSize: false, single: false },
}

/** Prints a report with the engine that prints for callers. */
export async function printReport({ pools, log }: ReaderContext, html: string, signal: AbortSignal): Promise<Buffer> {
  if (!pools) throw new Error('reports are printed by a worker that has engines')
  const jobId = `identity-report-${newId()}`
  const folder = await pools.openFolder(jobId)
  try {
    const { result } = await perform({ pools, jobId, folder, signal, log }, 'pdf.from-html', { ...PRINT_OPTIONS, html })
    const { output } = (result ?? {}) as { output?: { path?: string; bytes?: Uint8Array } }
    if (output?.bytes) return Buffer.from(output.bytes)
    if (!output?.path) throw new Error('the report was not printed')
    return await readFile(output.path)
  } finally {
    await pools.closeFolder(jobId)
  }
}

async function readAll(run: Run, images: readonly ReadyImage[]): Promise<Reading> {
  const [front, back, selfie] = (['front', 'back', 'selfie'] as const).map(side =>
    images.find(one => one.side === side),
  )
  const quality = (await Promise.all(images.map(image => measure(run, image)))).flatMap(found => found ?? [])
  if (!front) return { state: 'read', quality }
  const file = await prepare(run, front, 'document')
  const input = { file, ...(back && { back: await prepare(run, back, 'document') }), ...READ_OPTIONS }
  const found = await perform(run, 'doc.parse-id', { ...input, documentType: 'auto' })
  const layout = await perform(run, 'doc.ocr-layout', { file, ...READ_OPTIONS, output: 'json', include: [] })
  const text = layout.result?.text as string | undefined
  const document = found.result && describe(found.result as unknown as ParsedDocument)
  return {
    ...{ state: document ? 'read' : (found.lack ?? 'unreadable'), quality },
    ...(document && { document }),
    ...(text !== undefined && { text }),
    ...(selfie && (await compareFaces(run, selfie, front))),
  }
}

const READ_OPTIONS = { languages: ['eng'], minConfidence: 0 }

async function measure(run: Run, image: ReadyImage): Promise<ImageQuality | undefined> {
  const file = markInputFile({ ...image, name: undefined, facts: {} })
  const { result } = await perform(run, 'image.metadata', { file, include: ['stats'] })
  const { displayWidth: width, displayHeight: height, stats } = (result ?? {}) as unknown as Metadata
  if (!stats) return undefined
  const brightness = Math.min(...stats.mean.slice(0, 3))
  return { side: image.side, width, height, sharpness: stats.sharpness, brightness }
}

interface Metadata {
  displayWidth: number
  displayHeight: number
  stats?: { sharpness: number; mean: number[] }
}

async function compareFaces(
  run: Run,
  selfie: ReadyImage,
  front: ReadyImage,
): Promise<{ similarity?: number; faceFault?: FaceFault }> {
  const [source, target] = await Promise.all([prepare(run, selfie, 'image'), prepare(run, front, 'image')])
  const input = { source, target, threshold: 0, max: 1 }
  const { result, lack, problem } = await perform(run, 'vision.compare-faces', input)
  const [best] = (result?.matches ?? []) as { similarity: number }[]
  if (best) return { similarity: best.similarity }
  if (result) return { faceFault: 'no-face-in-document' }
  if (problem?.code === 'NO_FACE_FOUND') return { faceFault: 'no-face-in-selfie' }
  return lack === 'missing' ? {} : { faceFault: lack ?? 'not-comparable' }
}

/** Finds out what an operation must know of a file before it runs; a file that cannot be read has no such facts. */
async function prepare(run: Run, { path, type, sizeBytes }: ReadyImage, probe: ProbeKind) {
  const files = [{ path, type, sizeBytes, probe }]
  const limits = { limits: FILE_LIMITS, limitSeconds: LIMIT_SECONDS }
  const [facts = {}] = await run.pools.probe(files, run.folder, run.signal, limits).catch((error: unknown) => {
    run.log.info({ err: error }, 'an image of a verification could not be probed')
    return []
  })
  return markInputFile({ path, type, sizeBytes, name: undefined, facts })
}

interface Performed {
  result?: Record<string, unknown>
  problem?: Problem
  /** It is the machine or a provider that cannot; undefined: the image. */
  lack?: 'missing' | 'unavailable'
}

/** What cannot be read is no fault of the worker, and neither is an engine that dies of it: a person looks at the images. */
async function perform(run: Run, operation: string, input: object): Promise<Performed> {
  const { pools, log, ...job } = run
  try {
    const answer = await pools.run({ ...job, operation, input, limitSeconds: LIMIT_SECONDS })
    if (!answer.ok) throw Problem.from(answer.problem)
    return { result: answer.outcome.result as Record<string, unknown> }
  } catch (error) {
    run.signal.throwIfAborted()
    log.info({ operation, err: error }, 'an image of a verification was not read')
    if (!(error instanceof Problem)) return { lack: 'missing' }
    if (error.code === 'PROVIDER_UNAVAILABLE') return { problem: error, lack: 'unavailable' }
    return { problem: error, ...(error.status >= 500 && { lack: 'missing' }) }
  }
}

interface ParsedDocument {
  documentType: 'passport' | 'id-card' | 'driving-licence' | 'visa' | 'residence'
  issuingCountry: string
  fields: Partial<Record<string, { value: string }>>
  mrz?: { valid: boolean }
  barcode?: object
  mismatches: string[]
}

const TYPES: Record<ParsedDocument['documentType'], DocumentType> = {
  passport: 'passport',
  'id-card': 'id_card',
  'driving-licence': 'driving_licence',
  visa: 'visa',
  residence: 'residence_permit',
}

function describe({ documentType, issuingCountry, fields, mrz, barcode, mismatches }: ParsedDocument): ReadDocument {
  const text = (name: string) => fields[name]?.value || null
  return {
    ...{ type: TYPES[documentType], issuingCountry, number: text('documentNumber') },
    ...{ firstName: text('firstName'), lastName: text('lastName'), dob: text('dateOfBirth') },
    ...{ expiry: text('dateOfExpiry'), sex: text('sex'), mrzValid: mrz?.valid ?? null },
    ...{ hasBarcode: barcode !== undefined, mismatches },
  }
}
