import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../machine/programs.ts'

/** Writes a PDF to a temporary file, for poppler as an independent reader. */
export function withPdfFile<Value>(bytes: Uint8Array, run: (file: string, folder: string) => Value): Value {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-pdf-'))
  try {
    const file = join(folder, 'in.pdf')
    writeFileSync(file, bytes)
    return run(file, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function extractText(bytes: Uint8Array, options: readonly string[] = []): string {
  return withPdfFile(bytes, file => runProgram('pdftotext', [...options, file, '-']))
}

export function listFonts(bytes: Uint8Array): string {
  return withPdfFile(bytes, file => runProgram('pdffonts', [file]))
}

interface RenderedPage {
  width: number
  height: number
  /** The gray level at a point, in points from the top left corner; 0 is black. */
  grayAt(x: number, y: number): number
  /** The box around everything darker than white: left, top, right, bottom. */
  inkBox: [number, number, number, number] | undefined
}

const POINTS_PER_INCH = 72

export function renderPage(bytes: Uint8Array, page = 1, dpi = POINTS_PER_INCH): RenderedPage {
  const pgm = withPdfFile(bytes, (file, folder) => {
    const options = ['-f', `${page}`, '-l', `${page}`, '-singlefile']
    runProgram('pdftoppm', ['-gray', '-cropbox', '-r', `${dpi}`, ...options, file, join(folder, 'page')])
    return readFileSync(join(folder, 'page.pgm'))
  })
  const [header, width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(pgm.subarray(0, 40).toString('latin1'))!
  const pixels = pgm.subarray(header.length)
  const [columns, rows] = [Number(width), Number(height)]
  const scale = dpi / POINTS_PER_INCH
  const grayAt = (x: number, y: number) => pixels[Math.floor(y * scale) * columns + Math.floor(x * scale)]!
  return { width: columns / scale, height: rows / scale, grayAt, inkBox: findInkBox(pixels, columns, scale) }
}

const WHITE_LEVEL = 250

function findInkBox(pixels: Uint8Array, columns: number, scale: number): RenderedPage['inkBox'] {
  const inked = [...pixels.entries()].filter(([, level]) => level < WHITE_LEVEL).map(([index]) => index)
  if (inked.length === 0) return undefined
  const range = (values: number[]) => [
    values.reduce((min, value) => Math.min(min, value)) / scale,
    (values.reduce((max, value) => Math.max(max, value)) + 1) / scale,
  ]
  const [left, right] = range(inked.map(index => index % columns))
  const [top, bottom] = range(inked.map(index => Math.floor(index / columns)))
  return [left!, top!, right!, bottom!]
}
