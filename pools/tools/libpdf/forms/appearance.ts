import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream, PdfString } from '@libpdf/core'
import type { TextStyle } from '../../../../tasks/formats/pdf/fonts.ts'
import { type FontEmbedder, formatNumber } from '../content/embedded-fonts.ts'
import { type Matrix, numberArray } from '../content/page-view.ts'
import { ContentName, parseOperations } from '../content/stream.ts'
import type { Resolve } from '../objects.ts'
import { acroFormOf, FIELD_FLAGS, type Field, inheritedAttribute, readRect, readText } from './fields.ts'
import { createEmbeddedFont, findStandardFont, type TextFont } from './fonts.ts'
import { isCutOff, type LineOptions, layoutLines, type PlacedLine } from './line-layout.ts'
import { layoutList, readRows } from './list-box.ts'

export interface FieldTextStyle extends TextStyle {
  /** Use an embedded font even if the form's own font could show the text. */
  isEmbeddedOnly: boolean
  fontSize: number | undefined
}

interface AppearanceBox {
  width: number
  height: number
  matrix: Matrix
}

/** Writes a new appearance for each widget of a text field. Returns whether one of them shows the whole text. */
export function writeFieldAppearance(
  pdf: PDF,
  field: Field,
  embedder: FontEmbedder,
  textStyle: FieldTextStyle,
): boolean {
  const resolve: Resolve = ref => pdf.getObject(ref)
  let isShown = field.widgets.length === 0
  for (const { dict } of field.widgets) {
    const rect = readRect(dict, resolve)
    if (!rect) continue
    const box = readAppearanceBox(rect, dict, resolve)
    const resources = new PdfDict()
    const fonts = new PdfDict()
    resources.set('Font', fonts)
    const frame = renderFrame(dict, box, resolve)
    const text = renderText(pdf, field, dict, box, frame.edge, { embedder, textStyle, fonts })
    if (!text.isCut) isShown = true
    const content = `${frame.content}/Tx BMC\nq\n${text.content}Q\nEMC\n`
    const entries = {
      Type: PdfName.of('XObject'),
      Subtype: PdfName.of('Form'),
      BBox: numberArray(0, 0, box.width, box.height),
      Matrix: numberArray(...box.matrix),
      Resources: resources,
    }
    const stream = pdf.register(PdfStream.fromDict(entries, Buffer.from(content, 'latin1')))
    dict.set('AP', PdfDict.of({ N: stream }))
  }
  return isShown
}

/** A widget may be rotated within its rectangle. */
function readAppearanceBox([x1, y1, x2, y2]: readonly number[], dict: PdfDict, resolve: Resolve): AppearanceBox {
  const [width, height] = [x2! - x1!, y2! - y1!]
  const rotation = dict.getDict('MK', resolve)?.getNumber('R', resolve)?.value ?? 0
  if (rotation === 90) return { width: height, height: width, matrix: [0, 1, -1, 0, width, 0] }
  if (rotation === 180) return { width, height, matrix: [-1, 0, 0, -1, width, height] }
  if (rotation === 270) return { width: height, height: width, matrix: [0, -1, 1, 0, 0, height] }
  return { width, height, matrix: [1, 0, 0, 1, 0, 0] }
}

