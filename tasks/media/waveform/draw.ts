import { encodePng, fillAttributes, type Rgba } from '../../formats/raster/png-svg.ts'
import { type Peaks, resample } from './peaks.ts'

export type WaveStyle = 'line' | 'bars' | 'mirror'

export interface Drawing {
  width: number
  height: number
  style: WaveStyle
  barWidth: number
  barGap: number
  color: Rgba
  background: Rgba
}

/** A filled rectangle in pixels. */
interface Bar {
  x: number
  y: number
  width: number
  height: number
}

/** Every channel has its own strip, one below the other. */
export function planBars(peaks: Peaks, { width, height, style, barWidth, barGap }: Drawing): Bar[] {
  const [wide, gap] = style === 'line' ? [1, 0] : [barWidth, barGap]
  const count = Math.max(1, Math.floor((width + gap) / (wide + gap)))
  const { data, channels } = resample(peaks, count)
  return Array.from({ length: channels }, (_, channel) => {
    const [top, bottom] = [channel, channel + 1].map(edge => Math.round((edge * height) / channels))
    const strip = { top: top!, height: bottom! - top! }
    return Array.from({ length: count }, (__, at) => {
      const side = (at * channels + channel) * 2
      return {
        x: at * (wide + gap),
        width: Math.min(wide, width),
        ...planHeight(data[side]!, data[side + 1]!, strip, style),
      }
    })
  }).flat()
}

/** Silence is a line of one pixel. */
function planHeight(low: number, high: number, strip: { top: number; height: number }, style: WaveStyle) {
  const loud = Math.max(Math.abs(low), Math.abs(high))
  const middle = strip.top + strip.height / 2
  const [from, to] = {
    line: [middle - (high * strip.height) / 2, middle - (low * strip.height) / 2],
    mirror: [middle - (loud * strip.height) / 2, middle + (loud * strip.height) / 2],
    bars: [strip.top + strip.height * (1 - loud), strip.top + strip.height],
  }[style] as [number, number]
  const last = strip.top + strip.height
  const y = Math.max(strip.top, Math.min(last - 1, Math.round(from)))
  return { y, height: Math.max(1, Math.min(last, Math.round(to)) - y) }
}

export function drawPng(bars: readonly Bar[], { width, height, color, background }: Drawing): Buffer {
  const modules = new Uint8Array(width * height)
  for (const bar of bars)
    for (let y = bar.y; y < bar.y + bar.height; y++) modules.fill(1, y * width + bar.x, y * width + bar.x + bar.width)
  return encodePng({ width, height, modules, scale: 1, margin: 0, dark: color, light: background })
}

export function drawSvg(bars: readonly Bar[], { width, height, color, background }: Drawing): string {
  const ground = background.a === 0 ? '' : `<path ${fillAttributes(background)} d="M0 0h${width}v${height}H0z"/>`
  const path = bars.map(bar => `M${bar.x} ${bar.y}h${bar.width}v${bar.height}h-${bar.width}z`).join('')
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${ground}<path ${fillAttributes(color)} d="${path}"/></svg>\n`
}

/** `#rrggbb`, `#rrggbbaa` or `transparent`. */
export function parseColor(text: string): Rgba {
  if (text === 'transparent') return { r: 255, g: 255, b: 255, a: 0 }
  const [r = 0, g = 0, b = 0, a = 255] = Buffer.from(text.slice(1), 'hex')
  return { r, g, b, a }
}
