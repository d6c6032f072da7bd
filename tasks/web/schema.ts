import { type Static, Type } from 'typebox'
import { Choice, Problem, Secret, type Warning } from '#kit'

const BLOCKABLE = ['ads', 'trackers', 'cookie-banners', 'chat', 'media', 'fonts'] as const
const MAX_HEADERS = 20
/** What would change where a request goes, or belongs into a field of its own. */
const REFUSED_HEADERS =
  /^(host|cookie|connection|content-length|transfer-encoding|upgrade|te|trailer|via|forwarded|x-forwarded-.*|x-real-ip|proxy-.*|keep-alive|expect)$/i
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

/** The pixels and the name by which a device introduces itself. */
const DEVICES = {
  desktop: { width: 1920, height: 1080, scale: 1, mobile: false },
  laptop: { width: 1366, height: 768, scale: 1, mobile: false },
  tablet: { width: 820, height: 1180, scale: 2, mobile: true, platform: 'iPad; CPU OS 17_5 like Mac OS X' },
  iphone: { width: 390, height: 844, scale: 3, mobile: true, platform: 'iPhone; CPU iPhone OS 17_5 like Mac OS X' },
  android: { width: 412, height: 915, scale: 2.625, mobile: true, platform: 'Linux; Android 14; Pixel 8' },
} as const

const Selectors = (maxItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { default: [], maxItems, description })

/** How any operation on a site asks for it. */
export const siteFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: '^[hH][tT][tT][pP][sS]?://',
    description: 'An http or https address of a public web server.',
  }),
  headers: Type.Record(Type.String(), Secret({ maxLength: 4096 }), {
    default: {},
    maxProperties: MAX_HEADERS,
    description: 'Sent to the origin of the url only; not Host, Cookie or proxy headers.',
  }),
  cookies: Type.Array(
    Type.Object({
      name: Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$" }),
      value: Secret({ maxLength: 4096 }),
      domain: Type.Optional(Type.String({ maxLength: 253 })),
      path: Type.Optional(Type.String({ maxLength: 1000, pattern: '^/' })),
    }),
    { default: [], maxItems: 50 },
  ),
  auth: Type.Optional(
    Type.Object(
      { username: Type.String({ maxLength: 255 }), password: Secret({ maxLength: 1000 }) },
      { description: 'Basic authentication.' },
    ),
  ),
  userAgent: Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: '^[\\x20-\\x7e]+$' })),
  locale: Type.String({ default: 'en-US', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$' }),
  allowErrorStatus: Type.Boolean({ default: false, description: 'Take the page of an answer of 400 or more.' }),
}

/** How a browser shows a site. */
export const browserFields = {
  timezone: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_+/-]{1,60}$', description: 'Left out: UTC.' })),
  colorScheme: Type.Optional(Choice(['light', 'dark'])),
  device: Type.Optional(
    Choice(Object.keys(DEVICES) as (keyof typeof DEVICES)[], { description: 'Instead of a viewport.' }),
  ),
  viewport: Type.Optional(
    Type.Object(
      {
        width: Type.Integer({ default: 1280, minimum: 100, maximum: 4096 }),
        height: Type.Integer({ default: 800, minimum: 100, maximum: 4096 }),
        scale: Type.Number({ default: 1, minimum: 0.5, maximum: 3 }),
        mobile: Type.Boolean({ default: false }),
      },
      { description: 'In CSS pixels. Left out: 1280 by 800.' },
    ),
  ),
  wait: Type.Object(
    {
      until: Choice(['load', 'domcontentloaded', 'networkidle'], {
        default: 'networkidle',
        description: 'networkidle waits two seconds at most, because some pages never stop.',
      }),
      selector: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: 'And until an element matches.' }),
      ),
      delayMs: Type.Integer({ default: 0, minimum: 0, maximum: 10_000 }),
      timeoutMs: Type.Integer({ default: 25_000, minimum: 1000, maximum: 60_000, description: 'Limit for all of it.' }),
    },
    { default: {} },
  ),
  block: Type.Array(Choice(BLOCKABLE), {
    default: ['ads', 'trackers', 'cookie-banners'],
    maxItems: BLOCKABLE.length,
    description: 'What is not fetched or shown.',
  }),
  hide: Selectors(20, 'Selectors of elements that are not shown.'),
  click: Selectors(5, 'Selectors of elements to click, in this order, once the page has loaded.'),
  scroll: Type.Boolean({ default: true, description: 'Go down the page first, so that late images are there.' }),
  css: Type.Optional(Type.String({ maxLength: 100_000, description: 'Styles to add to the page.' })),
  javascript: Type.Boolean({ default: true, description: 'Whether scripts of the page run.' }),
}

export const SitePageResult = Type.Object({
  finalUrl: Type.String(),
  status: Type.Integer(),
  title: Type.String(),
  contentType: Type.String(),
  loadMs: Type.Integer(),
  redirects: Type.Integer(),
})

/** Problems of every operation on a site. */
export const SITE_ERRORS = [
  'URL_NOT_ALLOWED',
  'FETCH_FAILED',
  'UNSUPPORTED_FORMAT',
  'SELECTOR_NOT_FOUND',
  'CONFLICTING_OPTIONS',
  'INVALID_PARAM',
  'HTML_RENDER_FAILED',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
] as const

const SITE = Type.Object(siteFields)
const SITE_IN_BROWSER = Type.Object({ ...siteFields, ...browserFields })

/** What the tools need to ask for a site, checked. */
export function readAccess({ url, headers, cookies, auth, userAgent, locale, allowErrorStatus }: Static<typeof SITE>) {
  if (!URL.canParse(url)) throw new Problem('INVALID_PARAM', { field: 'url' })
  for (const [name, value] of Object.entries(headers)) {
    const isSound = TOKEN.test(name) && !REFUSED_HEADERS.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    if (!isSound) throw new Problem('INVALID_PARAM', { field: `headers.${name.slice(0, 100)}` })
  }
  for (const [index, { value }] of cookies.entries()) {
    if (!/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value))
      throw new Problem('INVALID_PARAM', { field: `cookies.${index}.value` })
  }
  return { url, headers, cookies, auth, userAgent, locale, allowErrorStatus, block: [] }
}

export function readSiteOptions(input: Static<typeof SITE_IN_BROWSER>) {
  const { device, timezone, colorScheme, wait, block, hide, click, scroll, css, javascript } = input
  if (device && input.viewport) throw new Problem('CONFLICTING_OPTIONS', { fields: ['device', 'viewport'] })
  if (click.length > 0 && !javascript) throw new Problem('CONFLICTING_OPTIONS', { fields: ['click', 'javascript'] })
  const { width, height, scale, mobile } = device ? DEVICES[device] : (input.viewport ?? DEFAULT_VIEWPORT)
  const access = readAccess(input)
  return {
    ...{
      ...access,
      userAgent: access.userAgent ?? (device && nameDevice(device)),
      viewport: { width, height, scale, mobile },
    },
    ...{ timezone, colorScheme, wait, block, hide, click, scroll, css, javascript },
  }
}

const DEFAULT_VIEWPORT = { width: 1280, height: 800, scale: 1, mobile: false }

function nameDevice(device: keyof typeof DEVICES): string | undefined {
  const preset = DEVICES[device]
  if (!('platform' in preset)) return undefined
  const isApple = preset.platform.startsWith('i')
  const engine = isApple
    ? 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
    : 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'
  return `Mozilla/5.0 (${preset.platform}) ${engine}`
}

export const PAYWALLED: Warning = {
  code: 'PAYWALL',
  message: 'The page says that readers must pay for it; the text may be cut.',
}
