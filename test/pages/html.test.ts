import { expect, test } from 'vitest'
import { formatMoney } from '../../api/pages/parts/format.ts'
import { html } from '../../api/pages/parts/html.ts'

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
