import type { PdfDict } from '@libpdf/core'
import type { Operand } from './pdf-content.ts'
import { figure } from './pdf-lettering.ts'
import { type Actions, type Cleaned, Cleaner, type Cleaning, matrixOf } from './redact-content.ts'
import { UPRIGHT } from './redact-text.ts'

/** Content without the glyphs and drawings that lie in the boxes. */
export function cleanContent(bytes: Uint8Array, resources: PdfDict, cleaning: Cleaning): Cleaned {
  return new Cleaner(bytes, resources, cleaning).run(ACTIONS)
}

const number = (operands: Operand[], index = 0) => Number(operands[index]) || 0
const PAINTING = ['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*']

/** What each operator means; those not named here draw nothing and stay. */
const ACTIONS: Actions = {
  q: it => it.push(),
  Q: it => it.pop(),
  cm: (it, operands) => it.transform(operands),
  gs: it => it.graphicsState(),
  Tf: (it, operands) => it.setFont(operands),
  Tc: (it, operands) => it.set('charSpace', number(operands)),
  Tw: (it, operands) => it.set('wordSpace', number(operands)),
  Tz: (it, operands) => it.set('stretch', number(operands) / 100),
  TL: (it, operands) => it.set('leading', number(operands)),
  Ts: (it, operands) => it.set('rise', number(operands)),
  BT: it => it.pen.place(UPRIGHT),
  Tm: (it, operands) => it.pen.place(matrixOf(operands)),
  Td: (it, operands) => it.pen.move(number(operands), number(operands, 1)),
  TD(it, operands) {
    it.set('leading', -number(operands, 1))
    return it.pen.move(number(operands), number(operands, 1))
  },
  'T*': it => it.nextLine(),
  Tj: (it, operands) => it.show(operands),
  TJ: (it, operands) => it.show(Array.isArray(operands[0]) ? operands[0] : []),
  "'"(it, operands) {
    it.nextLine()
    return it.show(operands, 'T* ')
  },
  '"'(it, operands) {
    const [word, letter] = [number(operands), number(operands, 1)]
    it.set('wordSpace', word)
    it.set('charSpace', letter)
    it.nextLine()
    return it.show(operands.slice(2), `${figure(word)} Tw ${figure(letter)} Tc T* `)
  },
  m: (it, operands) => it.point(number(operands), number(operands, 1)),
  l: (it, operands) => it.point(number(operands), number(operands, 1)),
  c: (it, operands) => it.curve(operands),
  v: (it, operands) => it.curve(operands),
  y: (it, operands) => it.curve(operands),
  re: (it, operands) => it.rectangle([0, 1, 2, 3].map(index => number(operands, index))),
  W: it => it.clip(),
  'W*': it => it.clip(),
  n: it => it.paint(true),
  scn: (it, operands) => it.pattern(operands),
  SCN: (it, operands) => it.pattern(operands),
  Do: (it, operands) => it.draw(operands),
  EI: it => it.picture(),
  BDC: (it, operands) => it.mark(operands),
  ...Object.fromEntries(PAINTING.map(operator => [operator, (it: Cleaner) => it.paint(false)])),
}
