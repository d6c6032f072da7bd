import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem, perCall } from '#kit'
import { CssColor } from '../formats/raster/contrast.ts'
import { toHex } from '../formats/svg/drawing.ts'
import {
  type Artwork,
  describeFile,
  drawIcon,
  type IconFile,
  requireEmoji,
  requireLetters,
  SHAPES,
  SIZES,
  writeHead,
  writeManifest,
} from './favicon/icons.ts'
import { DRAWING_ERRORS, ImagePart, parseColors } from './schema.ts'

const MIN_SIDE = 64
const MAX_SIDE = 1024

export default define({
  summary: 'Make the icons of a website from an image, letters or an emoji.',
  keywords:
    'favicon.ico, apple-touch-icon, site icon, app icon, webmanifest, maskable, pwa icons, icon of the browser tab',
  converts: [{ from: 'image png svg jpg', to: 'ico' }],
  description:
    'A zip of favicon.ico, PNGs, an apple-touch-icon, maskable icons, site.webmanifest and head.html with the tags for ' +
    'your pages; `set` web leaves out what few devices use, and ico gives the .ico alone. Icons that must not be ' +
    'transparent are filled with the background, or white.',
  price: perCall('0.002'),
  uses: ['color', 'fonts', 'sharp', 'zip'],
  input: Type.Object({
    file: Type.Optional(ImagePart(`An image of at least ${MIN_SIDE} pixels a side. Give file, text or emoji.`)),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 32, description: 'One to three letters of any script.' }),
    ),
    emoji: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    background: Type.Optional(CssColor({ description: 'Left out: transparent; for text, #336699.' })),
    color: Type.Optional(CssColor({ description: 'Of the text; left out: white.' })),
    shape: Choice(SHAPES, { default: 'square' }),
    padding: Type.Integer({ default: 0, minimum: 0, maximum: 40, description: 'Percent of the width on each side.' }),
    fit: Type.Optional(
      Choice(['contain', 'cover'], { description: 'How an image that is not square is placed; contain if left out.' }),
    ),
    set: Choice(['ico', 'web', 'full'], { default: 'full' }),
    name: Type.String({ default: 'Website', minLength: 1, maxLength: 100, description: 'For site.webmanifest.' }),
  }),
  output: Type.Object({
    output: FileOutput(['application/zip', 'image/x-icon']),
    entries: Type.Array(
      Type.Object({ name: Type.String(), sizeBytes: Type.Integer(), size: Type.Optional(Type.Integer()) }),
    ),
  }),
  errors: [
    ...([...DRAWING_ERRORS, 'IMAGE_DECODE_FAILED', 'UNSUPPORTED_FORMAT', 'IMAGE_TOO_SMALL'] as const),
    ...(['MISSING_FIELD', 'CONFLICTING_OPTIONS', 'INVALID_PARAM'] as const),
  ],
  examples: [
    { title: 'A letter on a colour', input: { text: 'C', background: '#0a7', shape: 'rounded' } },
    {
      title: 'Only the .ico, of an image',
      input: { file: 'sample:gradient.png', set: 'ico', fit: 'cover' },
      answer: { entries: [{ name: 'favicon.ico' }] },
    },
  ],

  async run(input, { color, fonts, sharp, zip, out }) {
    const { file, set, name, shape, padding, fit = 'contain' } = input
    const given = exactlyOne(input, ['file', 'text', 'emoji'])
    if (input.color !== undefined && given !== 'text')
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['color', given] })
    if (input.fit && given !== 'file') throw new Problem('CONFLICTING_OPTIONS', { fields: ['fit', given] })
    const fallback = given === 'text' ? '#336699' : undefined
    const colors = { background: input.background ?? fallback, color: input.color ?? '#ffffff' }
    const { background, color: ink } = await parseColors(color, colors)
    const artwork: Artwork = { shape, padding, fit, background, ...(await readContent()) }
    const { pngs, ico } = await sharp.drawIcons(drawIcon(artwork), { sizes: SIZES[set], ico: SIZES.ico })
    const favicon: IconFile = { name: 'favicon.ico', bytes: ico }
    if (set === 'ico') {
      const output = { bytes: ico, contentType: 'image/x-icon', name: 'favicon.ico' }
      return { result: { output, entries: [describeFile(favicon)] } }
    }
    const isFull = set === 'full'
    const theme = background && background.a === 255 ? toHex(background) : undefined
    const files: IconFile[] = [
      favicon,
      ...SIZES[set].map((size, index) => ({ name: `icon-${size}.png`, bytes: pngs[index]!, size })),
      ...(await drawOn('opaque', SIZES.apple, () => 'apple-touch-icon.png')),
      ...(isFull ? await drawOn('bleed', SIZES.maskable, size => `maskable-${size}.png`) : []),
      writeManifest(name, theme, isFull),
      writeHead(theme, isFull),
    ]
    const to = out('icons.zip')
    const members = files.map(({ bytes, name }) => ({ name, bytes, isStored: name.endsWith('.png') }))
    await zip.write(members, { to, level: 6 })
    const output = { path: to, contentType: 'application/zip', name: 'favicon.zip' }
    return { result: { output, entries: files.map(describeFile) } }

    async function drawOn(ground: 'opaque' | 'bleed', sizes: readonly number[], nameOf: (size: number) => string) {
      const drawn = await sharp.drawIcons(drawIcon(artwork, ground), { sizes })
      return sizes.map((size, index) => ({ name: nameOf(size), bytes: drawn.pngs[index]!, size }))
    }

    async function readContent(): Promise<Partial<Artwork>> {
      if (given === 'emoji') return { image: await sharp.drawEmoji(requireEmoji(input.emoji!)) }
      if (given === 'file') {
        const actual = Math.min(file!.facts.width ?? 0, file!.facts.height ?? 0)
        const isVector = file!.type === 'image/svg+xml'
        if (actual < MIN_SIDE && !isVector)
          throw new Problem('IMAGE_TOO_SMALL', { limit: MIN_SIDE, actual, of: 'a side' })
        return { image: await sharp.toPng(file!.path, MAX_SIDE, isVector) }
      }
      const letters = requireLetters(input.text!)
      const [widthInEm = 1] = await fonts.measure([letters], { family: 'sans', bold: true })
      return { text: { letters, widthInEm: Math.max(0.1, widthInEm), color: ink! } }
    }
  },
})
