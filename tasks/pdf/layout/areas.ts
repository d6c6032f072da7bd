import { Problem } from '#kit'
import type { Rect } from '../../formats/geometry/rect.ts'
import type { PageBoxes } from '../../formats/pdf/document.ts'
import { measurePage } from '../../formats/pdf/page-size.ts'
import { type PageSize, pageSizeOf } from '../../formats/pdf/standard-sizes.ts'

type Orientation = 'auto' | 'portrait' | 'landscape'

export function orientSize(name: PageSize, orientation: Exclude<Orientation, 'auto'>): [width: number, height: number] {
  const [width, height] = pageSizeOf(name)
  return orientation === 'portrait' ? [width, height] : [height, width]
}

export function planSizes(
  pages: readonly number[],
  boxes: readonly PageBoxes[],
  { pageSize, orientation, margin }: { pageSize: PageSize; orientation: Orientation; margin: number },
) {
  const resized = pages.map(page => {
    const [width, height] = measurePage(boxes[page - 1]!)
    const own = width > height ? 'landscape' : 'portrait'
    return { page, size: orientSize(pageSize, orientation === 'auto' ? own : orientation) }
  })
  return { resized, margin }
}

interface CropOptions {
  cut?: { top: number; right: number; bottom: number; left: number }
  box?: { left: number; top: number; right: number; bottom: number }
}

/** Readers may refuse or ignore a page below this size. */
const MIN_SIDE = 3

/** What stays visible of each page. A page of which next to nothing would stay is refused. */
export function planCrops(pages: readonly number[], boxes: readonly PageBoxes[], { cut, box }: CropOptions) {
  if (cut && box) throw new Problem('CONFLICTING_OPTIONS', { fields: ['cut', 'box'] })
  if (!cut && !box) throw new Problem('MISSING_FIELD', { field: 'cut', oneOf: ['cut', 'box'] })
  const crops = pages.map(page => {
    const [width, height] = measurePage(boxes[page - 1]!)
    const kept: Rect = box
      ? [Math.max(0, box.left), Math.max(0, box.top), Math.min(width, box.right), Math.min(height, box.bottom)]
      : [cut!.left, cut!.top, width - cut!.right, height - cut!.bottom]
    const [left, top, right, bottom] = kept
    if (right - left < MIN_SIDE || bottom - top < MIN_SIDE)
      throw new Problem('INVALID_PARAM', { field: cut ? 'cut' : 'box', page, pageWidth: width, pageHeight: height })
    return { page, box: kept }
  })
  return { crops }
}
