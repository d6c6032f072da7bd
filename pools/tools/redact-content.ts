import { PdfDict, type PdfRef, PdfStream } from '@libpdf/core'
import { ContentName, type Operand, type Operation, operationsIn } from './pdf-content.ts'
import { type Matrix, moved, multiply, type Resolve } from './pdf-view.ts'
import { type Box, boundsOf, lieWithin, quad, touches } from './redact-boxes.ts'
import { type GlyphMetrics, isForm, metricsOf, numberAt } from './redact-glyphs.ts'
import { PLAIN, TextPen, type TextState, UPRIGHT } from './redact-text.ts'

export interface Cleaning {
  boxes: readonly Box[]
  /** All around the page: letters nobody sees there are none of the page. */
  offPage: readonly Box[]
  /** From the content's space to the page as it is seen, from the top left corner. */
  toView: Matrix
  resolve: Resolve
  register(stream: PdfStream): PdfRef
  depth: number
  /** How many forms may still be looked into: forms within forms can be made to be without end. */
  budget: { forms: number }
  /** A form goes on with the text state of where it is drawn. */
  from?: TextState
}

export interface Cleaned {
  bytes: Buffer
  resources: PdfDict
  /** What cannot be taken out of the content with certainty: only a picture of the page is safe. */
  isUnsure: boolean
  removed: number
}

const DEEPEST = 12
const SLACK = 1.5
const MOST_STRAIGHT = 12

/** What each operator does. */
export type Actions = Record<string, (cleaner: Cleaner, operands: Operand[]) => string | undefined>

export class Cleaner {
  private actions: Actions = {}
  private readonly bytes: Uint8Array
  private readonly cleaning: Cleaning
  private readonly resources: PdfDict
  private readonly pieces: Buffer[] = []
  private readonly fonts = new Map<string, GlyphMetrics | undefined>()
  private readonly stack: TextState[] = []
  private state: TextState
  readonly pen: TextPen
  private path: [number, number][] = []
  private pathPieces = 0
  private hasCurve = false
  private isClipping = false
  private hasPattern = false
  private isUnsure = false
  private readonly drawn = { asIs: new Set<string>(), anew: new Set<string>() }
  private removed = 0

  constructor(bytes: Uint8Array, resources: PdfDict, cleaning: Cleaning) {
    this.bytes = bytes
    this.cleaning = cleaning
    this.pen = new TextPen([...cleaning.boxes, ...cleaning.offPage])
    this.resources = new PdfDict([...resources])
    this.state = { ...(cleaning.from ?? PLAIN), matrix: cleaning.toView }
  }

  run(actions: Actions): Cleaned {
    this.actions = actions
    for (const operation of operationsIn(this.bytes)) {
      const instead = actions[operation.operator]?.(this, operation.operands)
      if (instead !== undefined) this.pieces.push(Buffer.from(`${instead}\n`, 'latin1'))
      else this.pieces.push(this.asItIs(operation), NEW_LINE)
    }
    this.dropReplaced()
    const { resources, isUnsure, removed } = this
    return { bytes: Buffer.concat(this.pieces), resources, isUnsure, removed }
  }

  /** A form that was drawn anew must not stay in reach under its old name. */
  private dropReplaced(): void {
    const objects = this.resources.getDict('XObject', this.cleaning.resolve)
    for (const name of this.drawn.anew) if (!this.drawn.asIs.has(name)) objects?.delete(name)
  }

