import { Type } from 'typebox'
import { Choice, define, Problem, perCall } from '#kit'
import { isSafe, POLICIES, rateCategories, type Thresholds } from '../formats/vision/moderation.ts'
import { RISKS, type Risk } from '../formats/vision/results.ts'
import { analysisFields, Confidence, describeAnalysis, ImageInput, Sureness, VISION_ERRORS } from './schema.ts'

const Threshold = Type.Optional(Sureness)

function byRisk<Schema>(schema: Schema): Record<Risk, Schema> {
  return Object.fromEntries(RISKS.map(risk => [risk, schema])) as Record<Risk, Schema>
}

export default define({
  summary: 'Rate whether an image is safe to show.',
  keywords: 'nsfw, content moderation, nudity, violence, safe search, inappropriate image, adult content filter',
  description:
    'Labels of each engine are mapped to the same categories. `default` tolerates alcohol, tobacco, gambling and rude ' +
    'gestures; `strict` nothing at 50 or more; `custom` checks only the categories in `thresholds`.',
  price: perCall('0.003'),
  uses: ['visionModeration', 'sharp'],
  input: Type.Object({
    file: ImageInput(),
    minConfidence: Confidence(50, 'Less sure labels are not listed.'),
    categories: Type.Optional(
      Type.Array(Choice(RISKS), {
        minItems: 1,
        maxItems: RISKS.length,
        uniqueItems: true,
        description: 'Only these are rated and listed.',
      }),
    ),
    policy: Choice(['default', 'strict', 'custom'], { default: 'default' }),
    thresholds: Type.Optional(
      Type.Object(byRisk(Threshold), {
        minProperties: 1,
        description: 'With `custom`: the confidence from which a category makes the image unsafe.',
      }),
    ),
  }),
  output: Type.Object({
    safe: Type.Boolean(),
    labels: Type.Array(
      Type.Object({
        name: Type.String(),
        parent: Type.Optional(Type.String()),
        category: Type.Optional(Choice(RISKS)),
        confidence: Sureness,
      }),
    ),
    byCategory: Type.Object(byRisk(Type.Optional(Sureness)), {
      description: 'The highest confidence of each category.',
    }),
    ...analysisFields,
  }),
  errors: [...VISION_ERRORS, 'MISSING_FIELD', 'CONFLICTING_OPTIONS'],
  examples: [
    { title: 'By the default policy', input: { file: 'sample:gradient.png' } },
    {
      title: 'Nothing but weapons and blood matters',
      input: { file: 'sample:gradient.png', policy: 'custom', thresholds: { violence: 60, gore: 40 } },
    },
  ],

  async run({ file, minConfidence, categories = RISKS, policy, thresholds }, { visionModeration }) {
    const limits = readThresholds(policy, thresholds)
    const lowest = Math.min(minConfidence, ...Object.values(limits))
    const analysis = await visionModeration.rate(file, lowest)
    const found = analysis.found.filter(({ category }) => category === undefined || categories.includes(category))
    const rates = rateCategories(found)
    const rated = categories.map(category => [category, rates[category]])
    const isListed = ({ category, confidence }: (typeof found)[number]) =>
      confidence >= minConfidence && (category !== undefined || categories === RISKS)
    const result = {
      safe: isSafe(rates, limits),
      labels: found.filter(isListed).sort((a, b) => b.confidence - a.confidence),
      byCategory: Object.fromEntries(rated),
    }
    return { result: { ...result, ...describeAnalysis(analysis) } }
  },
})

function readThresholds(policy: 'default' | 'strict' | 'custom', thresholds: Thresholds | undefined): Thresholds {
  if (policy !== 'custom') {
    if (thresholds) throw new Problem('CONFLICTING_OPTIONS', { fields: ['policy', 'thresholds'] })
    return POLICIES[policy]
  }
  if (!thresholds) throw new Problem('MISSING_FIELD', { field: 'thresholds' })
  return thresholds
}
