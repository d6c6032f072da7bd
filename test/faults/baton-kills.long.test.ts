import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openStore } from '../../ops/providers/storage/open.ts'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import type { Answer } from '../support/stack/client.ts'
import { cutConnections, hasStatus, insist, killInTurn } from '../support/stack/kills.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** For a longer run by hand: KILL_SECONDS=300 npx vitest run --config test/vitest.config.ts test/faults/baton-kills.long.test.ts */
const KILL_MS = Number(process.env.KILL_SECONDS ?? 12) * 1_000
const PAUSE_MS = 1_200
const CREDIT = 1_000_000_000n
const ANSWER_WITHIN_MS = 180_000
const SWEEPER = fileURLToPath(new URL('../support/stack/sweep-child.ts', import.meta.url))

test('whatever is killed while batons are made, written, burned and swept, content and ledger agree', async () => {
  await using stack = await startStack({ worker: false })
  const customer = await stack.customer(CREDIT)
  const storeConfig = { dataDir: stack.dataDir, publicUrl: stack.url, secret: 'none' }
  const parts: Parts = { api: stack.api, sweeper: startSweeper(stack, storeConfig) }
  const until = Date.now() + KILL_MS
  const writers = [writeUntil(customer, 'one', until), writeUntil(customer, 'two', until)]
  const passers = [passOnUntil(stack, customer, until)]
  const kills = await killUntil(stack, parts, until, () => startSweeper(stack, storeConfig))
  const logs = (await Promise.all(writers)).flat()
  const passes = (await Promise.all(passers)).flat()
  console.log({ kills, writes: logs.flatMap(({ lines }) => lines).length, passes: passes.length })

  for (const { id, lines } of logs) expect(await readLog(customer, id)).toEqual(lines)
  for (const { outcomes } of passes) {
    // Whoever got all of it was the only one, and it is lost only to a reader who was cut off.
    expect(outcomes.filter(outcome => outcome === 'whole').length).toBeLessThanOrEqual(1)
    expect(outcomes.at(-1)).toBe('gone')
    if (!outcomes.includes('whole')) expect(outcomes).toContain('cut')
  }
  await expectLedger(stack, customer, logs.length + passes.length)
  await expectSwept(stack, parts.sweeper, storeConfig)
}, 1_800_000)

interface Parts {
  api: Stack['api']
  sweeper: ChildProcess
}

const create = (customer: Customer, body: object): Promise<Answer> => {
  const key = { 'idempotency-key': randomUUID() }
  return insist('a baton', () => customer.post('/v1/baton', { tier: 'micro', ...body }, key), hasStatus(201))
}

/** Every second line is long enough for the object store. */
function composeLine(writer: string, number: number): string {
  return `${writer} ${number}${'.'.repeat(number % 2 === 0 ? 0 : 20_000)}\n`
}

async function writeUntil(customer: Customer, writer: string, until: number) {
  const logs: { id: string; lines: string[] }[] = []
  while (Date.now() < until) {
    const { id } = (await create(customer, { preset: 'ledger', content: composeLine(writer, 0) })).body
    const lines = [composeLine(writer, 0)]
    logs.push({ id, lines })
    while (lines.length < 60 && Date.now() < until) {
      const line = composeLine(writer, lines.length)
      const key = { 'idempotency-key': `line-${lines.length}` }
      await insist('a write', () => customer.post(`/v1/baton/${id}`, { content: line }, key), hasStatus(201))
      lines.push(line)
    }
  }
  return logs
}

async function readLog(customer: Customer, id: string): Promise<string[]> {
  const { text } = await insist('the log', () => customer.get(`/v1/baton/${id}`), hasStatus(200))
  return text.split(/(?<=\n)/)
}

const SECRET = 'a secret\n'.repeat(3_000)

