import { isRightToLeft } from '../../../formats/words/direction.ts'
import type { AnchorSearch, FieldArea, PageGeometry } from '../document.ts'
import type { FoundText } from './text-index.ts'

interface Points {
  x: number
  y: number
  w: number
  h: number
}

const GAP = 4
const SIGNATURE = { w: 160, h: 36 }

/** A field that takes the place of its tag, grown upwards from its line and in the direction of its page to a useful size. */
export function placeOnTag({ box }: FoundText, size: { w: number; h: number }, geometry: PageGeometry): Points {
  const [left, top, right, bottom] = box
  const w = Math.max(right - left, size.w)
  const h = Math.max(bottom - top, size.h)
  const x = geometry.isRightToLeft ? right - w : left
  return keepOnPage({ x, y: bottom - h, w, h }, geometry)
}

/** A field behind a label, or on the line that was printed for it. */
export function placeOnLabel(found: FoundText, type: string, geometry: PageGeometry): Points {
  const [left, top, right, bottom] = found.box
  const isRule = /[_.…]$/.test(found.text)
  const size = type === 'date' ? { w: 90, h: 16 } : SIGNATURE
  const w = isRule ? Math.max(40, right - left) : size.w
  const h = Math.max(size.h, bottom - top)
  const behind = isRightToLeft(found.text) ? left - GAP - w : right + GAP
  return keepOnPage({ x: isRule ? left : behind, y: bottom - h, w, h }, geometry)
}

/** A field at a distance from an anchor; without one, right behind it. Given sizes are in per cent of the page. */
export function placeAtAnchor(found: FoundText, search: AnchorSearch, geometry: PageGeometry): Points {
  const { width, height } = geometry
  const toPoints = (percent: number | undefined, side: number) =>
    percent === undefined ? undefined : (percent / 100) * side
  const w = toPoints(search.w, width) ?? SIGNATURE.w
  const h = toPoints(search.h, height) ?? SIGNATURE.h
  const [dx, dy] = [toPoints(search.dx, width), toPoints(search.dy, height)]
  const [left, , right, bottom] = found.box
  const isLeftwards = isRightToLeft(found.text)
  const x = isLeftwards ? left - (dx ?? GAP) - w : right + (dx ?? GAP)
  return keepOnPage({ x, y: bottom - h + (dy ?? 0), w, h }, geometry)
}

/** A field must lie on its page, whatever stands at its edge. */
function keepOnPage({ x, y, w, h }: Points, { width, height }: PageGeometry): Points {
  const [fittingW, fittingH] = [Math.min(w, width), Math.min(h, height)]
  return {
    x: Math.min(Math.max(0, x), width - fittingW),
    y: Math.min(Math.max(0, y), height - fittingH),
    ...{ w: fittingW, h: fittingH },
  }
}

export function toArea(file: number, page: number, { x, y, w, h }: Points, geometry: PageGeometry): FieldArea {
  const percent = (value: number, side: number) => Math.round((value / side) * 1e6) / 1e4
  const { width, height } = geometry
  return { file, page, x: percent(x, width), y: percent(y, height), w: percent(w, width), h: percent(h, height) }
}
