import { activatePlaces, beginPlaceLoad, type LoadedPlace, storePlaces } from '../../../../sql/location/index.ts'
import { buildFloorCall, JSON_HEADERS } from '../../calls.ts'
import { compareWithFloor, measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack, type Stack, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

const CLIENTS = 16
const PLACES = 200_000
const BATCH = 5_000
const QUERIES = 20
/** The goal is a delay at this many queries a second, and a closed loop takes all that the machine gives. */
const QUERIES_PER_SECOND = 2_000
/** A hundred calls a second are few for a p99. */
const PACED_SECONDS = 5

export default {
  id: 'P60',
  title:
    'location/geocode with 200,000 places, 16 clients, beside Fastify with one UPDATE and commit: 20 queries a call, and one; and at 2,000 queries a second',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0 })
    await loadPlaces(stack)
    await using server = await startFloorServer(stack)
    const compare = async (path: string, body: object) => {
      const call = { path, headers: JSON_HEADERS, body: JSON.stringify(body), keys: stack.keys }
      await checkFound(await verifyCall(stack, call))
      const targets = {
        ours: targetService(bench.environment, stack, call),
        floor: targetFloor(bench.environment, server, buildFloorCall(call)),
      }
      return await compareWithFloor(bench, targets, CLIENTS)
    }
    const queries = Array.from({ length: QUERIES }, (_, index) => `Place ${10_000 + index * 9_001}, Land`)
    const body = { queries, countries: ['DE'], limit: 1 }
    const many = await compare('/v1/location/geocode', body)
    const paced = await measurePaced(bench, stack, body)
    const one = await compare('/v1/location/geocode', { query: queries[7], limit: 1 })
    const describe = ({ ours, floor }: typeof one) =>
      ({ judgedBy: 'ours', limitedBy: formatCost(ours.cost), facts: { ours, floor } }) as const
    const speed = {
      ...{ ours: many.ours.perSecond * QUERIES, floor: many.floor.perSecond, unit: 'queries/s' },
      goal: { atLeast: 2_000 },
    }
    const delay = ({ ours, floor }: typeof one) => ({
      ours: ours.p99Ms,
      floor: floor.p99Ms,
      unit: 'ms',
      goal: { atMost: 20 },
    })
    return [
      paced,
      { ...describe(many), ...speed, label: 'geocode, 20 queries a call' },
      { ...describe(many), ...delay(many), label: 'geocode, 20 queries a call, p99' },
      { ...describe(one), ...delay(one), label: 'geocode, one query a call, p99' },
    ]
  },
} satisfies Figure

async function measurePaced(bench: Bench, stack: Stack, body: object): Promise<Reading> {
  const path = '/v1/location/geocode'
  const call = { path, headers: JSON_HEADERS, body: JSON.stringify(body), keys: stack.keys }
  const target = targetService(bench.environment, stack, call)
  const seconds = Math.max(PACED_SECONDS, bench.profile.seconds)
  const { burst, cost } = await measureTarget(bench, target, CLIENTS, seconds, QUERIES_PER_SECOND / QUERIES)
  return {
    ...{
      label: `geocode, 20 queries a call, p99 at ${Math.round(burst.perSecond * QUERIES)} queries a second`,
      unit: 'ms',
    },
    ...{ ours: burst.p99Ms, floor: Number.NaN, goal: { atMost: 20 }, judgedBy: 'ours' },
    ...{ limitedBy: formatCost(cost), facts: { burst } },
  }
}

async function checkFound(answer: Response): Promise<void> {
  const { results, answers = [{ results }] } = (await answer.json()) as {
    results?: unknown[]
    answers?: { results?: unknown[] }[]
  }
  if (answers.some(found => found.results?.length !== 1)) throw new Error('a place was not found')
}

/** Fills the gazetteer with made-up towns, as a load of a dump does. */
async function loadPlaces({ db }: Stack): Promise<void> {
  const load = await beginPlaceLoad(db, { source: 'bench', attribution: 'made up', date: '2026-01-01' })
  for (let lines = 0; lines < PLACES; ) {
    const places = Array.from({ length: BATCH }, (_, index) => buildPlace(lines + index + 1))
    lines += BATCH
    await storePlaces(db, load.id, places, { file: 'bench', lines })
  }
  await activatePlaces(db, load.id)
}

function buildPlace(number: number): LoadedPlace {
  const name = `Place ${number}`
  const [lat, lng] = [(number % 170) - 85, (number % 350) - 175]
  return {
    ...{ id: `bench:${number}`, name, kind: 'city', feature: 'PPL', lat, lng, country: 'DE', region: 'Land' },
    ...{ population: number, names: [name.toLowerCase()] },
  }
}
