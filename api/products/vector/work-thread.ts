import { parentPort } from 'node:worker_threads'
import { replyWith } from '../../../ops/process/threads.ts'
import { type PreparedText, prepareText } from '../../../tasks/engines/vectors/prepare.ts'
import type { Scored } from '../../../tasks/engines/vectors/score.ts'
import { searchVectors, type VectorSearch } from '../../../tasks/engines/vectors/search.ts'

/** What would keep the api from its other calls. */
export type VectorWork = { search: VectorSearch } | { texts: readonly string[]; isEmbedded: boolean }
export type VectorWorkAnswer = Scored[] | PreparedText[]

parentPort!.on('message', (work: VectorWork) => {
  parentPort!.postMessage(replyWith(() => perform(work)))
})

function perform(work: VectorWork): VectorWorkAnswer {
  if ('search' in work) return searchVectors(work.search)
  return work.texts.map(text => prepareText(text, work.isEmbedded))
}