  private asItIs({ start, end }: Operation): Buffer {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, end - start)
  }

  push(): undefined {
    this.stack.push({ ...this.state })
  }

  pop(): undefined {
    this.state = this.stack.pop() ?? this.state
  }

  transform(operands: Operand[]): undefined {
    this.state.matrix = multiply(matrixOf(operands), this.state.matrix)
  }

  setFont([name, size]: Operand[]): undefined {
    const word = name instanceof ContentName ? name.word : ''
    if (!this.fonts.has(word)) {
      const font = this.resources.getDict('Font', this.cleaning.resolve)?.getDict(word, this.cleaning.resolve)
      this.fonts.set(word, font && metricsOf(font, this.cleaning.resolve))
    }
    this.state.font = this.fonts.get(word)
    this.state.size = Number(size) || 0
  }

  set(name: Exclude<keyof TextState, 'font' | 'matrix'>, value: number): undefined {
    this.state[name] = value
  }

  nextLine(): undefined {
    this.pen.move(0, -this.state.leading)
  }

  /** Shows text: nothing where all of it may stay, what to show instead where some of it goes. */
  show(items: readonly Operand[], before = ''): string | undefined {
    const { font } = this.state
    if (!font) {
      this.isUnsure = true
      return undefined
    }
    const { instead, removed } = this.pen.show(items, this.state, font)
    this.removed += removed
    return instead === undefined ? undefined : before + instead
  }

  point(x: number, y: number): undefined {
    if (this.path.length === 0) this.pathPieces = this.pieces.length
    this.path.push([...moved(this.state.matrix, x, y)])
  }

  curve(operands: Operand[]): undefined {
    for (let index = 0; index + 1 < operands.length; index += 2)
      this.point(Number(operands[index]), Number(operands[index + 1]))
    this.hasCurve = true
  }

  rectangle([x, y, width, height]: number[]): undefined {
    this.point(x!, y!)
    this.point(x! + width!, y! + height!)
  }

  clip(): undefined {
    this.isClipping = true
  }

  pattern(operands: Operand[]): undefined {
    this.hasPattern = operands.at(-1) instanceof ContentName
  }

  /** A drawing in a box goes; one that reaches out of it stays below where it is plain lines. */
  paint(isInvisible: boolean): string | undefined {
    const box = this.path.length > 0 ? boundsOf(this.path) : undefined
    const touched = box ? this.cleaning.boxes.filter(other => touches(widened(box), other)) : []
    const isWithin = box !== undefined && touched.some(other => lieWithin(box, other, SLACK))
    const isIntricate = this.hasCurve || this.hasPattern || this.path.length > MOST_STRAIGHT
    const { isClipping } = this
    const start = this.pathPieces
    this.path = []
    this.hasCurve = false
    this.isClipping = false
    if (touched.length === 0 || isInvisible) return undefined
    if (isWithin && !isClipping) {
      this.pieces.length = start
      return ''
    }
    if (isIntricate) this.isUnsure = true
    return undefined
  }

  picture(): undefined {
    const box = boundsOf(quad(this.state.matrix, [0, 0, 1, 1]))
    if (this.cleaning.boxes.some(other => touches(box, other))) this.isUnsure = true
  }

  draw([name]: Operand[]): string | undefined {
    const word = name instanceof ContentName ? name.word : ''
    const objects = this.resources.getDict('XObject', this.cleaning.resolve)
    const found = objects?.get(word, this.cleaning.resolve)
    const copy = isForm(found) ? this.formWithout(found) : this.picture()
    this.drawn[copy ? 'anew' : 'asIs'].add(word)
    return copy && `/${this.named(objects!, this.cleaning.register(copy))} Do`
  }

  /** A form without what lies in the boxes; nothing where it may stay as it is. */
  private formWithout(form: PdfStream): PdfStream | undefined {
    const { resolve, depth, boxes } = this.cleaning
    const list = form.getArray('Matrix', resolve)
    const values = [0, 1, 2, 3, 4, 5].map(index => numberAt(list, index, resolve) ?? UPRIGHT[index]!)
    const toView = multiply(values as unknown as Matrix, this.state.matrix)
    const sides = [0, 1, 2, 3].map(index => numberAt(form.getArray('BBox', resolve), index, resolve) ?? 0)
    const box = widened(boundsOf(quad(toView, sides as unknown as Box)))
    if (!boxes.some(other => touches(box, other))) return undefined
    this.cleaning.budget.forms -= 1
    if (depth >= DEEPEST || this.cleaning.budget.forms < 0) {
      this.isUnsure = true
      return undefined
    }
    const own = form.getDict('Resources', resolve) ?? this.resources
    const inner = { ...this.cleaning, toView, depth: depth + 1, from: this.state }
    const cleaned = new Cleaner(form.getDecodedData(), own, inner).run(this.actions)
    if (cleaned.isUnsure) this.isUnsure = true
    const kept = [...form].filter(([{ value }]) => !DATA_ENTRIES.has(value))
    const copy = new PdfStream(kept, cleaned.bytes)
    copy.set('Resources', cleaned.resources)
    this.removed += cleaned.removed
    return copy
  }

  private named(objects: PdfDict, ref: PdfRef): string {
    const own = new PdfDict([...objects])
    let number = 1
    while (own.has(`Clean${number}`)) number += 1
    own.set(`Clean${number}`, ref)
    this.resources.set('XObject', own)
    return `Clean${number}`
  }

  /** What a reader for the blind would say instead may say what was removed. */
  mark([tag, properties]: Operand[]): string | undefined {
    if (!(tag instanceof ContentName)) return undefined
    if (properties instanceof ContentName) return undefined
    if (!(properties instanceof Map) || !SPOKEN.some(name => properties.has(name))) return undefined
    const id = properties.get('MCID')
    return `/${tag.word} <<${typeof id === 'number' ? ` /MCID ${id}` : ''} >> BDC`
  }

  graphicsState(): undefined {
    const { resolve } = this.cleaning
    const states = this.resources.getDict('ExtGState', resolve)
    if ([...(states ?? [])].some(([key]) => states!.getDict(key.value, resolve)?.has('Font'))) this.isUnsure = true
  }
}

const NEW_LINE = Buffer.from('\n')
const SPOKEN = ['ActualText', 'Alt', 'E']
const DATA_ENTRIES = new Set(['Filter', 'DecodeParms', 'Length', 'Resources', 'PieceInfo', 'Metadata'])

function widened([left, top, right, bottom]: Box): Box {
  return [left - 0.1, top - 0.1, right + 0.1, bottom + 0.1]
}

export function matrixOf(operands: Operand[]): Matrix {
  return [0, 1, 2, 3, 4, 5].map(index => Number(operands[index]) || 0) as unknown as Matrix
}
