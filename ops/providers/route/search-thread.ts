import { parentPort, workerData } from 'node:worker_threads'
import type { RouteQuestion } from '../../../tasks/engines/roads/answer.ts'
import type { RoadGraph } from '../../../tasks/engines/roads/graph.ts'
import { planMatrix, planRoute } from '../../../tasks/engines/roads/plan.ts'
import { Searcher } from '../../../tasks/engines/roads/search.ts'
import { replyWith } from '../../process/threads.ts'

export interface SearchRequest {
  kind: 'route' | 'matrix'
  question: RouteQuestion
}

const graph = workerData as RoadGraph
const searcher = new Searcher(graph)

parentPort!.on('message', ({ kind, question }: SearchRequest) => {
  const plan = kind === 'route' ? planRoute : planMatrix
  parentPort!.postMessage(replyWith(() => plan(graph, searcher, question)))
})
