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
  summary: 'Find the face of one image among the faces of another.',
  keywords: 'same person, face match, face verification, compare two photos, selfie check, similarity of faces',
  description:
    'The largest face of `source` is compared with each face of `target`. Nothing of the faces is kept or returned. A ' +
    'match is an estimate, no proof of identity, and the law of some places requires consent.',
  price: perCall('0.005'),
  uses: ['visionFaceMatch', 'sharp'],
  input: Type.Object({
    source: ImageInput('The face that is looked for.'),
    target: ImageInput('The faces among which it is looked for.'),
    threshold: Confidence(80, 'From which similarity a face counts as a match.'),
    max: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 100,
      description: 'Of the matches, the most similar first.',
    }),
  }),
  output: Type.Object({
    matches: Type.Array(Type.Object({ similarity: Sureness, box: Box })),
    unmatched: Type.Array(Box, { description: 'The other faces of the target.' }),
    sourceFace: Type.Object({ box: Box, confidence: Sureness }),
    ...analysisFields,
  }),
  errors: [...VISION_ERRORS, 'NO_FACE_FOUND'],
  examples: [
    {
      title: 'The same person in two photos',
      input: { source: 'sample:gradient.png', target: 'sample:gradient.png', threshold: 90 },
    },
  ],

  async run({ source, target, threshold, max }, { visionFaceMatch }) {
    const analysis = await visionFaceMatch.compare(source, target)
    const { sourceFace, sourceFaces = 1, faces } = analysis.found
    const sorted = faces.toSorted((a, b) => b.similarity - a.similarity)
    const matches = sorted
      .filter(({ similarity }) => similarity >= threshold)
      .slice(0, max)
      .map(({ box, similarity }) => ({ box: toBox(box, analysis.image), similarity }))
    const unmatched = sorted
      .filter(({ similarity }) => similarity < threshold)
      .map(({ box }) => toBox(box, analysis.image))
    const warning = { code: 'MULTIPLE_FACES', message: 'The source has several faces; the largest was compared.' }
    return {
      result: {
        matches,
        unmatched,
        sourceFace: { box: toBox(sourceFace.box, analysis.sourceImage), confidence: sourceFace.confidence },
        ...describeAnalysis(analysis),
      },
      warnings: sourceFaces > 1 ? [warning] : [],
    }
  },
})
