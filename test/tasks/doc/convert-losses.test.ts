import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const convert = (body: Record<string, unknown>) => runOperation('doc.convert', { options: {}, ...body })

test.each([
  ['---\ntitle: Tide *Tables*\n---\n\nLow.\n', {}, 'Tide Tables'],
  ['---\npagetitle: Ebb\n---\n\nLow.\n', {}, 'Ebb'],
  ['---\ntitle: Ebb\n---\n\nLow.\n', { title: 'Flood' }, 'Flood'],
  ['---\ntitle: ""\n---\n\nLow.\n', {}, 'Document'],
  ['Low.\n', {}, 'Document'],
])('titles the page of %j with %j', async (text, options, title) => {
  const { output } = await convert({ text, from: 'markdown', to: 'html', options })
  expect(/<title>(.*)<\/title>/.exec(Buffer.from(output!.bytes!).toString())?.[1]).toBe(title)
})

test('titles no fragment', async () => {
  const { output } = await convert({ text: 'Low.\n', from: 'markdown', to: 'html', options: { standalone: false } })
  expect(Buffer.from(output!.bytes!).toString()).toBe('<p>Low.</p>\n')
})

test.each([
  ['<p>Low<script>tide()</script></p>', 'html', 'markdown', ['CONTENT_SKIPPED']],
  ['<form><p>Low</p></form>', 'html', 'docx', ['CONTENT_SKIPPED']],
  ['`<b>`{=html} Low', 'markdown', 'docx', ['NOT_RENDERED']],
  ['<p>Low</p>', 'html', 'markdown', []],
])('says whether %s is retained whole', async (text, from, to, codes) => {
  const { lossy, warnings = [] } = await convert({ text, from, to })
  expect([...new Set(warnings.map(({ code }) => code))]).toEqual(codes)
  expect(lossy).toBe(codes.length > 0)
})
