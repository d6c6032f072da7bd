import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, type Finished, ownerOf, readableBy, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { linesOf, type ReadLine } from './tesseract-lines.ts'

export interface Reading {
  text: string
  /** Of all words, from 0 to 100. */
  confidence: number
  lines: ReadLine[]
}

export interface ReadOptions {
  /** By tesseract's own names. */
  languages: readonly string[]
  /** How the page is laid out, by tesseract's number. */
  layout: number
  /** No other characters are found. */
  whitelist?: string
}

interface Picture {
  bytes?: Uint8Array
  path?: string
}

/** Reads text in pictures; one confined process a picture. */
export function bind(room: HostRoom) {
  return {
    read: (picture: Picture, options: ReadOptions) => read(room, picture, options),
    /** By how much a picture must be turned clockwise to stand upright; 0 where nothing tells. */
    rotation: (picture: Picture) => rotation(room, picture),
    languages: () => languages(room),
  }
}

/** With more threads than one it is no faster, and far slower where the cores are busy. */
const ENVIRONMENT = { OMP_THREAD_LIMIT: '1' }
const LEAST_SURE = 1

async function read(room: HostRoom, picture: Picture, options: ReadOptions): Promise<Reading> {
  const name = await placed(room, picture)
  const layout = ['--psm', String(options.layout)]
  const only = options.whitelist ? ['-c', `tessedit_char_whitelist=${options.whitelist}`] : []
  const to = `read-${basename(name)}`
  const args = [name, `./${to}`, '-l', options.languages.join('+'), '--dpi', '300', ...layout, ...only, 'txt', 'tsv']
  const { code, stderr } = await run(room, args, name)
  if (code !== 0) throw failed(code, stderr)
  const [text, table] = await Promise.all(
    ['txt', 'tsv'].map(async ending => readFile(await takeOut(room, room.out(`${to}.${ending}`), 'tesseract'), 'utf8')),
  )
  const lines = linesOf(table!)
  const words = lines.flatMap(line => line.words)
  const weight = words.reduce((sum, word) => sum + word.text.length, 0)
  const confidence = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / Math.max(1, weight)
  return { text: text!.replaceAll('\f', '').trim(), confidence: Math.round(confidence * 10) / 10, lines }
}

/** Pictures with too few letters make it give up, which says nothing. */
async function rotation(room: HostRoom, picture: Picture): Promise<0 | 90 | 180 | 270> {
  if (!(await languages(room)).includes('osd')) return 0
  const name = await placed(room, picture)
  const { code, stdout, stderr } = await run(room, [name, '-', '-l', 'osd', '--dpi', '300', '--psm', '0'], name)
  if (code !== 0 && !/Too few characters|Error during processing/.test(stderr)) throw failed(code, stderr)
  const turn = Number(/^Rotate: (\d+)/m.exec(stdout)?.[1] ?? 0)
  const sure = Number(/^Orientation confidence: ([\d.]+)/m.exec(stdout)?.[1] ?? 0)
  return sure >= LEAST_SURE && (turn === 90 || turn === 180 || turn === 270) ? turn : 0
}

let installed: Promise<string[]> | undefined

/** Asked once: what is installed later is found after the next start. */
function languages(room: HostRoom): Promise<string[]> {
  installed ??= listed(room).catch(error => {
    installed = undefined
    throw error
  })
  return installed
}

async function listed(room: HostRoom): Promise<string[]> {
  const { code, stdout, stderr } = await room.programs.run(room, 'tesseract', ['--list-langs'])
  if (code !== 0) throw failed(code, stderr)
  return stdout
    .split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(line => line !== '')
}

async function placed(room: HostRoom, { bytes, path }: Picture): Promise<string> {
  if (path !== undefined) return bringIn(room, path)
  const place = room.out(`picture-${++pictures}.png`)
  await writeFile(place, bytes!)
  readableBy(ownerOf(room.folder), place)
  return `./${basename(place)}`
}

let pictures = 0

function run(room: HostRoom, args: readonly string[], name: string): Promise<Finished> {
  return room.programs.run(room, 'tesseract', args, { readOnly: [basename(name)], env: ENVIRONMENT })
}

function failed(code: number, stderr: string): Error {
  const detail = stderr.trim().split('\n').at(-1)?.slice(0, 200)
  if (code === 1) return new Problem('IMAGE_DECODE_FAILED', { detail })
  return new ToolCrashed('tesseract', `exit code ${code} ${detail}`)
}
