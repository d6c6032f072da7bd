import { Type } from 'typebox'
import { Choice, define, FileOutput, perCall } from '#kit'
import { CssColor } from '../formats/raster/contrast.ts'
import { FONTS, renderCard, TEMPLATES } from './og-image/card.ts'
import { CustomTree } from './og-image/tree.ts'
import { DRAWING_ERRORS, ImagePart, parseColors } from './schema.ts'

const TYPES = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const
const EXTENSIONS = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const
const Text = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, ...(description && { description }) }))
const Color = (description: string) => Type.Optional(CssColor({ description }))
/** Images are reduced to this many pixels a side before they are placed. */
const SIDES = { logo: 400, avatar: 400, image: 2400 } as const

export default define({
  summary: 'Draw the image that social networks show for a link.',
  keywords: 'open graph image, og image, social card, twitter card, preview image, link preview, share image, banner',
  description:
    'Text may be of any script, with emoji. The title shrinks until it fits into three lines; what is still too long ends ' +
    'with an ellipsis. Nothing is loaded: images come with the call.',
  price: perCall('0.003'),
  uses: ['chromium', 'color', 'sharp'],
  input: Type.Object({
    template: Choice(TEMPLATES, { default: 'article' }),
    title: Text(200, 'Needed by all templates but custom. For quote the words, for stat the number.'),
    subtitle: Text(1000, 'For code the lines of code.'),
    label: Text(60, 'A category, a date or a price.'),
    author: Text(100),
    logo: Type.Optional(ImagePart('In a corner.')),
    avatar: Type.Optional(ImagePart('Of the author.')),
    image: Type.Optional(ImagePart('Beside the text for product, otherwise behind it.')),
    custom: Type.Optional(CustomTree),
    theme: Choice(['light', 'dark'], { default: 'light' }),
    colors: Type.Optional(
      Type.Object({ bg: Color('Background.'), fg: Color('Text.'), accent: Color('Lines and the label.') }),
    ),
    font: Choice(FONTS, { default: 'sans' }),
    width: Type.Integer({ default: 1200, minimum: 200, maximum: 2400 }),
    height: Type.Integer({ default: 630, minimum: 200, maximum: 2400 }),
    format: Choice(['png', 'jpeg', 'webp'], { default: 'png' }),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    width: Type.Integer(),
    height: Type.Integer(),
  }),
  errors: [
    ...DRAWING_ERRORS,
    'MISSING_FIELD',
    'CONFLICTING_OPTIONS',
    'INVALID_PARAM',
    'IMAGE_DECODE_FAILED',
    'UNSUPPORTED_FORMAT',
    'HTML_RENDER_FAILED',
  ],
  examples: [
    {
      title: 'A card for an article',
      input: {
        title: 'Ein langer Titel über 東京 🚀',
        subtitle: 'Was wir gelernt haben',
        author: 'Ada',
        label: 'Blog',
      },
      answer: { width: 1200, height: 630 },
    },
    {
      title: 'A product with its image, dark',
      input: { template: 'product', title: 'Gradient', label: '19 €', image: 'sample:gradient.png', theme: 'dark' },
      answer: { width: 1200, height: 630 },
    },
    {
      title: 'A card of elements of its own',
      input: {
        template: 'custom',
        custom: {
          type: 'div',
          props: {
            style: { padding: 80, alignItems: 'center', fontSize: 72, color: 'white', background: '#0b3d2e' },
            children: ['Gradients, ', { type: 'em', props: { children: 'explained' } }],
          },
        },
      },
      answer: { width: 1200, height: 630 },
    },
  ],

  async run(input, { chromium, color, sharp }) {
    const { width, height, format } = input
    const { bg, fg, accent } = input.colors ?? {}
    const named = { 'colors.bg': bg, 'colors.fg': fg, 'colors.accent': accent }
    const parsed = await parseColors(color, named)
    const colors = { bg: parsed['colors.bg'], fg: parsed['colors.fg'], accent: parsed['colors.accent'] }
    const art: Partial<Record<keyof typeof SIDES, Uint8Array>> = {}
    for (const name of ['logo', 'avatar', 'image'] as const) {
      const file = input[name]
      if (file) art[name] = (await sharp.toPng(file.path, SIDES[name], file.type === 'image/svg+xml')).bytes
    }
    const { paths } = await chromium.takeScreenshot(
      { html: renderCard(input, colors, art), assets: [] },
      {
        ...{ width, height, fullPage: false, scale: 1, format, transparent: false, quality: 90 },
        ...{ javascript: true, network: 'none', timezone: 'UTC' },
        wait: { delayMs: 0, networkIdle: false, timeoutMs: 15_000 },
      },
    )
    const output = { path: paths[0]!, contentType: TYPES[format], name: `og-image.${EXTENSIONS[format]}` }
    return { result: { output, width, height } }
  },
})
