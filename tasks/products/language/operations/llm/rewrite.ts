import { Type } from 'typebox'
import { Choice } from '#kit'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, closed, NO_JSON, parseAnswer, readText, tokensLike, warnIfFewer } from '../../prompt.ts'
import { task } from '../../task.ts'

const SCHEMA = closed({ texts: { type: 'array', items: { type: 'string' } } })
const FACTORS = { shorter: 0.8, same: 1.3, longer: 2.2 }

export const rewrite = task({
  slug: 'rewrite',
  summary: 'Write a text anew in another tone, length or reading level.',
  keywords:
    'rephrase, paraphrase, change tone, simplify, plain language, shorten, make a text shorter, formal, friendly, reword, make it sound friendlier, explain in simpler words, change a paragraph',
  description: 'Needs a language model. Terms of `keep` stay as they are, or the answer is refused.',
  params: Type.Object({
    tone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Such as formal, friendly, neutral.' }),
    ),
    length: Choice(['shorter', 'same', 'longer'], { default: 'same' }),
    audience: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    readingLevel: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Such as B1 or grade 6.' })),
    keep: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { default: [], maxItems: 100 }),
    variants: Type.Integer({ default: 1, minimum: 1, maximum: 5 }),
  }),
  result: Type.Object({ text: Type.String(), variants: Type.Optional(Type.Array(Type.String())) }),
  model: {
    rounds: 1,
    maxOutputTokens: (bytes, { length, variants }) => tokensLike(bytes, FACTORS[length] * variants * 1.1),
    prompt: ({ text, params: { variants, ...options } }) =>
      buildPrompt(
        `You rewrite texts in their own language and say neither more nor less than they do.${variants > 1 ? ` Give ${variants} different texts.` : ''} The terms of "keep" stay word for word.`,
        options,
        text,
        variants > 1 ? SCHEMA : undefined,
      ),
    read(answer, { text, params: { keep, variants } }) {
      const texts = variants > 1 ? readTexts(answer) : undefined
      if (variants > 1 && !texts) return NO_JSON
      const read = texts ? { result: { text: texts[0]! } } : readText(answer)
      if ('fault' in read) return read
      const lost = keep.find(
        term => text.includes(term) && !(texts ?? [read.result.text]).every(one => one.includes(term)),
      )
      if (lost !== undefined) return { fault: `The term ${JSON.stringify(lost)} is missing.` }
      if (!texts) return { result: { text: read.result.text } }
      const result = { text: texts[0]!, variants: texts.slice(0, variants) }
      return { result, warnings: warnIfFewer(texts.length, variants) }
    },
    openPieces: ({ params: { variants } }) => (variants > 1 ? () => '' : piece => piece),
  },
  examples: [
    { title: 'In a friendly tone', input: { input: 'Submit the form by Friday.', params: { tone: 'friendly' } } },
  ],
})

function readTexts(answer: string): string[] | undefined {
  const { texts } = (parseAnswer(answer) ?? {}) as { texts?: unknown }
  const all = Array.isArray(texts) ? texts.filter(text => typeof text === 'string' && text.trim() !== '') : []
  return all.length > 0 ? [...new Set(all as string[])] : undefined
}

export default defineTask(rewrite)
