import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { findOtherLanguage } from '../../../../engines/language/other-language.ts'
import { joinRatings, rateSentences, type SentenceRating } from '../../../../engines/language/sentiment.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, closed, NO_JSON, parseAnswer } from '../../prompt.ts'
import { task } from '../../task.ts'

const LABELS = ['positive', 'negative', 'neutral', 'mixed'] as const
const RATING = { label: { type: 'string', enum: LABELS }, score: { type: 'number' } }
const Rating = { label: Choice(LABELS), score: Type.Number({ minimum: -1, maximum: 1 }) }
const LANGUAGES = ['en']
const GRANULARITIES = ['document', 'sentence', 'aspect'] as const

type Params = { granularity: (typeof GRANULARITIES)[number]; aspects?: string[] }
type Rated = { label: (typeof LABELS)[number]; score: number }

export const sentiment = task({
  slug: 'sentiment',
  summary: 'Tell whether a text is positive or negative.',
  keywords: 'opinion mining, mood, review rating, tone, polarity, feedback analysis, emotion, happy or angry',
  description:
    'The score goes from -1 to 1. The built-in engine counts words of opinion in English, with negations, degrees and emoji.',
  params: Type.Object({
    granularity: Choice(GRANULARITIES, { default: 'document' }),
    aspects: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        ...{ minItems: 1, maxItems: 20 },
        description: 'With `aspect`: what is rated by the sentences that name it.',
      }),
    ),
  }),
  result: Type.Object({
    ...Rating,
    sentences: Type.Optional(
      Type.Array(Type.Object({ text: Type.String(), start: Type.Integer(), end: Type.Integer(), ...Rating })),
    ),
    aspects: Type.Optional(
      Type.Array(Type.Object({ aspect: Type.String(), mentions: Type.Optional(Type.Integer()), ...Rating })),
    ),
  }),
  embedded: {
    engine: 'svc-opinion-1',
    languages: LANGUAGES,
    run({ text, params, language }) {
      const asked = readAspects(params)
      const sentences = rateSentences(text)
      if (language === undefined && sentences.every(({ score }) => score === 0)) requireEnglish(text)
      return {
        result: {
          ...joinRatings(sentences),
          ...(params.granularity === 'sentence' && { sentences }),
          ...(asked && { aspects: asked.map(aspect => rateAspect(aspect, sentences)) }),
        },
      }
    },
  },
  model: {
    rounds: 1,
    maxOutputTokens: (bytes, { granularity, aspects = [] }) =>
      granularity === 'sentence' ? Math.ceil(bytes / 2) + 300 : 150 + 60 * aspects.length,
    prompt({ text, params }) {
      const asked = readAspects(params)
      const sentences = { type: 'array', items: closed({ text: { type: 'string' }, ...RATING }) }
      const aspects = { type: 'array', items: closed({ aspect: { type: 'string' }, ...RATING }) }
      const schema = closed({
        ...RATING,
        ...(params.granularity === 'sentence' && { sentences }),
        ...(asked && { aspects }),
      })
      const job =
        'You rate the sentiment of texts from -1 (negative) to 1 (positive). Sentences are word for word as in the text.'
      return buildPrompt(job, { aspects: asked }, text, schema)
    },
    read(answer, { text, params }) {
      const found = parseAnswer(answer) as
        | (Rated & { sentences?: SentenceRating[]; aspects?: (Rated & { aspect: string })[] })
        | undefined
      if (!found || !isRated(found)) return NO_JSON
      const { label, score, sentences = [], aspects = [] } = found
      const located = locate(sentences.filter(isRated), text)
      const asked = readAspects(params)
      return {
        result: {
          ...{ label, score },
          ...(params.granularity === 'sentence' && { sentences: located }),
          ...(asked && { aspects: aspects.filter(one => isRated(one) && asked.includes(one.aspect)) }),
        },
      }
    },
  },
  errors: ['MISSING_FIELD'],
  examples: [
    {
      title: 'A review',
      input: {
        input: 'The room was lovely, but the breakfast was terrible.',
        params: { granularity: 'aspect', aspects: ['room', 'breakfast'] },
        method: 'embedded',
      },
      answer: { task: 'sentiment', method: 'embedded' },
    },
  ],
})

/** Words that are not known would count as no opinion. */
function requireEnglish(text: string): void {
  const language = findOtherLanguage(text)
  if (language !== undefined) throw new Problem('LANGUAGE_UNSUPPORTED', { language, supported: LANGUAGES })
}

function isRated(value: unknown): value is Rated {
  const { label, score } = (value ?? {}) as Partial<Rated>
  return LABELS.includes(label!) && typeof score === 'number' && Math.abs(score) <= 1
}

/** Where each sentence stands; one that is said again stands after the first. */
function locate(sentences: readonly SentenceRating[], text: string) {
  let from = 0
  return sentences.flatMap(({ text: sentence, label, score }) => {
    const next = text.indexOf(sentence, from)
    const start = next >= 0 ? next : text.indexOf(sentence)
    if (sentence === '' || start < 0) return []
    from = start + sentence.length
    return [{ text: sentence, start, end: from, label, score }]
  })
}

function readAspects({ granularity, aspects }: Params): string[] | undefined {
  if (granularity !== 'aspect') return undefined
  if (!aspects) throw new Problem('MISSING_FIELD', { field: 'params.aspects' })
  return aspects
}

/** Parts of a sentence that name an aspect speak of it. */
function rateAspect(aspect: string, sentences: readonly SentenceRating[]) {
  const wanted = aspect.toLowerCase()
  const parts = sentences.flatMap(({ text }) => text.split(/[,;:]\s+|\s+(?=but |although |while |however )/i))
  const mentions = parts.filter(part => part.toLowerCase().includes(wanted))
  return { aspect, mentions: mentions.length, ...joinRatings(mentions.flatMap(rateSentences)) }
}

export default defineTask(sentiment)
