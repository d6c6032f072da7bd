import { exactlyOne, findVideo, type InputFile, type MediaStream, Problem } from '#kit'
import { formatSeconds, resolveRange, type Time } from '../../formats/media/times.ts'
import { buildVisualFilters, planSize } from '../../formats/media/visual.ts'
import { renderAss } from '../../formats/subtitles/ass.ts'

export const POSITIONS = [
  ...(['northwest', 'north', 'northeast', 'west', 'center', 'east', 'southwest', 'south', 'southeast'] as const),
] as const
type Position = (typeof POSITIONS)[number]

export interface Layer {
  overlay?: InputFile
  text?: string
  position?: Position
  x?: number
  y?: number
  margin?: number
  scale?: number
  opacity?: number
  start?: Time
  end?: Time
  fadeMs?: number
  loop?: boolean
  font?: string
  fontSize?: number
  color?: string
  box?: boolean
  boxColor?: string
}

interface Frame {
  width: number
  height: number
  seconds: number
}

/** What a layer adds to the graph: from `[base]` to `[next]`, perhaps with an input of its own. */
interface Drawn {
  input?: { path: string; options: string[] }
  script?: { name: string; content: string }
  compose(from: string, to: string, input: number): string[]
}

const TEXT_FIELDS = ['font', 'fontSize', 'color', 'box', 'boxColor'] as const
const FILE_FIELDS = ['scale', 'loop'] as const

/** Refuses what has no effect on such a layer. */
function checkFields(layer: Layer, kind: 'overlay' | 'text', at: number): void {
  const given = (fields: readonly (keyof Layer)[]) => fields.filter(field => layer[field] !== undefined)
  const foreign = given(kind === 'text' ? FILE_FIELDS : TEXT_FIELDS)
  if (foreign.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: [kind, ...foreign], layer: at })
  if ((layer.x === undefined) !== (layer.y === undefined))
    throw new Problem('MISSING_FIELD', { field: layer.x === undefined ? 'x' : 'y', layer: at })
  const elsewhere = layer.x === undefined ? [] : given(['position', 'margin'])
  if (elsewhere.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['x', 'y', ...elsewhere], layer: at })
  if (layer.boxColor !== undefined && !layer.box) throw new Problem('MISSING_FIELD', { field: 'box', layer: at })
}

export function drawLayer(layer: Layer, at: number, frame: Frame): Drawn {
  const kind = exactlyOne(layer, ['overlay', 'text'])
  checkFields(layer, kind, at)
  const { start, end } = resolveRange(layer, frame.seconds)
  const fade = (layer.fadeMs ?? 0) / 1000
  if (fade * 2 > end - start + 0.001)
    throw new Problem('BAD_TIME_RANGE', { field: 'fadeMs', seconds: end - start, layer: at })
  const time = { start, end, fade }
  return kind === 'text' ? drawText(layer, at, frame, time) : drawFile(layer, at, frame, time)
}

interface Timing {
  start: number
  end: number
  fade: number
}

function drawFile(layer: Layer, at: number, frame: Frame, { start, end, fade }: Timing): Drawn {
  const file = layer.overlay!
  const video = findVideo(file.facts.media)
  if (!video) throw new Problem('NO_VIDEO_STREAM', { layer: at })
  const box = { width: Math.max(2, Math.round(frame.width * (layer.scale ?? 0.15))), height: frame.height }
  const size = planSize(video, box)
  const { x, y } = placeFile(layer, size, frame)
  const isStill = (file.facts.seconds ?? 0) < 0.1 || video.frames === 1
  const isRepeated = !isStill && (layer.loop ?? true)
  const length = formatSeconds(end - start)
  const prepare = [
    ...buildVisualFilters(video, box),
    'format=yuva420p',
    ...(layer.opacity === undefined ? [] : [`lutyuv=a=val*${layer.opacity}`]),
    ...(isStill ? ['loop=loop=-1:size=1:start=0'] : []),
    `trim=0:${length}`,
    ...(fade > 0
      ? [`fade=t=in:st=0:d=${fade}:alpha=1`, `fade=t=out:st=${formatSeconds(end - start - fade)}:d=${fade}:alpha=1`]
      : []),
    `setpts=PTS-STARTPTS+${formatSeconds(start)}/TB`,
  ].join(',')
  const options = [...chooseDecoder(video), ...(isRepeated ? ['-stream_loop', '-1'] : [])]
  return {
    input: { path: file.path, options },
    compose: (from, to, input) => [
      `[${input}:${video.index}]${prepare}[layer${at}]`,
      `${from}[layer${at}]overlay=x=${x}:y=${y}:eof_action=pass:format=yuv420${to}`,
    ],
  }
}

