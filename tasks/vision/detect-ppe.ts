import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { judgePerson, REQUIRABLE } from '../formats/vision/protection.ts'
import { BODY_PARTS, EQUIPMENT } from '../formats/vision/results.ts'
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

const Count = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Check whether the people in an image wear protective equipment.',
  keywords: 'ppe, hard hat, helmet, face mask, safety gloves, construction site safety, protective equipment',
  description:
    '`compliant` is false if a required part is bare, and null if it cannot be seen. Of hands, each that is seen must be ' +
    'covered.',
  price: perCall('0.005'),
  uses: ['visionProtection', 'sharp'],
  input: Type.Object({
    file: ImageInput(),
    required: Type.Array(Choice(REQUIRABLE), {
      default: [...REQUIRABLE],
      minItems: 1,
      maxItems: REQUIRABLE.length,
      uniqueItems: true,
      description: 'The parts that must be covered.',
    }),
    minConfidence: Confidence(80, 'Less sure people are left out, and less sure equipment does not count.'),
  }),
  output: Type.Object({
    persons: Type.Array(
      Type.Object({
        box: Box,
        confidence: Sureness,
        parts: Type.Array(
          Type.Object({
            part: Choice(BODY_PARTS),
            equipment: Type.Array(
              Type.Object({ type: Choice(EQUIPMENT), confidence: Sureness, covers: Type.Boolean() }),
            ),
          }),
        ),
        compliant: Type.Union([Type.Boolean(), Type.Null()]),
      }),
    ),
    summary: Type.Object({ persons: Count, compliant: Count, violating: Count, undetermined: Count }),
    ...analysisFields,
  }),
  errors: VISION_ERRORS,
  examples: [{ title: 'Helmets only', input: { file: 'sample:gradient.png', required: ['head'] } }],

  async run({ file, required, minConfidence }, { visionProtection }) {
    const analysis = await visionProtection.detect(file, minConfidence)
    const persons = analysis.found
      .filter(({ confidence }) => confidence >= minConfidence)
      .map(person => ({
        box: toBox(person.box, analysis.image),
        confidence: person.confidence,
        parts: person.parts,
        compliant: judgePerson(person, required, minConfidence),
      }))
    const count = (verdict: boolean | null) => persons.filter(({ compliant }) => compliant === verdict).length
    const summary = {
      persons: persons.length,
      compliant: count(true),
      violating: count(false),
      undetermined: count(null),
    }
    return { result: { persons, summary, ...describeAnalysis(analysis) } }
  },
})
