import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amountOf } from '#kit'
import type { Pools } from '../../../pools/index.ts'
import { isPlain } from '../../../pools/tools/chromium-plain.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { runProgram } from '../../support/programs.ts'

let pools: Pools & AsyncDisposable
let hasBrowser = false
beforeAll(async () => {
  pools = await testPools()
  hasBrowser = (await pools.tools()).some(({ name, ok }) => name === 'chromium' && ok)
})
afterAll(() => pools[Symbol.asyncDispose]())
const drawn = (title: string, check: () => Promise<void>) =>
  test(title, async context => {
    if (!hasBrowser) context.skip()
    await check()
  })

const print = (body: Record<string, unknown>) => runJob(pools, 'pdf.from-html', body)
const textOf = (pdf: Uint8Array) => runProgram('pdftotext', ['-layout', '-', '-'], pdf)
const infoOf = (pdf: Uint8Array) => runProgram('pdfinfo', ['-'], pdf)
const sizeOf = (pdf: Uint8Array) =>
  /Page size: +([\d.]+) x ([\d.]+)/
    .exec(infoOf(pdf))!
    .slice(1)
    .map(figure => Math.round(Number(figure)))
const GRADIENT = readFileSync('test/samples/gradient.png')

function check(pdf: Uint8Array): void {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-printed-'))
  writeFileSync(join(folder, 'in.pdf'), pdf)
  expect(runProgram('qpdf', ['--check', join(folder, 'in.pdf')])).toContain('No syntax or stream encoding errors')
  rmSync(folder, { recursive: true })
}

drawn('prints what a page says, with letters of many scripts', async () => {
  const { bytes, result, warnings } = await print({ html: '<title>T</title><h1>Grüße</h1><p>Привет 日本 مرحبا' })
  expect(textOf(bytes)).toMatch(/Grüße[\s\S]*Привет 日本/)
  expect({ pages: result.pages, warnings }).toEqual({ pages: 1, warnings: [] })
  expect(sizeOf(bytes)).toEqual([596, 842])
  check(bytes)
})

test.each([
  { page: { format: 'Letter' }, size: [612, 792] },
  { page: { format: 'A5', landscape: true }, size: [595, 420] },
  { page: { width: '100mm', height: 360, margin: 0 }, size: [283, 360] },
  { page: { format: 'A4', margin: { top: '1in', left: '2cm' }, scale: 0.5 }, size: [596, 842] },
])('prints on $page', async ({ page, size }) => {
  if (!hasBrowser) return
  const found = sizeOf((await print({ html: '<p>x', page })).bytes)
  expect(found.map((side, index) => Math.abs(side - size[index]!) <= 1)).toEqual([true, true])
})

drawn('takes the size from @page rules where it is let', async () => {
  const html = '<style>@page { size: 50mm 50mm; margin: 0 }</style><p>x'
  expect(sizeOf((await print({ html, page: { preferCssPageSize: true } })).bytes)).toEqual([142, 142])
})

drawn('puts all of a long page on one sheet', async () => {
  const html = `${Array.from({ length: 150 }, (_, line) => `<p>line ${line}`).join('')}`
  const { bytes, result } = await print({ html, page: { single: true } })
  expect(result.pages).toBe(1)
  expect(textOf(bytes)).toContain('line 149')
  expect(sizeOf(bytes)[1]).toBeGreaterThan(3000)
})

drawn('breaks pages where the style says so, numbers them, and keeps those asked for', async () => {
  const html = ['one', 'two', 'three'].map(word => `<h1 style="break-after: page">${word}</h1>`).join('')
  const footer = '<p style="padding: 0 20mm">page <span class="pageNumber"></span> of <span class="totalPages"></span>'
  const all = await print({ html: `${html}<p>end`, footer, page: { margin: '20mm' } })
  expect(textOf(all.bytes)).toMatch(/two[\s\S]*page 2 of 4/)
  const some = await print({ html: `${html}<p>end`, page: { ranges: '2-3' } })
  expect(some.result.pages).toBe(2)
  expect(textOf(some.bytes)).not.toMatch(/one|end/)
  await expect(print({ html, page: { ranges: '9' } })).rejects.toMatchObject({ code: 'BAD_RANGE' })
})

