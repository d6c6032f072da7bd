import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newApiKey } from '#kit'
import { freePorts } from '../../ops/free-ports.ts'
import { type SettingName, writeSetting } from '../../sql/setting.ts'
import { eventually } from '../support/machine/eventually.ts'
import type { Answer } from '../support/stack/client.ts'
import { type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { TRUST_PROXY: '127.0.0.1' } })
})
afterAll(() => stack[Symbol.asyncDispose]())
beforeEach(waitForEarlySecond)

const limitOf = ({ headers }: Answer) => /q=(\d+);w=60/.exec(headers.get('ratelimit-policy') ?? '')?.[1]
const remainingOf = ({ headers }: Answer) => Number(/"default";r=(\d+);t=\d+/.exec(headers.get('ratelimit') ?? '')?.[1])

/** The limits count per clock minute, so a test must not run across two minutes. */
async function waitForEarlySecond(): Promise<void> {
  await eventually('a new minute', () => new Date().getSeconds() < 50)
}

async function setLimit(name: SettingName, calls: number | null, request: () => Promise<Answer>): Promise<void> {
  await writeSetting(stack.db, name, calls)
  await eventually('the new limit', async () => limitOf(await request()) === String(calls ?? defaults[name]))
}

const defaults: Partial<Record<SettingName, number>> = { 'rate.key_per_minute': 60_000, 'rate.ip_per_minute': 600 }

test('every counted response has the number of calls left in the minute', async () => {
  const customer = await stack.customer()
  const [one, two] = [await customer.get('/v1/account'), await customer.post('/v1/utils/uuid', {})]
  expect(one.headers.get('ratelimit-policy')).toBe('"default";q=60000;w=60')
  expect(remainingOf(one) - remainingOf(two)).toBe(1)
})

test('a key over its limit is refused without a charge and gets a Retry-After; other keys still work', async () => {
  const [busy, calm] = [await stack.customer(), await stack.customer()]
  await setLimit('rate.key_per_minute', 5, () => calm.get('/v1/jobs'))
  try {
    const answers: Answer[] = []
    for (let calls = 0; calls < 7; calls++) answers.push(await busy.post('/v1/utils/uuid', {}))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429])
    const refused = answers.at(-1)!
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', limit: 5, windowSeconds: 60 })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds >= 1 && seconds <= 60).toBe(true)
    expect([limitOf(refused), remainingOf(refused)]).toEqual(['5', 0])
    expect(await busy.money()).toEqual({ balance: 995_000n, held: 0n })
    const another = await stack.customer()
    expect((await another.post('/v1/utils/uuid', {})).status).toBe(200)
  } finally {
    await setLimit('rate.key_per_minute', null, async () => (await stack.customer()).get('/v1/jobs'))
  }
})

test('callers without a key are counted by address and by network, and an IPv6 /64 is one address', async () => {
  const from = (address: string) =>
    stack.anonymous.request('/v1/utils/hash', {
      method: 'POST',
      body: { text: 'a' },
      headers: { 'x-forwarded-for': address },
    })
  let counter = 0
  await writeSetting(stack.db, 'rate.network_factor', 2)
  await setLimit('rate.ip_per_minute', 3, () => from(`203.0.${++counter}.1`))
  try {
    const statuses = async (addresses: string[]) => {
      const found: number[] = []
      for (const address of addresses) found.push((await from(address)).status)
      return found
    }
    expect(await statuses(Array<string>(4).fill('198.51.100.7'))).toEqual([402, 402, 402, 429])
    expect(await statuses(['198.51.100.8'])).toEqual([402])
    const network = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:DB8:1:2::3', '2001:db8:1:2::4']
    expect(await statuses(network)).toEqual([402, 402, 402, 429])
    expect(await statuses(['2001:db8:1:3::1'])).toEqual([402])
    const many = Array.from({ length: 7 }, (_, at) => `100.64.7.${at + 1}`)
    expect(await statuses(many)).toEqual([402, 402, 402, 402, 402, 402, 429])
    const site = Array.from({ length: 7 }, (_, at) => `2001:db8:7:${at + 1}::1`)
    expect(await statuses(site)).toEqual([402, 402, 402, 402, 402, 402, 429])
    expect(await statuses(['100.64.8.1', '2001:db8:8::1'])).toEqual([402, 402])
  } finally {
    await writeSetting(stack.db, 'rate.network_factor', null)
    await setLimit('rate.ip_per_minute', null, () => from(`203.0.${++counter}.1`))
  }
})

test('guesses of keys are also counted by address', async () => {
  let counter = 0
  const guessKey = (address: string) =>
    stack.anonymous.request('/v1/account', {
      headers: { authorization: `Bearer ${newApiKey('live')}`, 'x-forwarded-for': address },
    })
  await setLimit('rate.ip_per_minute', 3, () => guessKey(`203.0.${++counter}.1`))
  try {
    const found: number[] = []
    for (let calls = 0; calls < 5; calls++) found.push((await guessKey('192.0.2.1')).status)
    expect(found).toEqual([401, 401, 401, 429, 429])
  } finally {
    await setLimit('rate.ip_per_minute', null, () => guessKey(`203.0.${++counter}.1`))
  }
})

test('pages and documents are not counted', async () => {
  for (const path of ['/health', '/openapi.json', '/v1/prices', '/docs']) {
    expect((await stack.anonymous.get(path)).headers.get('ratelimit'), path).toBeNull()
  }
})

test('a limit applies across api processes', async () => {
  const customer = await stack.customer()
  const { port } = new URL(stack.url)
  const [secondPort] = await freePorts(1)
  await using _secondApi = await stack.startApi({ PORT: String(secondPort), ADMIN_PORT: '0' })
  const readRemaining = async (port: string | number) => {
    const headers = { authorization: `Bearer ${customer.key}` }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/jobs`, { headers })
    return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit')!)![1])
  }
  await waitForEarlySecond()
  for (let calls = 0; calls < 10; calls++) await readRemaining(port)
  let own = 0
  await eventually('the second api to count ten calls beside its own', async () => {
    own += 1
    return (await readRemaining(secondPort!)) === 60_000 - 10 - own
  })
})
