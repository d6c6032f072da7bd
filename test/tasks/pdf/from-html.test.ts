import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { computeAmount, findTariff, quoteOf } from '#kit'
import { isDoneOnceLoaded } from '../../../pools/tools/chromium/loading-page.ts'
import { isPlainPage } from '../../../pools/tools/chromium/plain-page.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { hasTool, runJob, sharedPools, testPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(() => pools[Symbol.asyncDispose]())
const testWithBrowser = test.skipIf(!hasBrowser)

const print = (body: Record<string, unknown>) => runJob(pools, 'pdf.from-html', body)
const extractText = (pdf: Uint8Array) => runProgram('pdftotext', ['-layout', '-', '-'], pdf)
const readInfo = (pdf: Uint8Array) => runProgram('pdfinfo', ['-'], pdf)
const readPageSize = (pdf: Uint8Array) =>
  /Page size: +([\d.]+) x ([\d.]+)/
    .exec(readInfo(pdf))!
    .slice(1)
    .map(points => Math.round(Number(points)))
const GRADIENT = readFileSync('tasks/samples/gradient.png')

function checkWithQpdf(pdf: Uint8Array): void {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-printed-'))
  writeFileSync(join(folder, 'in.pdf'), pdf)
  expect(runProgram('qpdf', ['--check', join(folder, 'in.pdf')])).toContain('No syntax or stream encoding errors')
  rmSync(folder, { recursive: true })
}

testWithBrowser('prints text in many scripts', async () => {
  const { bytes, result, warnings } = await print({ html: '<title>T</title><h1>Grüße</h1><p>Привет 日本 مرحبا' })
  expect(extractText(bytes)).toMatch(/Grüße[\s\S]*Привет 日本/)
  expect({ pages: result.pages, warnings }).toEqual({ pages: 1, warnings: [] })
  expect(readPageSize(bytes)).toEqual([596, 842])
  checkWithQpdf(bytes)
})

testWithBrowser.each([
  { page: { format: 'Letter' }, size: [612, 792] },
  { page: { format: 'A5', landscape: true }, size: [595, 420] },
  { page: { width: '100mm', height: 360, margin: 0 }, size: [283, 360] },
  { page: { format: 'A4', margin: { top: '1in', left: '2cm' }, scale: 0.5 }, size: [596, 842] },
])('prints with the page setup $page', async ({ page, size }) => {
  const found = readPageSize((await print({ html: '<p>x', page })).bytes)
  expect(found.map((side, index) => Math.abs(side - size[index]!) <= 1)).toEqual([true, true])
})

testWithBrowser('takes the size from @page rules on request', async () => {
  const html = '<style>@page { size: 50mm 50mm; margin: 0 }</style><p>x'
  expect(readPageSize((await print({ html, page: { preferCssPageSize: true } })).bytes)).toEqual([142, 142])
})

testWithBrowser('prints a long page on a single sheet', async () => {
  const html = `${Array.from({ length: 150 }, (_, line) => `<p>line ${line}`).join('')}`
  const { bytes, result } = await print({ html, page: { single: true } })
  expect(result.pages).toBe(1)
  expect(extractText(bytes)).toContain('line 149')
  expect(readPageSize(bytes)[1]).toBeGreaterThan(3000)
})

testWithBrowser('applies page breaks, page numbers and page ranges', async () => {
  const html = ['one', 'two', 'three'].map(word => `<h1 style="break-after: page">${word}</h1>`).join('')
  const footer = '<p style="padding: 0 20mm">page <span class="pageNumber"></span> of <span class="totalPages"></span>'
  const all = await print({ html: `${html}<p>end`, footer, page: { margin: '20mm' } })
  expect(extractText(all.bytes)).toMatch(/two[\s\S]*page 2 of 4/)
  const some = await print({ html: `${html}<p>end`, page: { ranges: '2-3' } })
  expect(some.result.pages).toBe(2)
  expect(extractText(some.bytes)).not.toMatch(/one|end/)
  await expect(print({ html, page: { ranges: '9' } })).rejects.toMatchObject({ code: 'BAD_RANGE' })
})

