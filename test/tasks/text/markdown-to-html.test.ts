import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const convert = (text: string, options = {}) => runOperation('text.markdown-to-html', { text, ...options })
const htmlOf = async (text: string, options = {}) => (await convert(text, options)).html as string

test('supports tables, strikethrough and bare links in gfm, but not in CommonMark', async () => {
  const text = '| a |\n|---|\n| b |\n\n~~c~~ https://x.org'
  const gfm = await htmlOf(text)
  expect(gfm).toContain('<td>b</td>')
  expect(gfm).toContain('<del>c</del> <a href="https://x.org">')
  const plain = await htmlOf(text, { flavor: 'commonmark' })
  expect(plain).not.toMatch(/<td>|<del>|<a /)
})

test('keeps the text of footnotes, which CommonMark does not have', async () => {
  const text = 'High[^1] tide.\n\n[^1]: Mondays\n'
  expect(await htmlOf(text)).toMatch(/High<sup class="footnote-ref">.*<li id="fn1"[^>]*><p>Mondays/s)
  expect(await htmlOf(text, { flavor: 'commonmark' })).toContain('<a href="Mondays">^1</a>')
})

test.each([
  '[x](javascript:alert(1))',
  '[x](vbscript:x)',
  '[x](data:text/html,x)',
  '<javascript:alert(1)>',
  '![x](javascript:x)',
  '[x](&#106;avascript:x)',
])('creates no link for %s', async text => {
  expect(await htmlOf(text)).not.toMatch(/(?:href|src)=/)
})

