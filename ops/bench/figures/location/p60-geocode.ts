import { activatePlaces, beginPlaceLoad, type LoadedPlace, storePlaces } from '../../../../sql/place/load.ts'
import { buildFloorCall, JSON_HEADERS } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack, type Stack, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

const CLIENTS = 16
const PLACES = 200_000
const BATCH = 5_000
const QUERIES = 20

export default {
  id: 'P60',
  title:
    'location/geocode with 200,000 places, 16 clients, beside Fastify with one UPDATE and commit: 20 queries a call, and one',
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
    const many = await compare('/v1/location/geocode', { queries, countries: ['DE'], limit: 1 })
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
      { ...describe(many), ...speed, label: 'geocode, 20 queries a call' },
      { ...describe(many), ...delay(many), label: 'geocode, 20 queries a call, p99' },
      { ...describe(one), ...delay(one), label: 'geocode, one query a call, p99' },
    ]
  },
} satisfies Figure

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
