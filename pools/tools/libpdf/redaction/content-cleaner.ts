import { PdfDict, type PdfRef, PdfStream } from '@libpdf/core'
import { type Rect, rectsOverlap } from '../../../../tasks/formats/geometry/rect.ts'
import { type Matrix, multiplyMatrices, transformPoint } from '../content/page-view.ts'
import { ContentName, type Operand, type Operation, parseOperations } from '../content/stream.ts'
import type { Resolve } from '../objects.ts'
import { boundingBox, isWithin, transformRect } from './boxes.ts'
import { type GlyphMetrics, isForm, numberAt, readGlyphMetrics } from './glyph-metrics.ts'
import { IDENTITY_MATRIX, INITIAL_TEXT_STATE, TextCursor, type TextState } from './text.ts'

export interface CleaningContext {
  boxes: readonly Rect[]
  /** Leave drawings and images as they are. */
  onlyText: boolean
  /** The area around the page; text there is invisible and is removed too. */
  offPage: readonly Rect[]
  /** Maps the content's coordinates to points from the top left corner of the page as displayed. */
  toView: Matrix
  resolve: Resolve
  register(stream: PdfStream): PdfRef
  depth: number
  /** How many more forms may be cleaned. Crafted forms that nest each other would never end. */
  budget: { forms: number }
  /** A form inherits the text state of the place where it is drawn. */
  textState?: TextState
}

export interface CleanedContent {
  bytes: Buffer
  resources: PdfDict
  /** The content cannot be removed with certainty; the page must be replaced with an image. */
  isUncertain: boolean
}

const MAX_FORM_DEPTH = 12
const TOLERANCE_POINTS = 1.5
const MAX_SIMPLE_POINTS = 12

/** Handlers by operator. Each returns the content to write instead, or undefined to keep the operation. */
export type OperatorHandlers = Record<string, (cleaner: ContentCleaner, operands: Operand[]) => string | undefined>

export class ContentCleaner {
  #handlers: OperatorHandlers = {}
  readonly #bytes: Uint8Array
  readonly #context: CleaningContext
  readonly #resources: PdfDict
  readonly #output: Buffer[] = []
  readonly #fonts = new Map<string, GlyphMetrics | undefined>()
  readonly #stack: TextState[] = []
  #state: TextState
  readonly textCursor: TextCursor
  #path: [number, number][] = []
  #outputBeforePath = 0
  #hasCurve = false
  #isClipping = false
  #hasPattern = false
  #isUncertain = false
  readonly #drawnNames = { unchanged: new Set<string>(), replaced: new Set<string>() }

  constructor(bytes: Uint8Array, resources: PdfDict, context: CleaningContext) {
    this.#bytes = bytes
    this.#context = context
    this.textCursor = new TextCursor([...context.boxes, ...context.offPage])
    this.#resources = new PdfDict([...resources])
    this.#state = { ...(context.textState ?? INITIAL_TEXT_STATE), matrix: context.toView }
  }

