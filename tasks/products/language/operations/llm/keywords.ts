import { Type } from 'typebox'
import { findKeywords } from '../../../../engines/language/keywords.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, closed, NO_JSON, parseAnswer } from '../../prompt.ts'
import { task } from '../../task.ts'

const SCHEMA = closed({ keywords: { type: 'array', items: { type: 'string' } } })

export const keywords = task({
  slug: 'keywords',
  summary: 'Find the keywords and key phrases of a text.',
  keywords: 'keyword extraction, key phrases, tags, topics, terms, tag generator, seo keywords, main topics of a text',
  description: 'Phrases as the text has them, the most telling first, with how often and where they come.',
  params: Type.Object({
    max: Type.Integer({ default: 10, minimum: 1, maximum: 100 }),
    ngrams: Type.Integer({ default: 3, minimum: 1, maximum: 4, description: 'The most words of a phrase.' }),
    dedupe: Type.Boolean({ default: true, description: 'Leave out phrases that are part of another one.' }),
  }),
  result: Type.Object({
    keywords: Type.Array(
      Type.Object({
        text: Type.String(),
        score: Type.Number({ description: 'The best has 1.' }),
        count: Type.Integer(),
        positions: Type.Optional(Type.Array(Type.Integer(), { description: 'In UTF-16 code units, at most 100.' })),
      }),
    ),
  }),
  embedded: {
    engine: 'svc-phrases-1',
    languages: 'any',
    run: ({ text, params, language }) => ({ result: { keywords: findKeywords(text, { ...params, language }) } }),
  },
  model: {
    rounds: 1,
    maxOutputTokens: (_bytes, { max }) => max * 20 + 100,
    prompt: ({ text, params: { max, ngrams } }) =>
      buildPrompt(
        `You find the keywords of texts: at most ${max} phrases of at most ${ngrams} words, the most telling first, each word for word as it is in the text.`,
        {},
        text,
        SCHEMA,
      ),
    read(answer, { text, params: { max } }) {
      const { keywords: found } = (parseAnswer(answer) ?? {}) as { keywords?: unknown }
      if (!Array.isArray(found)) return NO_JSON
      const phrases = found.filter(phrase => typeof phrase === 'string').slice(0, max)
      const located = phrases.map(phrase => ({ phrase, positions: findAll(text, phrase) }))
      const known = located.filter(({ positions }) => positions.length > 0)
      const result = known.map(({ phrase, positions }, index) => ({
        ...{ text: phrase, score: Math.round((1 - index / known.length) * 1e4) / 1e4 },
        ...{ count: positions.length, positions: positions.slice(0, 100) },
      }))
      const dropped = located.length - known.length
      const message = `${dropped} keywords were dropped: they are not in the text.`
      return {
        result: { keywords: result },
        ...(dropped > 0 && { warnings: [{ code: 'KEYWORD_NOT_FOUND', message }] }),
      }
    },
  },
  examples: [
    {
      title: 'The phrases of a sentence',
      input: {
        input: 'Tide tables help sailors. A tide table lists high water and low water.',
        params: { max: 3 },
        method: 'embedded',
      },
      answer: { task: 'keywords', method: 'embedded' },
    },
  ],
})

function findAll(text: string, phrase: string): number[] {
  const [inside, wanted] = [text.toLowerCase(), phrase.toLowerCase().trim()]
  const positions: number[] = []
  if (wanted === '' || inside.length !== text.length) return positions
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + wanted.length)) positions.push(at)
  return positions
}

export default defineTask(keywords)
