import { Problem, type Warning } from '#kit'
import { countTextTokens, type ModelOffer } from '../../../tasks/products/language/index.ts'
import { ANSWER, type Style, type Turn } from '../../../tasks/products/retrieval/ask.ts'

/** What a model reads at most, of one text and of all, written as JSON. */
const MAX_PASSAGE_BYTES = 8_000
const MAX_CONTEXT_BYTES = 60_000
/** A model that reads less cannot answer from documents. */
const LEAST_CONTEXT_BYTES = 600
const TOKEN_BYTES = 3
/** Of the frame of a text. */
const FRAME_BYTES = 30

interface AskedQuestion {
  question: string
  style: Style
  history?: readonly Turn[]
  language?: string
  topK: number
}

/** How much of all texts a model is shown for a question. */
export function limitContext({ topK, question, style, history = [], language }: AskedQuestion, offer: ModelOffer) {
  const most = Math.min(MAX_CONTEXT_BYTES, topK * MAX_PASSAGE_BYTES)
  const { contextTokens } = offer
  if (contextTokens === undefined) return most
  const call = { text: question, params: { passages: [], history, style }, language }
  const { input, output } = countTextTokens({ ...ANSWER, rounds: 0 } as never, call)
  const left = (contextTokens - input - output) * TOKEN_BYTES
  if (left < LEAST_CONTEXT_BYTES)
    throw new Problem('CONTEXT_TOO_LONG', {
      ...{ tokens: input + output + LEAST_CONTEXT_BYTES / TOKEN_BYTES, max: contextTokens },
      instead: 'Shorten the question or its history, or choose another tier.',
    })
  return Math.min(most, left)
}

interface Fitted {
  /** The texts under short names; the names of callers might be instructions. */
  shown: { id: string; text: string }[]
  warnings: Warning[]
}

/** The best texts, as many as a model reads. The name of each says which of them it is, from 1 on. */
export function fitPassages(relevant: readonly { text: string }[], contextBytes: number): Fitted {
  let left = contextBytes
  let cut = 0
  const shown = relevant.flatMap(({ text }, index) => {
    const kept = cutToFit(text, Math.min(left - FRAME_BYTES, MAX_PASSAGE_BYTES))
    left -= measureJson(kept) + FRAME_BYTES
    if (kept !== text) cut += 1
    return kept === '' ? [] : [{ id: `p${index + 1}`, text: kept }]
  })
  const message = `${cut} of the texts that were found are longer than the model is shown here: their ends were not read, or they were not read at all.`
  return { shown, warnings: cut > 0 ? [{ code: 'PASSAGES_CUT', message }] : [] }
}

function measureJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

/** As much of a text as takes so many bytes as JSON. */
function cutToFit(text: string, bytes: number): string {
  if (bytes <= 0) return ''
  let kept = text
  for (let limit = bytes; measureJson(kept) > bytes; limit = Math.floor(limit * 0.9)) kept = cutBytes(text, limit)
  return kept
}

function cutBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\ufffd+$/, '')
}
