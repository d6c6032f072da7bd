import { Type } from 'typebox'
import { define, perCall } from '#kit'
import {
  analysisFields,
  Box,
  Confidence,
  describeAnalysis,
  ImageInput,
  Sureness,
  toBox,
  VISION_ERRORS,
} from './schema.ts'

export default define({
  summary: 'Recognise well-known people in an image.',
  keywords: 'celebrity recognition, famous person, who is this, actor, politician, athlete',
  description: 'An image without well-known people gives an empty list. A name is an estimate, no proof of identity.',
  price: perCall('0.005'),
  uses: ['visionCelebrities', 'sharp'],
  input: Type.Object({ file: ImageInput(), minConfidence: Confidence(50) }),
  output: Type.Object({
    celebrities: Type.Array(
      Type.Object({
        name: Type.String(),
        id: Type.String({ description: 'Of the provider.' }),
        confidence: Sureness,
        box: Box,
        urls: Type.Array(Type.String(), { description: 'Pages about the person.' }),
      }),
    ),
    unrecognized: Type.Integer({ minimum: 0, description: 'Other faces, and those that are less sure.' }),
    ...analysisFields,
  }),
  errors: VISION_ERRORS,
  examples: [{ title: 'Only sure names', input: { file: 'sample:gradient.png', minConfidence: 90 } }],

  async run({ file, minConfidence }, { visionCelebrities }) {
    const analysis = await visionCelebrities.detect(file)
    const { celebrities: all, unrecognized } = analysis.found
    const celebrities = all
      .filter(({ confidence }) => confidence >= minConfidence)
      .map(({ box, ...person }) => ({ ...person, box: toBox(box, analysis.image) }))
    const others = unrecognized + all.length - celebrities.length
    return { result: { celebrities, unrecognized: others, ...describeAnalysis(analysis) } }
  },
})
