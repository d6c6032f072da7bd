import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { FACE_TRAITS, type FoundFace } from '../formats/vision/results.ts'
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

const Angle = Type.Number()
const Trait = Type.Optional(Type.Object({ value: Type.Boolean(), confidence: Sureness }))

const Attributes = Type.Object({
  ...(Object.fromEntries(FACE_TRAITS.map(name => [name, Trait])) as Record<(typeof FACE_TRAITS)[number], typeof Trait>),
  emotions: Type.Optional(Type.Array(Type.Object({ type: Type.String(), confidence: Sureness }))),
  age: Type.Optional(Type.Object({ low: Type.Integer(), high: Type.Integer() })),
  gender: Type.Optional(Type.Object({ value: Type.String(), confidence: Sureness })),
})

export default define({
  summary: 'Find the faces in an image.',
  keywords: 'face detection, count people, head pose, landmarks, eyes, smile, facial features',
  description:
    'Faces are found, not recognised, and nothing of them is kept. `default` adds landmarks, pose and quality, and `all` ' +
    'also attributes, as far as the engine estimates them. The law of some places restricts what may be done with faces.',
  price: perCall('0.003'),
  uses: ['visionFaces', 'sharp'],
  input: Type.Object({
    file: ImageInput(),
    attributes: Choice(['none', 'default', 'all'], { default: 'default' }),
    minConfidence: Confidence(80, 'Less sure faces are left out, if the engine tells how sure it is.'),
    max: Type.Integer({ default: 100, minimum: 1, maximum: 100, description: 'Of the faces, the largest first.' }),
  }),
  output: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    faces: Type.Array(
      Type.Object({
        box: Box,
        confidence: Type.Optional(Sureness),
        landmarks: Type.Optional(
          Type.Array(Type.Object({ type: Type.String(), x: Type.Number(), y: Type.Number() }), {
            description: 'Points as fractions of the image as displayed.',
          }),
        ),
        pose: Type.Optional(Type.Object({ roll: Angle, yaw: Angle, pitch: Angle }, { description: 'In degrees.' })),
        quality: Type.Optional(Type.Object({ brightness: Type.Number(), sharpness: Type.Number() })),
        attributes: Type.Optional(Attributes),
      }),
    ),
    ...analysisFields,
  }),
  errors: [...VISION_ERRORS, 'INVALID_PARAM'],
  examples: [
    { title: 'Faces with their landmarks', input: { file: 'sample:gradient.png' } },
    { title: 'Only where they are', input: { file: 'sample:gradient.png', attributes: 'none', max: 10 } },
  ],

  async run({ file, attributes, minConfidence, max }, { visionFaces }) {
    const analysis = await visionFaces.detect(file, { attributes, minConfidence })
    const faces = analysis.found
      .filter(({ confidence = 100 }) => confidence >= minConfidence)
      .sort((a, b) => areaOf(b) - areaOf(a))
      .slice(0, max)
      .map(({ landmarks, box, ...face }) => ({
        box: toBox(box, analysis.image),
        ...face,
        ...(landmarks.length > 0 && { landmarks }),
      }))
    return { result: { count: faces.length, faces, ...describeAnalysis(analysis) } }
  },
})

function areaOf({ box }: FoundFace): number {
  return box.width * box.height
}
