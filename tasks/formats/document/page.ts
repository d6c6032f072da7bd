import type { InputFile } from '#kit'
import type { Rect } from '../geometry/rect.ts'
import { hasVerticalLines } from '../ocr/direction.ts'
import { resolveLanguages } from '../ocr/languages.ts'
import { makeReadable } from '../pdf/opening.ts'
import type { TextPage } from '../pdf/text-layout.ts'

interface PageWord {
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
}

type Quarter = 0 | 90 | 180 | 270

interface Image {
  bytes?: Uint8Array
  path?: string
  width: number
  height: number
}

interface RecognizedLine extends PageWord {
  words: PageWord[]
}

interface PageTools {
  poppler: { readTextBoxes(path: string, span: { first: number; last: number }): Promise<TextPage[]> }
  pageRenderer: { renderGray(path: string, page: number): Promise<string> }
  qpdf: {
    normalize(path: string, options: { to: string; password?: string }): Promise<{ path: string }>
  }
  sharp: {
    prepareOcrInput(
      path: string,
      options: { enlarge: number; invert: boolean; stretch: boolean; rotation: Quarter },
    ): Promise<Image>
  }
  tesseract: {
    listLanguages(): Promise<string[]>
    detectRotation(image: Image): Promise<Quarter>
    recognize(
      image: Image,
      options: { languages: readonly string[]; layout: number; whitelist?: string },
    ): Promise<{ confidence: number; lines: RecognizedLine[] }>
  }
  out(name: string): string
}

interface PageRequest {
  file: InputFile
  page: number
  languages: readonly string[]
  password?: string
  minConfidence: number
}

/** Below this, text is read that is not there, or that lies on its side. */
const DOUBTFUL = 70
/** Fewer characters are a stamp or a page number on a scan. */
const MIN_LAYER_CHARACTERS = 10

/** Reads one page: the text layer where there is one, else by OCR. */
export async function readPage(request: PageRequest, tools: PageTools): Promise<DocumentPage> {
  const page = await (request.file.type === 'application/pdf' ? readPdfPage(request, tools) : readImage(request, tools))
  const lines = page.lines.filter(({ confidence }) => confidence >= request.minConfidence)
  return { ...page, lines }
}

async function readPdfPage(request: PageRequest, tools: PageTools): Promise<DocumentPage> {
  const { file, page, password } = request
  const path = await openPdf(file, password, tools)
  const [layer] = await tools.poppler.readTextBoxes(path, { first: page, last: page })
  const { width = 1, height = 1, lines = [] } = layer ?? {}
  const characters = lines.reduce((sum, { text }) => sum + text.trim().length, 0)
  if (characters >= MIN_LAYER_CHARACTERS) {
    const certain = lines.map(line => ({
      ...line,
      confidence: 1,
      words: line.words.map(word => ({ ...word, confidence: 1 })),
    }))
    return { width, height, lines: certain, source: 'text-layer', rotation: 0, languages: [] }
  }
  return recognizeImage({ ...request, path: await tools.pageRenderer.renderGray(path, page) }, tools)
}

function openPdf(file: InputFile, password: string | undefined, { qpdf, out }: Pick<PageTools, 'qpdf' | 'out'>) {
  return makeReadable(file, { qpdf, password, to: out('opened.pdf') })
}

function readImage(request: PageRequest, tools: PageTools): Promise<DocumentPage> {
  return recognizeImage({ ...request, path: request.file.path }, tools)
}

interface ImageRequest extends Pick<PageRequest, 'languages'> {
  path: string
}

async function recognizeImage({ path, languages: requested }: ImageRequest, tools: PageTools): Promise<DocumentPage> {
  const { sharp, tesseract } = tools
  const languages = resolveLanguages(requested, await tesseract.listLanguages())
  const prepare = (rotation: Quarter) =>
    sharp.prepareOcrInput(path, { enlarge: 1, invert: false, stretch: false, rotation })
  const recognize = (image: Image) => tesseract.recognize(image, { languages, layout: 3 })
  const image = await prepare(0)
  let [reading, rotation]: [Awaited<ReturnType<typeof recognize>>, Quarter] = [await recognize(image), 0]
  if (reading.confidence < DOUBTFUL || hasVerticalLines(reading.lines)) {
    const detected = await tesseract.detectRotation(image)
    const turned = detected === 0 ? undefined : await recognize(await prepare(detected))
    const isBetter = turned && (turned.confidence > reading.confidence || !hasVerticalLines(turned.lines))
    if (isBetter) [reading, rotation] = [turned, detected]
  }
  const lies = rotation === 90 || rotation === 270
  const [width, height] = lies ? [image.height, image.width] : [image.width, image.height]
  return { width, height, lines: reading.lines.map(toShares), source: 'ocr', rotation, languages }
}

/** Tesseract counts in per cent. */
function toShares(line: RecognizedLine): PageLine {
  const share = (word: PageWord) => ({ ...word, confidence: Math.round(word.confidence * 10) / 1000 })
  return { ...share(line), words: line.words.map(share) }
}
