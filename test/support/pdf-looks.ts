import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './programs.ts'

/** What poppler reads and draws of a PDF, as an independent reader of our output. */
export function withPdf<Value>(bytes: Uint8Array, look: (file: string, folder: string) => Value): Value {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-looks-'))
  try {
    const file = join(folder, 'in.pdf')
    writeFileSync(file, bytes)
    return look(file, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function textIn(bytes: Uint8Array, how: readonly string[] = []): string {
  return withPdf(bytes, file => runProgram('pdftotext', [...how, file, '-']))
}

export function fontsIn(bytes: Uint8Array): string {
  return withPdf(bytes, file => runProgram('pdffonts', [file]))
}

export interface Looks {
  width: number
  height: number
  /** Grey of a spot in points from the top left corner; 0 is black. */
  at(x: number, y: number): number
  /** The box around everything darker than the paper: left, top, right, bottom. */
  inked: [number, number, number, number] | undefined
}

const POINTS_PER_INCH = 72

export function looksOf(bytes: Uint8Array, page = 1, dpi = POINTS_PER_INCH): Looks {
  const pgm = withPdf(bytes, (file, folder) => {
    const where = ['-f', `${page}`, '-l', `${page}`, '-singlefile']
    runProgram('pdftoppm', ['-gray', '-cropbox', '-r', `${dpi}`, ...where, file, join(folder, 'page')])
    return readFileSync(join(folder, 'page.pgm'))
  })
  const [head, width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(pgm.subarray(0, 40).toString('latin1'))!
  const pixels = pgm.subarray(head.length)
  const [columns, rows] = [Number(width), Number(height)]
  const scale = dpi / POINTS_PER_INCH
  const at = (x: number, y: number) => pixels[Math.floor(y * scale) * columns + Math.floor(x * scale)]!
  return { width: columns / scale, height: rows / scale, at, inked: inkedBox(pixels, columns, scale) }
}

const PAPER = 250

function inkedBox(pixels: Uint8Array, columns: number, scale: number): Looks['inked'] {
  const spots = [...pixels.entries()].filter(([, grey]) => grey < PAPER).map(([index]) => index)
  if (spots.length === 0) return undefined
  const range = (values: number[]) => [
    values.reduce((least, value) => Math.min(least, value)) / scale,
    (values.reduce((most, value) => Math.max(most, value)) + 1) / scale,
  ]
  const [left, right] = range(spots.map(index => index % columns))
  const [top, bottom] = range(spots.map(index => Math.floor(index / columns)))
  return [left!, top!, right!, bottom!]
}
