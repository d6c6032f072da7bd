import { Problem } from '#kit'
import type { MatrixAnswer, RouteAnswer, RouteQuestion } from '../../../tasks/engines/roads/answer.ts'
import type { RoadGraph } from '../../../tasks/engines/roads/graph.ts'
import { Threads } from '../../process/threads.ts'
import type { Router } from './contract.ts'
import type { SearchRequest } from './search-thread.ts'

// Decision 0156: plan routes with landmarks in threads of the api.

/** Where the graph comes from. */
export interface RoadSource {
  /** The id of the current data; undefined if there are none. */
  currentId(): Promise<number | undefined>
  load(): Promise<LoadedRoads | undefined>
}

interface LoadedRoads {
  id: number
  attribution: string
  date: string
  graph: RoadGraph
}

const MISSING = 'npm run -s cli -- roads load <extract.osm.pbf>'

/** Plans routes on the operator's own road graph, in threads, so that the api stays free. */
export class EmbeddedRouter implements Router {
  readonly id = 'embedded'
  readonly #source: RoadSource
  #roads: LoadedRoads | undefined
  #threads: Threads<SearchRequest, RouteAnswer | MatrixAnswer> | undefined
  #refreshing: Promise<void> | undefined

  constructor(source: RoadSource) {
    this.#source = source
  }

  attribution(): string {
    return this.#roads?.attribution ?? ''
  }

  dataDate(): string | undefined {
    return this.#roads?.date
  }

  missing(): string | undefined {
    return this.#roads ? undefined : MISSING
  }

  async plan(question: RouteQuestion, signal: AbortSignal): Promise<RouteAnswer> {
    return (await this.#search('route', question, signal)) as RouteAnswer
  }

  async matrix(question: RouteQuestion, signal: AbortSignal): Promise<MatrixAnswer> {
    return (await this.#search('matrix', question, signal)) as MatrixAnswer
  }

  /** One refresh at a time; what is asked for meanwhile is done after it. */
  async refresh(): Promise<void> {
    const after = this.#refreshing?.catch(() => undefined) ?? Promise.resolve()
    this.#refreshing = after.then(() => this.#loadCurrent())
    return this.#refreshing
  }

  async close(): Promise<void> {
    await this.#refreshing?.catch(() => undefined)
    this.#threads?.close()
  }

  async #loadCurrent(): Promise<void> {
    if ((await this.#source.currentId()) === this.#roads?.id) return
    const roads = await this.#source.load()
    const before = this.#threads
    this.#roads = roads
    this.#threads = roads && new Threads(new URL('search-thread.ts', import.meta.url), roads.graph)
    before?.close()
  }

  #search(kind: 'route' | 'matrix', question: RouteQuestion, signal: AbortSignal) {
    if (!this.#threads) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'location.route', install: MISSING })
    return this.#threads.perform({ kind, question }, signal)
  }
}
