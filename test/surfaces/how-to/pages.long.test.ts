import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { howTos } from '../../../api/surfaces/how-to/load.ts'
import { printPrograms } from '../../../api/surfaces/how-to/programs.ts'
import { type RecordedResult, resultFile } from '../../../api/surfaces/how-to/results.ts'
import { type InstalledClients, installClients } from '../../support/clients/install.ts'
import { mask, type Recording, record } from '../../support/how-to/record.ts'
import { findMissing, linkMcpClient, runProgram } from '../../support/how-to/run.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { allowReviewsOf } from '../../support/people/reviews.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'
import { areAllToolsTried } from '../../support/stack/tools.ts'

const { entries } = await loadCatalog()

let stack: Stack
let clients: InstalledClients
beforeAll(async () => {
  stack = await openDefaultStack()
  const customer = await stack.customer()
  await allowReviewsOf(stack)
  await eventually('all tools to be tried', () => areAllToolsTried(customer), 120_000)
  clients = await installClients(stack, customer.key)
  await linkMcpClient(clients)
}, 600_000)
afterAll(() => stack[Symbol.asyncDispose]())

const ONLY = env.HOW_TO?.split(',')
const pages = howTos.filter(page => ONLY?.includes(page.slug) ?? true)

describe.each(pages.map(page => [page.slug, page] as const))('%s', (_, page) => {
  // The catalogue of the test has the same calls as that of the stack.
  // Those that pay by a wallet run where there is a chain: test/providers/chain.
  const languages = page.payer === undefined ? ['curl', 'TypeScript', 'Python', 'MCP'] : []
  for (const [index, language] of languages.entries()) {
    test(`works in ${language} as printed`, async () => {
      expect(await findMissing(stack, page)).toEqual([])
      const [name, code] = printPrograms(page, entries, stack.url)[index]!
      expect(name).toBe(language)
      // A customer for each program, because some names can be taken only once.
      const { key } = await stack.customer()
      const printed = await runProgram(clients, { language, code: withReceiver(code), page, env: { KEY: key } })
      if (page.steps.at(-1)!.saves === undefined || language !== 'curl') expect(printed.trim()).not.toBe('')
    })
  }

  test('shows what comes of it', async () => {
    const recording = await record(page, { clients, url: stack.url, key: (await stack.customer()).key })
    if (env.RECORD === '1') await keep(recording)
    const { pictureBytes, ...result } = recording
    const kept = JSON.parse(await readFile(resultFile(page, 'json'), 'utf8')) as RecordedResult
    expect(mask(JSON.parse(JSON.stringify(result)))).toEqual(mask(kept))
    if (pictureBytes) expect(await differenceOf(pictureBytes, await readFile(resultFile(page, 'webp')))).toBeLessThan(3)
  })

  async function keep({ pictureBytes, ...result }: Recording): Promise<void> {
    await mkdir(dirname(fileURLToPath(resultFile(page, 'json'))), { recursive: true })
    await writeFile(resultFile(page, 'json'), `${JSON.stringify(result, null, 2)}\n`)
    if (pictureBytes) await writeFile(resultFile(page, 'webp'), pictureBytes)
  }
})

/** The one address that every reader must replace; tests reach no other machine. */
function withReceiver(code: string): string {
  return code.replaceAll('https://example.com/hooks', 'http://127.0.0.1:9/hooks')
}

/** The mean difference of two pictures, from 0 to 255. */
async function differenceOf(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [left, right] = await Promise.all(
    [one, other].map(bytes => sharp(bytes).resize(200, 200, { fit: 'fill' }).flatten().removeAlpha().raw().toBuffer()),
  )
  return left!.reduce((sum, value, index) => sum + Math.abs(value - right![index]!), 0) / left!.length
}
