import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { fieldEntries, wireCode } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { buildCapabilities } from '../../api/surfaces/capabilities.ts'
import { buildGuide } from '../../api/surfaces/guide.ts'
import { MAX_CALL_TEXT_LENGTH, renderCallText } from '../../api/surfaces/llms/call-text.ts'
import { renderFamilyText } from '../../api/surfaces/llms/family-text.ts'
import { renderFullText } from '../../api/surfaces/llms/full-text.ts'
import { renderOverview } from '../../api/surfaces/llms/overview.ts'
import { listPrices } from '../../api/surfaces/prices.ts'
import { sampleEntries } from '../support/operations/sample-entries.ts'

const options = { publicUrl: 'https://api.example.net', version: '1.2.3' }

/** In tokens: what an agent reads to learn all calls of one family. */
const LARGEST_FAMILY = 2_700

test('llms.txt is a title, a quote, rules without headings, and then sections of links', () => {
  const blocks = renderOverview(sampleEntries(), options).trim().split('\n\n')
  expect(blocks[0]).toBe('# coinop')
  expect(blocks[1]).toMatch(/^> /)
  for (const link of blocks[4]!.split('\n')) expect(link).toMatch(/^- \[[^\]]+\]\(\/\S+\): \S/)
  for (const family of blocks.at(-1)!.split('\n')) expect(family).toMatch(/^- [a-z0-9, ]+: \S/)
  expect(blocks.filter(block => block.startsWith('## '))).toEqual(['## Pages', '## Families'])
})

test('the rules cover prices, idempotency, file sources and tickets, and x402 only if it is accepted', () => {
  const text = renderOverview(sampleEntries(), options)
  for (const word of ['Idempotency-Key', 'inputKey', 'respond-async', 'dryRun', 'code']) expect(text).toContain(word)
  expect(text).not.toContain('PAYMENT-SIGNATURE')
  const [rotate, ...others] = sampleEntries()
  const paid = renderOverview([{ ...rotate!, auth: ['key', 'x402'] }, ...others], options)
  expect(paid).toContain('PAYMENT-SIGNATURE')
})

test('where x402 is not accepted, every text says what a client does with a 402', () => {
  const overview = renderOverview(sampleEntries(), options)
  expect(overview).toContain('after a 402, ask a person for a key (/sign-in) or for funds (/dashboard/billing)')
  const guide = buildGuide(sampleEntries(), options).find(({ title }) => title === 'Payment')!.text
  for (const words of ['does not speak x402', `${options.publicUrl}/sign-in`, `${options.publicUrl}/dashboard/billing`])
    expect(guide).toContain(words)
})

test('llms.txt takes 700 tokens and names every family, and with the page of any call it takes 2,000', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  const all = { ...options, canFetch: true, hasMcp: true }
  const overview = renderOverview(entries, all)
  expect(countTokens(overview)).toBeLessThanOrEqual(700)
  for (const { family } of entries) expect(overview).toMatch(new RegExp(`\n- ([a-z0-9]+, )*${family}(, [a-z0-9]+)*: `))
  for (const entry of entries) expect(countTokens(renderCallText(entry, all)), entry.name).toBeLessThanOrEqual(1_300)
})

test('the pages that make batons tell tiers, durations and presets, and what their fields mean', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  const pageOf = (name: string) => renderCallText(entries.find(entry => entry.name === name)!, options)
  expect(pageOf('bridge.release-lock')).toContain('`DELETE /v1/bridge/locks/{name}?token={token}`')
  for (const name of ['baton.create', 'baton.quote', 'storage.ledger', 'storage.pass']) {
    expect(pageOf(name), name).toContain('nano 10 MiB for 30 days')
    expect(pageOf(name), name).toMatch(/^- customShape .*: Your own shape/m)
  }
  expect(pageOf('baton.create')).toContain('pass (')
})

test('the text of one call has every field, the price and the errors, in at most 3,900 characters', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  for (const entry of entries) {
    const text = renderCallText(entry, options)
    expect(text.length, entry.name).toBeLessThanOrEqual(MAX_CALL_TEXT_LENGTH)
    const fields = [entry.params, entry.query].flatMap(schema =>
      schema ? fieldEntries(schema).map(([name]) => name) : [],
    )
    for (const field of fields) expect(text, entry.name).toMatch(new RegExp(`^- ${field.replace('*', 'key')}\\W`, 'm'))
    for (const code of entry.errors) expect(text, entry.name).toContain(wireCode(code))
  }
  const rotate = renderCallText(sampleEntries()[0]!, options)
  expect(rotate).toContain('- degrees* 90|180|270')
  expect(rotate).toContain('-F file=@two-pages.pdf')
})

test('what the calls of a family share is told once, above them', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  const textOf = (family: string) =>
    renderFamilyText(
      family,
      entries.filter(entry => entry.family === family),
      options,
    )
  expect(textOf('storage')).toMatch(/^All of them take tier femto\|.*contentType string/m)
  expect(textOf('storage').match(/contentType string/g)).toHaveLength(1)
  expect(textOf('text')).toMatch(/^The price, where none is told: 0\.001 USD/m)
  for (const family of new Set(entries.map(entry => entry.family)))
    expect(countTokens(textOf(family)), family).toBeLessThanOrEqual(LARGEST_FAMILY)
})

test('the text of a family has a line for each of its calls', async () => {
  const { entries } = await loadCatalog()
  const members = entries.filter(({ family }) => family === 'pdf')
  const lines = renderFamilyText('pdf', members, options).trim().split('\n').slice(-members.length)
  for (const [index, line] of lines.entries())
    expect(line).toMatch(new RegExp(`^- \\[${members[index]!.name}\\].* USD .*\\.$`))
})

test('the full text has the fields, examples and specific errors of every entry', () => {
  const text = renderFullText(sampleEntries(), options)
  expect(text).toContain('- `degrees` "90" | "180" | "270"')
  expect(text).toContain('- `pages` string ..10000, default "all" (optional)')
  expect(text).toContain('"file":{"inline":"<base64 of two-pages.pdf>"}')
  expect(text).toContain('Specific errors: 422 BAD_RANGE, 422 PDF_PARSE_FAILED.')
  expect(text).not.toContain('CHAINED_OVERWRITE')
})

test('the full text names every entry of the real catalogue', async () => {
  const { entries } = await loadCatalog()
  const full = renderFullText(entries, options)
  for (const { name } of entries) {
    expect(full).toContain(`\n### ${name}\n`)
  }
})

test("prices are strings, and the operator's rates replace the declared ones", () => {
  const listed = listPrices(sampleEntries(), name => (name === 'pdf.pages' ? { rateMicros: 3000n } : undefined))
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
  const entries = sampleEntries().map(entry => ({ ...entry, optionalTools: ['qpdf'] }))
  expect(buildCapabilities(entries, [missing]).operations['pdf.rotate']).toEqual({
    available: true,
    missing: [{ tool: 'qpdf', install: 'apt-get install qpdf' }],
  })
  const both = buildCapabilities(sampleEntries(), [installed, missing])
  expect(both.operations['pdf.rotate']).toEqual({ available: true })
  expect(both.tools).toEqual([{ tool: 'qpdf', lane: 'program', available: true, version: '11.3' }])
})
