import type { PdfDict } from '@libpdf/core'
import { formatNumber } from '../content/embedded-fonts.ts'
import type { Operand } from '../content/stream.ts'
import {
  type CleanedContent,
  type CleaningContext,
  ContentCleaner,
  type OperatorHandlers,
  toMatrix,
} from './content-cleaner.ts'
import { IDENTITY_MATRIX } from './text.ts'

/** Removes the glyphs and drawings that lie in the boxes. */
export function cleanContent(bytes: Uint8Array, resources: PdfDict, context: CleaningContext): CleanedContent {
  return new ContentCleaner(bytes, resources, context).run(HANDLERS)
}

const number = (operands: Operand[], index = 0) => Number(operands[index]) || 0
const PAINTING_OPERATORS = ['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*']

/** Operators without a handler draw nothing and are kept. */
const HANDLERS: OperatorHandlers = {
  q: cleaner => cleaner.saveState(),
  Q: cleaner => cleaner.restoreState(),
  cm: (cleaner, operands) => cleaner.transform(operands),
  gs: cleaner => cleaner.checkGraphicsState(),
  Tf: (cleaner, operands) => cleaner.setFont(operands),
  Tc: (cleaner, operands) => cleaner.setTextState('charSpace', number(operands)),
  Tw: (cleaner, operands) => cleaner.setTextState('wordSpace', number(operands)),
  Tz: (cleaner, operands) => cleaner.setTextState('horizontalScale', number(operands) / 100),
  TL: (cleaner, operands) => cleaner.setTextState('leading', number(operands)),
  Ts: (cleaner, operands) => cleaner.setTextState('rise', number(operands)),
  BT: cleaner => cleaner.textCursor.setMatrix(IDENTITY_MATRIX),
  Tm: (cleaner, operands) => cleaner.textCursor.setMatrix(toMatrix(operands)),
  Td: (cleaner, operands) => cleaner.textCursor.moveLine(number(operands), number(operands, 1)),
  TD(cleaner, operands) {
    cleaner.setTextState('leading', -number(operands, 1))
    return cleaner.textCursor.moveLine(number(operands), number(operands, 1))
  },
  'T*': cleaner => cleaner.nextLine(),
  Tj: (cleaner, operands) => cleaner.showText(operands),
  TJ: (cleaner, operands) => cleaner.showText(Array.isArray(operands[0]) ? operands[0] : []),
  "'"(cleaner, operands) {
    cleaner.nextLine()
    return cleaner.showText(operands, 'T* ')
  },
  '"'(cleaner, operands) {
    const [wordSpace, charSpace] = [number(operands), number(operands, 1)]
    cleaner.setTextState('wordSpace', wordSpace)
    cleaner.setTextState('charSpace', charSpace)
    cleaner.nextLine()
    return cleaner.showText(operands.slice(2), `${formatNumber(wordSpace)} Tw ${formatNumber(charSpace)} Tc T* `)
  },
  m: (cleaner, operands) => cleaner.addPoint(number(operands), number(operands, 1)),
  l: (cleaner, operands) => cleaner.addPoint(number(operands), number(operands, 1)),
  c: (cleaner, operands) => cleaner.addCurve(operands),
  v: (cleaner, operands) => cleaner.addCurve(operands),
  y: (cleaner, operands) => cleaner.addCurve(operands),
  re: (cleaner, operands) => cleaner.addRectangle([0, 1, 2, 3].map(index => number(operands, index))),
  W: cleaner => cleaner.startClipping(),
  'W*': cleaner => cleaner.startClipping(),
  n: cleaner => cleaner.paintPath(true),
  scn: (cleaner, operands) => cleaner.setColor(operands),
  SCN: (cleaner, operands) => cleaner.setColor(operands),
  Do: (cleaner, operands) => cleaner.drawObject(operands),
  EI: cleaner => cleaner.checkImage(),
  BDC: (cleaner, operands) => cleaner.stripReplacementText(operands),
  ...Object.fromEntries(
    PAINTING_OPERATORS.map(operator => [operator, (cleaner: ContentCleaner) => cleaner.paintPath(false)]),
  ),
}
