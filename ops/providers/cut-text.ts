import { findCut } from '../../tasks/engines/chunks/graphemes.ts'
import { TextSizes } from '../../tasks/engines/chunks/sizes.ts'

/** Where a text is cut into parts of at most so many characters: after paragraphs, or in those that are too long. */
export function cutText(text: string, maxChars: number): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = []
  const sizes = new TextSizes(text)
  for (let start = 0; start < text.length; ) {
    const end = findEnd(text, sizes, start, maxChars)
    parts.push({ start, end })
    start = end
  }
  return parts
}

function findEnd(text: string, sizes: TextSizes, start: number, maxChars: number): number {
  if (text.length - start <= maxChars) return text.length
  const paragraph = text.lastIndexOf('\n\n', start + maxChars - 2)
  if (paragraph > start) return paragraph + 2
  // So many bytes are at most so many characters.
  return findCut(text, sizes, { start, end: text.length, bytes: maxChars })
}
