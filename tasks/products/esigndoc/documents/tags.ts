import { rectsOverlap } from '../../../formats/geometry/rect.ts'
import type { TextPage } from '../../../formats/pdf/text-layout.ts'
import type { FoundPlace } from '../document.ts'
import { type FoundText, findInLine } from './text-index.ts'

/**
 * `{{sig:1}}`: a field of the first signer; a third part is its label. In lines that are read from right to left, some
 * programs name the brackets that are drawn, which are the mirrors of those that were written.
 */
export const TAG =
  /[{}]{2}\s*(sig|init|date|name|email|text|check)\s*:\s*(\d{1,2})\s*(?::\s*([^{}]{1,120}?)\s*)?[{}]{2}/

type TaggedField = Pick<FoundPlace, 'type' | 'recipient' | 'label'> & { size: { w: number; h: number } }

/** The size of a field in points, if its tag takes less. */
const SIZES: Record<string, { type: FoundPlace['type']; w: number; h: number }> = {
  sig: { type: 'signature', w: 160, h: 36 },
  init: { type: 'initials', w: 60, h: 24 },
  date: { type: 'date', w: 90, h: 16 },
  name: { type: 'name', w: 150, h: 16 },
  email: { type: 'email', w: 170, h: 16 },
  text: { type: 'text', w: 150, h: 16 },
  check: { type: 'checkbox', w: 12, h: 12 },
}

export function readTag(text: string): TaggedField | undefined {
  const [, kind, recipient, label] = TAG.exec(text) ?? []
  const size = kind === undefined ? undefined : SIZES[kind]
  if (!size || Number(recipient) < 1) return undefined
  const { type, w, h } = size
  return { type, recipient: Number(recipient), ...(label && { label }), size: { w, h } }
}

/**
 * The tags of a document. Those that libpdf has located have exact boxes; Poppler also reads pages on which libpdf finds
 * nothing, such as those whose text lies on its side.
 */
export function listTags(located: readonly FoundText[], pages: readonly TextPage[]): FoundText[] {
  const everywhere = new RegExp(TAG.source, 'g')
  const read = pages.flatMap(({ lines }, index) =>
    lines.flatMap(line => findInLine(line, everywhere).map(found => ({ page: index + 1, ...found }))),
  )
  const isKnown = (found: FoundText) =>
    located.some(({ page, box }) => page === found.page && rectsOverlap(box, found.box))
  const inOrder = [...located, ...read.filter(found => !isKnown(found))]
  return inOrder.toSorted(
    (one, other) => one.page - other.page || one.box[1] - other.box[1] || one.box[0] - other.box[0],
  )
}
