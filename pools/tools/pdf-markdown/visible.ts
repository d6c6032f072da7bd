import type { PageSpans, Span } from './spans.ts'

interface PageFrame {
  media: Box
  crop: Box
  rotate: number
}

type Box = [left: number, bottom: number, right: number, top: number]

const WHOLE: Box = [0, 0, 0, 0]
const LINES = /^Page\s+(\d+) (MediaBox|CropBox|rot):\s+(.*)$/gm

/** Removes the text outside of the crop boxes that `pdfinfo -box` lists, because a reader does not see it. */
export function keepVisible(pages: readonly PageSpans[], boxes: string): PageSpans[] {
  const frames = parseFrames(boxes)
  return pages.map(page => {
    const frame = frames.get(page.page)
    if (!frame || frame.crop.every((edge, index) => edge === frame.media[index])) return page
    const visible = toDisplayed(frame)
    return { ...page, spans: page.spans.filter(span => isInside(span, visible)) }
  })
}

function parseFrames(boxes: string): Map<number, PageFrame> {
  const frames = new Map<number, PageFrame>()
  for (const [, number, name, values = ''] of boxes.matchAll(LINES)) {
    const page = Number(number)
    const frame = frames.get(page) ?? { media: WHOLE, crop: WHOLE, rotate: 0 }
    const numbers = values.trim().split(/\s+/).map(Number)
    if (name === 'rot') frame.rotate = numbers[0]!
    else frame[name === 'MediaBox' ? 'media' : 'crop'] = numbers as Box
    frames.set(page, frame)
  }
  return frames
}

/** The crop box as displayed: left, top, right and bottom from the top left corner of the media box. */
function toDisplayed({ media, crop, rotate }: PageFrame): Box {
  const fromLeft = [crop[0] - media[0], crop[2] - media[0]] as const
  const fromRight = [media[2] - crop[2], media[2] - crop[0]] as const
  const fromBottom = [crop[1] - media[1], crop[3] - media[1]] as const
  const fromTop = [media[3] - crop[3], media[3] - crop[1]] as const
  const [across, down] = ({
    90: [fromBottom, fromLeft],
    180: [fromRight, fromBottom],
    270: [fromTop, fromRight],
  }[rotate] ?? [fromLeft, fromTop]) as [readonly [number, number], readonly [number, number]]
  return [across[0], down[0], across[1], down[1]]
}

function isInside({ left, top, right, bottom }: Span, visible: Box): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return x >= visible[0] && y >= visible[1] && x <= visible[2] && y <= visible[3]
}
