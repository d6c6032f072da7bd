import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream, PdfString } from '@libpdf/core'
import type { LetterWish } from './font-shaping.ts'
import { attribute, type Field, FLAG, formOf, MORE_FLAGS, rectOf, textOf } from './form-fields.ts'
import { embeddedLetters, type Letters, plainLetters } from './form-letters.ts'
import { type Placed, placedLines } from './form-lines.ts'
import { ContentName, operationsIn } from './pdf-content.ts'
import { figure, type Lettering } from './pdf-lettering.ts'
import { type Matrix, numbers, type Resolve } from './pdf-view.ts'

export interface LooksWish extends LetterWish {
  /** Only embedded letters, even where the form's own font would do. */
  isForced: boolean
  fontSize: number | undefined
}

interface Sheet {
  width: number
  height: number
  matrix: Matrix
}

/** Draws what a field with text shows, anew for each place where it is shown. */
export function drawField(pdf: PDF, field: Field, lettering: Lettering, wish: LooksWish): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  for (const { dict } of field.widgets) {
    const rect = rectOf(dict, resolve)
    if (!rect) continue
    const sheet = sheetOf(rect, dict, resolve)
    const resources = new PdfDict()
    const fonts = new PdfDict()
    resources.set('Font', fonts)
    const frame = frameOf(dict, sheet, resolve)
    const letters = textLooks(pdf, field, dict, sheet, frame.edge, { lettering, wish, fonts })
    const content = `${frame.drawn}/Tx BMC\nq\n${letters}Q\nEMC\n`
    const entries = {
      Type: PdfName.of('XObject'),
      Subtype: PdfName.of('Form'),
      BBox: numbers(0, 0, sheet.width, sheet.height),
      Matrix: numbers(...sheet.matrix),
      Resources: resources,
    }
    const stream = pdf.register(PdfStream.fromDict(entries, Buffer.from(content, 'latin1')))
    dict.set('AP', PdfDict.of({ N: stream }))
  }
}

/** A widget may be turned in itself. */
function sheetOf([x1, y1, x2, y2]: readonly number[], dict: PdfDict, resolve: Resolve): Sheet {
  const [width, height] = [x2! - x1!, y2! - y1!]
  const turn = dict.getDict('MK', resolve)?.getNumber('R', resolve)?.value ?? 0
  if (turn === 90) return { width: height, height: width, matrix: [0, 1, -1, 0, width, 0] }
  if (turn === 180) return { width, height, matrix: [-1, 0, 0, -1, width, height] }
  if (turn === 270) return { width: height, height: width, matrix: [0, -1, 1, 0, 0, height] }
  return { width, height, matrix: [1, 0, 0, 1, 0, 0] }
}

/** Ground and border of a widget, and how much of the edge they take. */
function frameOf(dict: PdfDict, { width, height }: Sheet, resolve: Resolve): { drawn: string; edge: number } {
  const marks = dict.getDict('MK', resolve)
  const ground = ink(marks?.getArray('BG', resolve), resolve, false)
  const border = ink(marks?.getArray('BC', resolve), resolve, true)
  const style = dict.getDict('BS', resolve)
  const line = style?.getNumber('W', resolve)?.value ?? 1
  const kind = style?.getName('S', resolve)?.value ?? 'S'
  const parts: string[] = []
  if (ground) parts.push(`q ${ground} 0 0 ${figure(width)} ${figure(height)} re f Q`)
  if (border && line > 0) {
    const dash = kind === 'D' ? '[3] 0 d ' : ''
    const drawn = kind === 'U' ? underline(width, line) : box(width, height, line)
    parts.push(`q ${border} ${figure(line)} w ${dash}${drawn} S Q`)
  }
  const edge = (border ? line : 0) * (kind === 'B' || kind === 'I' ? 2 : 1)
  return { drawn: parts.map(part => `${part}\n`).join(''), edge }
}

function underline(width: number, line: number): string {
  return `0 ${figure(line / 2)} m ${figure(width)} ${figure(line / 2)} l`
}

function box(width: number, height: number, line: number): string {
  return `${figure(line / 2)} ${figure(line / 2)} ${figure(width - line)} ${figure(height - line)} re`
}

function ink(levels: PdfArray | undefined, resolve: Resolve, isLine: boolean): string | undefined {
  const values = (levels?.toArray() ?? []).map((_, index) => levels!.at(index, resolve))
  const operator = { 1: 'g', 3: 'rg', 4: 'k' }[values.length]
  if (!operator || !values.every(value => value instanceof PdfNumber)) return undefined
  const shares = values.map(value => figure(value.value)).join(' ')
  return `${shares} ${isLine ? operator.toUpperCase() : operator}`
}

interface Means {
  lettering: Lettering
  wish: LooksWish
  fonts: PdfDict
}

