import { readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile, grantRead, ownerOf, type ProgramResult } from '../../programs/run.ts'
import { Slots } from '../../slots.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { parseLines, type RecognizedLine } from './lines.ts'

interface Recognition {
  text: string
  /** Mean over all characters, from 0 to 100. */
  confidence: number
  lines: RecognizedLine[]
}

interface RecognizeOptions {
  /** Tesseract's language names. */
  languages: readonly string[]
  /** Tesseract's page segmentation mode. */
  layout: number
  /** Recognise only these characters. */
  whitelist?: string
  /** Of the image; default 300. */
  dpi?: number
}

interface ImageSource {
  bytes?: Uint8Array
  path?: string
}

/** Recognises text in images, with one sandboxed process per image. */
export function bind(context: HostContext) {
  return {
    recognize: (image: ImageSource, options: RecognizeOptions) => recognize(context, image, options),
    /** Does the same when a core is free for it, so that the pages of all documents share the cores. */
    recognizePage: (image: ImageSource, options: RecognizeOptions) =>
      CORES.use(context.signal, () => recognize(context, image, options)),
    /** Returns by how much to rotate an image clockwise to make it upright; 0 if unknown. */
    detectRotation: (image: ImageSource) => detectRotation(context, image),
    listLanguages: () => listLanguages(context),
  }
}

const CORES = new Slots(availableParallelism())

/** More threads make it no faster, and far slower on busy cores. */
const ENVIRONMENT = { OMP_THREAD_LIMIT: '1' }
const MIN_CONFIDENCE = 1

async function recognize(context: HostContext, image: ImageSource, options: RecognizeOptions): Promise<Recognition> {
  const name = await prepareImage(context, image)
  const layout = ['--psm', String(options.layout)]
  const whitelist = options.whitelist ? ['-c', `tessedit_char_whitelist=${options.whitelist}`] : []
  const to = `recognized-${basename(name)}`
  const args = [
    name,
    `./${to}`,
    '-l',
    options.languages.join('+'),
    '--dpi',
    String(options.dpi ?? 300),
    ...layout,
    ...whitelist,
    'txt',
    'tsv',
  ]
  const { code, stderr } = await run(context, args, name)
  await discardImage(context, image, name)
  if (code !== 0) throw toError(code, stderr)
  const [text, table] = await Promise.all(
    ['txt', 'tsv'].map(async extension =>
      readFile(await checkOutputFile(context, context.out(`${to}.${extension}`), 'tesseract'), 'utf8'),
    ),
  )
  const lines = parseLines(table!)
  const words = lines.flatMap(line => line.words)
  const weight = words.reduce((sum, word) => sum + word.text.length, 0)
  const confidence = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / Math.max(1, weight)
  return { text: text!.replaceAll('\f', '').trim(), confidence: Math.round(confidence * 10) / 10, lines }
}

/** Tesseract fails on images with too few characters; the rotation is then unknown. */
async function detectRotation(context: HostContext, image: ImageSource): Promise<0 | 90 | 180 | 270> {
  if (!(await listLanguages(context)).includes('osd')) return 0
  const name = await prepareImage(context, image)
  const { code, stdout, stderr } = await run(context, [name, '-', '-l', 'osd', '--dpi', '300', '--psm', '0'], name)
  await discardImage(context, image, name)
  if (code !== 0 && !/Too few characters|Error during processing/.test(stderr)) throw toError(code, stderr)
  const rotation = Number(/^Rotate: (\d+)/m.exec(stdout)?.[1] ?? 0)
  const confidence = Number(/^Orientation confidence: ([\d.]+)/m.exec(stdout)?.[1] ?? 0)
  return confidence >= MIN_CONFIDENCE && (rotation === 90 || rotation === 180 || rotation === 270) ? rotation : 0
}

let installedLanguages: Promise<string[]> | undefined

/** Read once per process; languages installed later are found after a restart. */
function listLanguages(context: HostContext): Promise<string[]> {
  installedLanguages ??= readInstalledLanguages(context).catch(error => {
    installedLanguages = undefined
    throw error
  })
  return installedLanguages
}

async function readInstalledLanguages(context: HostContext): Promise<string[]> {
  const { code, stdout, stderr } = await context.programs.run(context, 'tesseract', ['--list-langs'])
  if (code !== 0) throw toError(code, stderr)
  return stdout
    .split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(line => line !== '')
}

async function prepareImage(context: HostContext, { bytes, path }: ImageSource): Promise<string> {
  if (path !== undefined) return addInputFile(context, path)
  const imagePath = context.out(`image-${++imageCount}.png`)
  await writeFile(imagePath, bytes!)
  grantRead(ownerOf(context.folder), imagePath)
  return `./${basename(imagePath)}`
}

let imageCount = 0

/** A long document would fill the disk with its pages. */
async function discardImage({ out }: HostContext, { path }: ImageSource, name: string): Promise<void> {
  if (path === undefined) await rm(out(basename(name)), { force: true })
}

function run(context: HostContext, args: readonly string[], name: string): Promise<ProgramResult> {
  return context.programs.run(context, 'tesseract', args, { readOnly: [basename(name)], env: ENVIRONMENT })
}

function toError(code: number, stderr: string): Error {
  const detail = stderr.trim().split('\n').at(-1)?.slice(0, 200)
  if (code === 1) return new Problem('IMAGE_DECODE_FAILED', { detail })
  return new ToolCrashed('tesseract', `exit code ${code} ${detail}`)
}
