import { Type } from 'typebox'
import { Choice, define, Warnings } from '#kit'
import { guessLanguage } from '../engines/language/guess-language.ts'
import { parseLocale } from '../formats/words/casing.ts'
import { countText, estimateTokens } from './count/counting.ts'
import { readContent, TEXT_OR_FILE, textPrice } from './schema.ts'

const COUNT = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Count the words, sentences, lines, visible characters and tokens of a text, and tell its language.',
  keywords:
    'word count, number of words in a document, character count, length, tokens, gpt, prompt size, reading time, lines, detect language, which language is this text, readability, how hard to read, how easy to read, reading level, reading ease, flesch',
  description:
    'Words are found by the rules of Unicode, and by dictionary in scripts without spaces. An emoji of several code ' +
    'points counts as one grapheme. Readability is computed for English only.',
  price: textPrice(),
  uses: ['tokenizer'],
  input: Type.Object({
    ...TEXT_OR_FILE,
    wordsPerMinute: Type.Integer({ default: 230, minimum: 1, maximum: 2000, description: 'Reading speed.' }),
    locale: Type.String({ default: 'en', maxLength: 35, description: 'A language tag, or und.' }),
    tokens: Choice(['estimate', 'cl100k', 'o200k'], { default: 'estimate', description: 'How tokens are counted.' }),
  }),
  output: Type.Object({
    bytes: COUNT,
    codePoints: COUNT,
    graphemes: COUNT,
    words: COUNT,
    sentences: COUNT,
    lines: COUNT,
    paragraphs: COUNT,
    readingTimeSec: COUNT,
    speakingTimeSec: COUNT,
    tokensEstimate: Type.Integer({ minimum: 0, description: 'Exact if an encoding was given.' }),
    language: Type.Union([Type.String(), Type.Null()], {
      description: 'A guess by its script or its small words, such as fr; null where they do not tell.',
    }),
    topWords: Type.Array(Type.Object({ word: Type.String(), count: COUNT }), { description: 'The ten most frequent.' }),
    readability: Type.Union(
      [Type.Object({ flesch: Type.Number(), fk: Type.Number(), gunningFog: Type.Number() }), Type.Null()],
      { description: 'Null if the locale or the guessed language is not English.' },
    ),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'UNSUPPORTED_FORMAT'],
  examples: [
    {
      title: 'Two sentences',
      input: { text: 'The quick brown fox jumps. It is late.' },
      answer: { words: 8, sentences: 2, lines: 1, paragraphs: 1, bytes: 38, language: 'en' },
    },
    {
      title: 'A family is one letter, and tokens as a model counts them',
      input: { text: '👨‍👩‍👧 你好', tokens: 'o200k', locale: 'zh' },
      answer: { graphemes: 4, words: 1, readability: null },
    },
  ],

  async run({ text, file, wordsPerMinute, locale, tokens }, { tokenizer }) {
    const { text: content, warnings } = await readContent({ text, file })
    const language = guessLanguage(content) ?? null
    const counts = countText(content, { locale: parseLocale(locale), wordsPerMinute, language })
    const tokensEstimate =
      tokens === 'estimate' ? estimateTokens(content) : await tokenizer.countTokens(content, tokens)
    return { result: { ...counts, language, tokensEstimate }, warnings }
  },
})
