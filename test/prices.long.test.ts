import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Rates } from '#kit'
import { loadCatalog } from '../api/catalog.ts'
import { isPaid, type PaidEntry } from '../api/surfaces/entries.ts'
import type { ListedPrice } from '../api/surfaces/prices.ts'
import { expectedAmount, priceExample, readExamples } from '../ops/prices/examples.ts'
import { scaleRates } from '../ops/prices/scale.ts'
import { rows } from '../sql/db.ts'
import { writePrice } from '../sql/setting.ts'
import { loadOperations, type NamedOperation } from '../tasks/index.ts'
import { eventually } from './support/machine/eventually.ts'
import { checkExampleAnswer } from './support/operations/example-answer.ts'
import { MORE_SEEDS } from './support/operations/more-seeds.ts'
import { expectUnavailable } from './support/operations/unavailable.ts'
import { type Body, varyBodies, withSamples } from './support/operations/vary-examples.ts'
import { type Customer, type Stack, startStack } from './support/stack/start.ts'
import { areAllToolsTried } from './support/stack/tools.ts'

type Example = Awaited<ReturnType<typeof readExamples>>[number]

/** What their models take is charged beside the price. */
const LANGUAGE_MODELS = new Set(['doc.analyze-async', 'doc.ask-document'])
const BALANCE = 1_000_000_000n
const MIN_MICROS = 1_000n
const MAX_MICROS = 1_000_000n
/** Calls of one operation that run at the same time. */
const AT_ONCE = 3
/** Calls of one operation that run although their price is one that has been seen. */
const EXTRA_RUNS = 1

let stack: Stack
let customer: Customer
let prices: Record<string, ListedPrice>
let paths: Record<string, Described>
let entries: ReadonlyMap<string, PaidEntry>
let avif: { inline: string }
beforeAll(async () => {
  stack = await startStack()
  customer = await stack.customer(BALANCE)
  // Until a tool was tried, the operations that need it count as available.
  await eventually('all tools to be tried', () => areAllToolsTried(customer), 120_000)
  entries = new Map((await loadCatalog()).entries.filter(isPaid).map(entry => [entry.name, entry]))
  await readPublished()
  const { body } = await customer.post('/v1/image/convert', withSamples({ file: 'sample:gradient.png', to: 'avif' }))
  avif = { inline: body.output.inline }
})
afterAll(() => stack[Symbol.asyncDispose]())

async function readPublished(): Promise<void> {
  prices = (await customer.get('/v1/prices')).body.operations
  paths = (await customer.get('/openapi.json')).body.paths
}

interface Described {
  post: {
    'x-svc-available': boolean
    'x-svc-price': object
    description: string
    requestBody: { content: { 'application/json': { examples: Record<string, { value: Body }> } } }
  }
}

interface Quote {
  amountMicros: string
  unit: string
  units: number
  rateMicros: string
  baseMicros: string
  variant?: string
  deliveryMicros?: string
  expected: string
  atMost: string
  ceiling: string
}

const operations = await loadOperations()

interface Run {
  body: Body
  quote: Quote
  /** Examples must succeed; a combination of options may turn out to be impossible. */
  isSeed: boolean
}

describe.each(operations.map(operation => [operation.name, operation] as const))('%s', (name, operation) => {
  test('is published, quoted, held and charged alike, with any options', { timeout: 240_000 }, async () => {
    if (!paths[operation.path]!.post['x-svc-available']) return expectUnavailable(customer, operation)
    const seeds = listSeeds(operation)
    const runs = await chooseRuns(operation, seeds)
    compareExpected(name, await readExamples(entries.get(name)!), runs)
    const variants = (prices[name]!.variants ?? []).map(({ when }) => when)
    expect(variants.filter(when => !runs.some(({ quote }) => quote.variant === when))).toEqual([])
    // The first runs are the examples, in their order.
    const { examples } = operation
    for (let from = 0; from < runs.length; from += AT_ONCE) {
      const part = runs.slice(from, from + AT_ONCE)
      await Promise.all(
        part.map(async (run, at) => {
          const body = await compareCharge(operation, run, (from + at) % 2 === 1)
          const example = examples[from + at]
          if (example) await checkExampleAnswer(operation, example, body!, readFile)
        }),
      )
    }
  })
})

