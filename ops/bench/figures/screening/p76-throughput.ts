import type { ListedEntity } from '../../../../tasks/products/screening/index.ts'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost, measureCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { openStack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { createRandom } from '../location/made-up-roads.ts'
import { loadMade } from './load-made.ts'
import { makePerson, toEntity } from './made-names.ts'
import { writeVariant } from './variants.ts'

const ENTITIES = 300_000
const CLIENTS = 4
const SUBJECTS = 20
/** Four calls of twenty subjects take less than that, so that a figure below its goal is one and not a failure. */
const LEAST_SECONDS = 10

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
    const random = createRandom(99)
    const nameOne = () => writeVariant(makePerson(random), 'latin', random)!
    const subjects = Object.fromEntries(Array.from({ length: SUBJECTS }, (_, at) => [`s${at}`, { name: nameOne() }]))
    const asked = { lists: ['sanctions'], sources: ['un_sc'] }
    const measure = async (body: object) => {
      const call = {
        path: '/v1/screening/match',
        headers: JSON_HEADERS,
        body: JSON.stringify({ ...asked, ...body }),
        keys: stack.keys,
      }
      await verifyCall(stack, call)
      return measureTarget(
        bench,
        targetService(bench.environment, stack, call),
        CLIENTS,
        Math.max(LEAST_SECONDS, bench.profile.seconds),
      )
    }
    const many = await measure({ subjects })
    const one = await measure({ name: nameOne() })
    const describe = ({ burst, cost }: typeof one) =>
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
        ours: many.burst.perSecond * SUBJECTS,
        goal: { atLeast: 50 },
      },
      { ...describe(one), label: 'one subject a call, p99', unit: 'ms', ours: one.burst.p99Ms, goal: { atMost: 250 } },
      {
        ...describe(one),
        label: 'one subject a call',
        unit: 'subjects/s',
        ours: one.burst.perSecond,
        goal: { atLeast: 50 },
      },
    ]
  },
} satisfies Figure

function* makeAll(count: number): Generator<ListedEntity> {
  const random = createRandom(7)
  for (let index = 0; index < count; index++) yield toEntity(makePerson(random), index)
}
