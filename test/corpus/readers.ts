import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { freshFolder } from '../support/machine/folder.ts'
import { PYTHON } from '../support/machine/programs.ts'

interface Reading {
  error?: string
  warning?: string
  /** `40x20` for each frame of an image. */
  frameSizes?: string[]
}

const READ_TIMEOUT_MS = 60_000
/** ImageMagick's policy refuses larger images. */
const MAX_SIDE_PIXELS = 16_000
const MAX_PIXELS = 40_000_000

/** Reads an output with a program other than the one that made it. */
export async function readBack(bytes: Buffer, contentType: string, password?: string): Promise<Reading> {
  const type = contentType.split(';')[0]!.trim()
  const reader = READERS[type] ?? (type.startsWith('image/') ? readImage : undefined)
  if (reader) return reader(bytes, type, password)
  return type.startsWith('text/') ? readText(bytes) : {}
}

type Reader = (bytes: Buffer, type: string, password?: string) => Reading | Promise<Reading>

const READERS: Record<string, Reader> = {
  'application/pdf': readPdf,
  'application/zip': readZip,
  'application/json': bytes => readJson(bytes.toString('utf8')),
  'application/x-ndjson': bytes => findFirstError(bytes.toString('utf8').split('\n').filter(Boolean).map(readJson)),
  'text/csv': readCsv,
  'text/tab-separated-values': readCsv,
}

async function readPdf(bytes: Buffer, _type: string, password?: string): Promise<Reading> {
  const passwordArgs = password ? [`--password=${password}`] : []
  const { code, stderr } = await runReader('qpdf', [...passwordArgs, '--check', '@'], bytes, '.pdf')
  if (code === 3 || hasOnlyContentErrors(stderr)) return { warning: `qpdf: ${stderr}` }
  if (code === KILLED) return readPdfByPoppler(bytes, password)
  return code === 0 ? {} : { error: `qpdf ${code}: ${stderr}` }
}

/** The check of qpdf itself crashes on some invalid images, so Poppler decides then. */
async function readPdfByPoppler(bytes: Buffer, password = ''): Promise<Reading> {
  const { code, stderr } = await runReader('pdfinfo', ['-upw', password, '@'], bytes, '.pdf')
  return code === 0 ? { warning: 'qpdf crashed' } : { error: `pdfinfo ${code}: ${stderr}` }
}

/** Page content is copied as it is, so damaged content of the input is not a fault of the operation. */
function hasOnlyContentErrors(stderr: string): boolean {
  const errors = stderr.split('\n').filter(line => line.startsWith('ERROR'))
  return errors.length > 0 && errors.every(line => /^ERROR: page \d+: content stream/.test(line))
}

async function readZip(bytes: Buffer, _type: string, password?: string): Promise<Reading> {
  const { code, stderr } = await runReader('unzip', ['-tqq', ...(password ? ['-P', password] : []), '@'], bytes, '.zip')
  if (code === 0 || isEmptyZip(bytes)) return {}
  return usesAes(stderr) ? readBySevenZip(bytes, password) : { error: `unzip ${code}: ${stderr}` }
}

function isEmptyZip(bytes: Buffer): boolean {
  return bytes.length === 22
}

/** Info-ZIP does not read AES. */
function usesAes(stderr: string): boolean {
  return /need PK compat|unsupported compression method 99/.test(stderr)
}

async function readBySevenZip(bytes: Buffer, password = ''): Promise<Reading> {
  const { code, stderr } = await runReader('7zz', ['t', `-p${password}`, '@'], bytes, '.zip')
  return code === 0 || code === MISSING ? {} : { error: `7zz ${code}: ${stderr}` }
}

async function readImage(bytes: Buffer, type: string): Promise<Reading> {
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  const { width = 0, height = 0, pages = 1 } = metadata ?? {}
  if (width * height * pages > MAX_PIXELS || Math.max(width, height) > MAX_SIDE_PIXELS || type === 'image/svg+xml')
    return readBySharp(bytes)
  const args = ['-format', '%Wx%H\\n', '@']
  const { code, stderr, out } = await runReader('identify', args, bytes, EXTENSIONS[type] ?? '')
  if (code !== 0) return { error: `identify ${code}: ${stderr}` }
  const frameSizes = out.trim().split('\n')
  return stderr ? { warning: `identify: ${stderr}`, frameSizes } : { frameSizes }
}

const EXTENSIONS: Record<string, string> = {
  'image/x-icon': '.ico',
  'image/vnd.microsoft.icon': '.ico',
  'image/avif': '.avif',
  'image/jxl': '.jxl',
}

async function readBySharp(bytes: Buffer): Promise<Reading> {
  try {
    const { info } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    return info.size > 0 ? {} : { error: 'sharp: no pixels' }
  } catch (error) {
    return { error: `sharp: ${(error as Error).message}` }
  }
}

function readJson(text: string): Reading {
  try {
    JSON.parse(text)
    return {}
  } catch (error) {
    return { error: (error as Error).message }
  }
}

function findFirstError(readings: readonly Reading[]): Reading {
  return readings.find(({ error }) => error) ?? {}
}

const CSV_READER = `import csv,sys
csv.field_size_limit(10**9)
for row in csv.reader(open(sys.argv[1],encoding='utf-8-sig',newline='')): pass`

async function readCsv(bytes: Buffer): Promise<Reading> {
  const { code, stderr } = await runReader(PYTHON, ['-c', CSV_READER, '@'], bytes)
  return code === 0 || code === MISSING ? {} : { error: `python ${code}: ${stderr.split('\n').at(-1)}` }
}

function readText(bytes: Buffer): Reading {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return {}
  } catch {
    return { error: 'not UTF-8' }
  }
}

const MAX_STDERR_CHARS = 100_000
/** Our exit code for a program that is not installed. */
const MISSING = -1
const KILLED = 99

async function runReader(
  program: string,
  args: readonly string[],
  bytes: Buffer,
  extension = '',
): Promise<{ code: number; stderr: string; out: string }> {
  await using folder = await freshFolder()
  const path = join(folder.path, `output${extension}`)
  await writeFile(path, bytes)
  const resolvedArgs = args.map(arg => (arg === '@' ? path : arg))
  return await new Promise(resolve => {
    execFile(program, resolvedArgs, { timeout: READ_TIMEOUT_MS, maxBuffer: 2 ** 26 }, (error, out, stderr) => {
      const { code } = (error ?? { code: 0 }) as { code?: number | string }
      const exitCode = code === 'ENOENT' ? MISSING : typeof code === 'number' ? code : KILLED
      resolve({ code: exitCode, out, stderr: stderr.replaceAll(path, '@').trim().slice(0, MAX_STDERR_CHARS) })
    })
  })
}
