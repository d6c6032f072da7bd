import { Type } from 'typebox'
import { Choice } from '#kit'
import { guessLanguage } from '../../../../engines/language/guess-language.ts'
import {
  applyEdits,
  dropOverlaps,
  findFaults,
  PROOFREADING_LEVELS,
} from '../../../../engines/language/proofread/check.ts'
import { diffWords } from '../../../../engines/language/proofread/diff.ts'
import { describeLimits, lookUp } from '../../../../engines/language/proofread/look-up.ts'
import { findProtected } from '../../../../engines/language/proofread/mask.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, readText, tokensLike } from '../../prompt.ts'
import { task } from '../../task.ts'

const WHAT = {
  spelling: 'spelling alone',
  grammar: 'spelling, grammar and punctuation',
  style: 'spelling, grammar, punctuation and clumsy style',
}

export const proofread = task({
  slug: 'proofread',
  summary: 'Correct spelling, grammar and spacing of a text.',
  keywords: 'grammar check, spell check, typos, spelling mistakes, proofreading, correct text, punctuation, copy edit',
  description:
    'Each edit has its place and its reason. The built-in engine knows rules that are hardly ever wrong: misspellings, doubled ' +
    'words, articles, confused words, capitals, spaces and brackets; English has all of them. Where the operator has LanguageTool, ' +
    'that answers, but for the tier `best`. Code, addresses and names stay.',
  params: Type.Object({
    level: Choice(PROOFREADING_LEVELS, { default: 'grammar', description: 'Each has those before it.' }),
    ignore: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      ...{ default: [], maxItems: 500 },
      description: 'Words that are right.',
    }),
    apply: Type.Boolean({ default: true, description: 'Give the corrected text.' }),
  }),
  result: Type.Object({
    text: Type.Optional(Type.String({ description: 'With `apply`.' })),
    edits: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'In UTF-16 code units of the text that was given.' }),
        end: Type.Integer(),
        original: Type.String(),
        replacement: Type.Union([Type.String(), Type.Null()], { description: 'null: only its author can mend it.' }),
        rule: Type.String(),
        message: Type.String(),
      }),
    ),
  }),
  embedded: {
    engine: 'svc-rules-1',
    languages: 'any',
    looksUpWords: true,
    async run({ text, params: { level, ignore, apply }, language, locale, dictionaries, tools }) {
      const looked = await lookUp(text, { language, locale, dictionaries, speller: tools.speller })
      const edits = findFaults(text, { level, ignore, language, unknown: looked.edits })
      return {
        result: { ...(apply && { text: applyEdits(text, edits) }), edits },
        warnings: describeLimits(language, looked),
      }
    },
  },
  service: {
    tool: 'proofreader',
    adapters: ['languagetool'],
    async run({ text, params: { level, ignore, apply }, language = guessLanguage(text) }, { proofreader }) {
      const masked = findProtected(text)
      const found = await proofreader.check({ text, masked, language, level })
      const ignored = new Set(ignore.map(word => word.toLowerCase()))
      const edits = dropOverlaps(
        found
          .map(fault => ({ ...fault, original: text.slice(fault.start, fault.end) }))
          .filter(({ original, replacement }) => !ignored.has(original.toLowerCase()) && original !== replacement),
      )
      return { result: { ...(apply && { text: applyEdits(text, edits) }), edits } }
    },
  },
  model: {
    rounds: 1,
    maxOutputTokens: bytes => tokensLike(bytes, 1.2),
    prompt: ({ text, params: { level, ignore } }) =>
      buildPrompt(
        `You proofread texts: correct ${WHAT[level]} and nothing else. Keep the language, the meaning, line breaks, code, addresses and names.`,
        { correctWords: ignore },
        text,
      ),
    read(answer, { text, params: { apply } }) {
      const read = readText(answer)
      if ('fault' in read) return read
      const [, before, after] = /^(\s*)[\s\S]*?(\s*)$/.exec(text)!
      const corrected = `${before}${read.result.text}${after}`
      const edits = diffWords(text, corrected)
      const changed = edits.reduce((sum, { original }) => sum + original.length, 0)
      if (changed > text.length * 0.6 && text.length > 200)
        return { fault: 'It is another text, not the corrected one.' }
      const described = edits.map(edit => ({ ...edit, rule: 'model', message: 'The language model corrects it.' }))
      return { result: { ...(apply && { text: corrected }), edits: described } }
    },
  },
  examples: [
    {
      title: 'Three faults',
      input: { input: 'I recieved a email from the the office.', language: 'en', method: 'embedded' },
      answer: { result: { text: 'I received an email from the office.' } },
    },
  ],
})

export default defineTask(proofread)
