import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { freshFolder } from '../support/folder.ts'

export interface Reading {
  complaint?: string
  remark?: string
  /** `40x20` for each frame of a picture. */
  pictures?: string[]
}

const READ_WITHIN_MS = 60_000
/** ImageMagick refuses larger ones by its policy. */
const LONGEST_SIDE = 16_000
const MOST_PIXELS = 40_000_000

/** Reads an output with another program than made it. */
export async function readBack(bytes: Buffer, contentType: string, password?: string): Promise<Reading> {
  const type = contentType.split(';')[0]!.trim()
  const reader = READERS[type] ?? (type.startsWith('image/') ? picture : undefined)
  if (reader) return reader(bytes, type, password)
  return type.startsWith('text/') ? text(bytes) : {}
}

type Reader = (bytes: Buffer, type: string, password?: string) => Reading | Promise<Reading>

const READERS: Record<string, Reader> = {
  'application/pdf': pdf,
  'application/zip': zip,
  'application/json': bytes => parsed(bytes.toString('utf8')),
  'application/x-ndjson': bytes => firstComplaint(bytes.toString('utf8').split('\n').filter(Boolean).map(parsed)),
  'text/csv': table,
  'text/tab-separated-values': table,
}

async function pdf(bytes: Buffer, _type: string, password?: string): Promise<Reading> {
  const keys = password ? [`--password=${password}`] : []
  const { code, said } = await readBy('qpdf', [...keys, '--check', '@'], bytes, '.pdf')
  if (code === 3 || isOnlyContent(said)) return { remark: `qpdf: ${said}` }
  if (code === KILLED) return pdfByPoppler(bytes, password)
  return code === 0 ? {} : { complaint: `qpdf ${code}: ${said}` }
}

/** qpdf's own check falls over some pictures that are no pictures. */
async function pdfByPoppler(bytes: Buffer, password = ''): Promise<Reading> {
  const { code, said } = await readBy('pdfinfo', ['-upw', password, '@'], bytes, '.pdf')
  return code === 0 ? { remark: 'qpdf fell over it' } : { complaint: `pdfinfo ${code}: ${said}` }
}

/** What is drawn on a page is carried along as it came, and may have come damaged; the document itself is whole. */
function isOnlyContent(said: string): boolean {
  const errors = said.split('\n').filter(line => line.startsWith('ERROR'))
  return errors.length > 0 && errors.every(line => /^ERROR: page \d+: content stream/.test(line))
}

async function zip(bytes: Buffer, _type: string, password?: string): Promise<Reading> {
  const { code, said } = await readBy('unzip', ['-tqq', ...(password ? ['-P', password] : []), '@'], bytes, '.zip')
  if (code === 0 || isEmptyZip(bytes)) return {}
  return isByAes(said) ? seven(bytes, password) : { complaint: `unzip ${code}: ${said}` }
}

function isEmptyZip(bytes: Buffer): boolean {
  return bytes.length === 22
}

/** Info-ZIP does not read AES. */
function isByAes(said: string): boolean {
  return /need PK compat|unsupported compression method 99/.test(said)
}

async function seven(bytes: Buffer, password = ''): Promise<Reading> {
  const { code, said } = await readBy('7zz', ['t', `-p${password}`, '@'], bytes, '.zip')
  return code === 0 || code === MISSING ? {} : { complaint: `7zz ${code}: ${said}` }
}

async function picture(bytes: Buffer, type: string): Promise<Reading> {
  const head = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  const { width = 0, height = 0, pages = 1 } = head ?? {}
  if (width * height * pages > MOST_PIXELS || Math.max(width, height) > LONGEST_SIDE || type === 'image/svg+xml')
    return bySharp(bytes)
  const args = ['-format', '%Wx%H\\n', '@']
  const { code, said, out } = await readBy('identify', args, bytes, ENDINGS[type] ?? '')
  if (code !== 0) return { complaint: `identify ${code}: ${said}` }
  const pictures = out.trim().split('\n')
  return said ? { remark: `identify: ${said}`, pictures } : { pictures }
}

const ENDINGS: Record<string, string> = {
  'image/x-icon': '.ico',
  'image/vnd.microsoft.icon': '.ico',
  'image/avif': '.avif',
  'image/jxl': '.jxl',
}

async function bySharp(bytes: Buffer): Promise<Reading> {
  try {
    const { info } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    return info.size > 0 ? {} : { complaint: 'sharp: no pixels' }
  } catch (error) {
    return { complaint: `sharp: ${(error as Error).message}` }
  }
}

function parsed(text: string): Reading {
  try {
    JSON.parse(text)
    return {}
  } catch (error) {
    return { complaint: (error as Error).message }
  }
}

function firstComplaint(readings: readonly Reading[]): Reading {
  return readings.find(({ complaint }) => complaint) ?? {}
}

const CSV = `import csv,sys
csv.field_size_limit(10**9)
for row in csv.reader(open(sys.argv[1],encoding='utf-8-sig',newline='')): pass`

async function table(bytes: Buffer): Promise<Reading> {
  const { code, said } = await readBy('python3', ['-c', CSV, '@'], bytes)
  return code === 0 || code === MISSING ? {} : { complaint: `python ${code}: ${said.split('\n').at(-1)}` }
}

function text(bytes: Buffer): Reading {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return {}
  } catch {
    return { complaint: 'not UTF-8' }
  }
}

const MOST_SAID = 100_000
/** What a program that is not on this machine answers. */
const MISSING = -1
const KILLED = 99

async function readBy(
  program: string,
  args: readonly string[],
  bytes: Buffer,
  ending = '',
): Promise<{ code: number; said: string; out: string }> {
  await using folder = await freshFolder()
  const path = join(folder.path, `output${ending}`)
  await writeFile(path, bytes)
  const words = args.map(word => (word === '@' ? path : word))
  return await new Promise(resolve => {
    execFile(program, words, { timeout: READ_WITHIN_MS, maxBuffer: 2 ** 26 }, (error, out, said) => {
      const { code } = (error ?? { code: 0 }) as { code?: number | string }
      const number = code === 'ENOENT' ? MISSING : typeof code === 'number' ? code : KILLED
      resolve({ code: number, out, said: said.replaceAll(path, '@').trim().slice(0, MOST_SAID) })
    })
  })
}
