import { Problem } from '#kit'
import type { Rect } from '../../formats/geometry/rect.ts'
import { groupIntoBatches } from '../../formats/pdf/batches.ts'
import { measurePage } from '../../formats/pdf/page-size.ts'
import type { Tools } from '../../kit/operation.ts'
import type { PagePair } from './pages.ts'
import type { Side } from './sides.ts'

const MAX_PIXELS = 200_000_000
const THUMBNAIL_PIXELS = 64
const COLORS = { box: 'crop', isTransparent: false } as const

export interface VisualChange {
  /** The share of the pixels that differ. */
  ratio: number
  /** In points from the top left corner. */
  regions: Rect[]
}

interface PageSize {
  page: number
  width: number
  height: number
}

type VisualTools = Pick<Tools, 'libpdf' | 'pageRenderer' | 'sharp'> & {
  progress(done: number, total: number, unit: string): void
}

/** Small pictures of the pages at these positions, by which pages without text are paired. */
export async function drawThumbnails(
  { path, numbers }: Side,
  positions: readonly number[],
  { pageRenderer, sharp }: VisualTools,
): Promise<Map<number, Uint8Array>> {
  if (positions.length === 0) return new Map()
  const size = { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS }
  const pages = positions.map(position => ({ page: numbers[position]!, ...size }))
  const files = await pageRenderer.render(path, pages, { ...COLORS, stem: 'small' })
  const thumbnails = await sharp.readThumbnails(files)
  await pageRenderer.discard(files)
  return new Map(positions.map((position, index) => [position, thumbnails[index]!]))
}

/** The sizes in pixels of both pages of each pair. */
export async function planRenderings(
  [a, b]: readonly [Side, Side],
  pairs: readonly PagePair[],
  dpi: number,
  { libpdf }: VisualTools,
): Promise<[PageSize, PageSize][]> {
  const boxes = [await libpdf.readPageBoxes(a.path), await libpdf.readPageBoxes(b.path)] as const
  const measure = (side: 0 | 1, page: number): PageSize => {
    const pageBoxes = boxes[side][page - 1]
    if (!pageBoxes) throw new Problem('PDF_PARSE_FAILED', { field: side === 0 ? 'a' : 'b', page })
    const [width, height] = measurePage(pageBoxes).map(points => Math.max(1, Math.round((points * dpi) / 72)))
    return { page, width: width!, height: height! }
  }
  const planned = pairs.flatMap((pair): [PageSize, PageSize][] =>
    pair.a === null || pair.b === null ? [] : [[measure(0, a.numbers[pair.a]!), measure(1, b.numbers[pair.b]!)]],
  )
  const pixels = planned.flat().reduce((sum, { width, height }) => sum + width * height, 0)
  if (pixels > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual: pixels, of: 'all pages' })
  return planned
}

/** Renders both pages of each pair and compares their pixels. By the position of the page in the first document. */
export async function comparePairs(
  [a, b]: readonly [Side, Side],
  planned: readonly [PageSize, PageSize][],
  { dpi, threshold }: { dpi: number; threshold: number },
  { pageRenderer, sharp, progress }: VisualTools,
): Promise<Map<number, VisualChange>> {
  const found = new Map<number, VisualChange>()
  const batches = groupIntoBatches(planned.map(pair => ({ pair, width: pair[0].width, height: sumHeights(pair) })))
  for (const batch of batches) {
    const render = (side: 0 | 1, path: string, stem: string) =>
      pageRenderer.render(
        path,
        batch.map(({ pair }) => pair[side]),
        { ...COLORS, stem },
      )
    const renderings = [await render(0, a.path, 'page-a'), await render(1, b.path, 'page-b')] as const
    for (const [index, { pair }] of batch.entries()) {
      const { ratio, regions } = await sharp.comparePages(renderings[0][index]!, renderings[1][index]!, { threshold })
      const inPoints = regions.map(region => region.map(side => round((side * 72) / dpi, 2)) as unknown as Rect)
      found.set(a.numbers.indexOf(pair[0].page), { ratio: round(ratio, 6), regions: inPoints })
      progress(found.size, planned.length, 'pages')
    }
    await pageRenderer.discard(renderings.flat())
  }
  return found
}

function sumHeights([one, other]: readonly [PageSize, PageSize]): number {
  return one.height + other.height
}

/** A difference is never rounded away. */
function round(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.max(Math.round(value * scale), value > 0 ? 1 : 0) / scale
}