testWithBrowser('adds an outline, tags and metadata', async () => {
  const metadata = { title: 'Schön', author: 'Ada', keywords: ['a', 'b'], language: 'de-DE' }
  const { bytes } = await print({ html: '<h1>Chapter</h1><h2>Part</h2>', metadata })
  const info = readInfo(bytes)
  expect(info).toMatch(/Title: +Schön\n/)
  expect(info).toMatch(/Author: +Ada\n/)
  expect(info).toMatch(/Keywords: +a, b\n/)
  expect(info).toMatch(/Tagged: +yes/)
  expect(bytes.toString('latin1')).toContain('/Outlines')
  checkWithQpdf(bytes)
  const plain = await print({ html: '<h1>Chapter</h1>', outline: false, tagged: false })
  expect(plain.bytes.toString('latin1')).not.toContain('/Outlines')
  expect(readInfo(plain.bytes)).toMatch(/Tagged: +no/)
})

testWithBrowser('runs scripts, waits for their output, and disables them on request', async () => {
  const html = `<p id="p">before</p><script>
    setTimeout(() => { p.textContent = 'after'; p.className = 'done' }, 300)</script>`
  expect(extractText((await print({ html, wait: { selector: '.done' } })).bytes)).toContain('after')
  expect(extractText((await print({ html, wait: { delayMs: 600 } })).bytes)).toContain('after')
  expect(extractText((await print({ html, javascript: false })).bytes)).toContain('before')
  const frame = `<p id="p">before</p><script>requestAnimationFrame(() => { p.textContent = 'drawn' })</script>`
  expect(extractText((await print({ html: frame })).bytes)).toContain('drawn')
  const never = print({ html, wait: { selector: '#never', timeoutMs: 4_000 } })
  await expect(never).rejects.toMatchObject({ code: 'SELECTOR_NOT_FOUND', hints: { selector: '#never' } })
  await expect(print({ html, wait: { selector: 'p[' } })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

testWithBrowser.each(['location.reload()', 'window.stop()', 'location.href = "/elsewhere"'])(
  'prints the whole page despite a script that interrupts loading: %s',
  async script => {
    const { bytes } = await print({ html: `<p>begun<img src="a.png"><script>${script}</script><p>and ended` })
    expect(extractText(bytes)).toMatch(/begun[\s\S]*and ended/)
  },
)

testWithBrowser('applies time zone, locale and colour scheme', async () => {
  const html = `<style>@media (prefers-color-scheme: dark) { .light { display: none } }</style><p class="light">light
    <p id="p"><script>p.textContent = new Date(0).getTimezoneOffset() + ' ' + (1234.5).toLocaleString()</script>`
  const asked = { timezone: 'Asia/Tokyo', locale: 'de-DE', colorScheme: 'dark' }
  const text = extractText((await print({ html, ...asked })).bytes)
  expect(text).toContain('-540 1.234,5')
  expect(text).not.toContain('light')
  expect(extractText((await print({ html })).bytes)).toContain('0 1,234.5')
  await expect(print({ html, timezone: 'Not/There' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'timezone' },
  })
})

testWithBrowser('warns of failed resources and scripts, or fails on request', async () => {
  const html = '<img src="missing.png"><script>console.error("oh"); nothing()</script><p>x'
  const { warnings } = await print({ html })
  expect(warnings).toEqual(['RESOURCE_FAILED', 'CONSOLE_ERROR', 'CONSOLE_ERROR'])
  await expect(print({ html, failOn: ['resource'] })).rejects.toMatchObject({
    code: 'RESOURCE_FAILED',
    hints: { url: 'missing.png' },
  })
  await expect(print({ html, failOn: ['console'] })).rejects.toMatchObject({ code: 'HTML_RENDER_FAILED' })
  const outside = await print({ html: '<img src="https://example.com/a.png"><p>x' })
  expect(outside.warnings).toEqual(['RESOURCE_FAILED'])
})

testWithBrowser('warns of missing fonts, or fails on request', async () => {
  const html =
    '<p style="font-family: Nobody Has This, serif">x<p style="font-family: DejaVu Sans">y<p style="font: 9pt serif">z'
  expect((await print({ html })).warnings).toEqual(['FONT_SUBSTITUTED'])
  const failing = print({ html, failOn: ['font'] })
  await expect(failing).rejects.toMatchObject({ code: 'FONT_UNAVAILABLE', hints: { font: 'Nobody Has This' } })
  expect(
    (await print({ html: '<p style="font-family: DejaVu Sans, sans-serif">x', failOn: ['font'] })).warnings,
  ).toEqual([])
})

testWithBrowser('prints a zip with a page and its resources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-zip-'))
  writeFileSync(
    join(folder, 'index.html'),
    '<link rel="stylesheet" href="a.css"><img src="g.png"><p>seen<p class="no">unseen',
  )
  writeFileSync(join(folder, 'a.css'), '.no { display: none }')
  writeFileSync(join(folder, 'g.png'), GRADIENT)
  runProgram('zip', ['-q', 'page.zip', 'index.html', 'a.css', 'g.png'], '', folder)
  const { bytes, warnings } = await print({ file: readFileSync(join(folder, 'page.zip')) })
  rmSync(folder, { recursive: true })
  expect(warnings).toEqual([])
  expect(extractText(bytes)).toMatch(/seen/)
  expect(extractText(bytes)).not.toContain('unseen')
  expect(bytes.toString('latin1')).toContain('/Subtype /Image')
})

