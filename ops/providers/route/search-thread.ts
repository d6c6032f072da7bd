import { parentPort, workerData } from 'node:worker_threads'
import { Problem, type ProblemData } from '#kit'
import type { MatrixAnswer, RouteAnswer, RouteQuestion } from '../../../tasks/formats/roads/answer.ts'
import type { RoadGraph } from '../../../tasks/formats/roads/graph.ts'
import { planMatrix, planRoute } from '../../../tasks/formats/roads/plan.ts'
import { Searcher } from '../../../tasks/formats/roads/search.ts'

export interface SearchRequest {
  kind: 'route' | 'matrix'
  question: RouteQuestion
}

export type SearchReply = { answer: RouteAnswer | MatrixAnswer } | { problem: ProblemData } | { error: string }

const graph = workerData as RoadGraph
const searcher = new Searcher(graph)

parentPort!.on('message', ({ kind, question }: SearchRequest) => {
  parentPort!.postMessage(search(kind, question))
})

function search(kind: SearchRequest['kind'], question: RouteQuestion): SearchReply {
  try {
    return { answer: (kind === 'route' ? planRoute : planMatrix)(graph, searcher, question) }
  } catch (error) {
    return error instanceof Problem ? { problem: error.toData() } : { error: (error as Error).stack ?? String(error) }
  }
}
