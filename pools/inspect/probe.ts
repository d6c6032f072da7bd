import { type Facts, type FileLimits, Problem } from '#kit'
import { hasPdfHeader, PDF_HEAD_BYTES } from '../../tasks/formats/file-types/recognise.ts'
import { isStillType } from '../../tasks/formats/file-types/still.ts'
import type { HostContext } from '../host-context.ts'
import type { Inspection } from '../tools/libpdf/engine.ts'
import type { ImageFacts } from '../tools/sharp/engine.ts'
import { readFileStart } from './file-start.ts'
import type { FileToProbe } from './file-to-probe.ts'
import { readImageHeader } from './image-header.ts'
import { probeMedia } from './media.ts'
import { countSimplePages } from './pdf-page-count.ts'

type FactsByFile = Map<FileToProbe, Facts>

/** A document that takes longer to inspect is treated as damaged. */
const INSPECTION_TIMEOUT_MS = 3000

/** Finds the pages of PDFs and the dimensions of images. All files of a kind are read in one call of an engine. */
export async function probeFiles(
  files: readonly FileToProbe[],
  context: HostContext,
  limits: FileLimits,
): Promise<Facts[]> {
  const pdfs = files.filter(file => kindOf(file) === 'pdf')
  const images = files.filter(file => kindOf(file) === 'image')
  const media = files.filter(file => kindOf(file) === 'media')
  const factsByFile: FactsByFile = new Map()
  await Promise.all([
    probePdfs(pdfs, context, factsByFile),
    probeImages(images, context, factsByFile),
    ...media.map(async file => factsByFile.set(file, await probeMedia(file, context, limits))),
  ])
  return files.map(file => {
    const facts = factsByFile.get(file) ?? {}
    if (kindOf(file) === 'pdf') checkPageLimit(facts, file, limits)
    if (kindOf(file) === 'image') checkPixelLimits(facts, file, limits)
    return facts
  })
}

const TEXTS = new Set(['application/xml', 'text/xml', 'application/pkcs7-mime'])

/** A text has no facts to find, nor has what is only accepted beside PDFs. */
function kindOf({ probe, type }: FileToProbe): 'pdf' | 'image' | 'media' | 'text' {
  if (probe === 'media-parts') return 'media'
  if (probe === 'media-or-image') return isStillType(type) ? 'image' : 'media'
  if (probe === 'pdf-or-other') return type === 'application/pdf' ? 'pdf' : 'text'
  if (probe !== 'document') return probe
  if (TEXTS.has(type)) return 'text'
  return type === 'application/pdf' ? 'pdf' : 'image'
}

async function probePdfs(files: readonly FileToProbe[], context: HostContext, factsByFile: FactsByFile): Promise<void> {
  if (files.length === 0) return
  const pageCounts = files.map(({ path, sizeBytes }) => countSimplePages(path, sizeBytes))
  const uncounted = files.filter((_, index) => pageCounts[index] === undefined)
  for (const file of uncounted) requirePdfHeader(file)
  const inspections = uncounted.length > 0 ? await inspectPdfs(uncounted, context) : []
  for (const [index, file] of files.entries()) {
    const pages = pageCounts[index]
    const inspection = inspections[uncounted.indexOf(file)]
    const facts = pages === undefined ? await toPdfFacts(file, inspection!, context) : { pages, marks: [] }
    factsByFile.set(file, facts)
  }
}

async function toPdfFacts(file: FileToProbe, inspection: Inspection, context: HostContext): Promise<Facts> {
  const { anomaly, pages, marks } = inspection
  return anomaly === undefined ? { pages, marks } : normalizeAndInspect(file, inspection, context)
}

/** An engine that reads several formats could take a file without this header for another format, or for a program. */
function requirePdfHeader(file: FileToProbe): void {
  if (!hasPdfHeader(readFileStart(file.path, PDF_HEAD_BYTES))) throw createParseProblem(file)
}

function createParseProblem(file: FileToProbe, hints: object = {}): Problem {
  const detected = file.type === 'application/pdf' ? {} : { detected: file.type }
  return new Problem('PDF_PARSE_FAILED', { ...detected, ...placeHint(file), ...hints })
}

