import { expect, test } from 'vitest'
import { formatMoney } from '../../api/pages/parts/format.ts'
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
