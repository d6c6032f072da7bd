import { readFile } from 'node:fs/promises'
import { PDF, type PDFPage, PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core'
import { converter, parse } from 'culori'
import { Problem } from '#kit'
import type { TextStyle } from '../../../../tasks/formats/pdf/fonts.ts'
import { type ShapedLine, shapeLine } from '../../fonts/shaping.ts'
import { FontEmbedder, formatNumber } from '../content/embedded-fonts.ts'
import { embedImage } from '../content/embedded-images.ts'
import {
  copyResources,
  formatMatrix,
  invertMatrix,
  listContentStreams,
  multiplyMatrices,
  numberArray,
  type PageView,
  pageAt,
  readContent,
  readPageView,
} from '../content/page-view.ts'
import { countOpenStates } from '../content/stream.ts'
import { isOnPage, placeStamp, type StampPlacement } from './stamp-positions.ts'

export interface StampPlan {
  stamps: PlannedStamp[]
  date: string
}

interface PlannedStamp extends StampPlacement {
  /** May contain the tokens {page}, {pages}, {date} and {bates}. */
  text?: string
  /** The position of the image or document among the assets, from 1. */
  file?: number
  kind: 'text' | 'image' | 'page'
  pages: readonly number[]
  isUnder: boolean
  /** Text that is as large as the text of a page, whatever its length. */
  isSmall: boolean
  opacity: number
  textStyle: TextStyle
  fontSize?: number
  color: string
  bates: { prefix: string; start: number; digits: number }
}

/** What a stamp draws, with its size in points. */
interface StampContent {
  ref: PdfRef
  width: number
  height: number
  /** Images are drawn in a unit square, which must be scaled to the size. */
  isUnitSquare?: boolean
}

type ContentBuilder = (page: number, index: number, view: PageView) => StampContent

/** A stamp, by its index, that lies outside of a page. */
interface MissedPage {
  page: number
  stamp: number
}

interface Stamped {
  bytes: Uint8Array
  missed: MissedPage[]
}

/** Draws stamps over or under the content of pages, which stays unchanged. */
export async function stamp([file, ...assets]: string[], plan: StampPlan): Promise<Stamped> {
  const pdf = await PDF.load(await readFile(file!))
  const embedder = new FontEmbedder(pdf)
  const layers: { stamp: PlannedStamp; build: ContentBuilder; indexes: Map<number, number> }[] = []
  for (const stamp of plan.stamps) {
    const build = await prepareContent(pdf, embedder, stamp, assets, plan.date)
    layers.push({ stamp, build, indexes: new Map(stamp.pages.map((page, index) => [page, index])) })
  }
  const missed: MissedPage[] = []
  const pages = [...new Set(layers.flatMap(({ stamp: { pages } }) => pages))]
  for (const number of pages) {
    const page = pageAt(pdf, number)
    const view = readPageView(page, ref => pdf.getObject(ref))
    const layersOfPage = layers.filter(({ indexes }) => indexes.has(number))
    const drawings = layersOfPage.map(({ stamp, build, indexes }) => ({
      stamp,
      content: build(number, indexes.get(number)!, view),
    }))
    const off = drawStamps(pdf, page, view, drawings)
    missed.push(...off.map(each => ({ page: number, stamp: plan.stamps.indexOf(each) })))
  }
  embedder.embed()
  return { bytes: await pdf.save({ incremental: true }), missed }
}

/** Returns the stamps that lie outside of the page. */
function drawStamps(
  pdf: PDF,
  page: PDFPage,
  view: PageView,
  drawings: { stamp: PlannedStamp; content: StampContent }[],
): PlannedStamp[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const { XObject, ExtGState } = copyResources(page, resolve, ['XObject', 'ExtGState'])
  const parts = { under: '', over: '' }
  const missed: PlannedStamp[] = []
  for (const [index, { stamp, content }] of drawings.entries()) {
    const formName = freeName(XObject!, `Stamp${index + 1}`)
    const stateName = freeName(ExtGState!, `Opacity${index + 1}`)
    XObject!.set(formName, content.ref)
    ExtGState!.set(stateName, buildOpacityState(stamp.opacity))
    const [scaleX, scaleY] = content.isUnitSquare ? [content.width, content.height] : [1, 1]
    const positions = placeStamp(content, stamp, view)
    if (!isOnPage(content, positions, view)) missed.push(stamp)
    const operators = positions.map(position => {
      const matrix = multiplyMatrices(multiplyMatrices([scaleX, 0, 0, scaleY, 0, 0], position), view.toPage)
      return `q ${formatMatrix(matrix)} cm /${stateName} gs /${formName} Do Q`
    })
    parts[stamp.isUnder ? 'under' : 'over'] += `${ARTIFACT}\n${operators.join('\n')}\nEMC\n`
  }
  const toStream = (text: string) => pdf.register(new PdfStream([], Buffer.from(text, 'latin1')))
  const before = listContentStreams(page, resolve).map(({ item }) => item)
  const closing = 'Q '.repeat(1 + countOpenStates(readContent(page, resolve)))
  page.dict.set(
    'Contents',
    PdfArray.of(
      ...(parts.under ? [toStream(parts.under)] : []),
      ...(parts.over ? [toStream('q\n'), ...before, toStream(`\n${closing}\n${parts.over}`)] : before),
    ),
  )
  return missed
}

const ARTIFACT = '/Artifact <</Type /Pagination /Subtype /Watermark>> BDC'

function freeName(dict: PdfDict, base: string): string {
  for (let number = 0; ; number += 1) {
    const name = `${base}${number === 0 ? '' : `x${number}`}`
    if (!dict.has(name)) return name
  }
}

function buildOpacityState(opacity: number): PdfDict {
  const alpha = PdfNumber.of(opacity)
  return PdfDict.of({ Type: PdfName.of('ExtGState'), ca: alpha, CA: alpha, BM: PdfName.of('Normal') })
}

async function prepareContent(
  pdf: PDF,
  embedder: FontEmbedder,
  stamp: PlannedStamp,
  assets: readonly string[],
  date: string,
): Promise<ContentBuilder> {
  if (stamp.kind === 'text') return prepareText(pdf, embedder, stamp, date)
  const bytes = await readFile(assets[stamp.file! - 1]!)
  if (stamp.kind === 'image') {
    const { ref, width, height } = embedImage(pdf, bytes)
    return (_page, _index, view) => {
      const scale = Math.min((stamp.scale * view.width) / width, availableSide(view.height, stamp) / height)
      return { ref, width: width * scale, height: height * scale, isUnitSquare: true }
    }
  }
  return preparePage(pdf, await PDF.load(bytes), stamp)
}

/** The first page of another document, upright as displayed there. */
async function preparePage(pdf: PDF, source: PDF, stamp: PlannedStamp): Promise<ContentBuilder> {
  const page = pageAt(source, 1)
  const resolve = (ref: PdfRef) => source.getObject(ref)
  const { width, height, toPage } = readPageView(page, resolve)
  copyResources(page, resolve, [])
  const { ref } = await pdf.embedPage(source, 0)
  const cache = new Map<number, StampContent>()
  return (_page, _index, view) => {
    const scale = Math.min((stamp.scale * view.width) / width, availableSide(view.height, stamp) / height)
    const matrix = multiplyMatrices(invertMatrix(toPage)!, [scale, 0, 0, scale, 0, 0])
    const operators = `q ${formatMatrix(matrix)} cm /Page Do Q`
    const resources = PdfDict.of({ XObject: PdfDict.of({ Page: ref }) })
    const size = { width: width * scale, height: height * scale }
    const content = cache.get(scale) ?? {
      ref: registerForm(pdf, operators, size.width, size.height, resources),
      ...size,
    }
    cache.set(scale, content)
    return content
  }
}

function availableSide(side: number, { margin }: Pick<StampPlacement, 'margin'>): number {
  return Math.max(side * 0.05, side - 2 * margin)
}

function registerForm(pdf: PDF, content: string, width: number, height: number, resources: PdfDict): PdfRef {
  const entries = {
    Type: PdfName.of('XObject'),
    Subtype: PdfName.of('Form'),
    BBox: numberArray(0, 0, width, height),
    Resources: resources,
    // In a group, overlapping glyphs and lines blend with the page once, not twice.
    Group: PdfDict.of({ S: PdfName.of('Transparency'), CS: PdfName.of('DeviceRGB') }),
  }
  return pdf.register(PdfStream.fromDict(entries, Buffer.from(content, 'latin1')))
}

const LINE_HEIGHT = 1.25
const MAX_FONT_SIZE = 2000
const MIN_FONT_SIZE = 4
/** How many lines of small text would be as high as the shorter side of a page. */
const SMALL_TEXT = 50

/** Builds one form per distinct text, which differs from page to page if it has tokens. */
function prepareText(pdf: PDF, embedder: FontEmbedder, stamp: PlannedStamp, date: string): ContentBuilder {
  const count = pdf.getPageCount()
  const cache = new Map<string, StampContent>()
  const { prefix, start, digits } = stamp.bates
  return (page, index, view) => {
    const tokens: Record<string, string> = {
      page: `${page}`,
      pages: `${count}`,
      date,
      bates: `${prefix}${String(start + index).padStart(digits, '0')}`,
    }
    const text = stamp.text!.replaceAll(/\{(page|pages|date|bates)\}/g, (_, token: string) => tokens[token]!)
    const lines = text.split('\n').map(line => shapeLine(line, stamp.textStyle))
    const size = stamp.fontSize ?? fitFontSize(lines, stamp, view)
    const key = `${size} ${text}`
    let content = cache.get(key)
    if (!content) {
      content = renderText(pdf, embedder, lines, size, stamp.color)
      cache.set(key, content)
    }
    return content
  }
}

/** The size of small text, or the one at which the text has the requested width, limited so that the rotated text stays on the page. */
function fitFontSize(lines: readonly ShapedLine[], stamp: PlannedStamp, view: PageView): number {
  const { scale, rotation, margin, isSmall } = stamp
  const width = Math.max(0.1, ...lines.map(line => line.width))
  const height = lines.length * LINE_HEIGHT
  const [sine, cosine] = [Math.sin((rotation * Math.PI) / 180), Math.cos((rotation * Math.PI) / 180)].map(Math.abs) as [
    number,
    number,
  ]
  const maxByWidth = availableSide(view.width, { margin }) / (width * cosine + height * sine)
  const maxByHeight = availableSide(view.height, { margin }) / (width * sine + height * cosine)
  const wanted = isSmall ? Math.min(view.width, view.height) / SMALL_TEXT : (scale * view.width) / width
  const size = Math.min(wanted, maxByWidth, maxByHeight, MAX_FONT_SIZE)
  return Math.max(MIN_FONT_SIZE, Math.round(size * 100) / 100)
}

const BASELINE = 0.36

function renderText(
  pdf: PDF,
  embedder: FontEmbedder,
  lines: readonly ShapedLine[],
  size: number,
  color: string,
): StampContent {
  const fonts = new PdfDict()
  const width = Math.max(...lines.map(line => line.width)) * size
  const height = lines.length * LINE_HEIGHT * size
  const textLines = lines.map((line, index) => {
    const x = (width - line.width * size) / 2
    const y = height - (index + 1) * LINE_HEIGHT * size + BASELINE * size
    return `1 0 0 1 ${formatNumber(x)} ${formatNumber(y)} Tm\n${embedder.renderLine(line, size, fonts)}`
  })
  const content = `${formatColor(color)} rg BT\n${textLines.join('\n')}\nET`
  return { ref: registerForm(pdf, content, Math.max(1, width), height, PdfDict.of({ Font: fonts })), width, height }
}

const toRgb = converter('rgb')

export function formatColor(text: string, field = 'color'): string {
  const color = toRgb(parse(text))
  if (!color) throw new Problem('INVALID_PARAM', { field, allowed: '#rgb, #rrggbb or a CSS name' })
  return [color.r, color.g, color.b].map(level => formatNumber(Math.min(1, Math.max(0, level)))).join(' ')
}
