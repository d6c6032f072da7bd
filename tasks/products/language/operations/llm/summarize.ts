import { Type } from 'typebox'
import { Choice } from '#kit'
import { chooseSentences } from '../../../../engines/language/summarize.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt } from '../../prompt.ts'
import { task } from '../../task.ts'

const LENGTHS = { short: 3, medium: 6, long: 12 } as const
const TOKENS_A_SENTENCE = 90

const Params = Type.Object({
  length: Choice(['short', 'medium', 'long'], { default: 'medium', description: 'About 3, 6 or 12 sentences.' }),
  maxSentences: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, description: 'Instead of `length`.' })),
  style: Choice(['paragraph', 'bullets', 'tldr'], { default: 'paragraph', description: '`tldr` is one sentence.' }),
  focus: Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: 'What the summary should be about.' })),
  audience: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Whom it is for. Needs a language model.' }),
  ),
})

type Options = { length: keyof typeof LENGTHS; maxSentences?: number; style: string }

function countSentences({ length = 'medium', maxSentences, style }: Partial<Options>): number {
  return style === 'tldr' ? 1 : (maxSentences ?? LENGTHS[length])
}

export const summarize = task({
  slug: 'summarize',
  summary: 'Summarize a text or a document.',
  keywords:
    'summary, summarise, summarize an article, a few sentences of a long text, tldr, abstract, shorten, key points, gist, condense, digest, tl;dr, sum up a report, executive summary',
  description:
    'The built-in engine chooses the sentences that say most and leaves them as they are, in their order, in any language. ' +
    'A language model writes a summary of its own; a text that is longer than it reads at once is read in parts, and the ' +
    'answer says so.',
  params: Params,
  result: Type.Object({
    summary: Type.String(),
    bullets: Type.Optional(Type.Array(Type.String(), { description: 'With the style `bullets`.' })),
  }),
  embedded: {
    engine: 'svc-textrank-1',
    languages: 'any',
    accepts: ({ audience }) => audience === undefined,
    needs: 'no audience',
    run({ text, params, language }) {
      const { focus, style } = params
      const sentences = chooseSentences(text, { maxSentences: countSentences(params), focus, language })
      return {
        result: describe(
          sentences.map(sentence => sentence.text),
          style,
        ),
      }
    },
  },
  model: {
    rounds: 1,
    maxOutputTokens: (_bytes, params) => countSentences(params) * TOKENS_A_SENTENCE + 200,
    prompt({ text, params: { style, focus, audience, ...params } }) {
      const form =
        style === 'bullets' ? 'as a list, each point on a line of its own that begins with "- "' : 'as one paragraph'
      const job = `You summarize texts. Write at most ${countSentences({ ...params, style })} sentences ${form}, in the language of the text. Say nothing that the text does not say.`
      return buildPrompt(job, { focus, audience }, text)
    },
    read(answer, { params: { style } }) {
      const text = answer.trim()
      if (text === '') return { fault: 'It is empty.' }
      const points = text.split('\n').map(line => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
      return { result: describe(style === 'bullets' ? points.filter(point => point !== '') : [text], style) }
    },
    openPieces: () => piece => piece,
    notes({ text, params: { focus, audience } }, tokens) {
      const sentences = Math.max(1, Math.floor(tokens / TOKENS_A_SENTENCE))
      const job = `You read one part of a long text. Write at most ${sentences} sentences, in the language of the text, with what a summary of the whole text must say of this part: facts, names, numbers, decisions. Say nothing that the text does not say.`
      return buildPrompt(job, { focus, audience }, text)
    },
  },
  examples: [
    {
      title: 'One sentence of a text',
      input: {
        input:
          'Tides are the rise and fall of the sea. Tides are caused by the gravity of the moon and of the sun. Sailors read tables of tides. The moon pulls most.',
        params: { style: 'tldr' },
        method: 'embedded',
      },
      answer: { task: 'summarize', method: 'embedded', engine: 'svc-textrank-1' },
    },
    { title: 'A document', input: { input: 'sample:letter.pdf', params: { length: 'short', style: 'bullets' } } },
  ],
})

function describe(points: readonly string[], style: string) {
  return style === 'bullets'
    ? { summary: points.map(point => `- ${point}`).join('\n'), bullets: [...points] }
    : { summary: points.join(' ') }
}

export default defineTask(summarize)
