import { parentPort } from 'node:worker_threads'
import { replyWith } from '../../../ops/process/threads.ts'
import { type ChunkTerms, splitText } from '../../../tasks/engines/chunks/split.ts'
import { type PreparedText, prepareText } from '../../../tasks/engines/vectors/prepare.ts'

/** What would keep the worker from its other jobs. */
export type PrepareWork = { text: string; terms: ChunkTerms } | { texts: readonly string[]; isEmbedded: boolean }
export type PrepareAnswer = ReadyChunk[] | PreparedText[]

export interface ReadyChunk {
  text: string
  start: number
  end: number
  heading: string
}

/** A heading may be as long as its line. */
const MAX_HEADING_CHARS = 400

parentPort!.on('message', (work: PrepareWork) => {
  parentPort!.postMessage(replyWith(() => perform(work)))
})

function perform(work: PrepareWork): PrepareAnswer {
  if ('texts' in work) return work.texts.map(text => prepareText(text, work.isEmbedded))
  return splitText(work.text, work.terms).flatMap(chunk => {
    const { repeated, headings } = chunk
    const own = chunk.text.slice(repeated.length)
    const text = own.trim()
    if (!/[\p{L}\p{N}]/u.test(text)) return []
    const start = chunk.start + own.indexOf(text)
    const heading = headings.join(' > ').slice(0, MAX_HEADING_CHARS).toWellFormed()
    return [{ text: repeated + text, start, end: start + text.length, heading }]
  })
}