test('escapes, cleans or keeps HTML', async () => {
  const text = '<div class="a" onclick="x()">b</div>\n\n<script>x()</script>\n\n# c'
  expect(await htmlOf(text)).toContain('&lt;div')
  const clean = await htmlOf(text, { html: 'sanitize' })
  expect(clean).not.toMatch(/<div|script|onclick/)
  expect(clean).toContain('<h1 id="c">c</h1>')
  expect(await htmlOf(text, { html: 'allow' })).toContain('<div class="a">b</div>')
  expect(await htmlOf(text, { html: 'allow', unsafe: true })).toContain('onclick="x()"')
  await expect(convert(text, { unsafe: true })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

test('keeps task lists, footnotes and code classes when cleaning', async () => {
  const text = '- [x] a\n- [ ] b\n- [y] c\n\nd[^1]\n\n```js\nlet x = 1\n```\n\n[^1]: e'
  const html = await htmlOf(text, { html: 'allow', footnotes: true, highlight: true })
  expect(html.match(/<input type="checkbox"/g)).toHaveLength(2)
  expect(html).toContain('[y] c')
  expect(html).toContain('id="fn1"')
  expect(html).toContain('<span class="hljs-keyword">let</span>')
})

test('gives headings distinct ids, and lists them', async () => {
  const { html, toc } = await convert('# Größe `x`!\n## A\n## A\n### A-1\n# !!!', { toc: true, emoji: true })
  expect(toc).toEqual([
    { level: 1, text: 'Größe x!', id: 'größe-x' },
    { level: 2, text: 'A', id: 'a' },
    { level: 2, text: 'A', id: 'a-1' },
    { level: 3, text: 'A-1', id: 'a-1-1' },
    { level: 1, text: '!!!', id: 'section' },
  ])
  expect(html).toContain('<h2 id="a-1">A</h2>')
  expect(await htmlOf('# A', { anchors: false })).toBe('<h1>A</h1>\n')
})

test('supports line breaks, emoji and whole pages', async () => {
  expect(await htmlOf('a\nb', { breaks: true })).toContain('<br>')
  expect(await htmlOf(':smile:', { emoji: true })).toContain('😄')
  expect(await htmlOf('# <b>', { document: true })).toMatch(/^<!doctype html>[\s\S]*<title>&lt;b&gt;<\/title>/)
})

test.each([
  ['---\na: 1\nb: 2\n---\n\n# c', 'a: 1\nb: 2'],
  ['---\n---\nx', ''],
  ['# c\n---\na\n---', undefined],
  ['---\nno end', undefined],
])('removes the front matter of %j on request', async (text, frontMatter) => {
  expect((await convert(text, { frontMatter: true })).frontMatter).toBe(frontMatter)
})

test.each([
  '>'.repeat(20_000),
  '['.repeat(20_000),
  '*a'.repeat(20_000),
  '`'.repeat(20_000),
  '- '.repeat(5000),
  '<'.repeat(20_000),
])('handles many special characters quickly %#', async text => {
  expect(typeof (await htmlOf(text, { footnotes: true, emoji: true }))).toBe('string')
})

test('keeps the text between lines of ---', async () => {
  const { html, frontMatter } = await convert('---\nimportant\n---\n\nmore')
  expect(html).toBe('<hr>\n<h2 id="important">important</h2>\n<p>more</p>\n')
  expect(frontMatter).toBeUndefined()
})

// The addresses and what becomes of them are those of the GFM specification, section 6.9.
test.each([
  ['www.commonmark.org', 'www.commonmark.org', ''],
  ['www.commonmark.org/help for more', 'www.commonmark.org/help', ' for more'],
  ['www.commonmark.org.', 'www.commonmark.org', '.'],
  ['www.commonmark.org/a.b.', 'www.commonmark.org/a.b', '.'],
  ['www.google.com/search?q=Markup+(business)))', 'www.google.com/search?q=Markup+(business)', '))'],
  ['www.google.com/search?q=(business))+ok', 'www.google.com/search?q=(business))+ok', ''],
  ['www.google.com/search?q=commonmark&hl;', 'www.google.com/search?q=commonmark', '&amp;hl;'],
  ['www.commonmark.org/he<lp', 'www.commonmark.org/he', '&lt;lp'],
  ['www.localhost', 'www.localhost', ''],
])('links %s as GFM does', async (text, link, rest) => {
  expect(await htmlOf(text)).toBe(`<p><a href="http://${link}">${link}</a>${rest}</p>\n`)
  expect(await htmlOf(text, { flavor: 'commonmark' })).not.toContain('<a')
})

test.each(['example.com', 'awww.example.com', 'www.under_score', 'www.'])('does not link %s', async text => {
  expect(await htmlOf(text)).not.toContain('<a')
})

test('escapes the tags that GFM filters, though HTML is kept', async () => {
  const text = '<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed. </XMP> <scripted>\n</blockquote>'
  const unsafe = { html: 'allow', unsafe: true }
  expect(await htmlOf(text, unsafe)).toBe(
    '<p><strong> &lt;title> &lt;style> <em></p>\n<blockquote>\n  &lt;xmp> is disallowed. &lt;/XMP> <scripted>\n</blockquote>',
  )
  expect(await htmlOf(text, { ...unsafe, flavor: 'commonmark' })).toContain('<title>')
})

test('keeps struck text when cleaning', async () => {
  expect(await htmlOf('~~a~~', { html: 'sanitize' })).toBe('<p><del>a</del></p>\n')
})

test.each([
  ['~~Hi~~ Hello, ~there~ world!', '<p><del>Hi</del> Hello, <del>there</del> world!</p>\n'],
  ['This ~~has a\n\nnew paragraph~~.', '<p>This ~~has a</p>\n<p>new paragraph~~.</p>\n'],
  ['This will ~~~not~~~ strike.', '<p>This will ~~~not~~~ strike.</p>\n'],
  ['a ~~b~ c~~ d', '<p>a <del>b~ c</del> d</p>\n'],
  ['[~a~](/x) ~**b**~ `~c~`', '<p><a href="/x"><del>a</del></a> <del><strong>b</strong></del> <code>~c~</code></p>\n'],
  ['~ a ~ b', '<p>~ a ~ b</p>\n'],
])('GFM strikes out by one or two tildes: %j', async (text, html) => {
  expect(await htmlOf(text)).toBe(html)
})
