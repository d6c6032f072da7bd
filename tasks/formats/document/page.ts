import type { InputFile } from '#kit'
import { type Rulings, scaleRulings } from '../../engines/page-tables/rulings.ts'
import type { Tools } from '../../kit/operation.ts'
import type { Rect } from '../geometry/rect.ts'
import { hasVerticalLines } from '../ocr/direction.ts'
import { resolveLanguages } from '../ocr/languages.ts'
import { measureShift } from '../ocr/levelled.ts'
import { type Quarter, readImage } from '../ocr/read-image.ts'
import { openPdf } from '../pdf/opening.ts'
import type { TextLine, TextPage } from '../pdf/text-layout.ts'

export interface PageWord {
  text: string
  box: Rect
  /** From 0 to 1. */
  confidence: number
}

export interface PageLine extends PageWord {
  words: PageWord[]
}

export interface DocumentPage {
  width: number
  height: number
  lines: PageLine[]
  source: 'text-layer' | 'ocr'
  /** Degrees the page was rotated clockwise to read it. */
  rotation: number
  languages: string[]
  /** Only if they were asked for. */
  rulings?: Rulings
}

export type PageTools = Pick<Tools, 'poppler' | 'pageRenderer' | 'qpdf' | 'sharp' | 'tesseract'> & {
  out(name: string): string
}

export interface PageRequest {
  file: InputFile
  page: number
  languages: readonly string[]
  password?: string
  minConfidence: number
  /** Also finds the straight lines of the page, for its tables. */
  findsRulings?: boolean
  /** Reads the page by OCR even if it has a text layer. */
  ignoresLayer?: boolean
}

/** Fewer characters are a stamp or a page number on a scan. */
const MIN_LAYER_CHARACTERS = 10

/** Reads one page: the text layer where there is one, else by OCR. */
export async function readPage(request: PageRequest, tools: PageTools): Promise<DocumentPage> {
  const page = await (request.file.type === 'application/pdf'
    ? readPdfPage(request, tools)
    : readImagePage(request, tools))
  const lines = page.lines.filter(({ confidence }) => confidence >= request.minConfidence)
  return { ...page, lines }
}

async function readPdfPage(request: PageRequest, tools: PageTools): Promise<DocumentPage> {
  const { file, page, password } = request
  const path = await openDocument(file, password, tools)
  const layer = request.ignoresLayer ? undefined : await readLayer(path, page, tools)
  if (!layer) {
    const rendering = await renderPage(path, page, tools)
    const recognized = await recognizeImage({ ...request, path: rendering }, tools)
    await tools.pageRenderer.discard([rendering])
    return recognized
  }
  const lines = layer.lines.map(line => ({
    ...line,
    confidence: 1,
    words: line.words.map(word => ({ ...word, confidence: 1 })),
  }))
  const { width, height, rotation } = layer
  const rulings = request.findsRulings && (await findRulings(layer, page, tools))
  // A copy of the whole document for each turned page would fill the disk.
  if (layer.path !== path) await tools.pageRenderer.discard([layer.path])
  return { width, height, lines, source: 'text-layer', rotation, languages: [], ...(rulings && { rulings }) }
}

/** As PNG, because the reader of images does not know what poppler writes. */
export async function renderPage(
  path: string,
  page: number,
  { pageRenderer, sharp, out }: Pick<PageTools, 'pageRenderer' | 'sharp' | 'out'>,
): Promise<string> {
  const to = out(`page-${page}.png`)
  const options = { format: 'png', quality: 90, background: '#ffffff', grayscale: true, dpi: 300, to } as const
  return sharp.encodePage(await pageRenderer.renderGray(path, page), options)
}

interface TextLayer extends TextPage {
  path: string
  rotation: Quarter
}