/** Quotes all bodies. Those to run are the seeds, one for each other price, and a few more. */
async function chooseRuns(operation: NamedOperation, seeds: readonly Body[]): Promise<Run[]> {
  const seen = new Set<string>()
  const runs: Run[] = []
  let extraRuns = 0
  for (const [index, body] of [...seeds, ...varyBodies(operation, seeds)].entries()) {
    const isSeed = index < seeds.length
    const quote = await readQuote(operation, body, isSeed)
    if (!quote) continue
    comparePublished(operation, quote)
    const price = `${quote.variant} ${quote.amountMicros}`
    if (isSeed || !seen.has(price) || extraRuns++ < EXTRA_RUNS) runs.push({ body, quote, isSeed })
    seen.add(price)
  }
  return runs
}

/** The examples as OpenAPI prints them, and for images the same with an AVIF file. */
function listSeeds({ name, path, examples }: NamedOperation): Body[] {
  const printed = Object.values(paths[path]!.post.requestBody.content['application/json'].examples)
  expect(printed).toHaveLength(examples.length)
  const seeds = [...printed.map(({ value }) => value), ...(MORE_SEEDS[name] ?? []).map(withSamples)]
  const ofImages = name.startsWith('image.') ? seeds.filter(({ file }) => file !== undefined) : []
  return [...seeds, ...ofImages.slice(0, 1).map(seed => ({ ...seed, file: avif }))]
}

function post({ path }: NamedOperation, body: Body) {
  return customer.post(path, body)
}

/** A combination of options that is refused has no price. The examples themselves are accepted. */
async function readQuote(operation: NamedOperation, body: Body, isSeed: boolean): Promise<Quote | undefined> {
  const answer = await post(operation, { ...body, dryRun: true })
  if (answer.status === 200) return answer.body.quote
  if (isSeed) expect(answer.body).toEqual({ quote: expect.anything() })
  // Some options need a provider that is not configured here.
  if (answer.body.code !== 'PROVIDER_NOT_CONFIGURED') expect(answer.status, answer.text).toBeLessThan(500)
  return undefined
}

function comparePublished({ name, composition }: NamedOperation, quote: Quote): void {
  const price = prices[name]!
  const variant = price.variants?.find(({ when }) => when === quote.variant)
  const { unit, rateMicros } = variant ?? price
  expect(quote).toMatchObject({ unit, rateMicros })
  // The price of other operations that a call runs is part of its base.
  const others = othersOf(name, quote)
  expect(others === 0n || (composition !== undefined && others > 0n), `${others} besides the published base`).toBe(true)
  expect(quote.variant).toBe(variant?.when)
  // Several units of "call" would be a dearer call that no surface names.
  if (unit === 'call') expect(quote.units).toBe(1)
  const sum = BigInt(quote.baseMicros) + BigInt(quote.units) * BigInt(quote.rateMicros)
  const amount = sum < MIN_MICROS ? MIN_MICROS : sum > MAX_MICROS ? MAX_MICROS : sum
  const whole = `${amount + BigInt(quote.deliveryMicros ?? 0)}`
  expect([quote.amountMicros, quote.atMost, quote.ceiling]).toEqual([whole, whole, whole])
  expect(amount >= BigInt(price.floorMicros) && amount <= BigInt(price.ceilingMicros)).toBe(true)
  expect(expectedOf(quote) <= amount).toBe(true)
}

function othersOf(name: string, { baseMicros }: Quote): bigint {
  return BigInt(baseMicros) - BigInt(prices[name]!.baseMicros)
}

/** Without a baton that is bought by the way, whose price is its own. */
function expectedOf({ expected, deliveryMicros = '0' }: Quote): bigint {
  return BigInt(expected) - BigInt(deliveryMicros)
}

interface JobRow {
  status: string
  held_micros: bigint
  charged_micros: bigint
}

/** Runs a body and compares its charge with its quote. Returns what the call answers if it succeeds. */
async function compareCharge(
  operation: NamedOperation,
  { body, quote, isSeed }: Run,
  isAsync: boolean,
): Promise<object | undefined> {
  const answer = await post(operation, { ...body, async: isAsync })
  const id = answer.headers.get('x-service-job-id') ?? answer.body.jobId
  // An instant call that fails leaves no job.
  if (!id && !isSeed) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    return undefined
  }
  const { actualMicros, result } = await customer.waitForEnd(id)
  const ceiling = BigInt(answer.body?.ceiling_micros ?? quote.atMost)
  expect(ceiling >= BigInt(quote.atMost), `the ceiling ${ceiling} of the ticket`).toBe(true)
  const query = 'select status, held_micros, charged_micros from svc.job where id = $1'
  const [{ status, held_micros: held, charged_micros: charged } = {} as JobRow] = await rows<JobRow>(stack.db, query, [
    id,
  ])
  if (!isSeed && status === 'failed') {
    expect(charged).toBe(0n)
    return undefined
  }
  const { note, floorMicros } = prices[operation.name]!
  const min = BigInt(note === undefined ? quote.atMost : floorMicros)
  expect(charged >= min && charged <= held, `${charged} charged, ${quote.atMost} quoted`).toBe(true)
  expect([status, `${held}`, actualMicros]).toEqual(['succeeded', quote.atMost, `${charged}`])
  const isTicket = isAsync || operation.wait === 'ticket'
  if (!isTicket) expect(answer.headers.get('x-service-charged-micros')).toBe(`${charged}`)
  return isTicket ? (result as object) : answer.body
}

