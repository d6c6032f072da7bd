import type { PdfDict, PdfRef } from '@libpdf/core'
import { Problem } from '#kit'
import type { Drawing, PenDrawing } from '../../../../tasks/formats/pdf/report.ts'
import { formatNumber } from '../content/embedded-fonts.ts'
import { layoutLines } from '../forms/line-layout.ts'
import type { TextFonts } from './text-fonts.ts'

/** In points from the lower left corner of the page as displayed. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

export interface DrawingContext {
  fonts: TextFonts
  /** The resources of the form that is drawn in. */
  usedFonts: PdfDict
  usedImages: PdfDict
  /** The image of an asset. */
  openImage(asset: number): { ref: PdfRef; width: number; height: number }
}

export interface TextOptions {
  /** Points; left out: as large as fits, at most `DEFAULT_SIZE`. */
  size?: number
  align?: 'left' | 'center' | 'right'
}

/** Dark blue, as a pen writes: a signature is told from what is printed. */
const INK = '0.06 0.12 0.36'
const DEFAULT_SIZE = 12
/** Text that would be smaller in one line is broken into several, if the area is high enough. */
const READABLE_SIZE = 8
const MIN_SIZE = 4
const ALIGNMENTS = { left: 0, center: 1, right: 2 }

/** The operators that draw something into an area. */
export function renderDrawing(drawing: Drawing, area: Area, options: TextOptions, context: DrawingContext): string {
  switch (drawing.kind) {
    case 'text':
      return renderText(drawing.text, area, { ...options, isBold: drawing.isBold ?? false }, context)
    case 'check':
      return renderCheck(area, drawing)
    case 'pen':
      return renderPen(drawing.pen, area)
    case 'handwriting':
      return renderHandwriting(drawing.text, area, context)
    case 'image':
      return renderImage(area, drawing.asset, context)
    case 'rule':
      return `q 0.4 G 0.7 w ${linePath([
        [area.x, area.y],
        [area.x + area.width, area.y],
      ])} S Q\n`
  }
}

function renderText(
  text: string,
  area: Area,
  options: TextOptions & { isBold: boolean },
  context: DrawingContext,
): string {
  const font = options.isBold ? context.fonts.bold : context.fonts.plain
  const shown = context.fonts.replaceMissing(text)
  const layout = { ...area, edge: 0, align: ALIGNMENTS[options.align ?? 'left'], cells: undefined }
  const [fitting] = layoutLines(shown, font, { ...layout, size: 0, isMultiline: false })
  const wanted = options.size ?? DEFAULT_SIZE
  const isReadable = fitting!.size >= Math.min(wanted, READABLE_SIZE)
  const isFlat = area.height < 2 * READABLE_SIZE && fitting!.size > MIN_SIZE
  const isOneLine = !shown.includes('\n') && (isReadable || isFlat)
  const size = isOneLine ? Math.min(wanted, fitting!.size) : (options.size ?? 0)
  const lines = layoutLines(shown, font, { ...layout, size, isMultiline: !isOneLine })
  const operators = lines.map(
    line =>
      `1 0 0 1 ${formatNumber(area.x + line.x)} ${formatNumber(area.y + line.y)} Tm\n` +
      font.render(line.text, line.size, context.usedFonts),
  )
  return `0 g BT\n${operators.join('\n')}\nET\n`
}

/** A typed signature leans and has serifs, so that it is no line of the text around it. */
function renderHandwriting(text: string, area: Area, { fonts, usedFonts }: DrawingContext): string {
  const shown = fonts.replaceMissing(text.replaceAll(/\s+/g, ' ').trim())
  const [line] = layoutLines(shown, fonts.serif, {
    ...{ width: area.width * 0.94, height: area.height, edge: 0, size: 0, align: 0, cells: undefined },
    isMultiline: false,
  })
  const size = Math.min(line!.size, MAX_HANDWRITING)
  const y = area.y + (area.height - (fonts.serif.ascent - fonts.serif.descent) * size) / 2
  const position = `1 0 ${SLANT} 1 ${formatNumber(area.x + 2)} ${formatNumber(y)} Tm`
  return `${INK} rg BT\n${position}\n${fonts.serif.render(line!.text, size, usedFonts)}\nET\n`
}

const SLANT = 0.22
const MAX_HANDWRITING = 36

