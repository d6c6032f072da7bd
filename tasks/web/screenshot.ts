import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall, Warnings } from '#kit'
import { browserFields, readSiteOptions, SITE_ERRORS, SitePageResult, siteFields } from './schema.ts'

const CONTENT_TYPES = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const
const EXTENSIONS = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const
const Pixel = (options: Record<string, unknown> = {}) => Type.Integer({ minimum: 1, maximum: 32_767, ...options })

export default define({
  summary: 'Take a screenshot of a web page.',
  keywords:
    'capture website, url to image, page snapshot, website thumbnail, webpage picture, full page screenshot, how a page looks',
  converts: [{ from: 'url', to: 'image png jpg webp' }],
  description:
    'By Chromium, in a session of its own: late images are loaded, cookie banners hidden, animations ended and fixed ' +
    'headers drawn once. Only public web servers are reached. A page that answers with an error is refused, and costs ' +
    'nothing; a page that asks for a proof of being human gives a warning.',
  price: perCall('0.006'),
  uses: ['chromium', 'sharp', 'web'],
  input: Type.Object({
    ...siteFields,
    ...browserFields,
    fullPage: Type.Boolean({ default: false, description: 'The whole page, also below the viewport.' }),
    selector: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Only the first element that matches.' }),
    ),
    clip: Type.Optional(
      Type.Object(
        {
          x: Type.Integer({ default: 0, minimum: 0, maximum: 32_767 }),
          y: Type.Integer({ default: 0, minimum: 0, maximum: 32_767 }),
          width: Pixel(),
          height: Pixel(),
        },
        { description: 'Only this part of the page, in CSS pixels.' },
      ),
    ),
    format: Choice(['png', 'jpeg', 'webp'], { default: 'png' }),
    quality: Type.Integer({ default: 85, minimum: 1, maximum: 100, description: 'For jpeg and webp.' }),
    transparent: Type.Boolean({ default: false, description: 'Omit the white background; not for jpeg.' }),
    maxHeight: Pixel({ default: 20_000, description: 'Of a full page, in CSS pixels; what is below is cut off.' }),
    thumbnail: Type.Optional(
      Type.Object(
        { width: Pixel({ maximum: 4096 }), height: Pixel({ maximum: 4096 }) },
        { description: 'Also a copy that fits into this box.' },
      ),
    ),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(CONTENT_TYPES)),
    thumbnail: Type.Optional(FileOutput(Object.values(CONTENT_TYPES))),
    image: Type.Object({ width: Type.Integer(), height: Type.Integer(), format: Choice(['png', 'jpeg', 'webp']) }),
    page: SitePageResult,
    warnings: Warnings,
  }),
  errors: [...SITE_ERRORS, 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'The top of a page',
      input: { url: 'https://example.com/' },
      answer: { image: { width: 1280, height: 800 } },
    },
    {
      title: 'All of a page as a phone shows it, as WebP',
      input: { url: 'https://example.com/', device: 'iphone', fullPage: true, format: 'webp' },
    },
  ],

  async run(input, { chromium, sharp, web }) {
    const { fullPage, selector, clip, format, quality, transparent, maxHeight, thumbnail } = input
    if (transparent && format === 'jpeg')
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['transparent', 'format'] })
    const ways = Object.entries({ fullPage: fullPage || undefined, selector, clip }).filter(
      ([, value]) => value !== undefined,
    )
    if (ways.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: ways.map(([name]) => name) })
    const site = readSiteOptions(input)
    await web.check(site.url)
    const captured = await chromium.captureSite(site, {
      fullPage,
      selector,
      clip,
      format,
      quality,
      transparent,
      maxHeight,
    })
    const { paths, page, warnings, width, height } = captured
    const file = paths.length === 1 ? { path: paths[0]! } : await sharp.stackVertically(paths, { format, quality })
    const describe = (content: { path?: string; bytes?: Uint8Array }, stem: string) => ({
      ...content,
      contentType: CONTENT_TYPES[format],
      name: `${stem}.${EXTENSIONS[format]}`,
    })
    const small = thumbnail && (await sharp.toThumbnail(paths[0]!, { ...thumbnail, format, quality }))
    const result = { output: describe(file, 'screenshot'), image: { width, height, format }, page }
    return { result: { ...result, ...(small && { thumbnail: describe(small, 'thumbnail') }) }, warnings }
  },
})