  run(handlers: OperatorHandlers): CleanedContent {
    this.#handlers = handlers
    for (const operation of parseOperations(this.#bytes)) {
      const replacement = handlers[operation.operator]?.(this, operation.operands)
      if (replacement !== undefined) this.#output.push(Buffer.from(`${replacement}\n`, 'latin1'))
      else this.#output.push(this.#sourceBytes(operation), NEW_LINE)
    }
    this.#dropReplacedForms()
    return { bytes: Buffer.concat(this.#output), resources: this.#resources, isUncertain: this.#isUncertain }
  }

  /** The original of a form that was replaced must not stay reachable under its old name. */
  #dropReplacedForms(): void {
    const objects = this.#resources.getDict('XObject', this.#context.resolve)
    for (const name of this.#drawnNames.replaced) if (!this.#drawnNames.unchanged.has(name)) objects?.delete(name)
  }

  #sourceBytes({ start, end }: Operation): Buffer {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start)
  }

  saveState(): undefined {
    this.#stack.push({ ...this.#state })
  }

  restoreState(): undefined {
    this.#state = this.#stack.pop() ?? this.#state
  }

  transform(operands: Operand[]): undefined {
    this.#state.matrix = multiplyMatrices(toMatrix(operands), this.#state.matrix)
  }

  setFont([name, size]: Operand[]): undefined {
    const fontName = name instanceof ContentName ? name.name : ''
    if (!this.#fonts.has(fontName)) {
      const font = this.#resources.getDict('Font', this.#context.resolve)?.getDict(fontName, this.#context.resolve)
      this.#fonts.set(fontName, font && readGlyphMetrics(font, this.#context.resolve))
    }
    this.#state.font = this.#fonts.get(fontName)
    this.#state.size = Number(size) || 0
  }

  setTextState(name: Exclude<keyof TextState, 'font' | 'matrix'>, value: number): undefined {
    this.#state[name] = value
  }

  nextLine(): undefined {
    this.textCursor.moveLine(0, -this.#state.leading)
  }

  /** Returns undefined if all of the text may stay, else the operators that show the rest. */
  showText(items: readonly Operand[], before = ''): string | undefined {
    const { font } = this.#state
    if (!font) {
      this.#isUncertain = true
      return undefined
    }
    const replacement = this.textCursor.showGlyphs(items, this.#state, font)
    return replacement === undefined ? undefined : before + replacement
  }

  addPoint(x: number, y: number): undefined {
    if (this.#path.length === 0) this.#outputBeforePath = this.#output.length
    this.#path.push([...transformPoint(this.#state.matrix, x, y)])
  }

  addCurve(operands: Operand[]): undefined {
    for (let index = 0; index + 1 < operands.length; index += 2)
      this.addPoint(Number(operands[index]), Number(operands[index + 1]))
    this.#hasCurve = true
  }

  addRectangle([x, y, width, height]: number[]): undefined {
    this.addPoint(x!, y!)
    this.addPoint(x! + width!, y! + height!)
  }

  startClipping(): undefined {
    this.#isClipping = true
  }

  setColor(operands: Operand[]): undefined {
    this.#hasPattern = operands.at(-1) instanceof ContentName
  }

  /** Removes a path that lies inside a box. A path that reaches beyond it stays below the box if it is simple. */
  paintPath(isInvisible: boolean): string | undefined {
    const box = this.#path.length > 0 ? boundingBox(this.#path) : undefined
    const touched = box ? this.#context.boxes.filter(other => rectsOverlap(widen(box), other)) : []
    const isInside = box !== undefined && touched.some(other => isWithin(box, other, TOLERANCE_POINTS))
    const isComplex = this.#hasCurve || this.#hasPattern || this.#path.length > MAX_SIMPLE_POINTS
    const isClipping = this.#isClipping
    const outputBeforePath = this.#outputBeforePath
    this.#path = []
    this.#hasCurve = false
    this.#isClipping = false
    if (touched.length === 0 || isInvisible || this.#context.onlyText) return undefined
    if (isInside && !isClipping) {
      this.#output.length = outputBeforePath
      return ''
    }
    if (isComplex) this.#isUncertain = true
    return undefined
  }

  checkImage(): undefined {
    const box = boundingBox(transformRect(this.#state.matrix, [0, 0, 1, 1]))
    const { boxes, onlyText } = this.#context
    if (!onlyText && boxes.some(other => rectsOverlap(box, other))) this.#isUncertain = true
  }

  drawObject([name]: Operand[]): string | undefined {
    const objectName = name instanceof ContentName ? name.name : ''
    const objects = this.#resources.getDict('XObject', this.#context.resolve)
    const found = objects?.get(objectName, this.#context.resolve)
    const copy = isForm(found) ? this.#cleanForm(found) : this.checkImage()
    this.#drawnNames[copy ? 'replaced' : 'unchanged'].add(objectName)
    return copy && `/${this.#addForm(objects!, this.#context.register(copy))} Do`
  }

  /** Copies a form without what lies in the boxes. Returns undefined if it may stay as it is. */
  #cleanForm(form: PdfStream): PdfStream | undefined {
    const { resolve, depth, boxes } = this.#context
    const matrix = form.getArray('Matrix', resolve)
    const values = [0, 1, 2, 3, 4, 5].map(index => numberAt(matrix, index, resolve) ?? IDENTITY_MATRIX[index]!)
    const toView = multiplyMatrices(values as unknown as Matrix, this.#state.matrix)
    const sides = [0, 1, 2, 3].map(index => numberAt(form.getArray('BBox', resolve), index, resolve) ?? 0)
    const box = widen(boundingBox(transformRect(toView, sides as unknown as Rect)))
    if (!boxes.some(other => rectsOverlap(box, other))) return undefined
    this.#context.budget.forms -= 1
    if (depth >= MAX_FORM_DEPTH || this.#context.budget.forms < 0) {
      this.#isUncertain = true
      return undefined
    }
    const resources = form.getDict('Resources', resolve) ?? this.#resources
    const inner = { ...this.#context, toView, depth: depth + 1, textState: this.#state }
    const cleaned = new ContentCleaner(form.getDecodedData(), resources, inner).run(this.#handlers)
    if (cleaned.isUncertain) this.#isUncertain = true
    const kept = [...form].filter(([{ value }]) => !DATA_ENTRIES.has(value))
    const copy = new PdfStream(kept, cleaned.bytes)
    copy.set('Resources', cleaned.resources)
    return copy
  }

  #addForm(objects: PdfDict, ref: PdfRef): string {
    const copy = new PdfDict([...objects])
    let number = 1
    while (copy.has(`Clean${number}`)) number += 1
    copy.set(`Clean${number}`, ref)
    this.#resources.set('XObject', copy)
    return `Clean${number}`
  }

  /** Screen readers read the replacement text aloud, and it may repeat what was removed. */
  stripReplacementText([tag, properties]: Operand[]): string | undefined {
    if (!(tag instanceof ContentName)) return undefined
    if (properties instanceof ContentName) return undefined
    if (!(properties instanceof Map) || !REPLACEMENT_TEXT_KEYS.some(name => properties.has(name))) return undefined
    const id = properties.get('MCID')
    return `/${tag.name} <<${typeof id === 'number' ? ` /MCID ${id}` : ''} >> BDC`
  }

  checkGraphicsState(): undefined {
    const { resolve } = this.#context
    const states = this.#resources.getDict('ExtGState', resolve)
    if ([...(states ?? [])].some(([key]) => states!.getDict(key.value, resolve)?.has('Font'))) this.#isUncertain = true
  }
}

const NEW_LINE = Buffer.from('\n')
const REPLACEMENT_TEXT_KEYS = ['ActualText', 'Alt', 'E']
const DATA_ENTRIES = new Set(['Filter', 'DecodeParms', 'Length', 'Resources', 'PieceInfo', 'Metadata'])

function widen([left, top, right, bottom]: Rect): Rect {
  return [left - 0.1, top - 0.1, right + 0.1, bottom + 0.1]
}

export function toMatrix(operands: Operand[]): Matrix {
  return [0, 1, 2, 3, 4, 5].map(index => Number(operands[index]) || 0) as unknown as Matrix
}
