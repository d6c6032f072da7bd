import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { JSON_HEADERS } from '../../calls.ts'
import type { BenchEnvironment } from '../../environment.ts'
import type { Bench, Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, type Stack } from '../../stack.ts'

const run = promisify(execFile)
const WARM_UP_CALLS = 500
const INPUT = { text: 'coinop', algorithms: ['sha256'] }

interface SdkClient {
  utils: { hash(input: object): Promise<{ hashes: { sha256: string } }> }
}

/** The same call by the client that the installation serves and by fetch alone, in turn, one after the other. */
export default {
  id: 'P57',
  title: 'the TypeScript client over bare fetch, on the same call',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const client = await installClient(bench.environment, stack)
    const bare = { client: () => client.utils.hash(INPUT), fetch: () => callBare(stack) }
    const times = await timeInTurn(bench, bare)
    const [ours, floor] = [median(times.client), median(times.fetch)]
    return [
      {
        label: 'one call, median beyond fetch',
        unit: 'ms',
        ours: ours - floor,
        floor,
        goal: { atMost: 0.2 },
        judgedBy: 'ours',
        limitedBy: `the time limit and the retries of each call; ${ours.toFixed(3)} over ${floor.toFixed(3)} ms`,
        facts: { calls: times.client.length, ours, floor },
      },
    ]
  },
} satisfies Figure

async function installClient({ folder }: BenchEnvironment, { baseUrl, keys }: Stack): Promise<SdkClient> {
  const home = await mkdtemp(join(folder, 'client-'))
  const archive = await fetch(`${baseUrl}/sdk.tgz`)
  await writeFile(join(home, 'sdk.tgz'), Buffer.from(await archive.arrayBuffer()))
  await run('tar', ['-xzf', 'sdk.tgz'], { cwd: home })
  const { Coinop } = (await import(join(home, 'package/index.js'))) as {
    Coinop: new (options: object) => SdkClient
  }
  return new Coinop({ key: keys[0], baseUrl })
}

/** With the header that makes a repeat safe, as the client sends it. */
async function callBare({ baseUrl, keys }: Stack): Promise<unknown> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${keys[0]}`, 'idempotency-key': randomUUID() }
  const answer = await fetch(`${baseUrl}/v1/utils/hash`, { method: 'POST', headers, body: JSON.stringify(INPUT) })
  if (!answer.ok) throw new Error(`utils.hash answered ${answer.status}`)
  return answer.json()
}

async function timeInTurn<Way extends string>(
  { profile }: Bench,
  ways: Record<Way, () => Promise<unknown>>,
): Promise<Record<Way, number[]>> {
  const names = Object.keys(ways) as Way[]
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Way, number[]>
  for (let call = 0; call < WARM_UP_CALLS; call++) for (const name of names) await ways[name]()
  const until = performance.now() + profile.rounds * profile.seconds * 1_000
  while (performance.now() < until) {
    for (const name of names) {
      const startedAt = performance.now()
      await ways[name]()
      times[name].push(performance.now() - startedAt)
    }
    names.reverse()
  }
  return times
}
