import { readFile, writeFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { classifyOffice, type OfficeFormat } from '../../tasks/formats/office/classify.ts'
import type { JobContext } from '../job-context.ts'
import { bind as bindZip } from './zip/tool.ts'

/** Saves what can be saved of damaged office files. Runs in a thread. */
export function bind(context: JobContext) {
  return {
    /** The content of a file without the wrapper of an old Macintosh, and the format that it has. */
    unwrap: (path: string) => unwrap(context, path),
    /** Writes a zip with a new directory from the parts that are whole; nothing if there are none. */
    rebuildZip: (path: string) => rebuildZip(context, path),
    /** The readable text in a file of any format. */
    extractText: async (path: string) => extractText(await readFile(path)),
    /** Whether nothing is drawn on a page, given as gray pixels. */
    isBlank: async (path: string) => isBlank(await readFile(path)),
  }
}

const WRAPPER_BYTES = 128

/** MacBinary: a header of 128 bytes with the name and the length of the data. */
async function unwrap(context: JobContext, path: string): Promise<{ path: string; format: OfficeFormat | undefined }> {
  const bytes = await readFile(path)
  const isWrapped =
    bytes.length > WRAPPER_BYTES &&
    [0, 74, 82].every(index => bytes[index] === 0) &&
    bytes[1]! > 0 &&
    bytes[1]! < 64 &&
    bytes.readUInt32BE(83) > 0 &&
    bytes.readUInt32BE(83) <= bytes.length - WRAPPER_BYTES
  if (!isWrapped) return { path, format: classifyOffice(bytes) }
  const inner = bytes.subarray(WRAPPER_BYTES, WRAPPER_BYTES + bytes.readUInt32BE(83))
  const to = context.out('unwrapped')
  await writeFile(to, inner, { flag: 'wx' })
  return { path: to, format: classifyOffice(inner) }
}

const LOCAL_HEADER = Buffer.from('PK\x03\x04')
const MAX_PARTS = 2000
const MAX_PART_BYTES = 50 * 2 ** 20
const MAX_BYTES = 200 * 2 ** 20

async function rebuildZip(context: JobContext, path: string): Promise<string | undefined> {
  const parts = listParts(await readFile(path))
  if (parts.length === 0) return undefined
  const members = await Promise.all(
    parts.map(async ({ name, bytes }, index) => {
      const part = context.out(`part-${index}`)
      await writeFile(part, bytes, { flag: 'wx' })
      return { name, path: part, isStored: name === 'mimetype' }
    }),
  )
  const to = context.out('rebuilt.zip')
  await bindZip().write(members, { to, level: 1 })
  return to
}

function listParts(bytes: Buffer): { name: string; bytes: Buffer }[] {
  const parts = new Map<string, Buffer>()
  let total = 0
  for (let at = bytes.indexOf(LOCAL_HEADER); at >= 0 && parts.size < MAX_PARTS; ) {
    const start = at + 30 + readLength(bytes, at + 26) + readLength(bytes, at + 28)
    const name = bytes.toString('utf8', at + 30, at + 30 + readLength(bytes, at + 26))
    const next = bytes.indexOf(LOCAL_HEADER, Math.max(start, at + 4))
    const content = inflatePart(bytes, at, start, next)
    total += content?.length ?? 0
    const whole = content && (name.endsWith('.xml') || name.endsWith('.rels')) ? closeTags(content) : content
    if (whole && name !== '' && !name.endsWith('/') && total <= MAX_BYTES) parts.set(name, whole)
    at = next
  }
  return [...parts].map(([name, content]) => ({ name, bytes: content }))
}

function readLength(bytes: Buffer, at: number): number {
  return at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0
}

/** A part that was cut off is given as far as it goes. */
function inflatePart(bytes: Buffer, header: number, start: number, next: number): Buffer | undefined {
  if (start > bytes.length || header + 22 > bytes.length) return undefined
  const method = bytes.readUInt16LE(header + 8)
  const stated = bytes.readUInt32LE(header + 18)
  const raw = bytes.subarray(start, next < 0 ? bytes.length : next)
  if (method === 0) return Buffer.from(stated > 0 ? raw.subarray(0, stated) : raw)
  try {
    return inflateRawSync(raw, { finishFlush: 2, maxOutputLength: MAX_PART_BYTES })
  } catch {
    return undefined
  }
}

const MIN_RUN = 4
const MAX_TEXT = 2 ** 20
const WORDLIKE = /\p{L}{2}/u

const TAG = /<(\/?)([A-Za-z_][\w.:-]*)(?:[^<>"']|"[^"]*"|'[^']*')*?(\/?)>/g

/** Ends the elements of a part that was cut off. */
function closeTags(content: Buffer): Buffer {
  const text = content.toString('utf8')
  if (text.trimEnd().endsWith('>') && text.length < 100) return content
  const open: string[] = []
  let end = 0
  for (const { 0: tag, 1: closing, 2: name, 3: isEmpty, index } of text.matchAll(TAG)) {
    if (closing) open.pop()
    else if (!isEmpty) open.push(name!)
    end = index + tag.length
  }
  if (open.length === 0) return content
  return Buffer.from(
    text.slice(0, end) +
      open
        .reverse()
        .map(name => `</${name}>`)
        .join(''),
  )
}

/** The parts of a package in which its text is. */
const TEXT_PARTS =
  /^(?:word\/(?:document|footnotes|header\d*|footer\d*)|xl\/sharedStrings|ppt\/slides\/slide\d+|content)\.xml$/
const BLOCK_END = /<\/(?:w:p|a:p|text:p|text:h|si)>/g

function extractPackageText(bytes: Buffer): string {
  const parts = listParts(bytes).filter(({ name }) => TEXT_PARTS.test(name))
  const texts = parts.map(part =>
    part.bytes
      .toString('utf8')
      .replaceAll(BLOCK_END, '\n')
      .replaceAll(/<[^>]*>/g, ''),
  )
  return texts.join('\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').slice(0, MAX_TEXT)
}

/** Runs of letters in UTF-16 and in one-byte charsets, those of the encoding with more of them. */
function extractText(bytes: Buffer): string {
  if (bytes.toString('latin1', 0, 2) === 'PK') return extractPackageText(bytes)
  const wide = collectRuns(bytes.toString('utf16le'), /[\t\n\r\x20-\x7e\u00a0-\u024f\u0370-\u052f]{4,}/g)
  const narrow = collectRuns(
    new TextDecoder('windows-1252').decode(bytes),
    /[\t\n\r\x20-\x7e\u00a0-\u00ff\u2013-\u2022]{6,}/g,
  )
  return (wide.length > narrow.length / 2 ? wide : narrow).slice(0, MAX_TEXT)
}

function collectRuns(text: string, pattern: RegExp): string {
  const runs = (text.match(pattern) ?? []).map(run => run.replaceAll('\r', '\n').trim())
  return runs.filter(run => run.length >= MIN_RUN && WORDLIKE.test(run) && isProse(run)).join('\n')
}

/** Code and tables of numbers have few letters and spaces. */
function isProse(run: string): boolean {
  const letters = run.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters / run.length > 0.75 && /\s/.test(run)
}

const WHITE = 250

/** A PGM file: a header of three numbers, then a byte for each pixel. */
function isBlank(pgm: Buffer): boolean {
  const header = /^P5\s+\d+\s+\d+\s+\d+\s/.exec(pgm.toString('latin1', 0, 100))?.[0].length ?? 0
  return !pgm.subarray(header).some(pixel => pixel < WHITE)
}