/** The usual decoders of WebM leave out what is transparent. */
function chooseDecoder({ codec, tags }: MediaStream): string[] {
  const isTransparent = (tags.alpha_mode ?? tags.ALPHA_MODE) === '1'
  if (!isTransparent || (codec !== 'vp8' && codec !== 'vp9')) return []
  return ['-c:v', codec === 'vp8' ? 'libvpx' : 'libvpx-vp9']
}

const MARGIN = 24

function placeFile(
  { x, y, position = 'northeast', margin = MARGIN }: Layer,
  size: { width: number; height: number },
  frame: Frame,
) {
  if (x !== undefined && y !== undefined) return { x, y }
  const align = (first: boolean, last: boolean, space: number) =>
    first ? margin : last ? space - margin : Math.round(space / 2)
  return {
    x: align(position.endsWith('west'), position.endsWith('east'), frame.width - size.width),
    y: align(position.startsWith('north'), position.startsWith('south'), frame.height - size.height),
  }
}

const KEYS: Record<Position, number> = {
  ...{ northwest: 7, north: 8, northeast: 9, west: 4, center: 5, east: 6, southwest: 1, south: 2, southeast: 3 },
}

/** Text is drawn by the renderer of subtitles, from a file of ours, so that no character of it is part of the graph. */
function drawText(layer: Layer, at: number, frame: Frame, { start, end, fade }: Timing): Drawn {
  const { text = '', x, y, position = 'northeast', margin = MARGIN, opacity = 1, font, box = false } = layer
  const size = layer.fontSize ?? Math.max(8, Math.round(frame.height * 0.06))
  const isPlaced = x !== undefined && y !== undefined
  const style = {
    size,
    color: fadeColor(layer.color ?? '#ffffff', opacity),
    outlineColor: fadeColor(box ? (layer.boxColor ?? '#00000099') : '#000000', opacity),
    outline: size * 0.06,
    box,
    alignment: isPlaced ? KEYS.northwest : KEYS[position],
    ...{ marginX: isPlaced ? 0 : margin, marginY: isPlaced ? 0 : margin, bold: false, italic: false },
    ...(font !== undefined && { font }),
  }
  const place = isPlaced ? `\\pos(${x},${y})` : ''
  const overrides = `{${place}\\fad(${Math.round(fade * 1000)},${Math.round(fade * 1000)})}`
  const name = `layer-${at}.ass`
  const plain = text.replace(/<(?=\/?[ibu]>)/g, '<\u2060')
  return {
    script: { name, content: renderAss([{ start, end, overrides, text: plain }], style, frame) },
    compose: (from, to) => [`${from}ass=${name}${to}`],
  }
}

function fadeColor(color: string, opacity: number): string {
  const own = Number.parseInt(color.slice(7, 9) || 'ff', 16)
  return (
    color.slice(0, 7) +
    Math.round(own * opacity)
      .toString(16)
      .padStart(2, '0')
  )
}

/** The graph from the encoded picture through all layers. */
export function composeLayers(base: string, drawn: readonly Drawn[]): string {
  let inputs = 0
  const steps = drawn.flatMap(({ input, compose }, at) => {
    if (input) inputs += 1
    return compose(`[base${at}]`, `[base${at + 1}]`, inputs)
  })
  return [base, ...steps, `[base${drawn.length}]format=yuv420p[visual]`].join(';')
}
