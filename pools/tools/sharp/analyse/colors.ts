import { encode as blurhashOf } from 'blurhash'
import { rgbaToThumbHash } from 'thumbhash'
import type { Warning } from '#kit'
import { openImage, readSource } from '../source.ts'
import { withTolerance } from '../tolerance.ts'

export interface ColorOptions {
  count: number
  ignore: ('white' | 'black' | 'transparent')[]
  tolerant: boolean
}

type Rgb = [red: number, green: number, blue: number]

export interface ColorAnalysis {
  average?: Rgb
  palette: { rgb: Rgb; share: number }[]
  hasAlpha: boolean
  placeholder: { blurhash: string; thumbhash: string }
  warnings: Warning[]
}

const SAMPLE_SIDE = 100
const MIN_ALPHA = 0.02

type WeightedColor = [red: number, green: number, blue: number, weight: number]

/** Analyses a small copy of the image; each pixel is weighted by its opacity. */
export function analyseColors([file]: string[], options: ColorOptions): Promise<ColorAnalysis> {
  return withTolerance(options, async ({ count, ignore, tolerant }) => {
    const source = await readSource(file!)
    const { data, info } = await openImage(source, { tolerant })
      .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const points = collectPoints(data, ignore)
    const total = sumWeights(points)
    const boxes = total > 0 ? splitIntoBoxes(points, count) : []
    const palette = boxes.map(box => ({ rgb: averageColor(box), share: sumWeights(box) / total }))
    palette.sort((a, b) => b.share - a.share)
    const pixels = new Uint8ClampedArray(data)
    const blurhash = blurhashOf(pixels, info.width, info.height, 4, 3)
    const thumbhash = Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
    const average = total > 0 ? averageColor(points) : undefined
    return { average, palette, hasAlpha: source.metadata.hasAlpha, placeholder: { blurhash, thumbhash }, warnings: [] }
  })
}

function collectPoints(data: Buffer, ignore: ColorOptions['ignore']): WeightedColor[] {
  const points: WeightedColor[] = []
  for (let offset = 0; offset < data.length; offset += 4) {
    const [red, green, blue, weight] = [data[offset]!, data[offset + 1]!, data[offset + 2]!, data[offset + 3]! / 255]
    const isWhite = ignore.includes('white') && Math.min(red, green, blue) > 240
    const isBlack = ignore.includes('black') && Math.max(red, green, blue) < 15
    const isTransparent = weight <= (ignore.includes('transparent') ? 0.99 : MIN_ALPHA)
    if (!isWhite && !isBlack && !isTransparent) points.push([red, green, blue, weight])
  }
  return points
}

function sumWeights(points: readonly WeightedColor[]): number {
  return points.reduce((sum, point) => sum + point[3], 0)
}

function averageColor(points: readonly WeightedColor[]): Rgb {
  const total = sumWeights(points)
  const mean = (channel: 0 | 1 | 2) =>
    Math.round(points.reduce((sum, point) => sum + point[channel] * point[3], 0) / total)
  return [mean(0), mean(1), mean(2)]
}

/** Splits the box with the largest variance at its mean, until there are `count` boxes. */
function splitIntoBoxes(points: WeightedColor[], count: number): WeightedColor[][] {
  const boxes = [points]
  while (boxes.length < count) {
    const ranked = boxes.map(box => ({ box, ...findWidestChannel(box) })).sort((a, b) => b.spread - a.spread)
    const { box, channel, spread } = ranked[0]!
    if (spread < 1) break
    const middle = averageColor(box)[channel]
    const low = box.filter(point => point[channel] <= middle)
    const high = box.filter(point => point[channel] > middle)
    if (low.length === 0 || high.length === 0) break
    boxes.splice(boxes.indexOf(box), 1, low, high)
  }
  return boxes
}

function findWidestChannel(box: readonly WeightedColor[]): { channel: 0 | 1 | 2; spread: number } {
  const mean = averageColor(box)
  const spreads = ([0, 1, 2] as const).map(channel => ({
    channel,
    spread: box.reduce((sum, point) => sum + (point[channel] - mean[channel]) ** 2 * point[3], 0),
  }))
  return spreads.reduce((best, next) => (next.spread > best.spread ? next : best))
}
