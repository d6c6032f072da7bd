import { Type } from 'typebox'
import { Problem } from '#kit'
import { openClassifier, type ScoredLabel } from '../../../../engines/language/classify.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, closed, NO_JSON, parseAnswer } from '../../prompt.ts'
import { task } from '../../task.ts'

const MIN_EXAMPLES = 3

const Label = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.Optional(Type.String({ maxLength: 500, description: 'For a language model.' })),
    examples: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 50 })),
  }),
])

const Params = Type.Object({
  labels: Type.Array(Label, { minItems: 2, maxItems: 100, description: 'Names, or names with examples.' }),
  multi: Type.Boolean({ default: false, description: 'Give every label above the threshold.' }),
  threshold: Type.Number({ default: 0.5, minimum: 0, maximum: 1, description: 'The least score of a label.' }),
  other: Type.String({
    default: 'other',
    minLength: 1,
    maxLength: 100,
    description: 'The label of a text that fits none.',
  }),
})

type Options = {
  labels: (string | { name: string; description?: string; examples?: string[] })[]
  multi: boolean
  threshold: number
  other: string
}

export const classify = task({
  slug: 'classify',
  summary: 'Sort a text into labels of your own.',
  keywords:
    'classification, categorize, categorise, tagging, routing, intent detection, topic, spam filter, spam or not, triage, label, put into a category, category of an email, sort emails, is a text toxic, toxic comment, toxicity, hate speech, offensive, moderate a comment',
  description:
    'With three examples or more of each label the built-in engine compares words, other than small ones such as “the”; by the names of labels alone only a ' +
    'language model can tell. Only labels that you give are answered, and `other`.',
  params: Params,
  result: Type.Object({
    label: Type.String({ description: 'The best, or `other`.' }),
    labels: Type.Array(Type.Object({ name: Type.String(), score: Type.Number() }), {
      description: 'With `multi` those above the threshold, else all; the best first.',
    }),
  }),
  embedded: {
    engine: 'svc-examples-1',
    languages: 'any',
    accepts: ({ labels }) =>
      labels.every(label => typeof label !== 'string' && (label.examples ?? []).length >= MIN_EXAMPLES),
    needs: `${MIN_EXAMPLES} examples or more of each label`,
    run({ text, params, language }) {
      checkNames(params)
      const examples = params.labels
        .filter(label => typeof label !== 'string')
        .map(({ name, examples: texts = [] }) => ({ name, examples: texts }))
      const scored = openClassifier(examples, language)(text)
      return { result: choose(scored, params) }
    },
  },
  model: {
    rounds: 1,
    maxOutputTokens: (_bytes, { labels }) => 100 + 40 * labels.length,
    prompt({ text, params }) {
      const names = checkNames(params)
      const item = closed({ name: { type: 'string', enum: names }, score: { type: 'number' } })
      const job =
        'You sort texts into labels. Give each label that may fit, with a score from 0 to 1 of how well it does.'
      return buildPrompt(job, { labels: params.labels }, text, closed({ labels: { type: 'array', items: item } }))
    },
    read(answer, { params }) {
      const { labels } = (parseAnswer(answer) ?? {}) as { labels?: unknown }
      if (!Array.isArray(labels)) return NO_JSON
      const names = checkNames(params)
      const known = labels.filter((one): one is ScoredLabel => {
        const { name, score } = (one ?? {}) as Partial<ScoredLabel>
        return names.includes(name!) && typeof score === 'number' && score >= 0 && score <= 1
      })
      if (known.length < labels.length)
        return { fault: 'Only the given labels may be answered, with scores from 0 to 1.' }
      return {
        result: choose(
          known.toSorted((one, other) => other.score - one.score),
          params,
        ),
      }
    },
  },
  examples: [
    {
      title: 'By examples',
      input: {
        input: 'My parcel never came, where is it?',
        params: {
          labels: [
            { name: 'delivery', examples: ['Where is my parcel?', 'The package is late', 'It was not delivered'] },
            { name: 'refund', examples: ['I want my money back', 'Refund me please', 'Please return my payment'] },
          ],
        },
        method: 'embedded',
      },
      answer: { task: 'classify', method: 'embedded' },
    },
  ],
})

function checkNames({ labels }: Options): string[] {
  const names = labels.map(label => (typeof label === 'string' ? label : label.name))
  const double = names.find((name, index) => names.indexOf(name) < index)
  if (double !== undefined)
    throw new Problem('INVALID_PARAM', { field: 'params.labels', reason: `${double} is given twice` })
  return names
}

function choose(scored: readonly ScoredLabel[], { multi, threshold, other }: Options) {
  const fitting = scored.filter(({ score }) => score >= threshold && score > 0)
  return { label: fitting[0]?.name ?? other, labels: multi ? [...fitting] : [...scored] }
}

export default defineTask(classify)
