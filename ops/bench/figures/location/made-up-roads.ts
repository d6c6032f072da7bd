import { RoadCollection } from '../../../../tasks/engines/roads/build/collect.ts'
import { buildGraph } from '../../../../tasks/engines/roads/build/graph-builder.ts'
import { DEGREE, type RoadGraph } from '../../../../tasks/engines/roads/graph.ts'

/** Distance of two crossings in degrees, about 220 m. */
const STEP = 0.002
const GAPS = 0.12

/** A country of roads on a bent grid: lanes, and every few of them a larger road, with gaps and one-way streets. */
export function buildMadeUpRoads(side: number): RoadGraph {
  const random = createRandom(7)
  const roads = new RoadCollection()
  for (let line = 0; line < side; line++) {
    addLine(roads, line, at => line * side + at + 1, { side, random })
    addLine(roads, line, at => at * side + line + 1, { side, random })
  }
  roads.endWays()
  for (let crossing = 0; crossing < side * side; crossing++) {
    const index = roads.find(crossing + 1)
    const [lat, lng] = [Math.floor(crossing / side) + random() * 0.6, (crossing % side) + random() * 0.6]
    if (index >= 0) roads.place(index, Math.round(lat * STEP * DEGREE), Math.round(lng * STEP * DEGREE))
  }
  return buildGraph(roads)
}

/** A road along a line of the grid; small ones have gaps. */
function addLine(
  roads: RoadCollection,
  line: number,
  idAt: (at: number) => number,
  { side, random }: { side: number; random: () => number },
): void {
  const tags = { ...tagsOf(line), name: `Road ${line}` }
  let nodes: number[] = []
  for (let at = 0; at < side; at++) {
    nodes.push(idAt(at))
    const isGap = tags.highway === 'residential' && random() < GAPS
    if (!isGap && at < side - 1) continue
    if (nodes.length > 1) roads.addWay({ tags, nodes })
    nodes = []
  }
}

function tagsOf(line: number): Record<string, string> & { highway: string } {
  if (line % 97 === 48) return { highway: 'motorway', oneway: 'no' }
  if (line % 24 === 12) return { highway: 'primary' }
  if (line % 6 === 3) return { highway: 'tertiary' }
  return line % 11 === 5 ? { highway: 'residential', oneway: 'yes' } : { highway: 'residential' }
}

/** The same numbers every time: a multiplier of 32 bits. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
