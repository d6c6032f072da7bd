import { Type } from 'typebox'
import {
  Choice,
  define,
  FileOutput,
  htmlFields,
  htmlSource,
  Problem,
  perCall,
  RENDERING_ERRORS,
  renderingFields,
} from '#kit'

const TYPES = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const
const ENDINGS = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const

export default define({
  summary: 'Draw HTML as a picture.',
  description:
    'Cards, previews, charts: drawn by Chromium with all fonts loaded. `height` auto is as tall as the page is. Local ' +
    'files and private addresses are out of reach; what the page asks for and does not get is a warning.',
  price: perCall('0.005'),
  uses: ['chromium', 'sharp', 'unzip'],
  input: Type.Object({
    ...htmlFields,
    width: Type.Integer({ default: 1200, minimum: 1, maximum: 4096, description: 'Of the window, in CSS pixels.' }),
    height: Type.Union([Choice(['auto']), Type.Integer({ minimum: 1, maximum: 32_767 })], { default: 'auto' }),
    selector: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Only the first element that fits.' }),
    ),
    fullPage: Type.Boolean({ default: false, description: 'All of the page, also below the window.' }),
    scale: Type.Number({ default: 1, minimum: 0.5, maximum: 3, description: 'Pixels for each CSS pixel.' }),
    format: Choice(['png', 'jpeg', 'webp'], { default: 'png' }),
    quality: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Of jpeg and webp; 80.' })),
    transparent: Type.Boolean({ default: false, description: 'Leave out the white ground; not for jpeg.' }),
    ...renderingFields,
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    image: Type.Object({
      width: Type.Integer({ minimum: 1 }),
      height: Type.Integer({ minimum: 1 }),
      format: Choice(['png', 'jpeg', 'webp']),
    }),
  }),
  errors: [...RENDERING_ERRORS, 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'A card of a fixed size',
      input: { html: '<body style="background: #246"><h1 style="color: white">Hello</h1>', width: 600, height: 315 },
      answer: { image: { width: 600, height: 315, format: 'png' } },
    },
    {
      title: 'One element, twice as sharp, without a ground',
      input: {
        html: '<p>above</p><div id="badge" style="width: 80px; height: 20px; border-radius: 9px">new</div>',
        selector: '#badge',
        scale: 2,
        transparent: true,
        format: 'webp',
      },
      answer: { image: { width: 160, height: 40, format: 'webp' } },
    },
  ],

  async run(input, { chromium, sharp, unzip }) {
    const { width, selector, fullPage, scale, format, quality, transparent } = input
    if (transparent && format === 'jpeg')
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['transparent', 'format'] })
    const source = await htmlSource(input, unzip)
    const height = input.height === 'auto' ? undefined : input.height
    const { wait, javascript, network, locale, timezone, colorScheme } = input
    const shot = { width, height, selector, fullPage, scale, format, quality, transparent }
    const drawn = await chromium.shoot(source, { ...shot, wait, javascript, network, locale, timezone, colorScheme })
    const { paths, warnings, ...size } = drawn
    const whole =
      paths.length === 1 ? { path: paths[0]! } : await sharp.stack(paths, { format, quality: quality ?? 80 })
    const output = { ...whole, contentType: TYPES[format], name: `picture.${ENDINGS[format]}` }
    return { result: { output, image: { ...size, format } }, warnings }
  },
})
