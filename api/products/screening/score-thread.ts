import { parentPort } from 'node:worker_threads'
import { replyWith } from '../../../ops/process/threads.ts'
import { type ScoredEntry, scoreCandidates } from '../../../tasks/products/screening/matching/score.ts'
import type { ScoringWork } from '../../../tasks/products/screening/matching/search.ts'

parentPort!.on('message', (work: ScoringWork) => {
  parentPort!.postMessage(replyWith(() => score(work)))
})

function score({ subject, candidates, corpus, names, options }: ScoringWork): ScoredEntry[] {
  return scoreCandidates(subject, candidates, corpus, names, options)
}