function textLooks(pdf: PDF, field: Field, widget: PdfDict, sheet: Sheet, edge: number, means: Means): string {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const text = shownText(field, resolve)
  if (text === '') return ''
  const style = styleOf(pdf, field, widget, resolve)
  const fonts = formOf(pdf)?.getDict('DR', resolve)?.getDict('Font', resolve)
  const plain = means.wish.isForced ? undefined : plainLetters(style.font, fonts, text, resolve)
  const letters = plain ?? embeddedLetters(means.lettering, means.wish)
  const lines = placedLines(text, letters, {
    ...sheet,
    edge,
    size: means.wish.fontSize ?? style.size,
    align: style.align,
    isMultiline: (field.flags & FLAG.multiline) !== 0 || isOpenList(field),
    cells: isComb(field) ? field.maxLength : undefined,
  })
  return linesDrawn(lines, letters, sheet, edge, style.color, means.fonts)
}

function linesDrawn(
  lines: Placed[],
  letters: Letters,
  sheet: Sheet,
  edge: number,
  color: string,
  fonts: PdfDict,
): string {
  const { width, height } = sheet
  const clip = [edge, edge, width - 2 * edge, height - 2 * edge].map(figure).join(' ')
  const shown = lines.map(
    ({ text, x, y, size }) => `1 0 0 1 ${figure(x)} ${figure(y)} Tm\n${letters.show(text, size, fonts)}`,
  )
  return `${clip} re W n\nBT\n${color}\n${shown.join('\n')}\nET\n`
}

function isComb({ flags, maxLength, type }: Field): boolean {
  const others = FLAG.multiline | FLAG.password
  return type === 'text' && (flags & MORE_FLAGS.comb) !== 0 && (flags & others) === 0 && (maxLength ?? 0) > 0
}

function isOpenList({ type, flags }: Field): boolean {
  return type === 'multiselect' || (type === 'select' && (flags & MORE_FLAGS.combo) === 0)
}

function shownText(field: Field, resolve: Resolve): string {
  const value = attribute(field.dict, 'V', resolve)
  const list = value instanceof PdfArray ? value.toArray().map(item => textOf(item)) : [textOf(value)]
  const chosen = list.flatMap(item => item ?? [])
  const labels = chosen.map(item => field.options.find(option => option.value === item)?.label ?? item)
  const text = labels.join('\n').replaceAll(/\r\n?/g, '\n')
  if (field.flags & FLAG.password && field.type === 'text') return '*'.repeat([...text].length)
  return field.flags & FLAG.multiline || isOpenList(field) ? text : text.replaceAll('\n', ' ')
}

interface Style {
  font: string
  /** 0 where the size follows the room. */
  size: number
  color: string
  align: number
}

/** The default appearance: a scrap of content that says font, size and colour. */
function styleOf(pdf: PDF, { dict }: Field, widget: PdfDict, resolve: Resolve): Style {
  const form = formOf(pdf)
  const given = attribute(widget, 'DA', resolve) ?? attribute(dict, 'DA', resolve) ?? form?.get('DA', resolve)
  const style: Style = { font: 'Helv', size: 0, color: '0 g', align: 0 }
  for (const { operator, operands } of operationsIn(given instanceof PdfString ? given.bytes : new Uint8Array())) {
    if (operator === 'Tf' && operands[0] instanceof ContentName) {
      style.font = operands[0].word
      style.size = Math.abs(Number(operands[1])) || 0
    }
    if (['g', 'rg', 'k'].includes(operator))
      style.color = `${operands.map(value => figure(Number(value))).join(' ')} ${operator}`
  }
  const align = attribute(widget, 'Q', resolve) ?? attribute(dict, 'Q', resolve) ?? form?.get('Q', resolve)
  style.align = align instanceof PdfNumber ? align.value : 0
  return style
}

/** A tick for a box that has no looks of its own. */
export function drawTick(pdf: PDF, widget: PdfDict, state: string): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const rect = rectOf(widget, resolve)
  if (!rect) return
  const sheet = sheetOf(rect, widget, resolve)
  const { width: w, height: h } = sheet
  const frame = frameOf(widget, sheet, resolve).drawn
  const tick: PdfObject[] = [frame, `${frame}q ${figure(Math.min(w, h) / 8)} w 1 J 1 j ${path(w, h)} S Q\n`].map(
    content =>
      pdf.register(
        PdfStream.fromDict(
          {
            Type: PdfName.of('XObject'),
            Subtype: PdfName.of('Form'),
            BBox: numbers(0, 0, w, h),
            Matrix: numbers(...sheet.matrix),
          },
          Buffer.from(content, 'latin1'),
        ),
      ),
  )
  widget.set('AP', PdfDict.of({ N: PdfDict.of({ Off: tick[0]!, [state]: tick[1]! }) }))
}

function path(w: number, h: number): string {
  const points = [
    [0.2, 0.5, 'm'],
    [0.42, 0.25, 'l'],
    [0.8, 0.78, 'l'],
  ] as const
  return points.map(([x, y, operator]) => `${figure(x * w)} ${figure(y * h)} ${operator}`).join(' ')
}
