import { Problem } from '#kit'
import { findSpokenLanguage } from '../../../tasks/formats/language/spoken.ts'
import { isSpaceless, type Speech, type SpeechSegment, type SpokenWord } from '../../../tasks/formats/media/speech.ts'

const MAX_SEGMENTS = 20_000
const MIN_SEGMENT_SECONDS = 0.1
/** What whisper.cpp writes for silence. */
const SILENCE = /^\[\s*BLANK_AUDIO\s*\]$/i

interface Reply {
  text?: unknown
  language?: unknown
  segments?: unknown
  /** Of OpenAI; whisper.cpp has them in the segments. */
  words?: unknown
}

interface TimedText {
  start: number
  end: number
  text: string
  words?: unknown
}

/** Trusts nothing of an answer: times lie within the sound and in order, and what is not text is left out. */
export function readSpeech(answer: unknown, { seconds, words }: { seconds: number; words: boolean }): Speech {
  const reply = (typeof answer === 'object' && answer !== null ? answer : {}) as Reply
  const { text, segments: listed } = reply
  if (typeof text !== 'string' && !Array.isArray(listed)) throw unavailable('the answer has no text')
  if (!Array.isArray(listed) && String(text).trim() !== '')
    throw unavailable('the answer has no times; the model must offer verbose_json')
  const segments = listTimed(listed, 'text', seconds).filter(({ text }) => !SILENCE.test(text))
  const language = typeof reply.language === 'string' ? findSpokenLanguage(reply.language) : undefined
  const described = words ? addWords(segments, reply.words, seconds) : segments.map(withoutWords)
  return { ...(language && { language }), segments: described }
}

export function unavailable(detail: string, hints: Record<string, unknown> = {}): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'transcription', detail, ...hints })
}

function listTimed(list: unknown, field: 'text' | 'word', seconds: number): TimedText[] {
  if (!Array.isArray(list)) return []
  let earliest = 0
  return list.slice(0, MAX_SEGMENTS).flatMap(entry => {
    const { start, end, words, [field]: raw } = (entry ?? {}) as Record<string, unknown>
    if (typeof raw !== 'string' || !Number.isFinite(start) || !Number.isFinite(end)) return []
    const text = raw.replaceAll(/\s+/g, ' ').trim()
    if (text === '' || Number(start) >= seconds) return []
    const from = Math.max(earliest, Number(start))
    earliest = from
    const minSeconds = field === 'text' ? MIN_SEGMENT_SECONDS : 0
    const to = Math.max(Math.min(Number(end), seconds), from + minSeconds)
    return [{ start: round(from), end: round(to), text, words }]
  })
}

function withoutWords({ start, end, text }: TimedText): SpeechSegment {
  return { start, end, text }
}

/** A word belongs to the last segment that began before it. */
function addWords(segments: readonly TimedText[], list: unknown, seconds: number): SpeechSegment[] {
  const ofAll = listTimed(list, 'word', seconds)
  return segments.map((segment, index) => {
    const from = index === 0 ? 0 : segment.start
    const to = segments[index + 1]?.start ?? Number.POSITIVE_INFINITY
    const own = ofAll.filter(({ start }) => start >= from && start < to).map(toWord)
    const words = own.length > 0 ? own : joinTokens(segment.words, seconds)
    return { ...withoutWords(segment), ...(words.length > 0 && { words }) }
  })
}

function toWord({ start, end, text }: TimedText): SpokenWord {
  return { start, end, word: text }
}

/** whisper.cpp gives tokens: one that begins with a space begins a word. A token may be a part of a letter, which is lost. */
function joinTokens(list: unknown, seconds: number): SpokenWord[] {
  const tokens = listTimed(list, 'word', seconds)
  const raw = Array.isArray(list) ? list.map(entry => String((entry as { word?: unknown } | null)?.word)) : []
  if (raw.some(text => text.includes('\uFFFD')) || tokens.length !== raw.filter(text => text.trim()).length) return []
  const isFirst = raw.filter(text => text.trim()).map(text => /^\s/.test(text) || isSpaceless(text))
  const words: SpokenWord[] = []
  for (const [index, token] of tokens.entries()) {
    const last = words.at(-1)
    if (!last || isFirst[index]) words.push(toWord(token))
    else
      words[words.length - 1] = { start: last.start, end: Math.max(last.end, token.end), word: last.word + token.text }
  }
  return words
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
