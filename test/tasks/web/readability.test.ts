import { afterAll, expect, test } from 'vitest'
import { createOutboundFetch } from '../../../pools/fetch/outbound.ts'
import { hasTool, runJob, testPools } from '../../support/pools/open.ts'
import { openAwkwardSite } from '../../support/servers/awkward-site.ts'

const site = await openAwkwardSite()
const pools = await testPools({ outbound: createOutboundFetch({ isTrusted: address => address === '127.0.0.1' }) })
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function read(path: string, body: Record<string, unknown> = {}) {
  const { result, warnings, chargedMicros } = await runJob(pools, 'web.readability', {
    url: site.url + path,
    render: 'static',
    ...body,
  })
  return { ...(result as { content: string; links?: object[]; images?: object[] }), warnings, chargedMicros }
}

test('reads an article as Markdown, with its levels, lists, code and table', async () => {
  const article = await read('/article')
  expect(article).toMatchObject({
    ...{ byline: 'Ada', siteName: 'The Site', publishedAt: '2026-01-02', lang: 'en', readable: true },
    ...{ canonicalUrl: `${site.url}/river`, leadImage: `${site.url}/photo.png`, favicon: `${site.url}/favicon.ico` },
    links: [{ text: 'the notes', url: `${site.url}/more?x=1&y=2` }],
    images: [{ url: `${site.url}/photo.png`, alt: 'a photo' }],
    ...{ chargedMicros: 4000n, warnings: [], page: { status: 200, redirects: 0 } },
  })
  const { content } = article
  expect(content).toMatch(/^## After$/m)
  expect(content).toMatch(/^-\s+one\n\s+-\s+deep$/m)
  expect(content).toContain('```\nline 1\n  line 2\n```')
  expect(content).toMatch(/\| a +\| b +\|\n\| -+ \| -+ \|\n\| 1 +\| 2 +\|/)
  expect(content).toContain(`[the notes](${site.url}/more?x=1&y=2)`)
  expect(content).not.toMatch(/alert|javascript:|Imprint|Home/)
})

test('leaves out what is not wanted, cuts, and begins with the metadata', async () => {
  const include = { links: false, images: false, tables: false, code: false }
  const { content, links, images } = await read('/article', { include })
  expect([links, images, /photo|\||line 1|\]\(/.test(content)]).toEqual([undefined, undefined, false])
  expect((await read('/article', { maxChars: 40 })).content.length).toBe(40)
  const front = (await read('/paywall', { frontmatter: true })).content
  expect(front).toMatch(/^---\ntitle: "Paid"\nbyline: "Bob"\n/)
})

test('gives clean HTML, plain text, or what a selector finds', async () => {
  const { content } = await read('/article', { format: 'html' })
  expect(content).toContain('<h2>After</h2>')
  expect(content).not.toMatch(/<script|onclick|javascript:|style=/)
  const text = (await read('/article', { format: 'text' })).content
  expect([text.includes('The river rose'), /[<#`]/.test(text)]).toEqual([true, false])
  expect(await read('/article', { selector: 'article > h1' })).toMatchObject({ content: '# The River', readable: true })
  await expect(read('/article', { selector: '#none' })).rejects.toMatchObject({ code: 'SELECTOR_NOT_FOUND' })
})

test('reads a page that names no charset in the one that its letters speak for, and says so', async () => {
  const { content, warnings } = await read('/undeclared-cyrillic')
  expect(content).toMatch(/^# Река\n\nРека поднялась ночью\. /)
  expect(warnings).toEqual(['CHARSET_GUESSED'])
})

test.each([
  ['/latin', 'Señor'],
  ['/rtl', 'النهر'],
  ['/undeclared', 'Señor 東京'],
  ['/long-headers', 'long headers'],
  ['/zipped', 'The river rose'],
  ['/notes.txt', 'Plain <b>notes</b>'],
  ['/file.pdf', 'Page two'],
  ['/moved', 'Hello'],
])('reads %s', async (path, text) => {
  expect((await read(path)).content).toContain(text)
})

test('names the address as it was asked for, also where that is a host alone', async () => {
  expect(await read('')).toMatchObject({ page: { finalUrl: `${site.url}/` } })
})

test.skipIf(!hasBrowser)('reads in a browser what is UTF-8 or another charset as without one', async () => {
  expect((await read('/undeclared', { render: 'browser' })).content).toContain('Señor 東京')
  expect((await read('/latin', { render: 'browser' })).content).toContain('Señor')
})

test('tells of right-to-left text, of paywalls, and of pages that are no article', async () => {
  expect(await read('/rtl')).toMatchObject({ dir: 'rtl', lang: 'ar' })
  expect((await read('/paywall')).warnings).toEqual(['PAYWALL'])
  expect(await read('/')).toMatchObject({ readable: false, content: 'Hello' })
})

test.skipIf(!hasBrowser)('uses a browser only if the text is too thin without, and charges for it', async () => {
  expect(await read('/article', { render: 'auto' })).toMatchObject({ chargedMicros: 4000n })
  const drawn = await read('/thin', { render: 'auto' })
  expect([drawn.content.includes('# Drawn'), drawn.chargedMicros]).toEqual([true, 6000n])
  await expect(read('/empty', { render: 'auto' })).rejects.toMatchObject({ code: 'NOT_READABLE' })
})

test('fails where a page asks for secrets that it was not given', async () => {
  await expect(read('/secret')).rejects.toMatchObject({ code: 'FETCH_FAILED', hints: { status: 401 } })
})

test.for(['static', 'browser'])('sends secrets to their origin, read %s', async (render, { skip }) => {
  skip(render === 'browser' && !hasBrowser, 'needs a browser')
  const body = {
    ...{ auth: { username: 'ada', password: 'pass' }, headers: { 'X-Key': 'k' }, selector: '#seen', format: 'text' },
    ...{ cookies: [{ name: 'a', value: '1' }], userAgent: 'Reader/1', locale: 'de-DE' },
  }
  const seen = JSON.parse((await read('/secret', { ...body, render })).content)
  expect(seen).toMatchObject({ cookie: 'a=1', key: 'k', agent: 'Reader/1', language: 'de-DE' })
})

test.each([
  ['/empty', {}, 'NOT_READABLE'],
  ['/file.zip', {}, 'UNSUPPORTED_FORMAT'],
  ['/loop', {}, 'FETCH_FAILED'],
  ['/to-metadata', {}, 'URL_NOT_ALLOWED'],
  ['/to-file', {}, 'URL_NOT_ALLOWED'],
  ['/article', { frontmatter: true, format: 'text' }, 'CONFLICTING_OPTIONS'],
  ['/article', { selector: '###' }, 'INVALID_PARAM'],
])('refuses %s with %j', async (path, body, code) => {
  await expect(read(path, body)).rejects.toMatchObject({ code })
})

test.each([
  'http://localhost/',
  'http://[::1]/',
  'http://2130706433/',
  'http://user:pass@example.com/',
  'http://example.com:22/',
])('reaches nothing at %s', async url => {
  await using open = await testPools({ outbound: createOutboundFetch({ resolve: async () => ['10.0.0.1'] }) })
  await expect(runJob(open, 'web.readability', { url, render: 'static' })).rejects.toMatchObject({
    code: 'URL_NOT_ALLOWED',
  })
})
