import { Type } from 'typebox'
import {
  Choice,
  define,
  FileOutput,
  htmlFields,
  Problem,
  perCall,
  RENDERING_ERRORS,
  readHtmlSource,
  renderingFields,
} from '#kit'

const CONTENT_TYPES = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const
const EXTENSIONS = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const

export default define({
  summary: 'Render HTML as an image.',
  keywords: 'screenshot, html to image, html to png, social card, og image, banner, web page picture',
  converts: [{ from: 'html', to: 'image png jpg webp' }],
  description:
    'For cards, previews and charts: rendered by Chromium with all fonts loaded. `height` auto takes the height of the ' +
    'page. Local files and private addresses are blocked; a resource that fails to load gives a warning.',
  price: perCall('0.005'),
  uses: ['chromium', 'sharp', 'unzip'],
  input: Type.Object({
    ...htmlFields,
    width: Type.Integer({ default: 1200, minimum: 1, maximum: 4096, description: 'Viewport width in CSS pixels.' }),
    height: Type.Union([Choice(['auto']), Type.Integer({ minimum: 1, maximum: 32_767 })], { default: 'auto' }),
    selector: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Render only the first element that matches.' }),
    ),
    fullPage: Type.Boolean({ default: false, description: 'The whole page, also below the viewport.' }),
    scale: Type.Number({ default: 1, minimum: 0.5, maximum: 3, description: 'Image pixels per CSS pixel.' }),
    format: Choice(['png', 'jpeg', 'webp'], { default: 'png' }),
    quality: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'For jpeg and webp; default 80.' })),
    transparent: Type.Boolean({ default: false, description: 'Omit the white background; not for jpeg.' }),
    ...renderingFields,
  }),
  output: Type.Object({
    output: FileOutput(Object.values(CONTENT_TYPES)),
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
      title: 'One element at double resolution, with a transparent background',
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
    const source = await readHtmlSource(input, unzip)
    const height = input.height === 'auto' ? undefined : input.height
    const { wait, javascript, network, locale, timezone, colorScheme } = input
    const screenshotOptions = { width, height, selector, fullPage, scale, format, quality, transparent }
    const screenshot = await chromium.takeScreenshot(source, {
      ...screenshotOptions,
      wait,
      javascript,
      network,
      locale,
      timezone,
      colorScheme,
    })
    const { paths, warnings, ...size } = screenshot
    const file =
      paths.length === 1 ? { path: paths[0]! } : await sharp.stackVertically(paths, { format, quality: quality ?? 80 })
    const output = { ...file, contentType: CONTENT_TYPES[format], name: `picture.${EXTENSIONS[format]}` }
    return { result: { output, image: { ...size, format } }, warnings }
  },
})