async function passOnUntil(stack: Stack, customer: Customer, until: number) {
  const passes: { outcomes: string[] }[] = []
  while (Date.now() < until) {
    const body = { preset: 'pass', content: SECRET, onExpiration: 'hard_delete' }
    const { tokens } = (await create(customer, body)).body
    const outcomes: string[] = []
    const read = async () => {
      const answer = await stack.anonymous.get(`/v1/baton/${tokens[0].id}`).catch(() => undefined)
      if (answer?.status === 503) return false
      outcomes.push(
        answer?.status === 200 && answer.text === SECRET ? 'whole' : answer?.status === 410 ? 'gone' : 'cut',
      )
      return outcomes.at(-1) === 'gone'
    }
    await eventually('the pass to be gone', read, ANSWER_WITHIN_MS)
    passes.push({ outcomes })
  }
  return passes
}

function startSweeper(stack: Stack, storeConfig: object): ChildProcess {
  return fork(SWEEPER, [stack.databaseUrl, JSON.stringify(storeConfig)], { execArgv: [], stdio: 'ignore' })
}

/** The sweeper works while the others are killed. */
function killUntil(stack: Stack, parts: Parts, until: number, restart: () => ChildProcess) {
  const victims = {
    api: async () => {
      await parts.api.kill()
      parts.api = await stack.startApi()
    },
    sweeper: async () => {
      await killSweeper(parts.sweeper)
      parts.sweeper = restart()
    },
    connections: () => cutConnections(stack),
  }
  const sweeping = Object.entries(victims).map(([name, kill]) => [name, () => letSweep(stack).then(kill)] as const)
  return killInTurn(Object.fromEntries(sweeping), { until, pauseMs: PAUSE_MS, order: Object.keys(victims) })
}

/** Passes that burned a moment ago are removed now instead of in ten minutes. */
async function letSweep({ db }: Stack): Promise<void> {
  await rows(
    db,
    `update svc.baton set purge_at = now() where deletion = 'burned' and purge_at > now()
       and deleted_at < now() - interval '2 seconds'`,
  )
}

async function killSweeper(sweeper: ChildProcess): Promise<void> {
  sweeper.kill('SIGKILL')
  if (sweeper.exitCode === null && sweeper.signalCode === null) await once(sweeper, 'exit')
}

/** Each baton was paid for once, and what was held for calls that died is given back. */
async function expectLedger(stack: Stack, customer: Customer, batons: number): Promise<void> {
  await eventually(
    'no money to be held',
    async () => {
      return (await customer.money()).held === 0n
    },
    ANSWER_WITHIN_MS,
  )
  const [made] = await rows<{ count: bigint; micros: bigint }>(
    stack.db,
    `select count(*), sum((quote ->> 'amountMicros')::bigint)::bigint as micros from svc.baton`,
  )
  expect(made!.count).toBe(BigInt(batons))
  expect(await customer.money()).toEqual({ balance: CREDIT - made!.micros, held: 0n })
}

/** After a last sweep nothing that burned is stored, all that has a record is, and nothing else. */
async function expectSwept(stack: Stack, sweeper: ChildProcess, storeConfig: object): Promise<void> {
  await rows(stack.db, `update svc.baton set purge_at = now() where deletion = 'burned' and purge_at > now()`)
  const left = `select (select count(*) from svc.baton where purge_at <= now())
    + (select count(*) from svc.object where expires_at <= now()) as count`
  await eventually(
    'the sweep to be done',
    async () => {
      const [{ count }] = (await rows<{ count: bigint }>(stack.db, left)) as [{ count: bigint }]
      return count === 0n
    },
    ANSWER_WITHIN_MS,
  )
  await killSweeper(sweeper)
  expect(
    await rows(
      stack.db,
      `select from svc.baton_entry e join svc.baton b on b.id = e.baton_id where b.deletion = 'burned'`,
    ),
  ).toEqual([])
  const store = openStore(storeConfig as never)
  const stored = new Set((await Array.fromAsync(store.list('baton/'))).map(({ key }) => key))
  const recorded = await rows<{ key: string; is_kept: boolean }>(
    stack.db,
    "select key, expires_at = 'infinity' as is_kept from svc.object where kind = 'baton'",
  )
  const known = new Set(recorded.map(({ key }) => key))
  expect([...stored].filter(key => !known.has(key))).toEqual([])
  expect(recorded.filter(({ key, is_kept: isKept }) => isKept && !stored.has(key))).toEqual([])
}
