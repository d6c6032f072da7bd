import { readFileSync } from 'node:fs'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { createOutboundFetch } from '../../../pools/fetch/outbound.ts'
import { hasTool, runJob, testPools } from '../../support/pools/open.ts'
import { openAwkwardSite } from '../../support/servers/awkward-site.ts'

const site = await openAwkwardSite()
const pools = await testPools({ outbound: createOutboundFetch({ isTrusted: address => address === '127.0.0.1' }) })
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const print = (path: string, body: Record<string, unknown> = {}) =>
  runJob(pools, 'web.pdf', { url: site.url + path, ...body })

async function run(program: string, args: string[], input: Buffer): Promise<string> {
  return (await execa(program, args, { input })).stdout
}

test.skipIf(!hasBrowser)('prints a page that another program reads', async () => {
  const { bytes, result, chargedMicros } = await print('/article', { page: { format: 'A5' } })
  expect(result.page).toMatchObject({ status: 200, title: 'Page' })
  expect(chargedMicros).toBe(8000n)
  const text = await run('pdftotext', ['-layout', '-', '-'], bytes)
  expect(text).toContain('The river rose in the night')
  expect(await run('pdfinfo', ['-'], bytes)).toMatch(/Pages:\s+[1-9]\n[\s\S]*\(A5\)/)
})

test.skipIf(!hasBrowser)('charges the pages beyond the first ten, and refuses more than are paid for', async () => {
  const long = { page: { format: 'A4' } }
  const { result, chargedMicros, bytes } = await print('/tall', long)
  const pages = result.pages as number
  expect(chargedMicros).toBe(8000n + BigInt(pages - 10) * 500n)
  expect(await run('pdfinfo', ['-'], bytes)).toContain(`Pages:           ${pages}`)
  await expect(print('/tall', { ...long, maxPages: 3 })).rejects.toMatchObject({ code: 'TOO_MANY_PAGES' })
  const single = await print('/tall', { page: { single: true, margin: 0 }, media: 'screen' })
  expect([single.result.pages, single.chargedMicros]).toEqual([2, 8000n])
})

test.skipIf(!hasBrowser)('prints a fixed header once', async () => {
  const { bytes, result } = await print('/sticky')
  expect(result.pages).toBeGreaterThan(1)
  const drawn = await run('pdftotext', ['-', '-'], bytes)
  expect(drawn.trim()).toBe('')
})

test.skipIf(!hasBrowser)('returns a PDF as it is', async () => {
  const { bytes, result, warnings, chargedMicros } = await print('/file.pdf')
  expect([warnings, chargedMicros]).toEqual([['ALREADY_PDF'], 8000n])
  expect(bytes.equals(readFileSync('tasks/samples/two-pages.pdf'))).toBe(true)
  expect(result.page).toMatchObject({ contentType: 'application/pdf', status: 200 })
})

test.skipIf(!hasBrowser).each([
  ['/file.zip', {}, 'UNSUPPORTED_FORMAT'],
  ['/missing', {}, 'FETCH_FAILED'],
  ['/to-loopback', {}, 'URL_NOT_ALLOWED'],
  ['/', { page: { ranges: '7-9' } }, 'BAD_RANGE'],
  ['/', { timezone: 'Mars/Base' }, 'INVALID_PARAM'],
])('refuses %s with %j', async (path, body, code) => {
  await expect(print(path, body)).rejects.toMatchObject({ code })
})
