import type { Size } from '../../formats/geometry/region.ts'
import type { ModuleMatrix } from '../../formats/raster/image.ts'
import type { Rgba } from '../../formats/raster/png-svg.ts'
import { centredText, drawing, element, embedImage, paintWith } from '../../formats/svg/drawing.ts'
import { drawEyes, drawModules, type EYE_STYLES, type MODULE_STYLES } from './modules.ts'

export const LOGO_SHAPES = ['square', 'circle', 'rounded'] as const

interface Frame {
  text: string
  /** Of the text, relative to the font size. */
  widthInEm: number
  position: 'top' | 'bottom'
  color: Rgba
}

export interface QrDesign {
  matrix: ModuleMatrix
  margin: number
  dark: Rgba
  light: Rgba
  moduleStyle: (typeof MODULE_STYLES)[number]
  eyeStyle: (typeof EYE_STYLES)[number]
  gradient?: { type: 'linear' | 'radial'; to: Rgba; angle: number }
  logo: Size & { bytes: Uint8Array }
  /** Modules around the logo that are left out. */
  logoPadding: number
  logoShape: (typeof LOGO_SHAPES)[number]
  logoBackground: Rgba
  frame?: Frame
}

/** The height of a frame's text line, in modules for each module of the code's width. */
const FRAME_SHARE = 0.16

/** The size of the whole drawing in modules. */
export function measureDesign({ matrix, margin, frame }: QrDesign): Size {
  const width = matrix.width + 2 * margin
  return { width, height: width + (frame ? Math.ceil(width * FRAME_SHARE) : 0) }
}

/** Draws the code with a logo of this share of its width. */
export function drawDesign(design: QrDesign, logoScale: number, pixelsPerModule: number): string {
  const { matrix, margin, dark, light, moduleStyle, eyeStyle, logoPadding } = design
  const size = measureDesign(design)
  const side = matrix.width * logoScale
  const start = (matrix.width - side) / 2 - logoPadding
  const cleared = { start, end: matrix.width - start }
  const paint = design.gradient ? { fill: 'url(#g)' } : paintWith(dark)
  const top = size.height - size.width
  const offset = margin + (design.frame?.position === 'top' ? top : 0)
  const crisp = moduleStyle === 'square' ? { 'shape-rendering': 'crispEdges' } : {}
  const code = [
    element('path', { d: drawModules(matrix, moduleStyle, cleared), ...paint, ...crisp }),
    element('path', { d: drawEyes(matrix.width, eyeStyle), ...paint, 'fill-rule': 'evenodd' }),
    drawLogo(design, side),
  ]
  const content = [
    drawGradient(design),
    light.a === 0 ? '' : element('rect', { ...size, ...paintWith(light) }),
    element('g', { transform: `translate(${margin} ${offset})` }, code.join('')),
    drawFrame(design, size),
  ]
  const pixels = { width: size.width * pixelsPerModule, height: size.height * pixelsPerModule }
  return drawing({ ...pixels, box: `0 0 ${size.width} ${size.height}` }, content.join(''))
}

function drawGradient({ gradient, dark, matrix }: QrDesign): string {
  if (!gradient) return ''
  const stops = [dark, gradient.to]
    .map((color, offset) => element('stop', { offset, ...paintWith(color, 'stop') }))
    .join('')
  const [middle, units] = [matrix.width / 2, { id: 'g', gradientUnits: 'userSpaceOnUse' }]
  if (gradient.type === 'radial') {
    const circle = { cx: middle, cy: middle, r: middle * Math.SQRT2 }
    return element('defs', {}, element('radialGradient', { ...units, ...circle }, stops))
  }
  const angle = (gradient.angle * Math.PI) / 180
  const [x, y] = [Math.cos(angle) * middle, Math.sin(angle) * middle]
  const line = { x1: middle - x, y1: middle - y, x2: middle + x, y2: middle + y }
  return element('defs', {}, element('linearGradient', { ...units, ...line }, stops))
}

function drawLogo({ matrix, logo, logoShape, logoBackground, logoPadding }: QrDesign, side: number): string {
  const start = (matrix.width - side) / 2
  const ground = side + 2 * logoPadding
  const cornerOf = (width: number) => ({ square: 0, rounded: width * 0.2, circle: width / 2 })[logoShape]
  const place = (at: number, width: number) => ({ x: at, y: at, width, height: width, rx: cornerOf(width) })
  const back = element('rect', { ...place(start - logoPadding, ground), ...paintWith(logoBackground) })
  const clip = element('defs', {}, element('clipPath', { id: 'l' }, element('rect', place(start, side))))
  const fit = logoShape === 'circle' ? 'xMidYMid slice' : 'xMidYMid meet'
  const { rx: _, ...box } = place(start, side)
  const image = element('image', { href: embedImage('image/png', logo.bytes), ...box, preserveAspectRatio: fit })
  return clip + back + element('g', { 'clip-path': 'url(#l)' }, image)
}

function drawFrame({ frame, margin }: QrDesign, { width, height }: Size): string {
  if (!frame) return ''
  const line = height - width
  const size = Math.min(line * 0.62, (width * 0.9) / Math.max(0.1, frame.widthInEm))
  const gap = Math.min(margin / 2, line * 0.15)
  const y = frame.position === 'top' ? line / 2 + gap : width + line / 2 - gap
  return centredText(frame.text, { x: width / 2, y, size, color: frame.color, bold: true })
}
