import { collectParagraphs, type Segment } from './paragraphs.ts'
import type { TextMarkup } from './parts.ts'
import { findMatches, listPlaceholders, type Rule } from './rules.ts'

interface EditOptions {
  part: string
  markup: TextMarkup
  hasComments: boolean
  rules: readonly Rule[]
}

interface EditedPart {
  /** Nothing if no rule matched. */
  xml?: string
  /** How often each rule matched. */
  counts: number[]
  placeholders: string[]
}

interface Edit {
  start: number
  end: number
  xml: string
}

/** Replaces text in one part of a document. All that is not replaced stays as it is written. */
export function editPart(xml: string, { part, markup, hasComments, rules }: EditOptions): EditedPart {
  const counts = rules.map(() => 0)
  const placeholders = new Set<string>()
  const edits: Edit[] = []
  for (const { segments, isFallback } of collectParagraphs(xml, part, markup, hasComments)) {
    const text = segments.map(segment => segment.text).join('')
    const matches = findMatches(text, rules)
    for (const name of listPlaceholders(text)) placeholders.add(name)
    if (!isFallback) for (const { rule } of matches) counts[rule]! += 1
    edits.push(...editParagraph(segments, replaceInSegments(segments, matches, rules), xml, markup))
  }
  return { ...(edits.length > 0 && { xml: applyEdits(xml, edits) }), counts, placeholders: [...placeholders] }
}

function editParagraph(
  segments: readonly Segment[],
  texts: readonly string[],
  xml: string,
  markup: TextMarkup,
): Edit[] {
  return segments.flatMap((segment, at) =>
    texts[at] === segment.text ? [] : writeSegment(segment, texts[at]!, xml, markup),
  )
}

/** The new text of each segment. A replacement stands where the first letter stood that it replaces. */
function replaceInSegments(
  segments: readonly Segment[],
  matches: readonly { start: number; end: number; rule: number }[],
  rules: readonly Rule[],
): string[] {
  let start = 0
  let next = 0
  return segments.map(({ text }) => {
    const end = start + text.length
    let [written, at] = ['', start]
    for (let index = next; index < matches.length && matches[index]!.start < end; index++) {
      const match = matches[index]!
      written += text.slice(at - start, Math.max(match.start, at) - start)
      if (match.start >= start) written += rules[match.rule]!.replacement
      at = Math.max(at, Math.min(match.end, end))
      if (match.end <= end) next = index + 1
    }
    written += text.slice(at - start)
    start = end
    return written
  })
}

function writeSegment({ start, end, holder }: Segment, text: string, xml: string, markup: TextMarkup): Edit[] {
  const prefix = holder?.name.includes(':') ? holder.name.slice(0, holder.name.indexOf(':') + 1) : ''
  const lines = text.split(/\r\n|\r|\n/).map(line => toXml(line, markup))
  const edit = { start, end, xml: lines.join(markup.lineBreak(prefix)) }
  const hasOuterSpace = /^\s|\s$|[\r\n]/.test(text)
  if (!holder || !markup.preserveSpace || !hasOuterSpace) return [edit]
  const tag = xml.slice(holder.start, holder.end)
  if (tag.includes('xml:space=')) return [edit]
  return [{ start: holder.start, end: holder.end, xml: `${tag.slice(0, -1)} xml:space="preserve">` }, edit]
}

function toXml(line: string, markup: TextMarkup): string {
  const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  if (markup.isHolder) return escaped
  // OpenDocument takes several spaces for one.
  return escaped.replaceAll('\t', '<text:tab/>').replace(/ {2,}/g, spaces => ` <text:s text:c="${spaces.length - 1}"/>`)
}

function applyEdits(xml: string, edits: Edit[]): string {
  const sorted = edits.toSorted((one, other) => one.start - other.start)
  const pieces: string[] = []
  let at = 0
  for (const edit of sorted) {
    // The tag of an element that holds two stretches of text is changed once.
    if (edit.start < at) continue
    pieces.push(xml.slice(at, edit.start), edit.xml)
    at = edit.end
  }
  return pieces.join('') + xml.slice(at)
}