testWithBrowser('reads a file in its declared charset', async () => {
  const file = Buffer.from('<meta charset="windows-1252"><p>Stra\xdfe', 'latin1')
  expect(extractText((await print({ file })).bytes)).toContain('Straße')
})

testWithBrowser('prints a table of hundreds of pages, and no more than maxPages', async () => {
  const rows = Array.from({ length: 5000 }, (_, row) => `<tr><td>${row}<td>some words in a cell`).join('')
  const html = `<table>${rows}</table>`
  const { result, units, bytes } = await print({ html })
  expect(result.pages).toBeGreaterThan(80)
  expect(units).toBe((result.pages as number) - 10)
  expect(extractText(bytes)).toContain('4999')
  await expect(print({ html, maxPages: 20 })).rejects.toMatchObject({ code: 'TOO_MANY_PAGES', hints: { limit: 20 } })
})

test('charges per page beyond the tenth and holds the maximum price', async () => {
  const { price } = await loadOperation('pdf.from-html')
  expect(computeAmount(price, 0)).toBe(5000n)
  const quote = (input: object) => {
    const { expected, atMost } = quoteOf(findTariff(price, input as never))
    return [expected, atMost]
  }
  expect(quote({ html: 'x', maxPages: 12 })).toEqual(['5000', '6000'])
  expect(quote({ html: 'x', maxPages: 3 })).toEqual(['5000', '5000'])
  expect(quote({ html: 'x'.repeat(400) })).toEqual(['5000', '10000'])
  expect(quote({ html: 'x'.repeat(90_000) })).toEqual(['15000', '55000'])
  const embedded = `<STYLE>${'p{}'.repeat(30_000)}</style><img src="data:image/png;base64,${'A'.repeat(90_000)}">x`
  expect(quote({ html: embedded })).toEqual(['5000', '10000'])
  expect(quote({ html: `<style>${'data:'.repeat(90_000)}` })).toEqual(['5000', '10000'])
})

testWithBrowser.each([
  { body: {}, code: 'MISSING_FIELD' },
  { body: { html: 'x', file: Buffer.from('<p>x') }, code: 'CONFLICTING_OPTIONS' },
  { body: { html: '' }, code: 'INPUT_EMPTY' },
  { body: { file: Buffer.alloc(5 * 2 ** 20, '<p>') }, code: 'INPUT_TOO_LARGE' },
  { body: { file: readFileSync('tasks/samples/notes.zip') }, code: 'HTML_RENDER_FAILED' },
  { body: { html: 'x', page: { width: '0.01mm' } }, code: 'INVALID_PARAM' },
  { body: { html: 'x', page: { margin: '15cm' } }, code: 'INVALID_PARAM' },
])('rejects input that cannot be printed: $code', async ({ body, code }) => {
  await expect(print(body)).rejects.toMatchObject({ code })
})

