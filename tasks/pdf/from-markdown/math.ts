import type { Warning } from '#kit'

const CODE = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/gm
/** Two prices in one line are no formula, so one has to have a mark of TeX. */
const FORMULA = /\$\$[^$]+\$\$|(?<![\w\\$])\$(?=\S)[^$\n]*[\\^_{}][^$\n]*(?<=\S)\$(?![\w$])/

/** Formulas are printed as they are written. */
export function warnOfMath(markdown: string): Warning[] {
  if (!FORMULA.test(markdown.replace(CODE, ''))) return []
  const message =
    'Formulas between $ are printed as they are written; /v1/doc/convert to html and /v1/pdf/from-html draw them.'
  return [{ code: 'MATH_NOT_RENDERED', message }]
}
