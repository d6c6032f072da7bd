import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perCall, type Warning } from '#kit'
import { PAGE_SIZES, pagesOfPicture, pictureOptions, sizeOfPage } from './album-shape.ts'
import { PDF } from './shape.ts'
import { COLOR_PATTERN, PictureInput } from './stamp-shape.ts'

const MOST_PAGES = 500

export default define({
  summary: 'Make a PDF of pictures, a page for each.',
  description:
    'JPEG and plain PNG go in as they are, without loss and turned as their tags say; every other picture is drawn ' +
    'anew. Each page of a TIFF becomes a page; of an animation the first frame is taken.',
  price: { ...perCall('0.001'), unit: 'picture', units: ({ files }: { files: InputFile[] }) => files.length },
  uses: ['sharp', 'pdfMaker'],
  input: Type.Object({
    files: Type.Array(PictureInput('A picture.'), { minItems: 1, maxItems: 100 }),
    pageSize: Choice(['auto', ...PAGE_SIZES], { default: 'auto', description: '`auto` is as large as each picture.' }),
    orientation: Choice(['auto', 'portrait', 'landscape'], {
      default: 'auto',
      description: 'Of a page of fixed size; `auto` follows each picture.',
    }),
    margin: Type.Number({ default: 0, minimum: 0, maximum: 200, description: 'Points.' }),
    fit: Choice(['contain', 'cover', 'fill', 'shrink'], {
      default: 'contain',
      description: 'On a page of fixed size: whole, filling and cut, stretched, or whole and never enlarged.',
    }),
    dpi: Type.Optional(
      Type.Integer({ minimum: 36, maximum: 2400, description: 'Left out: what the picture says, else 96.' }),
    ),
    quality: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Draws every picture anew as JPEG of this quality.' }),
    ),
    background: Type.String({ default: '#ffffff', pattern: COLOR_PATTERN, description: 'Of the page.' }),
    title: Type.Optional(Type.String({ maxLength: 512 })),
  }),
  output: Type.Object({ output: FileOutput(PDF), pages: Type.Integer({ minimum: 1 }) }),
  errors: [
    'BAD_RANGE',
    'IMAGE_DECODE_FAILED',
    'INVALID_PARAM',
    'MEMORY_LIMIT_EXCEEDED',
    'PROVIDER_NOT_CONFIGURED',
    'SANDBOX_UNAVAILABLE',
    'TIME_LIMIT_EXCEEDED',
    'TOO_MANY_PAGES',
    'TOO_MANY_PIXELS',
  ],
  examples: [
    { title: 'One picture, one page', input: { files: ['sample:gradient.png'] }, answer: { pages: 1 } },
    {
      title: 'Two pictures on A4 with a margin',
      input: { files: ['sample:gradient.png', 'sample:wifi-code.png'], pageSize: 'A4', margin: 36, title: 'Album' },
      answer: { pages: 2 },
    },
  ],

  async run(input, { sharp, pdfMaker, out, progress }) {
    const { files, orientation, margin, fit, title, background, pageSize } = input
    const drawn: Drawn[] = []
    const warnings: Warning[] = []
    for (const [index, file] of files.entries()) {
      const facts = await blamed(index, () => sharp.describe(file.path, { stats: false, hashes: false }))
      if (facts.frames > 1) warnings.push(flattened(facts.frames))
      for (const { page, ...picture } of pagesOfPicture(facts, input)) {
        if (drawn.length === MOST_PAGES) throw new Problem('TOO_MANY_PAGES', { limit: MOST_PAGES, index })
        const options = pictureOptions(facts, { ...input, page })
        const asset: Drawn['asset'] = picture.isAsItIs
          ? { path: file.path }
          : await blamed(index, () => sharp.convert(file.path, options))
        drawn.push({ ...picture, asset })
      }
      progress(index + 1, files.length, 'pictures')
    }
    const pictures = drawn.map(({ orientation, dpi }) => ({ orientation, dpi }))
    const plan = { pictures, orientation, margin, fit, background, title, size: sizeOfPage(pageSize) }
    const assets = drawn.map(({ asset }) => asset)
    const path = await pdfMaker.album(assets, { ...plan, to: out('pictures.pdf') })
    const output = { path, contentType: PDF, name: 'pictures.pdf' }
    return { result: { output, pages: drawn.length }, units: files.length, warnings }
  },
})

interface Drawn {
  asset: { path?: string; bytes?: Uint8Array }
  orientation: number
  dpi: number
}

/** Says which picture is to blame. */
async function blamed<Value>(index: number, look: () => Promise<Value>): Promise<Value> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.code, { ...error.hints, index })
    throw error
  }
}

function flattened(frames: number): Warning {
  return { code: 'ANIMATION_FLATTENED', message: `Only the first of ${frames} frames is kept.` }
}
