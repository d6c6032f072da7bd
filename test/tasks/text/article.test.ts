import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const find = (text: string, options = {}) => runOperation('text.article', { text, ...options })

const SENTENCE = 'The river rose by two metres in the night, and the lower bridge was closed before anyone was hurt. '
const PAGE = `<!doctype html><html lang="en"><head><title>The river | Daily</title><meta name="author" content="Ada">
<meta property="og:site_name" content="Daily"><meta property="article:published_time" content="2026-01-02">
<link rel="canonical" href="/river"></head><body>
<nav><ul><li><a href="/">Home</a><li><a href="/sport">Sport</a></ul></nav>
<div class="ad">Buy now! <a href="https://ads.example/">Offer</a></div>
<article><h1>The river</h1><p>${SENTENCE.repeat(3)}</p><h2>After</h2><p>${SENTENCE.repeat(3)}
<a href="/more?x=1&amp;y=2">the notes</a></p><img src="photo.png" alt="a photo"><pre>line 1
  line 2</pre><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></article>
<div class="cookie-banner">We use cookies. <button>Accept</button></div>
<footer><a href="/imprint">Imprint</a></footer><script>alert(1)</script></body></html>`

const AROUND = /Home|Sport|Buy now|cookies|Imprint|alert/

describe('the article of a page', () => {
  test('is its text as Markdown, with what the page says of itself', async () => {
    const article = await find(PAGE, { baseUrl: 'https://daily.example/a/' })
    expect(article).toMatchObject({
      ...{ byline: 'Ada', siteName: 'Daily', publishedAt: '2026-01-02', lang: 'en', readable: true },
      canonicalUrl: 'https://daily.example/river',
      links: [{ text: 'the notes', url: 'https://daily.example/more?x=1&y=2' }],
      images: [{ url: 'https://daily.example/a/photo.png', alt: 'a photo' }],
    })
    expect(article.text).toMatch(/^## After$/m)
    expect(article.text).toContain('```\nline 1\n  line 2\n```')
    expect(article.text).not.toMatch(AROUND)
  })

  test('is found the same in a page of boxes without names', async () => {
    const boxes = PAGE.replaceAll(/<(\/?)(nav|article|footer)\b/g, '<$1div').replaceAll(/ class="[^"]*"/g, '')
    const { text } = await find(boxes)
    expect(text).toContain(SENTENCE.trim())
    expect(text).not.toMatch(/Home|Sport|Imprint|alert/)
  })

  test('is clean HTML or plain text where that is asked for', async () => {
    const { text: html } = await find(PAGE.replace('<p>', '<p onclick="x()" style="color:red">'), { format: 'html' })
    expect(html).toContain('<h2>After</h2>')
    expect(html).not.toMatch(/<script|onclick|style=/)
    const { text } = await find(PAGE, { format: 'text' })
    expect([text!.includes('The river rose'), /[<#`]/.test(text!)]).toEqual([true, false])
  })

  test('keeps the text of mistyped tags', async () => {
    const mistyped = `<b"c>as told</b"c> <i<>by <u'>her</u'> <w"><x">neighbour</x"></w"> `
    for (const html of [PAGE.replace('</p><h2>', ` ${mistyped}</p><h2>`), mistyped]) {
      expect((await find(html)).text).toContain('as told by her neighbour')
    }
    await expect(find(`<template>${mistyped}</template>`)).rejects.toMatchObject({ code: 'NOT_READABLE' })
  })

  test('is found in any mixture of marks', async () => {
    const marks = fc.string({ unit: fc.constantFrom(...'<<<>>"\'/=ab c!-p&;é'), maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(marks, async html => {
        expect((await find(`word ${html}`)).text).toContain('word')
      }),
      { numRuns: 200 },
    )
  })

  test('keeps relative addresses of a page of which nobody says where it is from', async () => {
    const { text, links, images, canonicalUrl } = await find(
      PAGE.replace('</article>', '<a href="javascript:x()">no</a></article>'),
    )
    expect([links, images, canonicalUrl]).toEqual([
      [{ text: 'the notes', url: '/more?x=1&y=2' }],
      [{ url: 'photo.png', alt: 'a photo' }],
      undefined,
    ])
    expect(text).toContain('[the notes](/more?x=1&y=2)')
    expect(text).not.toContain('javascript:')
  })

  test('leaves out what is not wanted, is cut, and begins with the metadata', async () => {
    const include = { links: false, images: false, tables: false, code: false }
    const plain = await find(PAGE, { include })
    expect([plain.links, plain.images, /photo|\||line 1|\]\(/.test(plain.text!)]).toEqual([undefined, undefined, false])
    expect((await find(PAGE, { maxChars: 40 })).text).toHaveLength(40)
    expect((await find(PAGE, { frontmatter: true })).text).toMatch(/^---\ntitle: "The river \| Daily"\nbyline: "Ada"\n/)
  })

  test('is a file when it is asked for or long', async () => {
    const { text, output } = await find(PAGE, { outFormat: 'file', format: 'html' })
    expect([text, output]).toMatchObject([undefined, { contentType: 'text/html' }])
    const long = await find(`<article><h1>Long</h1>${`<p>${SENTENCE.repeat(10)}</p>`.repeat(1_200)}</article>`)
    expect([long.text, long.output]).toMatchObject([undefined, { contentType: 'text/markdown' }])
  })
})

test('a page that is no article gives all its text', async () => {
  expect(await find('<p>Hello</p><p>there</p>')).toMatchObject({
    text: 'Hello\n\nthere',
    readable: false,
    wordCount: 2,
  })
})

test('reads a file in the charset that the page declares', async () => {
  const page = Buffer.from(
    '<meta charset="iso-8859-2"><p>Łódź i Kraków</p>'.replace('Ł', '\u00a3').replace('ź', '\u00bc'),
    'latin1',
  )
  const { text } = await runOperation('text.article', { file: { inline: page.toString('base64') } })
  expect(text).toBe('Łódź i Kraków')
})

test.each([
  ['nothing but a script', '<script>1</script>', {}, 'NOT_READABLE'],
  ['no text at all', '', {}, 'NOT_READABLE'],
  ['deep nesting', '<div>'.repeat(1_001), {}, 'HTML_PARSE_FAILED'],
  ['very many elements', `<p>x</p>`.repeat(100_001), {}, 'HTML_PARSE_FAILED'],
  ['metadata above HTML', '<p>x</p>', { format: 'html', frontmatter: true }, 'CONFLICTING_OPTIONS'],
])('refuses %s', async (_name, text, options, code) => {
  await expect(find(text, options)).rejects.toMatchObject({ code })
})
