import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations.ts'

const convert = (text: string, options = {}) => runOperation('text.markdown-to-html', { text, ...options })
const htmlOf = async (text: string, options = {}) => (await convert(text, options)).html as string

test('writes tables, strikes and bare links in gfm, not in CommonMark', async () => {
  const text = '| a |\n|---|\n| b |\n\n~~c~~ https://x.org'
  const gfm = await htmlOf(text)
  expect(gfm).toContain('<td>b</td>')
  expect(gfm).toContain('<s>c</s> <a href="https://x.org">')
  const plain = await htmlOf(text, { flavor: 'commonmark' })
  expect(plain).not.toMatch(/<td>|<s>|<a /)
})

test.each([
  '[x](javascript:alert(1))',
  '[x](vbscript:x)',
  '[x](data:text/html,x)',
  '<javascript:alert(1)>',
  '![x](javascript:x)',
  '[x](&#106;avascript:x)',
])('makes no link of %s', async text => {
  expect(await htmlOf(text)).not.toMatch(/(?:href|src)=/)
})

test('escapes, cleans or passes on HTML', async () => {
  const text = '<div class="a" onclick="x()">b</div>\n\n<script>x()</script>\n\n# c'
  expect(await htmlOf(text)).toContain('&lt;div')
  const clean = await htmlOf(text, { html: 'sanitize' })
  expect(clean).not.toMatch(/<div|script|onclick/)
  expect(clean).toContain('<h1 id="c">c</h1>')
  expect(await htmlOf(text, { html: 'allow' })).toContain('<div class="a">b</div>')
  expect(await htmlOf(text, { html: 'allow', unsafe: true })).toContain('onclick="x()"')
  await expect(convert(text, { unsafe: true })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

test('keeps tasks, footnotes and code classes when it cleans', async () => {
  const text = '- [x] a\n- [ ] b\n- [y] c\n\nd[^1]\n\n```js\nlet x = 1\n```\n\n[^1]: e'
  const html = await htmlOf(text, { html: 'allow', footnotes: true, highlight: true })
  expect(html.match(/<input type="checkbox"/g)).toHaveLength(2)
  expect(html).toContain('[y] c')
  expect(html).toContain('id="fn1"')
  expect(html).toContain('<span class="hljs-keyword">let</span>')
})

test('names headings apart, and lists them', async () => {
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

test('breaks lines, draws emoji, makes a page', async () => {
  expect(await htmlOf('a\nb', { breaks: true })).toContain('<br>')
  expect(await htmlOf(':smile:', { emoji: true })).toContain('😄')
  expect(await htmlOf('# <b>', { document: true })).toMatch(/^<!doctype html>[\s\S]*<title>&lt;b&gt;<\/title>/)
})

test.each([
  ['---\na: 1\nb: 2\n---\n\n# c', 'a: 1\nb: 2'],
  ['---\n---\nx', ''],
  ['# c\n---\na\n---', undefined],
  ['---\nno end', undefined],
])('takes the front matter off %j', async (text, frontMatter) => {
  expect((await convert(text)).frontMatter).toBe(frontMatter)
})

test.each([
  '>'.repeat(20_000),
  '['.repeat(20_000),
  '*a'.repeat(20_000),
  '`'.repeat(20_000),
  '- '.repeat(5000),
  '<'.repeat(20_000),
])('is not held up by many marks %#', async text => {
  expect(typeof (await htmlOf(text, { footnotes: true, emoji: true }))).toBe('string')
})
