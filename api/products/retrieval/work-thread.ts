import { parentPort } from 'node:worker_threads'
import { replyWith } from '../../../ops/process/threads.ts'
import { extractAnswer, type Quote } from '../../../tasks/engines/answers/extract.ts'
import { readQuestion } from '../../../tasks/engines/answers/question.ts'
import { type Passage, scoreWording } from '../../../tasks/engines/answers/relevance.ts'

/** Texts are compared apart from other calls, because it takes long for many of them. */
export interface AnswerWork {
  question: string
  language: string | undefined
  passages: readonly Passage[]
  /** How relevant each passage is, if that is known. */
  scores?: readonly number[]
  /** Passages that score less are not relevant. */
  minScore: number
  /** How many of them are read. */
  limit: number
  /** How many sentences to choose; none if a model answers. */
  sentences: number
}

export interface AnswerWorkResult {
  /** The best first, by their places among the passages. */
  relevant: { index: number; score: number }[]
  quotes: Quote[]
  /** The share of the question that the best sentence has. */
  share: number
}

parentPort!.on('message', (work: AnswerWork) => {
  parentPort!.postMessage(replyWith(() => perform(work)))
})

function perform({ passages, minScore, limit, sentences, ...work }: AnswerWork): AnswerWorkResult {
  const question = readQuestion(work.question, work.language)
  const scores = work.scores ?? scoreWording(question, passages)
  const relevant = Array.from(scores, (score, index) => ({ index, score }))
    .filter(({ score }) => score >= minScore && score > 0)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, limit)
  if (sentences === 0) return { relevant, quotes: [], share: 0 }
  const read = relevant.map(({ index }) => passages[index]!)
  return { relevant, ...extractAnswer(question, read, sentences) }
}
