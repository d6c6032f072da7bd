import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { type Box, languagesOf, PRESETS, placedBack } from './ocr-shape.ts'
import { ImageInput, Length, READ_ERRORS } from './shape.ts'

const Found = Type.Object({
  text: Type.String(),
  confidence: Type.Number({ minimum: 0, maximum: 100 }),
  box: Type.Array(Type.Integer(), { minItems: 4, maxItems: 4, description: 'Left, top, right, bottom.' }),
})

/** Letters that stand on their heads are read, but as nonsense that nobody is sure of. */
const SURE = 70
const LINE_PIXELS = 64

export default define({
  summary: 'Read the text in a picture.',
  description:
    'By tesseract. Pictures that lie on their side or stand on their head are turned. Where there is nothing to read ' +
    'the text is empty. Boxes are in pixels of the picture as displayed.',
  price: perCall('0.005'),
  uses: ['tesseract', 'sharp'],
  input: Type.Object({
    file: ImageInput(),
    languages: Type.Array(Type.String({ pattern: '^[A-Za-z]{2,4}([-_][A-Za-z0-9]{2,8}){0,2}$' }), {
      default: ['eng'],
      minItems: 1,
      maxItems: 5,
      description: 'Such as de, de-AT or deu; the likeliest first.',
    }),
    detail: Choice(['text', 'lines', 'words'], { default: 'text', description: 'Lines or words with their boxes.' }),
    region: Type.Optional(
      Type.Object({ x: Length, y: Length, width: Length, height: Length }, { description: 'Read only there.' }),
    ),
    autoRotate: Type.Boolean({ default: true }),
    preset: Choice(['document', 'photo', 'screenshot', 'single-line'], {
      default: 'document',
      description: 'What kind of picture it is: a screenshot has small letters, and may be dark.',
    }),
    whitelist: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f]+$', description: 'Only these.' }),
    ),
  }),
  output: Type.Object({
    text: Type.String(),
    confidence: Type.Number({ minimum: 0, maximum: 100 }),
    rotation: Type.Integer({ description: 'By how much the picture had to be turned clockwise.' }),
    languages: Type.Array(Type.String()),
    lines: Type.Optional(Type.Array(Found)),
    words: Type.Optional(Type.Array(Found)),
  }),
  errors: [...READ_ERRORS, 'LANGUAGE_UNSUPPORTED', 'BAD_REGION'],
  examples: [
    { title: 'What does it say?', input: { file: 'sample:sign.png' }, answer: { text: 'MIND THE GAP', rotation: 0 } },
    {
      title: 'Where the words stand',
      input: { file: 'sample:sign.png', languages: ['en'], detail: 'words', preset: 'single-line' },
      answer: { words: [{ text: 'MIND' }, { text: 'THE' }, { text: 'GAP' }], languages: ['eng'] },
    },
  ],

  async run({ file, detail, region, autoRotate, preset, whitelist, ...asked }, { tesseract, sharp }) {
    const languages = languagesOf(asked.languages, await tesseract.languages())
    const { layout, ...look } = PRESETS[preset]
    const enlarge = preset === 'single-line' ? lineScale(file.facts.height, region !== undefined) : look.enlarge
    const legible = (rotation: 0 | 90 | 180 | 270) => sharp.legible(file.path, { ...look, enlarge, region, rotation })
    const picture = await legible(0)
    let reading = await tesseract.read(picture, { languages, layout, whitelist })
    let rotation: 0 | 90 | 180 | 270 = 0
    if (autoRotate && (reading.confidence < SURE || isStanding(reading.lines))) {
      const turn = await tesseract.rotation(picture)
      const turned =
        turn === 0 ? undefined : await tesseract.read(await legible(turn), { languages, layout, whitelist })
      if (turned && (turned.confidence > reading.confidence || !isStanding(turned.lines)))
        [reading, rotation] = [turned, turn]
    }
    const placed = ({ text, confidence, box }: { text: string; confidence: number; box: Box }) => ({
      text,
      confidence,
      box: placedBack(box, picture, rotation),
    })
    const { text, confidence, lines } = reading
    const found = detail === 'words' ? lines.flatMap(({ words }) => words) : lines
    const more = detail === 'text' ? {} : { [detail]: found.map(placed) }
    return { result: { text, confidence, rotation, languages, ...more } }
  },
})

/** Lines that run up or down are read all the same, and only their boxes tell. */
function isStanding(lines: readonly { text: string; box: Box }[]): boolean {
  const long = lines.filter(({ text }) => text.length > 3)
  const standing = long.filter(({ box: [left, top, right, bottom] }) => bottom - top > (right - left) * 1.5)
  return standing.length > long.length / 2
}

function lineScale(height = LINE_PIXELS, isPart: boolean): number {
  return isPart ? 2 : Math.max(1, LINE_PIXELS / height)
}
