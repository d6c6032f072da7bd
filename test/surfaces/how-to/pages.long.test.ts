import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { findHowTo, type HowToPage, howTos } from '../../../api/surfaces/how-to/load.ts'
import { printPrograms } from '../../../api/surfaces/how-to/programs.ts'
import { type RecordedResult, resultFile } from '../../../api/surfaces/how-to/results.ts'
import { type InstalledClients, installClients } from '../../support/clients/install.ts'
import { mask, type Recording, record, withoutFormulas } from '../../support/how-to/record.ts'
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
const LANGUAGES = ['curl', 'TypeScript', 'Python', 'MCP'] as const

/** A customer for each program, because some names can be taken only once. */
async function run(page: HowToPage, language: (typeof LANGUAGES)[number]): Promise<string> {
  // The catalogue of the test has the same calls as that of the stack.
  const [, code] = printPrograms(page, entries, stack.url).find(([name]) => name === language)!
  const { key } = await stack.customer()
  return runProgram(clients, { language, code: withReceiver(code), page, env: { KEY: key } })
}

// Those that pay by a wallet run where there is a chain: test/providers/chain.
const plain = pages.filter(({ payer, needsWeb }) => payer === undefined && !needsWeb)
describe.each(plain.map(page => [page.slug, page] as const))('%s', (_, page) => {
  test.each(LANGUAGES)('works in %s as printed', async language => {
    expect(await findMissing(stack, page)).toEqual([])
    const printed = await run(page, language)
    if (page.steps.at(-1)!.saves === undefined || language !== 'curl') expect(printed.trim()).not.toBe('')
  })
})

/** Tests reach no other machine, so a page of the web is refused, and the programs say so. */
describe.each(pages.filter(({ needsWeb }) => needsWeb).map(page => [page.slug, page] as const))('%s', (_, page) => {
  test.each(['TypeScript', 'Python', 'MCP'] as const)('is refused in words in %s', async language => {
    const refused = run(page, language).then(String, ({ stderr }: { stderr: string }) => stderr)
    expect(await refused).toMatch(/PROVIDER_NOT_CONFIGURED|ProviderNotConfigured/)
  })
})

test.each(pages.filter(({ needsWeb }) => !needsWeb).map(page => [page.slug, page] as const))(
  '%s shows what comes of it',
  async (_, page) => {
    const { key } = await stack.customer()
    const recording = await record(page, { clients, url: stack.url, key })
    if (env.RECORD === '1') await keep(page, recording)
    const { imageBytes, lacksFormulas, ...result } = recording
    const kept = JSON.parse(await readFile(resultFile(page, 'json'), 'utf8')) as RecordedResult
    const comparable = (recorded: RecordedResult) => mask(lacksFormulas ? withoutFormulas(recorded) : recorded)
    expect(comparable(JSON.parse(JSON.stringify(result)))).toEqual(comparable(kept))
    if (imageBytes) expect(await differenceOf(imageBytes, await readFile(resultFile(page, 'webp')))).toBeLessThan(3)
  },
)

async function keep(page: HowToPage, { imageBytes, lacksFormulas: _, ...result }: Recording): Promise<void> {
  await mkdir(dirname(fileURLToPath(resultFile(page, 'json'))), { recursive: true })
  await writeFile(resultFile(page, 'json'), `${JSON.stringify(result, null, 2)}\n`)
  if (imageBytes) await writeFile(resultFile(page, 'webp'), imageBytes)
}

test('a result that differs is found, and one that differs in ids alone is not', async () => {
  const page = findHowTo('draw-a-chart')!
  const [kept, image] = [await readFile(resultFile(page, 'json'), 'utf8'), await readFile(resultFile(page, 'webp'))]
  const { answer } = JSON.parse(kept) as { answer: object }
  expect(mask({ ...answer, width: 1 })).not.toEqual(mask(answer))
  const ids = ['01a21664-dc76-7634-a808-086c8146c4fb', '01a2167a-a8e2-7b6d-ac75-3e96bf3a504f']
  expect(mask(ids[0])).toEqual(mask(ids[1]))
  const negative = await sharp(image).negate({ alpha: false }).webp().toBuffer()
  expect(await differenceOf(image, negative)).toBeGreaterThan(30)
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
