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
  summary: 'Name what an image shows, and where it is.',
  keywords:
    'image recognition, object detection, tag photo, what is in this picture, classify image, scene, labels, describe a photo, what is in the picture, what is on this photo',
  description:
    'An image in which nothing is found gives an empty list. `instances` are the places of a label, where the engine ' +
    'finds them.',
  price: perCall('0.003'),
  uses: ['visionLabels', 'sharp'],
  input: Type.Object({
    file: ImageInput(),
    maxLabels: Type.Integer({ default: 20, minimum: 1, maximum: 100 }),
    minConfidence: Confidence(55),
  }),
  output: Type.Object({
    labels: Type.Array(
      Type.Object({
        name: Type.String(),
        confidence: Sureness,
        parents: Type.Array(Type.String(), { description: 'More general labels, where the engine has them.' }),
        instances: Type.Array(Type.Object({ box: Box, confidence: Sureness })),
      }),
    ),
    ...analysisFields,
  }),
  errors: VISION_ERRORS,
  examples: [
    { title: 'Everything that is likely', input: { file: 'sample:gradient.png' } },
    { title: 'The five surest labels', input: { file: 'sample:gradient.png', maxLabels: 5, minConfidence: 80 } },
  ],

  async run({ file, maxLabels, minConfidence }, { visionLabels }) {
    const analysis = await visionLabels.detect(file, { maxLabels, minConfidence })
    const labels = analysis.found
      .filter(({ confidence }) => confidence >= minConfidence)
      .slice(0, maxLabels)
      .map(({ instances, ...label }) => ({
        ...label,
        instances: instances.map(({ box, confidence }) => ({ box: toBox(box, analysis.image), confidence })),
      }))
    return { result: { labels, ...describeAnalysis(analysis) } }
  },
})
