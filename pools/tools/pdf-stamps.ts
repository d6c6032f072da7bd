import { readFile } from 'node:fs/promises'
import { PDF, type PDFPage, PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core'
import { converter, parse } from 'culori'
import { Problem } from '#kit'
import { embedPicture } from './embedded-pictures.ts'
import { type LetterWish, type SetLine, setLine } from './font-shaping.ts'
import { openStates } from './pdf-content.ts'
import { figure, Lettering } from './pdf-lettering.ts'
import {
  contentBytes,
  contentsOf,
  inverse,
  matrixText,
  multiply,
  numbers,
  ownResources,
  type PageView,
  pageAt,
  viewOf,
} from './pdf-view.ts'
import { type Placing, placesOf } from './stamp-places.ts'

export interface StampPlan {
  stamps: PlannedStamp[]
  date: string
}

export interface PlannedStamp extends Placing {
  /** With its tokens, or a file: which of those given, from 1. */
  text?: string
  file?: number
  kind: 'text' | 'picture' | 'page'
  pages: readonly number[]
  isUnder: boolean
  opacity: number
  letters: LetterWish
  fontSize?: number
  color: string
  bates: { prefix: string; start: number; digits: number }
}

/** Something to lay on pages; its size in points, before it is scaled. */
interface Mark {
  ref: PdfRef
  width: number
  height: number
  /** Where a picture's own space is one by one. */
  isUnit?: boolean
}

type MarkFor = (page: number, nth: number, view: PageView) => Mark

/** Lays marks over or under pages; what the pages hold already is left as it is. */
export async function stamp([file, ...assets]: string[], plan: StampPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const lettering = new Lettering(pdf)
  const layers: { stamp: PlannedStamp; mark: MarkFor; nth: Map<number, number> }[] = []
  for (const item of plan.stamps) {
    const mark = await markOf(pdf, lettering, item, assets, plan.date)
    layers.push({ stamp: item, mark, nth: new Map(item.pages.map((page, index) => [page, index])) })
  }
  const pages = [...new Set(layers.flatMap(({ stamp: { pages } }) => pages))]
  for (const number of pages) {
    const page = pageAt(pdf, number)
    const view = viewOf(page, ref => pdf.getObject(ref))
    const here = layers.filter(({ nth }) => nth.has(number))
    const drawn = here.map(({ stamp, mark, nth }) => ({ stamp, mark: mark(number, nth.get(number)!, view) }))
    lay(pdf, page, view, drawn)
  }
  lettering.embed()
  return { bytes: await pdf.save({ incremental: true }) }
}

function lay(pdf: PDF, page: PDFPage, view: PageView, drawn: { stamp: PlannedStamp; mark: Mark }[]): void {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const { XObject, ExtGState } = ownResources(page, resolve, ['XObject', 'ExtGState'])
  const parts = { under: '', over: '' }
  for (const [index, { stamp, mark }] of drawn.entries()) {
    const names = [freeName(XObject!, `Stamp${index + 1}`), freeName(ExtGState!, `Veil${index + 1}`)] as const
    XObject!.set(names[0], mark.ref)
    ExtGState!.set(names[1], veil(stamp.opacity))
    const size = mark.isUnit ? [mark.width, mark.height] : [1, 1]
    const placed = placesOf(mark, stamp, view).map(place => {
      const matrix = multiply(multiply([size[0]!, 0, 0, size[1]!, 0, 0], place), view.toPage)
      return `q ${matrixText(matrix)} cm /${names[1]} gs /${names[0]} Do Q`
    })
    parts[stamp.isUnder ? 'under' : 'over'] += `${ARTIFACT}\n${placed.join('\n')}\nEMC\n`
  }
  const streamOf = (text: string) => pdf.register(new PdfStream([], Buffer.from(text, 'latin1')))
  const before = contentsOf(page, resolve).map(({ item }) => item)
  const closing = 'Q '.repeat(1 + openStates(contentBytes(page, resolve)))
  page.dict.set(
    'Contents',
    PdfArray.of(
      ...(parts.under ? [streamOf(parts.under)] : []),
      ...(parts.over ? [streamOf('q\n'), ...before, streamOf(`\n${closing}\n${parts.over}`)] : before),
    ),
  )
}

const ARTIFACT = '/Artifact <</Type /Pagination /Subtype /Watermark>> BDC'

function freeName(dict: PdfDict, wanted: string): string {
  for (let number = 0; ; number += 1) {
    const name = `${wanted}${number === 0 ? '' : `x${number}`}`
    if (!dict.has(name)) return name
  }
}

function veil(opacity: number): PdfDict {
  const share = PdfNumber.of(opacity)
  return PdfDict.of({ Type: PdfName.of('ExtGState'), ca: share, CA: share, BM: PdfName.of('Normal') })
}

async function markOf(
  pdf: PDF,
  lettering: Lettering,
  item: PlannedStamp,
  assets: readonly string[],
  date: string,
): Promise<MarkFor> {
  if (item.kind === 'text') return textMarks(pdf, lettering, item, date)
  const bytes = await readFile(assets[item.file! - 1]!)
  if (item.kind === 'picture') {
    const { ref, width, height } = embedPicture(pdf, bytes)
    return (_page, _nth, view) => {
      const share = Math.min((item.scale * view.width) / width, room(view.height, item) / height)
      return { ref, width: width * share, height: height * share, isUnit: true }
    }
  }
  return pageMarks(pdf, await PDF.load(bytes), item)
}

/** The first page of another document, upright as it is seen there. */
async function pageMarks(pdf: PDF, source: PDF, item: PlannedStamp): Promise<MarkFor> {
  const page = pageAt(source, 1)
  const resolve = (ref: PdfRef) => source.getObject(ref)
  const { width, height, toPage } = viewOf(page, resolve)
  ownResources(page, resolve, [])
  const { ref } = await pdf.embedPage(source, 0)
  const known = new Map<number, Mark>()
  return (_page, _nth, view) => {
    const share = Math.min((item.scale * view.width) / width, room(view.height, item) / height)
    const matrix = multiply(inverse(toPage)!, [share, 0, 0, share, 0, 0])
    const content = `q ${matrixText(matrix)} cm /Page Do Q`
    const resources = PdfDict.of({ XObject: PdfDict.of({ Page: ref }) })
    const size = { width: width * share, height: height * share }
    const mark = known.get(share) ?? { ref: formOf(pdf, content, size.width, size.height, resources), ...size }
    known.set(share, mark)
    return mark
  }
}

function room(side: number, { margin }: Pick<Placing, 'margin'>): number {
  return Math.max(side * 0.05, side - 2 * margin)
}

function formOf(pdf: PDF, content: string, width: number, height: number, resources: PdfDict): PdfRef {
  const entries = {
    Type: PdfName.of('XObject'),
    Subtype: PdfName.of('Form'),
    BBox: numbers(0, 0, width, height),
    Resources: resources,
    // A group: letters and lines that lie on each other shine through once, not twice.
    Group: PdfDict.of({ S: PdfName.of('Transparency'), CS: PdfName.of('DeviceRGB') }),
  }
  return pdf.register(PdfStream.fromDict(entries, Buffer.from(content, 'latin1')))
}

const LINE_HEIGHT = 1.25
const LARGEST = 2000
const SMALLEST = 4

/** One mark for each wording: tokens make it differ from page to page. */
function textMarks(pdf: PDF, lettering: Lettering, item: PlannedStamp, date: string): MarkFor {
  const count = pdf.getPageCount()
  const known = new Map<string, Mark>()
  const { prefix, start, digits } = item.bates
  return (page, nth, view) => {
    const words: Record<string, string> = {
      page: `${page}`,
      pages: `${count}`,
      date,
      bates: `${prefix}${String(start + nth).padStart(digits, '0')}`,
    }
    const text = item.text!.replaceAll(/\{(page|pages|date|bates)\}/g, (_, token: string) => words[token]!)
    const lines = text.split('\n').map(line => setLine(line, item.letters))
    const size = item.fontSize ?? fittingSize(lines, item, view)
    const key = `${size} ${text}`
    let mark = known.get(key)
    if (!mark) {
      mark = textMark(pdf, lettering, lines, size, item.color)
      known.set(key, mark)
    }
    return mark
  }
}

/** The line as wide as its share of the page, but never so large that the turned text leaves the page. */
function fittingSize(lines: readonly SetLine[], { scale, rotation, margin }: PlannedStamp, view: PageView): number {
  const width = Math.max(0.1, ...lines.map(line => line.width))
  const height = lines.length * LINE_HEIGHT
  const [sine, cosine] = [Math.sin((rotation * Math.PI) / 180), Math.cos((rotation * Math.PI) / 180)].map(Math.abs) as [
    number,
    number,
  ]
  const across = room(view.width, { margin }) / (width * cosine + height * sine)
  const up = room(view.height, { margin }) / (width * sine + height * cosine)
  const size = Math.min((scale * view.width) / width, across, up, LARGEST)
  return Math.max(SMALLEST, Math.round(size * 100) / 100)
}

const BASELINE = 0.36

function textMark(pdf: PDF, lettering: Lettering, lines: readonly SetLine[], size: number, color: string): Mark {
  const fonts = new PdfDict()
  const width = Math.max(...lines.map(line => line.width)) * size
  const height = lines.length * LINE_HEIGHT * size
  const shown = lines.map((line, index) => {
    const x = (width - line.width * size) / 2
    const y = height - (index + 1) * LINE_HEIGHT * size + BASELINE * size
    return `1 0 0 1 ${figure(x)} ${figure(y)} Tm\n${lettering.show(line, size, fonts)}`
  })
  const content = `${colorOf(color)} rg BT\n${shown.join('\n')}\nET`
  return { ref: formOf(pdf, content, Math.max(1, width), height, PdfDict.of({ Font: fonts })), width, height }
}

const toRgb = converter('rgb')

export function colorOf(text: string, field = 'color'): string {
  const color = toRgb(parse(text))
  if (!color) throw new Problem('INVALID_PARAM', { field, allowed: '#rgb, #rrggbb or a CSS name' })
  return [color.r, color.g, color.b].map(share => figure(Math.min(1, Math.max(0, share)))).join(' ')
}
