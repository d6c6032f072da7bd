import { Problem } from '#kit'
import { findCut } from '../../engines/chunks/graphemes.ts'
import { TextSizes } from '../../engines/chunks/sizes.ts'
import { splitSentences } from '../../engines/language/sentences.ts'
import { computeCeiling, type ModelOffer } from './offer.ts'
import { type AnyWork, computeTextCeiling, countTextTokens, ESCAPED, type SizedCall } from './text-ceiling.ts'

/** How a text is read that is longer than its model reads at once: part by part, and then what was noted of the parts. */
export interface PartPlan {
  /** The most of a part. */
  partBytes: number
  /** What is asked for each part. */
  work: AnyWork
  /** The most that is kept of what was noted of a part, as JSON. */
  noteBytes: number
}

const MAX_NOTE_TOKENS = 800
const LEAST_NOTE_TOKENS = 100
/** Notes are so much shorter than what they are of that every round makes the text much shorter. */
const NOTE_SHARE = 16
const LEAST_PARTS_SHARE = 8
/** So many notes are read at once. */
const NOTES_AT_ONCE = 4

/** Undefined if the model reads all of it at once, or if how much it reads is not known. */
export function planParts(
  work: AnyWork,
  call: SizedCall,
  { contextTokens }: Pick<ModelOffer, 'contextTokens'>,
): PartPlan | undefined {
  if (contextTokens === undefined || !work.notes) return undefined
  // What is told of a fault is short beside the text and not asked for often, so nothing is kept free for it.
  const once = { ...work, rounds: 0 }
  const { input, output } = countTextTokens(once, call)
  if (input + output <= contextTokens) return undefined
  const bare = { ...call, text: '', bytes: 0 }
  const leftTokens = countLeft(once, bare, contextTokens)
  const noteTokens = Math.floor(Math.min(MAX_NOTE_TOKENS, contextTokens / NOTE_SHARE, leftTokens / NOTES_AT_ONCE))
  const noting = createNoting(work, noteTokens)
  const partTokens = countLeft(noting, bare, contextTokens)
  if (noteTokens < LEAST_NOTE_TOKENS || partTokens < noteTokens * LEAST_PARTS_SHARE)
    throw new Problem('CONTEXT_TOO_LONG', { tokens: input + output, max: contextTokens })
  return { partBytes: Math.floor((partTokens * 3) / ESCAPED), work: noting, noteBytes: noteTokens * 3 }
}

function countLeft(work: AnyWork, bare: SizedCall, contextTokens: number): number {
  const { input, output } = countTextTokens(work, bare)
  return contextTokens - input - output
}

function createNoting({ notes }: AnyWork, tokens: number): AnyWork {
  return {
    prompt: call => notes!(call, tokens),
    maxOutputTokens: () => tokens,
    // A part may have nothing that belongs into the whole.
    read: answer => ({ result: { text: answer.trim() } }),
    rounds: 0,
  }
}

/** Whole sentences as far as they fit; a part has at least about half of what it may have. */
export function cutIntoParts(text: string, partBytes: number): string[] {
  const sizes = new TextSizes(text)
  const ends = splitSentences(text).map(({ end }) => end)
  const parts: string[] = []
  let next = 0
  for (let start = 0; start < text.length; ) {
    let end = 0
    for (; next < ends.length && sizes.measure(start, ends[next]!) <= partBytes; next++) end = ends[next]!
    const isRest = sizes.measure(start, text.length) <= partBytes
    if (isRest) end = text.length
    else if (end <= start || sizes.measure(start, end) < partBytes / 2)
      end = findCut(text, sizes, { start, end: text.length, bytes: partBytes })
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

const NOTES_SEPARATOR = '\n\n'

/** What was noted of the parts as one text, each note no longer than was planned. */
export function joinNotes(notes: readonly string[], { noteBytes }: PartPlan): string {
  return notes
    .map(note => shorten(note, noteBytes))
    .filter(note => note !== '')
    .join(NOTES_SEPARATOR)
}

function shorten(note: string, noteBytes: number): string {
  const sizes = new TextSizes(note)
  let kept = note
  for (let bytes = noteBytes; measureJson(kept) > noteBytes; bytes = Math.floor(bytes * 0.9))
    kept = note.slice(0, findCut(note, sizes, { start: 0, end: note.length, bytes })).trim()
  return kept
}

function measureJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

/** The most that a text costs, with its parts, in micros. */
export function computeWholeCeiling(work: AnyWork, call: SizedCall, offer: ModelOffer): number {
  const plan = planParts(work, call, offer)
  if (!plan) return computeTextCeiling(work, call, offer)
  const first = call.bytes === undefined ? cutIntoParts(call.text, plan.partBytes) : undefined
  let count = first?.length ?? countParts(call.bytes! * ESCAPED, plan)
  let ceiling = first
    ? first.reduce((sum, text) => sum + computeTextCeiling(plan.work, { ...call, text }, offer), 0)
    : computeNotesCeiling(plan, call, { count, bytes: call.bytes! }, offer)
  for (;;) {
    const bytes = count * (plan.noteBytes + measureJson(NOTES_SEPARATOR))
    const noted = { ...call, text: '', bytes }
    if (!planParts(work, noted, offer)) return ceiling + computeTextCeiling(work, noted, offer)
    count = countParts(bytes * ESCAPED, plan)
    ceiling += computeNotesCeiling(plan, call, { count, bytes }, offer)
  }
}

/** The most parts of so many bytes: a part may be cut where half of it is full, or a little before. */
function countParts(bytes: number, { partBytes }: PartPlan): number {
  return Math.ceil((bytes / partBytes) * 2.5) + 1
}

function computeNotesCeiling(
  { work }: PartPlan,
  call: SizedCall,
  { count, bytes }: { count: number; bytes: number },
  offer: ModelOffer,
): number {
  const bare = countTextTokens(work, { ...call, text: '', bytes: 0 })
  const input = count * bare.input + Math.ceil((bytes * ESCAPED) / 3)
  // What each costs is rounded up by itself.
  return count + computeCeiling(offer, { input, output: count * bare.output })
}

/** What parts cost that are as full and notes that are as long as usual. */
export function estimatePartsCost(work: AnyWork, call: SizedCall & { bytes: number }, offer: ModelOffer): number {
  const plan = planParts(work, call, offer)
  if (!plan) return 0
  const count = Math.ceil(call.bytes / plan.partBytes)
  const { input, output } = countTextTokens(plan.work, { ...call, text: '', bytes: 0 })
  return computeCeiling(offer, { input: count * input, output: Math.ceil((count * output) / 4) })
}