drawn('gives it an outline, tags and what is said of it', async () => {
  const metadata = { title: 'Schön', author: 'Ada', keywords: ['a', 'b'], language: 'de-DE' }
  const { bytes } = await print({ html: '<h1>Chapter</h1><h2>Part</h2>', metadata })
  const info = infoOf(bytes)
  expect(info).toMatch(/Title: +Schön\n/)
  expect(info).toMatch(/Author: +Ada\n/)
  expect(info).toMatch(/Keywords: +a, b\n/)
  expect(info).toMatch(/Tagged: +yes/)
  expect(bytes.toString('latin1')).toContain('/Outlines')
  check(bytes)
  const plain = await print({ html: '<h1>Chapter</h1>', outline: false, tagged: false })
  expect(plain.bytes.toString('latin1')).not.toContain('/Outlines')
  expect(infoOf(plain.bytes)).toMatch(/Tagged: +no/)
})

drawn('runs scripts, waits for what they draw, and leaves them out where asked', async () => {
  const html = `<p id="p">before</p><script>
    setTimeout(() => { p.textContent = 'after'; p.className = 'done' }, 300)</script>`
  expect(textOf((await print({ html, wait: { selector: '.done' } })).bytes)).toContain('after')
  expect(textOf((await print({ html, wait: { delayMs: 600 } })).bytes)).toContain('after')
  expect(textOf((await print({ html, javascript: false })).bytes)).toContain('before')
  const frame = `<p id="p">before</p><script>requestAnimationFrame(() => { p.textContent = 'drawn' })</script>`
  expect(textOf((await print({ html: frame })).bytes)).toContain('drawn')
  const never = print({ html, wait: { selector: '#never', timeoutMs: 400 } })
  await expect(never).rejects.toMatchObject({ code: 'SELECTOR_NOT_FOUND', hints: { selector: '#never' } })
  await expect(print({ html, wait: { selector: 'p[' } })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

test.each(['location.reload()', 'window.stop()', 'location.href = "/elsewhere"'])(
  'draws all of a page that would not let itself be loaded: %s',
  async script => {
    if (!hasBrowser) return
    const { bytes } = await print({ html: `<p>begun<img src="a.png"><script>${script}</script><p>and ended` })
    expect(textOf(bytes)).toMatch(/begun[\s\S]*and ended/)
  },
)

drawn('lives in the time zone, language and colours asked for', async () => {
  const html = `<style>@media (prefers-color-scheme: dark) { .light { display: none } }</style><p class="light">light
    <p id="p"><script>p.textContent = new Date(0).getTimezoneOffset() + ' ' + (1234.5).toLocaleString()</script>`
  const asked = { timezone: 'Asia/Tokyo', locale: 'de-DE', colorScheme: 'dark' }
  const text = textOf((await print({ html, ...asked })).bytes)
  expect(text).toContain('-540 1.234,5')
  expect(text).not.toContain('light')
  expect(textOf((await print({ html })).bytes)).toContain('0 1,234.5')
  await expect(print({ html, timezone: 'Not/There' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'timezone' },
  })
})

drawn('says which files and scripts failed, and fails of them where asked', async () => {
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

drawn('says which fonts are not here, and fails of them where asked', async () => {
  const html =
    '<p style="font-family: Nobody Has This, serif">x<p style="font-family: DejaVu Sans">y<p style="font: 9pt serif">z'
  expect((await print({ html })).warnings).toEqual(['FONT_SUBSTITUTED'])
  const failing = print({ html, failOn: ['font'] })
  await expect(failing).rejects.toMatchObject({ code: 'FONT_UNAVAILABLE', hints: { font: 'Nobody Has This' } })
  expect(
    (await print({ html: '<p style="font-family: DejaVu Sans, sans-serif">x', failOn: ['font'] })).warnings,
  ).toEqual([])
})

drawn('draws a zip of a page and what it asks for', async () => {
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
  expect(textOf(bytes)).toMatch(/seen/)
  expect(textOf(bytes)).not.toContain('unseen')
  expect(bytes.toString('latin1')).toContain('/Subtype /Image')
})

drawn('reads a file in the letters it says it has', async () => {
  const file = Buffer.from('<meta charset="windows-1252"><p>Stra\xdfe', 'latin1')
  expect(textOf((await print({ file })).bytes)).toContain('Straße')
})

drawn('prints a table of hundreds of pages, and no more pages than are paid for', async () => {
  const rows = Array.from({ length: 5000 }, (_, row) => `<tr><td>${row}<td>some words in a cell`).join('')
  const html = `<table>${rows}</table>`
  const { result, units, bytes } = await print({ html })
  expect(result.pages).toBeGreaterThan(80)
  expect(units).toBe((result.pages as number) - 10)
  expect(textOf(bytes)).toContain('4999')
  await expect(print({ html, maxPages: 20 })).rejects.toMatchObject({ code: 'TOO_MANY_PAGES', hints: { limit: 20 } })
})

test('costs by the page beyond the tenth, and holds what the most pages would cost', async () => {
  const { price } = await loadOperation('pdf.from-html')
  expect(amountOf(price, 0)).toBe(5000n)
  expect(amountOf(price, price.units({ html: 'x', maxPages: 12 } as never))).toBe(6000n)
  expect(amountOf(price, price.units({ html: 'x'.repeat(500) } as never))).toBe(50_500n)
})

test.each([
  { body: {}, code: 'MISSING_FIELD' },
  { body: { html: 'x', file: Buffer.from('<p>x') }, code: 'CONFLICTING_OPTIONS' },
  { body: { html: '' }, code: 'INPUT_EMPTY' },
  { body: { file: Buffer.alloc(5 * 2 ** 20, '<p>') }, code: 'INPUT_TOO_LARGE' },
  { body: { file: readFileSync('test/samples/notes.zip') }, code: 'HTML_RENDER_FAILED' },
  { body: { html: 'x', page: { width: '0.01mm' } }, code: 'INVALID_PARAM' },
  { body: { html: 'x', page: { margin: '15cm' } }, code: 'INVALID_PARAM' },
])('refuses what cannot be printed: $code', async ({ body, code }) => {
  if (!hasBrowser) return
  await expect(print(body)).rejects.toMatchObject({ code })
})

drawn('draws plain pages one after the other as if each were the first', async () => {
  const first = `<!doctype html><title>Secret</title><html lang="de"><style>p { color: red; font-size: 50pt }</style><p>first`
  await print({ html: first })
  const next = await print({ html: '<p>second' })
  expect(textOf(next.bytes)).not.toContain('first')
  expect(infoOf(next.bytes)).not.toContain('Secret')
  await using other = await testPools()
  const alone = await runJob(other, 'pdf.from-html', { html: '<p>second' })
  const stable = (pdf: Buffer) => pdf.toString('latin1').replaceAll(/\(D:\d+[^)]*\)/g, '')
  expect(stable(next.bytes)).toBe(stable(alone.bytes))
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
])('takes $html for plain: $plain', ({ html, plain }) => {
  expect(isPlain({ html, assets: [] })).toBe(plain)
})

test('tells plain pages apart in no time, however they are written', () => {
  for (const part of ['<a ', 'src= ', 'url( ', ' on', 'src', '<area href=x ']) {
    isPlain({ html: part.repeat(800_000), assets: [] })
  }
  isPlain({ html: `<img src=${' '.repeat(4e6)}data:`, assets: [] })
})