async function readFile(url: string): Promise<Uint8Array> {
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  return new Uint8Array(await answer.arrayBuffer())
}

test('prices, OpenAPI, texts and the 402 tell the same price', comparePublications)

async function comparePublications(): Promise<void> {
  for (const { name, path, examples } of operations) {
    const { method, path: listedPath, ...price } = prices[name] as ListedPrice & { method: string; path: string }
    const { post } = paths[path]!
    expect([method, listedPath, post['x-svc-price']]).toEqual(['POST', path, price])
    const [sentence] = /Price: (.*)\./.exec(post.description)!.slice(1)
    expect((await customer.get(`/llms/${name}.txt`)).text).toContain(`Price: ${sentence}.`)
    for (const { when } of price.variants ?? []) expect(sentence).toContain(when)
    const { body } = await stack.anonymous.post(path, withSamples(examples[0]!.input))
    // What cannot run here is refused before a payment is asked for, so it tells no price.
    if (body.code === 'PROVIDER_NOT_CONFIGURED') continue
    expect(body).toMatchObject({ code: 'PAYMENT_REQUIRED', unit: price.unit, unitMicros: price.rateMicros })
    expect([body.ceilingMicros, body.variants]).toEqual([price.ceilingMicros, price.variants])
    expect(Number(body.ceilingUsd) * 1e6).toBeCloseTo(Number(price.ceilingMicros))
    const guide = (await customer.get(path)).body
    expect(guide.price).toEqual({ description: sentence, ...price })
  }
}

/** What `price set` takes the examples to cost is what a worker finds that they do. */
function compareExpected(name: string, examples: readonly Example[], runs: readonly Run[], rates?: Rates): void {
  if (LANGUAGE_MODELS.has(name)) return
  const counted = examples.map(example => expectedAmount(priceExample(entries.get(name)!, example, rates)))
  const quoted = runs.slice(0, examples.length).map(({ quote }) => expectedOf(quote) - othersOf(name, quote))
  expect(counted).toEqual(quoted)
}

describe('after `price set`', () => {
  const changed = new Map<string, { rates: Rates & { baseMicros: bigint }; micros: bigint }>()

  beforeAll(async () => {
    for (const { name } of operations) {
      const entry = entries.get(name)!
      const typical = priceExample(entry, (await readExamples(entry, 1))[0]!)
      const micros = expectedAmount(typical) * 3n
      const rates = scaleRates(entry.price, typical, micros)
      changed.set(name, { rates, micros })
      await writePrice(stack.db, name, rates)
    }
    const last = operations.at(-1)!.name
    const isRead = async () =>
      (await customer.get('/v1/prices')).body.operations[last].baseMicros === `${changed.get(last)!.rates.baseMicros}`
    await eventually('the api to read the prices', isRead)
    await readPublished()
  })

  describe.each(operations.map(operation => [operation.name, operation] as const))('%s', (name, operation) => {
    test('has examples that are charged as printed', { timeout: 240_000 }, async () => {
      if (!paths[operation.path]!.post['x-svc-available']) return expectUnavailable(customer, operation)
      const { rates, micros } = changed.get(name)!
      const runs: Run[] = []
      for (const body of listSeeds(operation).slice(0, operation.examples.length)) {
        const quote = (await readQuote(operation, body, true))!
        comparePublished(operation, quote)
        runs.push({ body, quote, isSeed: true })
      }
      compareExpected(name, await readExamples(entries.get(name)!), runs, rates)
      if (!LANGUAGE_MODELS.has(name)) expect(expectedOf(runs[0]!.quote) - othersOf(name, runs[0]!.quote)).toBe(micros)
      await Promise.all(runs.map((run, at) => compareCharge(operation, run, at % 2 === 1)))
    })
  })

  test('prices, OpenAPI, texts and the 402 tell the changed price', comparePublications)
})

test('the account has paid exactly what its jobs were charged', async () => {
  const [sum] = await rows<{ micros: bigint }>(
    stack.db,
    'select sum(charged_micros)::bigint as micros from svc.job',
    [],
  )
  expect(await customer.money()).toEqual({ balance: BALANCE - sum!.micros, held: 0n })
})
