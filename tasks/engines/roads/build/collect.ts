import type { OsmWay, Tags } from '../../../formats/osm/element.ts'
import { Numbers } from './numbers.ts'

/** The tags of ways that matter for roads. */
const KEPT = [
  ...[
    'highway',
    'route',
    'junction',
    'oneway',
    'oneway:bicycle',
    'cycleway',
    'maxspeed',
    'surface',
    'tracktype',
    'toll',
  ],
  ...['access', 'vehicle', 'motor_vehicle', 'motorcar', 'bicycle', 'foot', 'hgv', 'goods', 'maxweight', 'maxheight'],
  ...['motorroad', 'duration', 'name', 'ref'],
]

const MAX_NAME = 200

export function keepRoadTags(tags: Tags): Tags {
  return Object.fromEntries(KEPT.flatMap(key => (tags[key] === undefined ? [] : [[key, tags[key].slice(0, MAX_NAME)]])))
}

/** The roads of an extract: their ways first, then the places of the nodes that those need. */
export class RoadCollection {
  readonly #refs = new Numbers()
  readonly #first = new Numbers()
  readonly #wayTags: Tags[] = []
  readonly #tagSets = new Map<string, Tags>()
  #ids: Float64Array | undefined
  #lat = new Int32Array()
  #lng = new Int32Array()
  #isPlaced = new Uint8Array()

  get wayCount(): number {
    return this.#wayTags.length
  }

  addWay({ tags, nodes }: OsmWay): void {
    const key = JSON.stringify(tags)
    const known = this.#tagSets.get(key) ?? tags
    this.#tagSets.set(key, known)
    this.#wayTags.push(known)
    this.#first.push(this.#refs.length)
    for (const id of nodes) this.#refs.push(id)
  }

  /** To be called once, when all ways are added. */
  endWays(): void {
    this.#first.push(this.#refs.length)
    const sorted = this.#refs.view().slice().sort()
    let count = 0
    for (let at = 0; at < sorted.length; at++)
      if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[count++] = sorted[at]!
    this.#ids = sorted.slice(0, count)
    this.#lat = new Int32Array(count)
    this.#lng = new Int32Array(count)
    this.#isPlaced = new Uint8Array(count)
  }

  /** The number of a node among those that are needed; -1 if it is not. */
  find(id: number): number {
    const ids = this.#ids!
    let [low, high] = [0, ids.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = ids[middle]!
      if (found === id) return middle
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  /** `lat` and `lng` are whole numbers as the graph stores them. */
  place(index: number, lat: number, lng: number): void {
    this.#lat[index] = lat
    this.#lng[index] = lng
    this.#isPlaced[index] = 1
  }

  get points(): { lat: Int32Array; lng: Int32Array; isPlaced: Uint8Array } {
    return { lat: this.#lat, lng: this.#lng, isPlaced: this.#isPlaced }
  }

  /** Each way with its nodes as numbers. */
  *ways(): Generator<{ tags: Tags; nodes: Uint32Array }> {
    const [refs, first] = [this.#refs.view(), this.#first.view()]
    for (const [way, tags] of this.#wayTags.entries()) {
      const nodes = new Uint32Array(first[way + 1]! - first[way]!)
      for (let at = 0; at < nodes.length; at++) nodes[at] = this.find(refs[first[way]! + at]!)
      yield { tags, nodes }
    }
  }
}
