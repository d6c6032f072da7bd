import { expect, test } from 'vitest'
import { loadCatalog } from '../../api/catalog.ts'
import { buildCapabilities } from '../../api/surfaces/capabilities.ts'
import { renderFullText, renderLlmsText } from '../../api/surfaces/llms.ts'
import { listPrices } from '../../api/surfaces/prices.ts'
import { sampleEntries } from '../support/operations/sample-entries.ts'

const options = { publicUrl: 'https://api.example.net', version: '1.2.3' }

test('llms.txt is a title, a quote, rules without headings, and then sections of links', () => {
  const blocks = renderLlmsText(sampleEntries(), options).trim().split('\n\n')
  expect(blocks[0]).toBe('# coinop')
  expect(blocks[1]).toMatch(/^> /)
  const sections = blocks.slice(3)
  expect(blocks[2]!.split('\n').every(line => line.startsWith('- '))).toBe(true)
  sections.forEach((block, index) => {
    if (index % 2 === 0) expect(block).toMatch(/^## [a-z]+$/i)
    else
      for (const line of block.split('\n'))
        expect(line).toMatch(/^- \[[^\]]+\]\(https:\/\/api\.example\.net\/\S+\): \S/)
  })
  expect(sections.at(-2)).toBe('## Optional')
})

test('the rules cover prices, idempotency, file sources and tickets, and x402 only if it is accepted', () => {
  const text = renderLlmsText(sampleEntries(), options)
  for (const word of ['402', 'Idempotency-Key', 'inputKey', 'respond-async', 'dryRun', 'code'])
    expect(text).toContain(word)
  expect(text).not.toContain('PAYMENT-SIGNATURE')
  const [rotate, ...others] = sampleEntries()
  const paid = renderLlmsText([{ ...rotate!, auth: ['key', 'x402'] }, ...others], options)
  expect(paid).toContain('PAYMENT-SIGNATURE')
  expect(paid).toContain('0.10 USD')
})

test('the full text has the fields, examples and specific errors of every entry', () => {
  const text = renderFullText(sampleEntries(), options)
  expect(text).toContain('- `degrees` "90" | "180" | "270"')
  expect(text).toContain('- `pages` string ..10000, default "all" (optional)')
  expect(text).toContain('"file":{"inline":"<base64 of two-pages.pdf>"}')
  expect(text).toContain('Specific errors: 422 BAD_RANGE, 422 PDF_PARSE_FAILED.')
  expect(text).not.toContain('witness_key_not_configured')
})

test('both texts name every entry of the real catalogue', async () => {
  const { entries } = await loadCatalog()
  const [short, full] = [renderLlmsText(entries, options), renderFullText(entries, options)]
  for (const { name } of entries) {
    expect(short).toContain(`[${name}](`)
    expect(full).toContain(`\n### ${name}\n`)
  }
})

test("prices are strings, and the operator's rates replace the declared ones", () => {
  const listed = listPrices(sampleEntries(), name => (name === 'pdf.pages' ? 3000n : undefined))
  expect(Object.keys(listed)).toEqual(['pdf.rotate', 'pdf.pages'])
  expect(listed['pdf.pages']).toEqual({
    method: 'POST',
    path: '/v1/pdf/pages',
    unit: 'call',
    rateMicros: '3000',
    baseMicros: '0',
    floorMicros: '3000',
    ceilingMicros: '3000',
    basis: 'body',
  })
})

test('an operation is available if some worker has its tools, and otherwise reports the missing ones', () => {
  const missing = { name: 'qpdf', lane: 'program', ok: false, install: 'apt-get install qpdf' } as const
  const installed = { name: 'qpdf', lane: 'program', ok: true, version: '11.3' } as const
  // No worker has reported yet, so everything counts as available.
  expect(buildCapabilities(sampleEntries(), [])).toEqual({
    operations: { 'pdf.rotate': { available: true }, 'pdf.pages': { available: true } },
    tools: [],
  })
  expect(buildCapabilities(sampleEntries(), [missing]).operations['pdf.rotate']).toEqual({
    available: false,
    missing: [{ tool: 'qpdf', install: 'apt-get install qpdf' }],
  })
  const both = buildCapabilities(sampleEntries(), [installed, missing])
  expect(both.operations['pdf.rotate']).toEqual({ available: true })
  expect(both.tools).toEqual([{ tool: 'qpdf', lane: 'program', available: true, version: '11.3' }])
})
