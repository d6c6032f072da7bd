import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_LIMITS, markInputFile, newId, type ProbeKind, Problem } from '#kit'
import type { StoredFile } from '../../../tasks/products/esigndoc/document.ts'
import type { WorkerContext } from '../../context.ts'

type OperationContext = Pick<WorkerContext, 'store'> & Partial<Pick<WorkerContext, 'pools'>>

const LIMIT_SECONDS = 55

interface Asked {
  operation: string
  file: StoredFile
  probe?: ProbeKind
  options: object
  signal: AbortSignal
}

/** Runs an operation on a stored file, in a folder that is gone afterwards. Throws what the operation refuses. */
async function runOn<Result>(
  { pools, store }: OperationContext,
  { operation, file, probe, options, signal }: Asked,
  use: (result: Record<string, unknown>) => Promise<Result> | Result,
): Promise<Result> {
  if (!pools) throw new Error('this process has no engines')
  const jobId = `signing-${newId()}`
  const folder = await pools.openFolder(jobId)
  try {
    const path = join(folder, 'stored')
    await store.fetchTo(file.key, path)
    const { type, sizeBytes, name } = file
    const limits = { limits: FILE_LIMITS, limitSeconds: LIMIT_SECONDS }
    const [facts = {}] = probe ? await pools.probe([{ path, type, sizeBytes, probe }], folder, signal, limits) : []
    const input = { file: markInputFile({ path, type, sizeBytes, name, facts }), ...options }
    const answer = await pools.run({ jobId, folder, signal, operation, input, limitSeconds: LIMIT_SECONDS })
    if (!answer.ok) throw Problem.from(answer.problem)
    return await use(answer.outcome.result as Record<string, unknown>)
  } finally {
    await pools.closeFolder(jobId)
  }
}

const PRINTED = {
  ...{ sheets: 'visible', fit: 'width', notes: 'none', hiddenSlides: false, comments: 'none', trackedChanges: 'final' },
  ...{ updateIndexes: true, formFields: false, imageQuality: 90, maxImageDpi: 300, bookmarks: true, pdfua: false },
}

/** Prints a document of an office program as a PDF. */
export function convertOffice(context: OperationContext, file: StoredFile, signal: AbortSignal): Promise<Uint8Array> {
  return runOn(context, { operation: 'pdf.from-office', file, options: PRINTED, signal }, result => {
    const { path } = result.output as { path: string }
    return readFile(path)
  })
}

interface Measured {
  displayWidth: number
  displayHeight: number
  stats: { entropy: number; mean: number[]; isOpaque: boolean }
}

/** Of an image that shows no more than a dot: bits a pixel, and the mean of its opacity of 255. */
const MIN_ENTROPY = 0.03
const MIN_OPACITY = 0.4

/** The size of an image, and whether it shows anything. */
export function measureImage(context: OperationContext, file: StoredFile, signal: AbortSignal) {
  const options = { include: ['stats'] }
  return runOn(context, { operation: 'image.metadata', file, probe: 'image', options, signal }, result => {
    const { displayWidth: width, displayHeight: height, stats } = result as unknown as Measured
    const isBlank = stats.isOpaque ? stats.entropy < MIN_ENTROPY : stats.mean.at(-1)! < MIN_OPACITY
    return { width, height, isBlank }
  })
}
