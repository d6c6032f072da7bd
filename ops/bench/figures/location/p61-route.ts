import { snapToRoad } from '../../../../tasks/engines/roads/cells.ts'
import { planRoute } from '../../../../tasks/engines/roads/plan.ts'
import { buildProfile } from '../../../../tasks/engines/roads/profile.ts'
import { Searcher } from '../../../../tasks/engines/roads/search.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { buildMadeUpRoads, createRandom } from './made-up-roads.ts'

/** Gives a graph of a million stretches of road. */
const SIDE = 750
const EXTENT_DEGREES = SIDE * 0.002
const MIN_ROUTES = 20
const MAX_ROUTES = 300

export default {
  id: 'P61',
  title: 'location/route over a graph of a million edges, between random places, beside Dijkstra on the same arrays',
  async measure(bench) {
    bench.log('building the graph')
    const graph = buildMadeUpRoads(SIDE)
    const searcher = new Searcher(graph)
    const random = createRandom(3)
    const place = () => ({ lat: random() * EXTENT_DEGREES, lng: random() * EXTENT_DEGREES })
    const count = Math.max(MIN_ROUTES, Math.round(MAX_ROUTES * bench.profile.bulk))
    const [ours, floor, visited, processor]: number[][] = [[], [], [], []]
    const costs = { seconds: buildProfile(graph.kinds, 'drive'), mode: 'drive' } as const
    for (let round = 0; round < count; round++) {
      const waypoints = [place(), place()]
      const question = {
        waypoints,
        mode: 'drive',
        alternatives: 0,
        avoid: [],
        optimize: false,
        hasSteps: true,
      } as const
      const before = process.threadCpuUsage()
      ours!.push(time(() => planRoute(graph, searcher, { ...question, language: 'en', snapRadiusM: 500 })))
      processor!.push(process.threadCpuUsage(before).user / 1_000)
      visited!.push(searcher.visited)
      const [from, to] = waypoints.map(point =>
        snapToRoad(graph, point, { mode: 'drive', radiusM: 500, allows: () => true }),
      )
      floor!.push(time(() => searcher.findAll(from!, [to!], costs)))
    }
    const limitedBy = `${median(visited!)} of ${graph.lat.length} crossings looked at`
    const shared = { unit: 'ms', goal: { atMost: 50 }, judgedBy: 'ours', limitedBy } as const
    const label = `route, ${graph.from.length} edges, median`
    const facts = { edges: graph.from.length, nodes: graph.lat.length, routes: count, visited: median(visited!) }
    return [
      { ...shared, label, ours: median(ours!), floor: median(floor!), facts },
      { ...shared, label: `${label} of processor time`, ours: median(processor!), floor: median(floor!), facts },
    ]
  },
} satisfies Figure

function time(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
