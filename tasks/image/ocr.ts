import { Type } from 'typebox'
import { ALIASES_RULE, Choice, define, perCall } from '#kit'
import type { Rect } from '../formats/geometry/rect.ts'
import { resolveLanguages } from '../formats/ocr/languages.ts'
import { readImage } from '../formats/ocr/read-image.ts'
import { mapBoxToOriginal } from './ocr/boxes.ts'
import { PRESETS } from './ocr/presets.ts'
import { ImageInput, Length, READ_ERRORS } from './schema.ts'

const TextBox = Type.Object({
  text: Type.String(),
  confidence: Type.Number({ minimum: 0, maximum: 100 }),
  box: Type.Array(Type.Integer(), { minItems: 4, maxItems: 4, description: 'Left, top, right, bottom.' }),
})

const TARGET_LINE_HEIGHT_PIXELS = 64

export default define({
  summary: 'Read the text in an image (OCR).',
  keywords: 'read text, scan, recognise, receipt, document photo, text from picture, tesseract, text from a screenshot',
  converts: [{ from: 'image png jpg', to: 'text' }],
  isFeatured: true,
  description:
    'Uses Tesseract. Sideways and upside-down images are rotated first, and those up to 10 degrees askew are levelled. ' +
    'Small letters are enlarged. The text is empty where the image has none. ' +
    'Boxes are in pixels of the image as displayed.',
  price: perCall('0.005'),
  uses: ['tesseract', 'sharp'],
  input: Type.Object({
    file: ImageInput(),
    languages: Type.Array(Type.String({ pattern: '^[A-Za-z]{2,4}([-_][A-Za-z0-9]{2,8}){0,2}$' }), {
      default: ['eng'],
      minItems: 1,
      maxItems: 5,
      description: 'Such as de, de-AT or deu; the most likely first. `language` takes a single one.',
      [ALIASES_RULE]: ['language'],
    }),
    detail: Choice(['text', 'lines', 'words'], {
      default: 'text',
      description: '`lines` and `words` come with their boxes.',
    }),
    region: Type.Optional(
      Type.Object({ x: Length, y: Length, width: Length, height: Length }, { description: 'Read only this part.' }),
    ),
    autoRotate: Type.Boolean({ default: true }),
    preset: Choice(['document', 'photo', 'screenshot', 'single-line'], {
      default: 'document',
      description: 'Kind of image: a screenshot has small text and may be dark.',
    }),
    whitelist: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000-\\u001f]+$',
        description: 'Recognize only these characters.',
      }),
    ),
  }),
  output: Type.Object({
    text: Type.String(),
    confidence: Type.Number({ minimum: 0, maximum: 100 }),
    rotation: Type.Integer({ description: 'Degrees the image was rotated clockwise to read it.' }),
    languages: Type.Array(Type.String()),
    lines: Type.Optional(Type.Array(TextBox)),
    words: Type.Optional(Type.Array(TextBox)),
  }),
  errors: [...READ_ERRORS, 'LANGUAGE_UNSUPPORTED', 'BAD_REGION'],
  examples: [
    { title: 'Plain text', input: { file: 'sample:sign.png' }, answer: { text: 'MIND THE GAP', rotation: 0 } },
    {
      title: 'Words with their boxes',
      input: { file: 'sample:sign.png', languages: ['en'], detail: 'words', preset: 'single-line' },
      answer: { words: [{ text: 'MIND' }, { text: 'THE' }, { text: 'GAP' }], languages: ['eng'] },
    },
  ],

  async run({ file, detail, region, autoRotate, preset, whitelist, languages: requested }, { tesseract, sharp }) {
    const languages = resolveLanguages(requested, await tesseract.listLanguages())
    const { layout, ...preparation } = PRESETS[preset]
    const scale =
      preset === 'single-line' ? computeLineScale(file.facts.height, region !== undefined) : preparation.enlarge
    const { image, rotation, reading } = await readImage(autoRotate, {
      prepare: (turn, larger) =>
        sharp.prepareOcrInput(file.path, {
          ...{ ...preparation, region, rotation: turn, enlarge: scale * larger, levels: true },
        }),
      recognize: prepared => tesseract.recognize(prepared, { languages, layout, whitelist }),
      detectRotation: prepared => tesseract.detectRotation(prepared),
    })
    const toTextBox = ({ text, confidence, box }: { text: string; confidence: number; box: Rect }) => ({
      text,
      confidence,
      box: mapBoxToOriginal(box, image, rotation),
    })
    const { text, confidence, lines } = reading
    const items = detail === 'words' ? lines.flatMap(({ words }) => words) : lines
    const details = detail === 'text' ? {} : { [detail]: items.map(toTextBox) }
    return { result: { text, confidence, rotation, languages, ...details } }
  },
})

function computeLineScale(height = TARGET_LINE_HEIGHT_PIXELS, isRegion: boolean): number {
  return isRegion ? 2 : Math.max(1, TARGET_LINE_HEIGHT_PIXELS / height)
}
