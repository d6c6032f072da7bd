import { open } from 'node:fs/promises'
import { type Facts, type ProbeKind, Problem } from '#kit'
import { glanceAtImage } from './image-glance.ts'
import type { HostRoom } from './job-room.ts'
import { glance } from './pdf-glance.ts'
import type { Inspection } from './tools/libpdf-engine.ts'
import type { ImageFacts } from './tools/sharp-engine.ts'

export interface FileToProbe {
  path: string
  /** What the content looked like. */
  type: string
  sizeBytes: number
  probe: ProbeKind
  password?: string | null
  /** Where the file stands in a list; named in the problem. */
  index?: number
}

/** A document that takes longer to look at has something wrong with it. */
const FIRST_LOOK_MS = 3000
const MOST_PAGES = 2000
const MOST_PIXELS = 100_000_000
const MOST_PIXELS_OF_ALL_FRAMES = 200_000_000
const MOST_FRAMES = 1000

/** What files are and how much of them there is. All files of a kind are read in one call of a warm child. */
export async function probeFiles(files: readonly FileToProbe[], room: HostRoom): Promise<Facts[]> {
  const documents = files.filter(({ probe }) => probe === 'pdf')
  const pictures = files.filter(({ probe }) => probe === 'image')
  const found = new Map<FileToProbe, Facts>()
  await Promise.all([probePdfs(documents, room, found), probeImages(pictures, room, found)])
  return files.map(file => found.get(file)!)
}

async function probePdfs(files: readonly FileToProbe[], room: HostRoom, found: Map<FileToProbe, Facts>): Promise<void> {
  if (files.length === 0) return
  const glances = files.map(({ path, sizeBytes }) => glance(path, sizeBytes))
  const strange = files.filter((_, index) => glances[index] === undefined)
  await Promise.all(strange.map(checkPdfHead))
  const inspections = strange.length > 0 ? await inspectAll(strange, room) : []
  for (const [index, file] of files.entries()) {
    const pages = glances[index]
    const facts =
      pages === undefined ? await factsOf(file, inspections[strange.indexOf(file)]!, room) : { pages, marks: [] }
    found.set(file, checkedPages(facts, file))
  }
}

async function factsOf(file: FileToProbe, inspection: Inspection, room: HostRoom): Promise<Facts> {
  const { odd, pages, marks } = inspection
  return odd === undefined ? { pages, marks } : lookCloser(file, inspection, room)
}

/** Anything else may be taken for a program by an engine that reads several formats. */
async function checkPdfHead(file: FileToProbe): Promise<void> {
  const handle = await open(file.path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0)
    if (!buffer.subarray(0, bytesRead).includes('%PDF-')) throw unreadable(file)
  } finally {
    await handle.close()
  }
}

function unreadable({ type, index }: FileToProbe, hints: object = {}): Problem {
  const detected = type === 'application/pdf' ? {} : { detected: type }
  return new Problem('PDF_PARSE_FAILED', { ...detected, ...place(index), ...hints })
}

function place(index: number | undefined): { index?: number } {
  return index === undefined ? {} : { index }
}

/** A reader that dies of a file, or takes too long over it, has found it odd. */
async function inspectAll(files: readonly FileToProbe[], room: HostRoom): Promise<Inspection[]> {
  const { bind } = await import('./tools/libpdf.ts')
  const deadlineMs = Math.min(room.deadlineMs, performance.now() + FIRST_LOOK_MS)
  try {
    return await bind({ ...room, deadlineMs }).inspect(files.map(({ path }) => path))
  } catch (error) {
    room.signal.throwIfAborted()
    const odd = (error as Error).message
    return files.map(() => ({ pages: 0, marks: [], odd }))
  }
}

/** Encrypted, damaged or strange: qpdf rewrites it, and the rewritten file is read. */
async function lookCloser(file: FileToProbe, { isTreeOdd }: Inspection, room: HostRoom): Promise<Facts> {
  const [qpdf, libpdf] = await Promise.all([import('./tools/qpdf.ts'), import('./tools/libpdf.ts')])
  try {
    const to = room.out(`probe-${file.index ?? 0}.pdf`)
    const { path, isRepaired, isEncrypted } = await qpdf
      .bind(room)
      .clean(file.path, { to, password: file.password ?? undefined })
    const [clean] = await libpdf.bind(room).inspect([path])
    if (!clean || clean.pages === 0) throw unreadable(file, { try: '/v1/pdf/repair' })
    const isRestricted = isEncrypted && !file.password
    const marks = { odd: !isEncrypted, repaired: isRepaired || isTreeOdd === true, restricted: isRestricted }
    return { pages: clean.pages, marks: [...clean.marks, ...namesSet(marks)], encrypted: isEncrypted }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'PDF_PARSE_FAILED') throw unreadable(file, { ...error.hints, try: '/v1/pdf/repair' })
    throw new Problem(error.code, { ...error.hints, ...place(file.index) })
  }
}

function namesSet<Name extends string>(flags: Record<Name, boolean>): Name[] {
  return (Object.keys(flags) as Name[]).filter(name => flags[name])
}

function checkedPages(facts: Facts, { index }: FileToProbe): Facts {
  if (facts.pages! > MOST_PAGES)
    throw new Problem('TOO_MANY_PAGES', { limit: MOST_PAGES, actual: facts.pages, ...place(index) })
  return facts
}

async function probeImages(
  files: readonly FileToProbe[],
  room: HostRoom,
  found: Map<FileToProbe, Facts>,
): Promise<void> {
  const glances = await Promise.all(files.map(({ path }) => glanceAtImage(path)))
  const strange = files.filter((_, index) => glances[index] === undefined)
  const read = strange.length > 0 ? await inspectImages(strange, room) : []
  for (const [index, file] of files.entries()) {
    const facts = glances[index] ?? readable(read[strange.indexOf(file)]!, file)
    found.set(file, checkedPixels(facts, file))
  }
}

async function inspectImages(files: readonly FileToProbe[], room: HostRoom): Promise<ImageFacts[]> {
  const { bind } = await import('./tools/sharp.ts')
  return bind(room).inspect(files.map(({ path }) => path))
}

function readable(facts: ImageFacts, file: FileToProbe): Facts {
  if (!('unreadable' in facts)) return { width: facts.width, height: facts.height, frames: facts.frames }
  throw new Problem('IMAGE_DECODE_FAILED', { detected: file.type, detail: facts.unreadable, ...place(file.index) })
}

function checkedPixels(facts: Facts, file: FileToProbe): Facts {
  const { width = 0, height = 0, frames = 1 } = facts
  const check = (actual: number, limit: number, of: string) => {
    if (actual > limit) throw new Problem('TOO_MANY_PIXELS', { limit, actual, of, ...place(file.index) })
  }
  check(width * height, MOST_PIXELS, 'the picture')
  check(width * height * frames, MOST_PIXELS_OF_ALL_FRAMES, 'all frames')
  check(frames, MOST_FRAMES, 'frames')
  return facts
}