/** The box is drawn too, because an empty one says something as well. */
function renderCheck(area: Area, { isChecked, isRound }: { isChecked: boolean; isRound: boolean }): string {
  const side = Math.min(area.width, area.height)
  const [x, y] = [area.x + (area.width - side) / 2, area.y + (area.height - side) / 2]
  const line = formatNumber(Math.max(0.5, side / 16))
  const frame = isRound ? circlePath(x + side / 2, y + side / 2, side * 0.46) : squarePath(x, y, side)
  const mark = isRound
    ? `${circlePath(x + side / 2, y + side / 2, side * 0.26)} f`
    : `${formatNumber(side / 8)} w 1 J 1 j ${linePath(
        [
          [0.22, 0.5],
          [0.42, 0.28],
          [0.78, 0.74],
        ].map(([dx, dy]) => [x + dx! * side, y + dy! * side]),
      )} S`
  return `q 0 g 0 G ${line} w ${frame} S ${isChecked ? mark : ''} Q\n`
}

function squarePath(x: number, y: number, side: number): string {
  const inset = side * 0.04
  return `${[x + inset, y + inset, side - 2 * inset, side - 2 * inset].map(formatNumber).join(' ')} re`
}

/** Where the control points of a quarter of a circle lie. */
const ARC = 0.5523

function circlePath(x: number, y: number, radius: number): string {
  const point = (dx: number, dy: number) => `${formatNumber(x + dx * radius)} ${formatNumber(y + dy * radius)}`
  return [
    `${point(1, 0)} m`,
    `${point(1, ARC)} ${point(ARC, 1)} ${point(0, 1)} c`,
    `${point(-ARC, 1)} ${point(-1, ARC)} ${point(-1, 0)} c`,
    `${point(-1, -ARC)} ${point(-ARC, -1)} ${point(0, -1)} c`,
    `${point(ARC, -1)} ${point(1, -ARC)} ${point(1, 0)} c`,
  ].join(' ')
}

function linePath(points: readonly number[][]): string {
  return points.map(([x, y], index) => `${formatNumber(x!)} ${formatNumber(y!)} ${index === 0 ? 'm' : 'l'}`).join(' ')
}

/** Strokes stay vectors. Each goes through the middles between its points, which smooths what a finger draws. */
function renderPen({ width, height, strokes }: PenDrawing, area: Area): string {
  const scale = Math.min(area.width / width, area.height / height)
  if (!Number.isFinite(scale) || scale <= 0) throw new Problem('INVALID_PARAM', { field: 'strokes' })
  const [left, top] = [area.x, area.y + (area.height + height * scale) / 2]
  const paths = strokes.flatMap(stroke => {
    const points = stroke.filter(point => point.every(Number.isFinite))
    return points.length > 0 ? [smoothPath(points.map(([x, y]) => [left + x * scale, top - y * scale]))] : []
  })
  const line = formatNumber(Math.min(2, Math.max(0.8, area.height / 24)))
  return `q ${INK} RG ${line} w 1 J 1 j ${paths.map(path => `${path} S`).join('\n')} Q\n`
}

function smoothPath(points: readonly (readonly [number, number])[]): string {
  const [first, second] = points
  const last = points.at(-1)!
  const format = ([x, y]: readonly [number, number]) => `${formatNumber(x)} ${formatNumber(y)}`
  // A dot is a line without length, which the round caps make visible.
  if (!second) return `${format(first!)} m ${format(first!)} l`
  const parts = [`${format(first!)} m`]
  let from = first!
  for (const [index, control] of points.slice(1, -1).entries()) {
    const next = points[index + 2]!
    const to = between(control, next, 0.5)
    parts.push(`${format(between(from, control, 2 / 3))} ${format(between(to, control, 2 / 3))} ${format(to)} c`)
    from = to
  }
  return `${parts.join(' ')} ${format(last)} l`
}

function between(one: readonly [number, number], other: readonly [number, number], share: number) {
  return [one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share] as const
}

/** As large as fits, on the left, in the middle of the height. */
function renderImage(area: Area, asset: number, { openImage, usedImages }: DrawingContext): string {
  const { ref, width, height } = openImage(asset)
  const name = `Image${asset}`
  usedImages.set(name, ref)
  const scale = Math.min(area.width / width, area.height / height)
  const y = area.y + (area.height - height * scale) / 2
  const matrix = [width * scale, 0, 0, height * scale, area.x, y].map(formatNumber).join(' ')
  return `q ${matrix} cm /${name} Do Q\n`
}
