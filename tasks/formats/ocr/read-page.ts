import type { Tools } from '../../kit/operation.ts'
import type { Rect } from '../geometry/rect.ts'
import type { Size } from '../geometry/region.ts'
import { separateColumns } from './columns.ts'
import type { PlacedLine, PlacedWord } from './placed-word.ts'

/** A page rendered in shades of grey. */
export interface RenderedPage extends Size {
  page: number
  path: string
  dpi: number
}

export interface ReadOptions {
  /** Tesseract's language names. */
  languages: readonly string[]
  /** Tesseract's page segmentation mode. */
  layout: number
  autoRotate: boolean
  deskew: boolean
}

export interface PageReading {
  text: string
  confidence: number
  /** By how many degrees the page must be turned clockwise to be read. */
  rotation: 0 | 90 | 180 | 270
  lines: PlacedLine[]
}

type ReadTools = Pick<Tools, 'tesseract' | 'sharp'> & { out(name: string): string }
type Recognition = Awaited<ReturnType<Tools['tesseract']['recognizePage']>>

/** Tesseract reads upside-down text as nonsense with a confidence below this. */
const MIN_CONFIDENCE = 70
/** Tesseract's page segmentation mode that finds columns by itself, but none of a few lines. */
const FINDS_COLUMNS = 3
/** Tesseract reads lines that slope less than this as well as level ones. */
const MIN_SKEW_DEGREES = 0.4

/** Reads a page, turned and levelled if that is needed to read it. Words are placed on the page as it was given. */
export async function readPage(page: RenderedPage, options: ReadOptions, tools: ReadTools): Promise<PageReading> {
  const level = await readTurned(page, 0, options, tools)
  const isSideways = hasVerticalLines(level.recognized)
  if (!options.autoRotate || !(isSideways || level.confidence < MIN_CONFIDENCE)) return level
  const rotation = await tools.tesseract.detectRotation({ path: page.path })
  if (rotation === 0) return level
  const turned = await readTurned(page, rotation, options, tools)
  const isLevelled = isSideways && !hasVerticalLines(turned.recognized)
  // Of few letters Tesseract may find the wrong way up.
  return isLevelled || turned.confidence > level.confidence ? turned : level
}

async function readTurned(
  page: RenderedPage,
  rotation: PageReading['rotation'],
  { languages, layout, deskew }: ReadOptions,
  { tesseract, sharp, out }: ReadTools,
): Promise<PageReading & { recognized: Recognition }> {
  const turn = async (degrees: number, name: string) =>
    degrees === 0 ? page.path : sharp.rotateRendering(page.path, { degrees, to: out(`page-${page.page}-${name}.png`) })
  const upright = await turn(rotation, `at-${rotation}`)
  const skew = deskew ? await sharp.measureSkew(upright) : 0
  const degrees = Math.abs(skew) >= MIN_SKEW_DEGREES ? rotation - skew : rotation
  const path = degrees === rotation ? upright : await turn(degrees, `level-${rotation}`)
  const read = await tesseract.recognizePage({ path }, { languages, layout, dpi: page.dpi })
  const recognized = layout === FINDS_COLUMNS ? separateColumns(read) : read
  const lines = recognized.lines.map(line => ({
    ...placeWord(line, page, degrees),
    words: line.words.map(word => placeWord(word, page, degrees)),
  }))
  return { text: recognized.text, confidence: recognized.confidence, rotation, lines, recognized }
}

/** Maps a box of the turned image, whose centre is that of the page, back to the page. */
function placeWord(
  { text, confidence, box }: { text: string; confidence: number; box: Rect },
  { width, height, dpi }: RenderedPage,
  degrees: number,
): PlacedWord {
  const angle = (-degrees * Math.PI) / 180
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const turnedWidth = Math.abs(width * cosine) + Math.abs(height * sine)
  const turnedHeight = Math.abs(width * sine) + Math.abs(height * cosine)
  const [left, top, right, bottom] = box
  const [fromX, fromY] = [left - turnedWidth / 2, bottom - turnedHeight / 2]
  const points = 72 / dpi
  return {
    text,
    confidence,
    x: (width / 2 + fromX * cosine - fromY * sine) * points,
    y: (height / 2 + fromX * sine + fromY * cosine) * points,
    width: (right - left) * points,
    height: (bottom - top) * points,
    angle,
  }
}

/** Tesseract also reads lines that run up or down; only the shape of their boxes shows it. */
function hasVerticalLines({ lines }: Recognition): boolean {
  const longLines = lines.filter(({ text }) => text.length > 3)
  const verticalLines = longLines.filter(({ box: [left, top, right, bottom] }) => bottom - top > (right - left) * 1.5)
  return verticalLines.length > longLines.length / 2
}