/** Draws the background and border of a widget. `edge` is the width that the border takes on each side. */
function renderFrame(
  dict: PdfDict,
  { width, height }: AppearanceBox,
  resolve: Resolve,
): { content: string; edge: number } {
  const characteristics = dict.getDict('MK', resolve)
  const background = renderColor(characteristics?.getArray('BG', resolve), resolve, false)
  const border = renderColor(characteristics?.getArray('BC', resolve), resolve, true)
  const style = dict.getDict('BS', resolve)
  const lineWidth = style?.getNumber('W', resolve)?.value ?? 1
  const kind = style?.getName('S', resolve)?.value ?? 'S'
  const parts: string[] = []
  if (background) parts.push(`q ${background} 0 0 ${formatNumber(width)} ${formatNumber(height)} re f Q`)
  if (border && lineWidth > 0) {
    const dash = kind === 'D' ? '[3] 0 d ' : ''
    const path = kind === 'U' ? underlinePath(width, lineWidth) : boxPath(width, height, lineWidth)
    parts.push(`q ${border} ${formatNumber(lineWidth)} w ${dash}${path} S Q`)
  }
  const edge = (border ? lineWidth : 0) * (kind === 'B' || kind === 'I' ? 2 : 1)
  return { content: parts.map(part => `${part}\n`).join(''), edge }
}

function underlinePath(width: number, line: number): string {
  return `0 ${formatNumber(line / 2)} m ${formatNumber(width)} ${formatNumber(line / 2)} l`
}

function boxPath(width: number, height: number, line: number): string {
  return `${formatNumber(line / 2)} ${formatNumber(line / 2)} ${formatNumber(width - line)} ${formatNumber(height - line)} re`
}

function renderColor(levels: PdfArray | undefined, resolve: Resolve, isStroke: boolean): string | undefined {
  const values = (levels?.toArray() ?? []).map((_, index) => levels!.at(index, resolve))
  const operator = { 1: 'g', 3: 'rg', 4: 'k' }[values.length]
  if (!operator || !values.every(value => value instanceof PdfNumber)) return undefined
  const components = values.map(value => formatNumber(value.value)).join(' ')
  return `${components} ${isStroke ? operator.toUpperCase() : operator}`
}

interface TextResources {
  embedder: FontEmbedder
  textStyle: FieldTextStyle
  fonts: PdfDict
}

function renderText(
  pdf: PDF,
  field: Field,
  widget: PdfDict,
  box: AppearanceBox,
  edge: number,
  context: TextResources,
): { content: string; isCut: boolean } {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const list = isListBox(field) && field.options.length > 0 ? readRows(field, resolve) : undefined
  const text = list ? list.rows.map(({ label }) => label).join(' ') : readDisplayText(field, resolve)
  if (text === '') return { content: '', isCut: false }
  const style = readDefaultAppearance(pdf, field, widget, resolve)
  const fonts = acroFormOf(pdf)?.getDict('DR', resolve)?.getDict('Font', resolve)
  const standard = context.textStyle.isEmbeddedOnly ? undefined : findStandardFont(style.font, fonts, text, resolve)
  const textFont = standard ?? createEmbeddedFont(context.embedder, context.textStyle)
  const options: LineOptions = {
    ...box,
    edge,
    size: context.textStyle.fontSize ?? style.size,
    align: style.align,
    isMultiline: (field.flags & FIELD_FLAGS.multiline) !== 0 || isListBox(field),
    cells: isComb(field) ? field.maxLength : undefined,
  }
  const placed = list ? layoutList(list, textFont, options) : { lines: layoutLines(text, textFont, options), marks: '' }
  const content = renderLines(placed, textFont, options, style.color, context.fonts)
  return { content, isCut: !list && isCutOff(placed.lines, textFont, options) }
}

function renderLines(
  { lines, marks }: { lines: PlacedLine[]; marks: string },
  textFont: TextFont,
  { width, height, edge }: LineOptions,
  color: string,
  fonts: PdfDict,
): string {
  const clip = [edge, edge, width - 2 * edge, height - 2 * edge].map(formatNumber).join(' ')
  const operators = lines.map(
    ({ text, x, y, size }) => `1 0 0 1 ${formatNumber(x)} ${formatNumber(y)} Tm\n${textFont.render(text, size, fonts)}`,
  )
  return `${clip} re W n\n${marks}BT\n${color}\n${operators.join('\n')}\nET\n`
}