testWithBrowser('prints consecutive plain pages independently of each other', async () => {
  const first = `<!doctype html><title>Secret</title><html lang="de"><style>p { color: red; font-size: 50pt }</style><p>first`
  await print({ html: first })
  const next = await print({ html: '<p>second' })
  expect(extractText(next.bytes)).not.toContain('first')
  expect(readInfo(next.bytes)).not.toContain('Secret')
  await using other = await testPools()
  const alone = await runJob(other, 'pdf.from-html', { html: '<p>second' })
  const withoutDates = (pdf: Buffer) => pdf.toString('latin1').replaceAll(/\(D:\d+[^)]*\)/g, '')
  expect(withoutDates(next.bytes)).toBe(withoutDates(alone.bytes))
})

test.each([
  { html: '<p style="color: red">x <a href="https://example.com">y</a>', plain: true },
  { html: '<img src="data:image/png;base64,AA=="><svg><use href="#a"/></svg>', plain: true },
  { html: '<style>p { background: url( "data:image/png;base64,AA==") }</style>', plain: true },
  { html: '<p onclick="x()">', plain: false },
  { html: '<SCRIPT>x()</SCRIPT>', plain: false },
  { html: '<meta HTTP-EQUIV="content-security-policy" content="x">', plain: false },
  { html: '<img src=a.png>', plain: false },
  { html: '<style>@import "a.css"</style>', plain: false },
  { html: '<p style="background: url(/a.png)">', plain: false },
  { html: '<svg><image xlink:href="http://127.0.0.1/"/></svg>', plain: false },
  { html: '<iframe srcdoc="x">', plain: false },
])('classifies $html as plain: $plain', ({ html, plain }) => {
  expect(isPlainPage({ html, assets: [] })).toBe(plain)
})

test.each([
  { html: '<p id="p"><script>p.textContent = ["a", "b"].map(name => name + new Date()).join()</script>', done: true },
  { html: '<body onload="fill()"><script>function fill() { p.innerHTML = "<b>x</b>" }</script>', done: true },
  { html: '<a href="/a">x</a><script>document.querySelector("a").remove()</script>', done: true },
  { html: '<script>setTimeout(draw, 9)</script>', done: false },
  { html: '<script>window["request" + "AnimationFrame"](draw)</script>', done: false },
  { html: '<script>document.createElement("img").src = name</script>', done: false },
  { html: '<script>load().then(draw)</script>', done: false },
  { html: '<script>(async () => { await load() })()</script>', done: false },
  { html: '<script>new ResizeObserver(draw).observe(p)</script>', done: false },
  { html: '<script>p.innerHTML = "<img src=a.png>"</script>', done: false },
  { html: '<script src="a.js"></script>', done: false },
  { html: '<iframe srcdoc="x"></iframe><script>x()</script>', done: false },
  { html: '<style>p { animation: fade 1s }</style><script>x()</script>', done: false },
  { html: '<script>location.href = "/b"</script>', done: false },
])('knows whether $html is done once it has loaded: $done', ({ html, done }) => {
  expect(isDoneOnceLoaded({ html, assets: [] })).toBe(done)
})

test('classifies pages in linear time', () => {
  for (const part of ['<a ', 'src= ', 'url( ', ' on', 'src', '<area href=x ', 'open ', 'function( ', '.then']) {
    isPlainPage({ html: part.repeat(800_000), assets: [] })
    isDoneOnceLoaded({ html: part.repeat(800_000), assets: [] })
  }
  isPlainPage({ html: `<img src=${' '.repeat(4e6)}data:`, assets: [] })
})
