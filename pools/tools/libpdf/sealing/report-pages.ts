import { type PDF, PdfDict, PdfStream } from '@libpdf/core'
import type { Report, ReportPart, ReportRow } from '../../../../tasks/formats/pdf/report.ts'
import { formatNumber } from '../content/embedded-fonts.ts'
import type { TextFont } from '../forms/fonts.ts'
import { wrapText } from '../forms/line-layout.ts'
import { formatColor } from '../pages/stamps.ts'
import { openForm } from './draw-fields.ts'
import { type DrawingContext, renderDrawing } from './drawings.ts'

const PAGE = { width: 595.28, height: 841.89 }
const MARGIN = 52
const FOOTER_HEIGHT = 34
const LABEL_WIDTH = 128
const TEXT_WIDTH = PAGE.width - 2 * MARGIN
const LINE_HEIGHT = 1.35
/** Of rows, whose hashes are set smaller. */
const ROW_LINE_HEIGHT = 9 * LINE_HEIGHT
const ROW_GAP = 2
const LABEL_SIZE = 8.5
/** The lowest place of a line. */
const BOTTOM = MARGIN + FOOTER_HEIGHT - 20
const PAGE_HEIGHT = PAGE.height - MARGIN - BOTTOM
const DRAWING = { width: 190, height: 48 }
const GREY = '0.38'

type ReportContext = Pick<DrawingContext, 'fonts' | 'openImage'>

/** Appends the pages of a report. Returns how many. */
export function appendReport(pdf: PDF, report: Report, context: ReportContext): number {
  const pages = new ReportPages(pdf, report, context)
  for (const part of report.parts) pages.add(part)
  return pages.close()
}

class ReportPages {
  readonly #pdf: PDF
  readonly #report: Report
  readonly #context: ReportContext
  readonly #pages: { form: ReturnType<typeof openForm>; operators: string[] }[] = []
  /** Of the next line, from below. */
  #y = 0

  constructor(pdf: PDF, report: Report, context: ReportContext) {
    this.#pdf = pdf
    this.#report = report
    this.#context = context
    this.#break()
  }

  add(part: ReportPart): void {
    const { fonts } = this.#context
    const color = `${formatColor(this.#report.color)} rg`
    if (part.kind === 'title') this.#paragraph(part.text, { font: fonts.bold, size: 17, color, after: 6 })
    else if (part.kind === 'heading') this.#heading(part.text, color)
    else if (part.kind === 'text') this.#paragraph(part.text, { font: fonts.plain, size: 9, color: '0 g', after: 5 })
    else if (part.kind === 'row') this.#row(part)
    else if (part.kind === 'group') this.#group(part.rows)
    else this.#drawing(part)
  }

  close(): number {
    for (const [index, { form, operators }] of this.#pages.entries()) {
      const counts = { page: `${index + 1}`, pages: `${this.#pages.length}` }
      const footer = this.#report.footer.replaceAll(/\{(page|pages)\}/g, (_, key: 'page' | 'pages') => counts[key])
      const area = { x: MARGIN, y: 20, width: TEXT_WIDTH, height: 14 }
      const line = `q ${GREY} G 0.5 w ${MARGIN} 40 m ${PAGE.width - MARGIN} 40 l S Q\n`
      const text = renderDrawing({ kind: 'text', text: footer }, area, { size: 7.5, align: 'center' }, form.context)
      this.#write(form.close([...operators, line, text].join('')))
    }
    return this.#pages.length
  }

  #write(form: ReturnType<ReturnType<typeof openForm>['close']>): void {
    const page = this.#pdf.addPage(PAGE)
    page.dict.set('Resources', PdfDict.of({ XObject: PdfDict.of({ Report: form }) }))
    page.dict.set('Contents', this.#pdf.register(new PdfStream([], Buffer.from('q /Report Do Q\n'))))
  }

