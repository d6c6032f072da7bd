import { encode as blurhashOf } from 'blurhash'
import { rgbaToThumbHash } from 'thumbhash'
import { openImage, sourceOf } from './sharp-source.ts'
import { decoding } from './sharp-tolerance.ts'

export interface ColorOptions {
  count: number
  ignore: ('white' | 'black' | 'transparent')[]
  tolerant: boolean
}

export interface FoundColors {
  average?: [number, number, number]
  palette: { rgb: [number, number, number]; share: number }[]
  hasAlpha: boolean
  placeholder: { blurhash: string; thumbhash: string }
  warnings: { code: string; message: string }[]
}

const SIDE = 100
const CLEAR = 0.02

type Point = [red: number, green: number, blue: number, weight: number]

/** Of a small copy: a pixel weighs as much as it covers. */
export function colors([file]: string[], options: ColorOptions): Promise<FoundColors> {
  return decoding(options, async ({ count, ignore, tolerant }) => {
    const source = await sourceOf(file!)
    const { data, info } = await openImage(source, { tolerant })
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const points = pointsOf(data, ignore)
    const total = weightOf(points)
    const boxes = total > 0 ? cutUp(points, count) : []
    const palette = boxes.map(box => ({ rgb: meanOf(box), share: weightOf(box) / total }))
    palette.sort((a, b) => b.share - a.share)
    const pixels = new Uint8ClampedArray(data)
    const blurhash = blurhashOf(pixels, info.width, info.height, 4, 3)
    const thumbhash = Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
    const average = total > 0 ? meanOf(points) : undefined
    return { average, palette, hasAlpha: source.metadata.hasAlpha, placeholder: { blurhash, thumbhash }, warnings: [] }
  })
}

function pointsOf(data: Buffer, ignore: ColorOptions['ignore']): Point[] {
  const points: Point[] = []
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, weight] = [data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]! / 255]
    const isWhite = ignore.includes('white') && Math.min(red, green, blue) > 240
    const isBlack = ignore.includes('black') && Math.max(red, green, blue) < 15
    const isClear = weight <= (ignore.includes('transparent') ? 0.99 : CLEAR)
    if (!isWhite && !isBlack && !isClear) points.push([red, green, blue, weight])
  }
  return points
}

function weightOf(points: readonly Point[]): number {
  return points.reduce((sum, point) => sum + point[3], 0)
}

function meanOf(points: readonly Point[]): [number, number, number] {
  const total = weightOf(points)
  const mean = (channel: 0 | 1 | 2) =>
    Math.round(points.reduce((sum, point) => sum + point[channel] * point[3], 0) / total)
  return [mean(0), mean(1), mean(2)]
}

/** Cuts the box that holds most disagreement in two, until there are enough. */
function cutUp(points: Point[], count: number): Point[][] {
  const boxes = [points]
  while (boxes.length < count) {
    const rated = boxes.map(box => ({ box, ...widest(box) })).sort((a, b) => b.spread - a.spread)
    const { box, channel, spread } = rated[0]!
    if (spread < 1) break
    const middle = meanOf(box)[channel]
    const low = box.filter(point => point[channel] <= middle)
    const high = box.filter(point => point[channel] > middle)
    if (low.length === 0 || high.length === 0) break
    boxes.splice(boxes.indexOf(box), 1, low, high)
  }
  return boxes
}

function widest(box: readonly Point[]): { channel: 0 | 1 | 2; spread: number } {
  const mean = meanOf(box)
  const spreads = ([0, 1, 2] as const).map(channel => ({
    channel,
    spread: box.reduce((sum, point) => sum + (point[channel] - mean[channel]) ** 2 * point[3], 0),
  }))
  return spreads.reduce((best, next) => (next.spread > best.spread ? next : best))
}
