import type { ListedEntity } from '../../../../tasks/products/screening/index.ts'
import { JSON_HEADERS } from '../../calls.ts'
import { formatCost, measureCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { quantile } from '../../median.ts'
import { openStack, type Stack } from '../../stack.ts'
import { createRandom } from '../location/made-up-roads.ts'
import { loadMade } from './load-made.ts'
import { makePerson, toEntity } from './made-names.ts'
import { writeVariant } from './variants.ts'

const ENTITIES = 300_000
const CLIENTS = 4
const SUBJECTS = 20
/** Four calls of twenty subjects take less than that, so that a figure below its goal is one and not a failure. */
const LEAST_SECONDS = 10
/** Calls before those that count read the most common words, as in a service that has run for a minute. */
const WARM_UP_SUBJECTS = 200

export default {
  id: 'P76',
  title: 'screening/match against 300,000 made entities, 4 clients: 20 subjects a call, and one',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0 })
    const count = Math.max(2_000, Math.round(ENTITIES * bench.profile.bulk))
    const startedMs = performance.now()
    const { cost: loadCost } = await measureCost({ Postgres: bench.environment.postgresPid }, () =>
      loadMade(stack, makeAll(count)),
    )
    const loadSeconds = Math.round((performance.now() - startedMs) / 1_000)
    bench.log(`${count} entities loaded in ${loadSeconds} s; an entity: ${formatCost(loadCost.perCall(count))}`)
    // Every call asks for other names, because an api remembers what it has read of the lists.
    const random = createRandom(99)
    const nameOne = () => writeVariant(makePerson(random), 'latin', random)!
    const nameMany = () => ({
      subjects: Object.fromEntries(Array.from({ length: SUBJECTS }, (_, at) => [`s${at}`, { name: nameOne() }])),
    })
    for (let call = 0; call < WARM_UP_SUBJECTS / SUBJECTS; call++) await match(stack, call, nameMany())
    const measure = async (makeBody: () => object) => {
      const processes = { api: stack.api.pid, Postgres: bench.environment.postgresPid }
      const seconds = Math.max(LEAST_SECONDS, bench.profile.seconds)
      const { result, cost } = await measureCost(processes, () => callFor(stack, seconds, makeBody))
      return { ...result, cost: cost.perCall(result.calls) }
    }
    const many = await measure(nameMany)
    const one = await measure(() => ({ name: nameOne() }))
    const describe = ({ cost, ...burst }: typeof one) =>
      ({
        floor: Number.NaN,
        judgedBy: 'ours',
        limitedBy: formatCost(cost),
        facts: { burst, count, loadSeconds },
      }) as const
    return [
      {
        ...describe(many),
        label: 'subjects, 20 a call',
        unit: 'subjects/s',
        ours: many.perSecond * SUBJECTS,
        goal: { atLeast: 50 },
      },
      { ...describe(one), label: 'one subject a call, p99', unit: 'ms', ours: one.p99Ms, goal: { atMost: 250 } },
      {
        ...describe(one),
        label: 'one subject a call',
        unit: 'subjects/s',
        ours: one.perSecond,
        goal: { atLeast: 50 },
      },
    ]
  },
} satisfies Figure

/** Keeps as many calls in flight as there are clients. */
async function callFor(stack: Stack, seconds: number, makeBody: () => object) {
  const times: number[] = []
  const startedMs = performance.now()
  const runClient = async (client: number) => {
    while (performance.now() - startedMs < seconds * 1_000) {
      const calledMs = performance.now()
      await match(stack, client, makeBody())
      times.push(performance.now() - calledMs)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => runClient(client)))
  const perSecond = (times.length * 1_000) / (performance.now() - startedMs)
  const sorted = times.toSorted((one, other) => one - other)
  return { calls: times.length, perSecond, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

async function match({ baseUrl, keys }: Stack, client: number, body: object): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/screening/match`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, authorization: `Bearer ${keys[client % keys.length]}` },
    body: JSON.stringify({ lists: ['sanctions'], sources: ['un_sc'], ...body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`a search answered ${response.status}: ${text}`)
}

function* makeAll(count: number): Generator<ListedEntity> {
  const random = createRandom(7)
  for (let index = 0; index < count; index++) yield toEntity(makePerson(random), index)
}
