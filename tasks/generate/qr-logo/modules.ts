import type { ModuleMatrix } from '../../formats/raster/image.ts'
import { formatNumber } from '../../formats/svg/drawing.ts'

export const MODULE_STYLES = ['square', 'dots', 'rounded'] as const
export const EYE_STYLES = ['square', 'rounded', 'circle'] as const

type IsDark = (x: number, y: number) => boolean

const EYE = 7

/** The square in which no module is drawn, because the logo covers it. */
interface ClearedArea {
  start: number
  end: number
}

/** The path of all modules but those of the three eyes and those under the logo. */
export function drawModules(
  { width, modules }: ModuleMatrix,
  style: (typeof MODULE_STYLES)[number],
  { start, end }: ClearedArea,
): string {
  const isDark: IsDark = (x, y) => {
    if (x < 0 || y < 0 || x >= width || y >= width || modules[y * width + x] !== 1) return false
    const isEye = (x < EYE && y < EYE) || (x >= width - EYE && y < EYE) || (x < EYE && y >= width - EYE)
    const isUnderLogo = x + 1 > start && x < end && y + 1 > start && y < end
    return !isEye && !isUnderLogo
  }
  const path: string[] = []
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) if (isDark(x, y)) path.push(DRAW[style](x, y, isDark))
  }
  return path.join('')
}

const DRAW: Record<(typeof MODULE_STYLES)[number], (x: number, y: number, isDark: IsDark) => string> = {
  square: (x, y) => `M${x} ${y}h1v1h-1z`,
  dots: (x, y) => drawCircle(x + 0.5, y + 0.5, 0.45),
  rounded: (x, y, isDark) => {
    const [up, right, down, left] = [isDark(x, y - 1), isDark(x + 1, y), isDark(x, y + 1), isDark(x - 1, y)]
    const corner = (isJoined: boolean, round: string, sharp: string) => (isJoined ? sharp : round)
    return [
      `M${x + 0.5} ${y}`,
      corner(up || right, 'a.5 .5 0 0 1 .5 .5', 'h.5v.5'),
      corner(right || down, 'a.5 .5 0 0 1 -.5 .5', 'v.5h-.5'),
      corner(down || left, 'a.5 .5 0 0 1 -.5 -.5', 'h-.5v-.5'),
      `${corner(left || up, 'a.5 .5 0 0 1 .5 -.5', 'v-.5h.5')}z`,
    ].join('')
  },
}

function drawCircle(x: number, y: number, r: number): string {
  const n = formatNumber
  return `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0z`
}

function drawBox(x: number, y: number, side: number, r: number): string {
  if (r === 0) return `M${x} ${y}h${side}v${side}h${-side}z`
  const line = side - 2 * r
  const turn = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`
  return `M${x + r} ${y}h${line}${turn(r, r)}v${line}${turn(-r, r)}h${-line}${turn(-r, -r)}v${-line}${turn(r, -r)}z`
}

/** The three eyes as one path, to be filled by the even-odd rule. */
export function drawEyes(width: number, style: (typeof EYE_STYLES)[number]): string {
  const radii = { square: [0, 0, 0], rounded: [2, 1.2, 0.8], circle: [3.5, 2.5, 1.5] }[style] as [
    number,
    number,
    number,
  ]
  const corners = [
    [0, 0],
    [width - EYE, 0],
    [0, width - EYE],
  ] as const
  return corners
    .map(
      ([x, y]) => drawBox(x, y, 7, radii[0]) + drawBox(x + 1, y + 1, 5, radii[1]) + drawBox(x + 2, y + 2, 3, radii[2]),
    )
    .join('')
}