/** The text layer of a page, upright, if there is one. */
async function readLayer(path: string, page: number, tools: PageTools): Promise<TextLayer | undefined> {
  const span = { first: page, last: page }
  const [layer] = await tools.poppler.readTextBoxes(path, span)
  const characters = layer?.lines.reduce((sum, { text }) => sum + text.trim().length, 0) ?? 0
  if (!layer || characters < MIN_LAYER_CHARACTERS) return undefined
  const rotation = findTextRotation(layer.lines)
  if (rotation === 0) return { ...layer, path, rotation }
  const turned = await tools.qpdf.rotate(path, {
    degrees: rotation,
    pages: [page],
    to: tools.out(`turned-${page}.pdf`),
  })
  const [upright] = await tools.poppler.readTextBoxes(turned, span)
  return upright && { ...upright, path: turned, rotation }
}

/** By how much a page must be turned clockwise so that most of its lines are level. */
function findTextRotation(lines: readonly TextLine[]): Quarter {
  if (!hasVerticalLines(lines)) return 0
  const words = lines.flatMap(line => line.words)
  const steps = words.slice(1).flatMap(({ box }, index) => {
    const [left, top, right] = words[index]!.box
    const isSameLine = box[0] < right && box[2] > left
    return isSameLine ? [box[1] < top] : []
  })
  return steps.filter(Boolean).length > steps.length / 2 ? 90 : 270
}

/** Enough to see the thinnest lines. */
const LONGER_SIDE_PIXELS = 2400

async function findRulings({ path, width, height }: TextLayer, page: number, tools: PageTools): Promise<Rulings> {
  const scale = LONGER_SIDE_PIXELS / Math.max(width, height, 1)
  const size = { page, width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  const [rendering] = await tools.pageRenderer.render(path, [size], { box: 'crop', isTransparent: false, isGray: true })
  const rulings = await tools.sharp.findRulings(rendering!)
  await tools.pageRenderer.discard([rendering!])
  return scaleRulings(rulings, 1 / scale)
}

function openDocument(file: InputFile, password: string | undefined, { qpdf, out }: Pick<PageTools, 'qpdf' | 'out'>) {
  return openPdf(file, { qpdf, password, to: out('opened.pdf') })
}

function readImagePage(request: PageRequest, tools: PageTools): Promise<DocumentPage> {
  const { path, type } = request.file
  return recognizeImage({ ...request, path, frame: type === 'image/tiff' ? request.page - 1 : 0 }, tools)
}

interface ImageRequest extends Pick<PageRequest, 'languages' | 'findsRulings'> {
  path: string
  /** Of an image of several pages, from 0. */
  frame?: number
}

type Recognition = Awaited<ReturnType<Tools['tesseract']['recognize']>>

async function recognizeImage(request: ImageRequest, { sharp, tesseract }: PageTools): Promise<DocumentPage> {
  const { path, frame = 0, findsRulings = false } = request
  const languages = resolveLanguages(request.languages, await tesseract.listLanguages())
  const { image, rotation, reading } = await readImage(true, {
    prepare: (turn, enlarge) =>
      sharp.prepareOcrInput(path, {
        ...{ enlarge, invert: false, stretch: false, levels: true },
        ...{ rotation: turn, page: frame, findsRulings },
      }),
    recognize: prepared => tesseract.recognizePage(prepared, { languages, layout: LAYOUT }),
    detectRotation: prepared => tesseract.detectRotation(prepared),
  })
  const lies = rotation === 90 || rotation === 270
  const [width, height] = lies ? [image.height, image.width] : [image.width, image.height]
  const scale = image.region.width / image.width
  const shift = measureShift({ width, height }, image.skew)
  const lines = reading.lines.map(line => toShares(line, shift, scale))
  const rulings = image.rulings && { rulings: scaleRulings(image.rulings, scale) }
  return {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    lines,
    source: 'ocr',
    rotation,
    languages,
    ...rulings,
  }
}

/** Tesseract's page segmentation mode that finds columns by itself. */
const LAYOUT = 3

/** Tesseract counts in per cent, and in pixels of an image that may have been levelled and enlarged. */
function toShares(line: Recognition['lines'][number], shift: readonly [number, number], scale: number): PageLine {
  const share = <Word extends PageWord>(word: Word) => {
    const box = word.box.map((side, index) => Math.max(0, side - shift[index % 2]!) * scale) as unknown as Rect
    return { ...word, box, confidence: Math.round(word.confidence * 10) / 1000 }
  }
  return { ...share(line), words: line.words.map(share) }
}