/** Which of the files it is, if the call has several. */
function placeHint({ field, index }: FileToProbe): { index?: number; field?: string } {
  if (index !== undefined) return { index }
  return field === undefined || field === 'file' ? {} : { field }
}

/** If the reader crashes or takes too long, any of the files may be the cause: all count as anomalous. */
async function inspectPdfs(files: readonly FileToProbe[], context: HostContext): Promise<Inspection[]> {
  const { bind } = await import('../tools/libpdf/tool.ts')
  const deadlineMs = Math.min(context.deadlineMs, performance.now() + INSPECTION_TIMEOUT_MS)
  try {
    return await bind({ ...context, deadlineMs }).inspect(files.map(({ path }) => path))
  } catch (error) {
    context.signal.throwIfAborted()
    const anomalous: Inspection = { pages: 0, marks: [], anomaly: (error as Error).message }
    return files.map(() => anomalous)
  }
}

/** Lets qpdf rewrite an encrypted, damaged or unusual document, and inspects the result. */
async function normalizeAndInspect(
  file: FileToProbe,
  { hasBrokenTree = false }: Inspection,
  context: HostContext,
): Promise<Facts> {
  const [qpdf, libpdf] = await Promise.all([import('../tools/qpdf/tool.ts'), import('../tools/libpdf/tool.ts')])
  try {
    const to = context.out(`probe-${file.index ?? 0}.pdf`)
    const { path, isRepaired, isEncrypted } = await qpdf
      .bind(context)
      .normalize(file.path, { to, password: file.password ?? undefined })
    const [normalized] = await libpdf.bind(context).inspect([path])
    if (!normalized || normalized.pages === 0) throw createParseProblem(file, { try: '/v1/pdf/repair' })
    const isRestricted = isEncrypted && !file.password
    const marks = { odd: !isEncrypted, repaired: isRepaired || hasBrokenTree, restricted: isRestricted }
    return { pages: normalized.pages, marks: [...normalized.marks, ...listTrueKeys(marks)], encrypted: isEncrypted }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'PDF_PARSE_FAILED') throw createParseProblem(file, { ...error.hints, try: '/v1/pdf/repair' })
    throw new Problem(error.code, { ...error.hints, ...placeHint(file) })
  }
}

function listTrueKeys<Key extends string>(flags: Record<Key, boolean>): Key[] {
  return (Object.keys(flags) as Key[]).filter(key => flags[key])
}

function checkPageLimit({ pages = 0 }: Facts, file: FileToProbe, limits: FileLimits): void {
  if (pages <= limits.pages) return
  throw new Problem('TOO_MANY_PAGES', { limit: limits.pages, actual: pages, ...placeHint(file) })
}

async function probeImages(
  files: readonly FileToProbe[],
  context: HostContext,
  factsByFile: FactsByFile,
): Promise<void> {
  const headers = files.map(({ path }) => readImageHeader(path))
  const unread = files.filter((_, index) => headers[index] === undefined)
  const inspections = unread.length > 0 ? await inspectImages(unread, context) : []
  for (const [index, file] of files.entries()) {
    const facts = headers[index] ?? toImageFacts(inspections[unread.indexOf(file)]!, file)
    factsByFile.set(file, facts)
  }
}

async function inspectImages(files: readonly FileToProbe[], context: HostContext): Promise<ImageFacts[]> {
  const { bind } = await import('../tools/sharp/tool.ts')
  return bind(context).inspect(files.map(({ path }) => path))
}

function toImageFacts(facts: ImageFacts, file: FileToProbe): Facts {
  if (!('unreadable' in facts)) {
    const { width, height, frames, pages } = facts
    return { width, height, frames, ...(pages !== undefined && { pages }) }
  }
  const hints = { detected: file.type, detail: facts.unreadable, ...placeHint(file) }
  throw new Problem('IMAGE_DECODE_FAILED', hints)
}

function checkPixelLimits({ width = 0, height = 0, frames = 1 }: Facts, file: FileToProbe, limits: FileLimits): void {
  const check = (actual: number, limit: number, of: string) => {
    if (actual > limit) throw new Problem('TOO_MANY_PIXELS', { limit, actual, of, ...placeHint(file) })
  }
  check(width * height, limits.pixels, 'the picture')
  check(width * height * frames, limits.pixelsOfAllFrames, 'all frames')
  check(frames, limits.frames, 'frames')
}
