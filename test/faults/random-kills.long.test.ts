import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openStore } from '../../ops/providers/storage/open.ts'
import { rows } from '../../sql/db.ts'
import { findOpenJobs } from '../../sql/job.ts'
import purgeStaged from '../../tasks/chores/purge-staged.ts'
import { createNoisyPng } from '../support/images/png.ts'
import { eventually } from '../support/machine/eventually.ts'
import { listDescendants } from '../support/machine/processes.ts'
import { cutConnections } from '../support/stack/kills.ts'
import { retryUntilAnswered } from '../support/stack/retry-call.ts'
import type { Role } from '../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** For a longer run by hand: KILL_SECONDS=300 npx vitest run --config test/vitest.config.ts test/faults/random-kills.long.test.ts */
const KILL_MS = Number(process.env.KILL_SECONDS ?? 12) * 1_000
const PAUSE_MS = 1_500
const CREDIT = 1_000_000_000n
const ANSWER_WITHIN_MS = 180_000

const resizeBody = { file: { inline: createNoisyPng(300).toString('base64') }, width: 60, format: 'webp' }
const CALLS: (readonly [path: string, body: object])[] = [
  ['/v1/text/slugify', { texts: Array.from({ length: 300 }, (_, index) => `Some title ${index}`) }],
  ['/v1/image/resize', resizeBody],
  ['/v1/utils/hash', { text: 'abc' }],
]

test('while processes and connections are killed at random, every keyed call ends well and nothing is left over', async () => {
  await using stack = await startStack({ worker: false })
  const customer = await stack.customer(CREDIT)
  const roles: Roles = { api: stack.api, worker: await stack.startWorker() }
  const until = Date.now() + KILL_MS
  const callers = Array.from({ length: 3 }, (_, index) => callUntil(customer, index, until))
  const kills = await killUntil(stack, roles, until)
  const calls = (await Promise.all(callers)).flat()

  console.log({ kills, calls: calls.length })
  expect(calls.flatMap(({ statuses }) => statuses.filter(status => status >= 500 && status !== 503))).toEqual([])
  await eventually('no money to be held', async () => (await customer.money()).held === 0n, ANSWER_WITHIN_MS)
  const ended = await rows(
    stack.db,
    `select status, problem ->> 'code' as code from svc.job where status <> 'succeeded'`,
  )
  expect(ended).toEqual([])
  const [sum] = await rows<{ calls: bigint; micros: bigint }>(
    stack.db,
    'select count(*) as calls, sum(charged_micros)::bigint as micros from svc.job',
  )
  expect(sum!.calls).toBe(BigInt(calls.length))
  expect(await customer.money()).toEqual({ balance: CREDIT - sum!.micros, held: 0n })
  await expectNothingLeft(stack, roles)
}, 1_800_000)

interface Roles {
  api: Role
  worker: Role
}

interface Call {
  statuses: number[]
}

async function callUntil(customer: Customer, caller: number, until: number): Promise<Call[]> {
  const calls: Call[] = []
  while (Date.now() < until) {
    const [path, body] = CALLS[(caller + calls.length) % CALLS.length]!
    const key = `caller-${caller}-${calls.length}`
    const answers = await retryUntilAnswered(customer, path, body, key, ANSWER_WITHIN_MS)
    calls.push({ statuses: answers.map(({ status }) => status) })
  }
  return calls
}

async function killUntil(stack: Stack, roles: Roles, until: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = { api: 0, worker: 0, child: 0, connections: 0 }
  const victims = Object.keys(counts)
  for (let turn = 0; Date.now() < until || turn < victims.length; turn++) {
    const victim = turn < victims.length ? victims[turn]! : victims[Math.floor(Math.random() * victims.length)]!
    counts[victim]! += 1
    if (victim === 'api') {
      await roles.api.kill()
      roles.api = await stack.startApi()
    } else if (victim === 'worker') {
      await roles.worker.kill()
      roles.worker = await stack.startWorker()
    } else if (victim === 'child') killOneChild(roles.worker)
    else await cutConnections(stack)
    await sleep(PAUSE_MS)
  }
  return counts
}

function killOneChild({ pid }: Role): void {
  const children = listDescendants(pid)
  const victim = children[Math.floor(Math.random() * children.length)]
  try {
    if (victim) process.kill(victim.pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** What is swept by its age is made old, and a new worker sweeps. */
async function expectNothingLeft(stack: Stack, roles: Roles): Promise<void> {
  expect(await roles.worker.stop(), roles.worker.log()).toBe(0)
  const work = join(stack.dataDir, 'work')
  for (const name of await readdir(work)) await makeOld(join(work, name))
  await using _sweeper = await stack.startWorker()
  const listWork = async () => (await readdir(work)).length
  await eventually('the folders of dead workers to be gone', async () => (await listWork()) === 1, 120_000)

  const store = openStore({ dataDir: stack.dataDir, publicUrl: stack.url, secret: 'none' } as never)
  const objects = join(stack.dataDir, 'objects')
  for (const name of await readdir(objects, { recursive: true })) await makeOld(join(objects, name))
  const jobs = { findOpen: (ids: readonly string[]) => findOpenJobs(stack.db, ids) }
  await purgeStaged.run({ store, jobs, now: () => new Date(), log: () => undefined } as never)
  expect(await Array.fromAsync(store.list('stage/'))).toEqual([])
  expect(await readdir(join(objects, '.drafts')).catch(() => [])).toEqual([])

  const recorded = await rows<{ key: string }>(stack.db, 'select key from svc.object')
  const stored = (await Array.fromAsync(store.list('scratch/'))).map(({ key }) => key)
  expect(stored.sort()).toEqual(recorded.map(({ key }) => key).sort())
}

async function makeOld(path: string): Promise<void> {
  const then = Date.now() / 1_000 - 3_600
  if ((await stat(path).catch(() => undefined)) !== undefined) await utimes(path, then, then)
}
