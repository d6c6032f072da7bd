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

test.each([
  ['<tr><td>a<td>b<tr><td>c<td>d', '| | | |---|---| | a | b | | c | d |'],
  ['<tr><th>h<th>i<tr><td>a<td>b<tr><td>c<td>d', '| h | i | |---|---| | a | b | | c | d |'],
  ['<thead><tr><th>h<th>i<tbody><tr><td>a<td>b<tfoot><tr><td>c<td>d', '| h | i | |---|---| | a | b | | c | d |'],
])('reads the table of rows and cells that stay open in %s', async (rows, table) => {
  const body = { text: `Tide<table>${rows}</table>after`, from: 'html', to: 'gfm' }
  const { output, warnings = [] } = await convert(body)
  const text = Buffer.from(output!.bytes!).toString().trim().replace(/\s+/g, ' ').replace(/-{3,}/g, '---')
  expect([text, warnings]).toEqual([`Tide ${table} after`, []])
})

test.each([
  '#show raw: it => highlight(it)',
  '#show raw: emph',
  '#show raw.line: it => [#it.number #it.body]',
  '#show raw.where(block: true): it => {\n  set text(red)\n  layout(size => it)\n}',
  '#show raw.where(lang: "(["):\n  it => par[it]; #show raw: underline',
])('keeps the code of a Typst document with the rule %s', async rule => {
  const text = `= Log\n${rule}\nRun \`low\`.\n\n\`\`\`sh\n#show raw: tide\n\`\`\`\n`
  const { output, warnings = [] } = await convert({ text, from: 'typst', to: 'markdown' })
  const found = Buffer.from(output!.bytes!).toString().trim()
  expect([found, warnings]).toEqual(['# Log\n\nRun `low`.\n\n``` sh\n#show raw: tide\n```', []])
})