  get #current() {
    return this.#pages.at(-1)!
  }

  #break(): void {
    this.#pages.push({ form: openForm(this.#pdf, PAGE.width, PAGE.height, this.#context), operators: [] })
    this.#y = PAGE.height - MARGIN
  }

  #reserve(height: number): void {
    if (this.#y - height < BOTTOM) this.#break()
  }

  #heading(text: string, color: string): void {
    this.#reserve(60)
    this.#y -= 10
    this.#paragraph(text, { font: this.#context.fonts.bold, size: 11, color, after: 4 })
    const y = formatNumber(this.#y + 1)
    this.#current.operators.push(`q 0.8 G 0.6 w ${MARGIN} ${y} m ${PAGE.width - MARGIN} ${y} l S Q\n`)
    this.#y -= 5
  }

  #paragraph(
    text: string,
    { font, size, color, after }: { font: TextFont; size: number; color: string; after: number },
  ) {
    for (const line of this.#wrap(text, font, TEXT_WIDTH / size)) {
      this.#reserve(size * LINE_HEIGHT)
      this.#y -= size * LINE_HEIGHT
      this.#line(line, MARGIN, { font, size, color, width: TEXT_WIDTH })
    }
    this.#y -= after
  }

  #group(rows: readonly ReportRow[]): void {
    const lines = rows.reduce((sum, row) => sum + this.#wrapRow(row).lines, 0)
    const height = lines * ROW_LINE_HEIGHT + rows.length * ROW_GAP
    if (height <= PAGE_HEIGHT) this.#reserve(height)
    for (const row of rows) this.#row(row)
  }

  #row(row: ReportRow): void {
    const { plain } = this.#context.fonts
    const { labels, values, lines, size, width } = this.#wrapRow(row)
    for (let index = 0; index < lines; index += 1) {
      this.#reserve(ROW_LINE_HEIGHT)
      this.#y -= ROW_LINE_HEIGHT
      if (labels[index]) this.#line(labels[index]!, MARGIN, { font: plain, size: LABEL_SIZE, color: `${GREY} g` })
      if (values[index]) this.#line(values[index]!, MARGIN + LABEL_WIDTH, { font: plain, size, color: '0 g', width })
    }
    this.#y -= ROW_GAP
  }

  #wrapRow({ label, value, isCode = false }: ReportRow) {
    const { plain } = this.#context.fonts
    const size = isCode ? 7.5 : 9
    const width = TEXT_WIDTH - LABEL_WIDTH
    const labels = this.#wrap(label, plain, (LABEL_WIDTH - 10) / LABEL_SIZE)
    const values = this.#wrap(value === '' ? '–' : value, plain, width / size)
    return { labels, values, lines: Math.max(labels.length, values.length), size, width }
  }

  #drawing({ label, drawing }: Extract<ReportPart, { kind: 'drawing' }>): void {
    this.#reserve(DRAWING.height + 8)
    this.#y -= DRAWING.height + 4
    const { plain } = this.#context.fonts
    this.#line(label, MARGIN, { font: plain, size: LABEL_SIZE, color: `${GREY} g`, rise: DRAWING.height - 9 })
    const area = { x: MARGIN + LABEL_WIDTH, y: this.#y, ...DRAWING }
    const { form, operators } = this.#current
    operators.push(renderDrawing(drawing, area, {}, form.context))
    this.#y -= 4
  }

  #wrap(text: string, font: TextFont, width: number): string[] {
    return wrapText(this.#context.fonts.replaceMissing(text), font, width)
  }

  /** Text of scripts that run from right to left ends at the right, where there is a width. */
  #line(
    text: string,
    x: number,
    {
      font,
      size,
      color,
      width,
      rise = 0,
    }: { font: TextFont; size: number; color: string; width?: number; rise?: number },
  ): void {
    const { form, operators } = this.#current
    const isRight = width !== undefined && font.isRightToLeft(text)
    const start = isRight ? x + width - font.width(text) * size : x
    const position = `1 0 0 1 ${formatNumber(start)} ${formatNumber(this.#y + rise)} Tm`
    operators.push(`${color} BT\n${position}\n${font.render(text, size, form.context.usedFonts)}\nET\n`)
  }
}
