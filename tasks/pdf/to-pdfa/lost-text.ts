import type { Warning } from '#kit'
import type { Tools } from '../../kit/operation.ts'

const MAX_WARNINGS = 20

/** Says which pages had text before and have none now, because they became images. */
export async function warnOfLostText(
  [before, after]: readonly [before: string, after: string],
  pages: number,
  { poppler }: Pick<Tools, 'poppler'>,
): Promise<Warning[]> {
  const span = { first: 1, last: pages, layout: 'raw' } as const
  const had = await poppler.extractText(before, span)
  const has = await poppler.extractText(after, span)
  const lost = had.flatMap((text, index) => (text.trim() !== '' && has[index]!.trim() === '' ? [index + 1] : []))
  const message = 'This page has transparency, so it became an image without text; level 2b keeps its text.'
  return lost.slice(0, MAX_WARNINGS).map(page => ({ code: 'TEXT_BECAME_IMAGE', message, page }))
}
