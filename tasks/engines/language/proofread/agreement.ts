import type { PhraseRule } from './phrases.ts'

/** Verbs after “he”, “she” and “it”: their base, in the present, and in the past. */
const VERBS: readonly (readonly [base: string, present: string, past: string])[] = [
  ['go', 'goes', 'went'],
  ['have', 'has', 'had'],
  ['do', 'does', 'did'],
  ['want', 'wants', 'wanted'],
  ['like', 'likes', 'liked'],
  ['know', 'knows', 'knew'],
  ['think', 'thinks', 'thought'],
  ['say', 'says', 'said'],
  ['make', 'makes', 'made'],
  ['take', 'takes', 'took'],
  ['see', 'sees', 'saw'],
  ['come', 'comes', 'came'],
  ['live', 'lives', 'lived'],
  ['work', 'works', 'worked'],
  ['look', 'looks', 'looked'],
]

/** Elsewhere the base may be right: `let him and she go`, `did he go`, `if he go`. */
const SENTENCE_START = '(?:^|[.!?\\n])["”’)]{0,2}\\s{0,8}["“‘(]?'
const PRONOUN = '[Hh]e|[Ss]he|[Ii]t'
const IN_THE_PAST = '[^.!?\\n]*\\b(?:yesterday|ago|last (?:night|week|month|year|spring|summer|autumn|winter))\\b'

export const AGREEMENT: readonly PhraseRule[] = VERBS.flatMap(([base, present, past]) => {
  // What comes before is looked at last, because the words are rare.
  const start = `\\b(${PRONOUN}) ${base}\\b(?![-,])(?<=${SENTENCE_START}(?:${PRONOUN}) ${base})`
  return [
    describe(`${start}(?=${IN_THE_PAST})`, past, `The third person takes “${past}” or “${present}”.`),
    describe(`${start}(?!${IN_THE_PAST})`, present, `The third person takes “${present}”.`),
  ]
})

function describe(pattern: string, verb: string, message: string): PhraseRule {
  return { pattern: new RegExp(pattern, 'g'), replacement: `$1 ${verb}`, rule: 'agreement', message }
}
