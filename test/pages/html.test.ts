import { expect, test } from 'vitest'
import { html } from '../../api/pages/html.ts'
import { money } from '../../api/pages/words.ts'

test('what stands in a hole is text, in markup and in attributes, also from a list', () => {
  const nasty = `<a href="x" title='y'>&`
  const safe = '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;'
  expect(html`<p title="${nasty}">${nasty}${[nasty, html`<b>${nasty}</b>`]}</p>`.text).toBe(
    `<p title="${safe}">${safe}${safe}<b>${safe}</b></p>`,
  )
})

test('nothing is nothing, and a zero is a zero', () => {
  expect(html`${undefined}${null}${false}${0}${0n}${''}`.text).toBe('00')
})

test.each([
  [0n, '$0.00'],
  [1_000n, '$0.001'],
  [2_500_000n, '$2.50'],
  [1_234_567_890_123n, '$1,234,567.890123'],
  [-20_000n, '−$0.02'],
])('%s micros are %s', (micros, text) => {
  expect(money(micros)).toBe(text)
})
