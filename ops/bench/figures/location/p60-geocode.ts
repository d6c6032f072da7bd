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
    'location/geocode of 20 queries a call with 200,000 places, 16 clients, beside Fastify with one UPDATE and commit',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0 })
    await loadPlaces(stack)
    await using server = await startFloorServer(stack)
    const queries = Array.from({ length: QUERIES }, (_, index) => `Place ${10_000 + index * 9_001}, Land`)
    const body = JSON.stringify({ queries, countries: ['DE'], limit: 1 })
    const call = { path: '/v1/location/geocode', headers: JSON_HEADERS, body, keys: stack.keys }
    const { answers } = (await (await verifyCall(stack, call)).json()) as { answers: { results: unknown[] }[] }
    if (answers.some(({ results }) => results.length !== 1)) throw new Error('a place was not found')
    const { ours, floor } = await compareWithFloor(
      bench,
      {
        ours: targetService(bench.environment, stack, call),
        floor: targetFloor(bench.environment, server, buildFloorCall(call)),
      },
      CLIENTS,
    )
    const shared = { judgedBy: 'ours', limitedBy: formatCost(ours.cost), facts: { ours, floor } } as const
    const speed = {
      ours: ours.perSecond * QUERIES,
      floor: floor.perSecond,
      unit: 'queries/s',
      goal: { atLeast: 2_000 },
    }
    const delay = { ours: ours.p99Ms, floor: floor.p99Ms, unit: 'ms', goal: { atMost: 20 } }
    return [
      { ...shared, ...speed, label: 'geocode, 16 clients' },
      { ...shared, ...delay, label: 'geocode, 16 clients, p99' },
    ]
  },
} satisfies Figure

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