function isComb({ flags, maxLength, type }: Field): boolean {
  const excluded = FIELD_FLAGS.multiline | FIELD_FLAGS.password
  return type === 'text' && (flags & FIELD_FLAGS.comb) !== 0 && (flags & excluded) === 0 && (maxLength ?? 0) > 0
}

function isListBox({ type, flags }: Field): boolean {
  return type === 'multiselect' || (type === 'select' && (flags & FIELD_FLAGS.combo) === 0)
}

function readDisplayText(field: Field, resolve: Resolve): string {
  const value = inheritedAttribute(field.dict, 'V', resolve)
  const list = value instanceof PdfArray ? value.toArray().map(item => readText(item)) : [readText(value)]
  const chosen = list.flatMap(item => item ?? [])
  const labels = chosen.map(item => field.options.find(option => option.value === item)?.label ?? item)
  const text = labels.join('\n').replaceAll(/\r\n?/g, '\n')
  if (field.flags & FIELD_FLAGS.password && field.type === 'text') return '*'.repeat([...text].length)
  return field.flags & FIELD_FLAGS.multiline || isListBox(field) ? text : text.replaceAll('\n', ' ')
}

interface DefaultAppearance {
  font: string
  /** 0: as large as fits. */
  size: number
  color: string
  align: number
}

/** The default appearance of a field is a content stream that sets font, size and colour. */
function readDefaultAppearance(pdf: PDF, { dict }: Field, widget: PdfDict, resolve: Resolve): DefaultAppearance {
  const form = acroFormOf(pdf)
  const defaultAppearance =
    inheritedAttribute(widget, 'DA', resolve) ?? inheritedAttribute(dict, 'DA', resolve) ?? form?.get('DA', resolve)
  const style: DefaultAppearance = { font: 'Helv', size: 0, color: '0 g', align: 0 }
  for (const { operator, operands } of parseOperations(
    defaultAppearance instanceof PdfString ? defaultAppearance.bytes : new Uint8Array(),
  )) {
    if (operator === 'Tf' && operands[0] instanceof ContentName) {
      style.font = operands[0].name
      style.size = Math.abs(Number(operands[1])) || 0
    }
    if (['g', 'rg', 'k'].includes(operator))
      style.color = `${operands.map(value => formatNumber(Number(value))).join(' ')} ${operator}`
  }
  const align =
    inheritedAttribute(widget, 'Q', resolve) ?? inheritedAttribute(dict, 'Q', resolve) ?? form?.get('Q', resolve)
  style.align = align instanceof PdfNumber ? align.value : 0
  return style
}

/** Draws a checkmark for a checkbox that has no appearance of its own. */
export function writeCheckmark(pdf: PDF, widget: PdfDict, state: string): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const rect = readRect(widget, resolve)
  if (!rect) return
  const box = readAppearanceBox(rect, widget, resolve)
  const { width: w, height: h } = box
  const frame = renderFrame(widget, box, resolve).content
  const states: PdfObject[] = [
    frame,
    `${frame}q ${formatNumber(Math.min(w, h) / 8)} w 1 J 1 j ${checkmarkPath(w, h)} S Q\n`,
  ].map(content =>
    pdf.register(
      PdfStream.fromDict(
        {
          Type: PdfName.of('XObject'),
          Subtype: PdfName.of('Form'),
          BBox: numberArray(0, 0, w, h),
          Matrix: numberArray(...box.matrix),
        },
        Buffer.from(content, 'latin1'),
      ),
    ),
  )
  widget.set('AP', PdfDict.of({ N: PdfDict.of({ Off: states[0]!, [state]: states[1]! }) }))
}

function checkmarkPath(w: number, h: number): string {
  const points = [
    [0.2, 0.5, 'm'],
    [0.42, 0.25, 'l'],
    [0.8, 0.78, 'l'],
  ] as const
  return points.map(([x, y, operator]) => `${formatNumber(x * w)} ${formatNumber(y * h)} ${operator}`).join(' ')
}
