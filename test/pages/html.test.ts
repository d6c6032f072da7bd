import { expect, test } from 'vitest'
import { countOf, formatDuration, formatMoney, renderTime } from '../../api/pages/parts/format.ts'
import { html } from '../../api/pages/parts/html.ts'
import { renderPublicPage } from '../../api/pages/parts/layout.ts'

test('inserted values are escaped, in text and in attributes, also from a list', () => {
  const unsafe = `<a href="x" title='y'>&`
  const escaped = '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;'
  expect(html`<p title="${unsafe}">${unsafe}${[unsafe, html`<b>${unsafe}</b>`]}</p>`.text).toBe(
    `<p title="${escaped}">${escaped}${escaped}<b>${escaped}</b></p>`,
  )
})

test('missing values insert nothing, and a zero inserts a zero', () => {
  expect(html`${undefined}${null}${false}${0}${0n}${''}`.text).toBe('00')
})

test.each([
  [0n, '$0.00'],
  [1_000n, '$0.001'],
  [2_500_000n, '$2.50'],
  [1_234_567_890_123n, '$1,234,567.890123'],
  [-20_000n, '−$0.02'],
])('%s micros are %s', (micros, text) => {
  expect(formatMoney(micros)).toBe(text)
})

test('the website carries the name of its operator, and links to what they say of themselves', () => {
  const contextOf = (name?: string, url?: string) => ({ config: { operator: { name, url } } }) as never
  const named = renderPublicPage(contextOf('Harbour & Co', 'https://harbour.example'), 'Prices', false, html`x`).text
  expect(named).toContain('<title>Prices · Harbour &amp; Co</title>')
  expect(named).toContain('Run by <a href="https://harbour.example">Harbour &amp; Co</a>, with coinop')
  const unnamed = renderPublicPage(contextOf(), 'Prices', false, html`x`).text
  expect(unnamed).toContain('<title>Prices · coinop</title>')
  expect(unnamed).not.toContain('Run by')
})

test('a time has its year if it is another one than now', () => {
  const now = new Date('2026-11-29T12:00:00Z')
  expect(renderTime('2026-12-01T08:05:00Z', now).text).toContain('>1 Dec, 08:05<')
  expect(renderTime('2027-11-29T15:33:00Z', now).text).toContain('>29 Nov 2027, 15:33<')
})

test.each([
  [840, '0.8 s'],
  [59_700, '1 min 0 s'],
  [119_700, '2 min 0 s'],
  [125_000, '2 min 5 s'],
])('%i ms are written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('numbers of things are written with their words', () => {
  expect([countOf(0, 'match', 'matches'), countOf(1, 'match', 'matches'), countOf(1_200, 'message')]).toEqual([
    ...['0 matches', '1 match', '1,200 messages'],
  ])
})
