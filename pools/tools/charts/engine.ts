import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { init, setPlatformAPI } from 'echarts/dist/echarts.esm.min'
import * as vega from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile } from 'vega-lite'
import { Problem } from '#kit'
import { createRandom } from '../../../tasks/formats/random/seeded.ts'
import { findMissingCharacters, shapeLine } from '../fonts/shaping.ts'
import { limitExpressions, limitOperators, limitTransforms, MAX_MARKS, resetLimits } from './limits.ts'
import { randomLCG, resetSVGDefIds, setRandom, type TextItem, textMetrics } from './vega-parts.ts'
import { setZone } from './zone.ts'

// Decision 0132: draw charts in a confined process.

export async function version(): Promise<string> {
  const manifest = findPackageJSON('vega', import.meta.url)!
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

limitTransforms()
limitExpressions()
textMetrics.width = ({ fontSize = 11, fontWeight }: TextItem, text: unknown) =>
  measure(String(text ?? ''), fontSize, fontWeight === 'bold' || Number(fontWeight) >= 600)

export interface VegaOptions {
  spec: Record<string, unknown>
  kind: 'vega' | 'vega-lite'
  config: Record<string, unknown>
  locale?: { number: unknown; time: unknown }
  timezone?: string
}

const SEED = 1

/**
 * Draws a specification of Vega or Vega-Lite as SVG. Expressions are interpreted, and nothing is loaded. Chance and zone are
 * of the process, which has one call at a time.
 */
export async function drawVega(_files: string[], { spec, kind, config, locale, timezone = 'UTC' }: VegaOptions) {
  const messages: string[] = []
  setZone(timezone)
  try {
    setRandom(randomLCG(SEED))
    resetSVGDefIds()
    resetLimits()
    const full =
      kind === 'vega'
        ? spec
        : compile(spec as never, { config: config as never, logger: quiet(messages) as never }).spec
    const runtime = vega.parse(full as never, kind === 'vega' ? (config as never) : undefined, { ast: true } as never)
    const settings = { renderer: 'none', loader: REFUSING_LOADER, logger: quiet(messages), expr: expressionInterpreter }
    const view = new vega.View(runtime, { ...settings, ...(locale && { locale }) } as never)
    await limitOperators(view).runAsync()
    const marks = countMarks((view.scenegraph() as unknown as { root: SceneNode }).root)
    if (marks > MAX_MARKS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_MARKS, actual: marks, of: 'marks' })
    const svg = await view.toSVG(1)
    view.finalize()
    return { svg, marks, messages: messages.slice(0, 20) }
  } catch (error) {
    throw toProblem(error)
  } finally {
    setZone('UTC')
  }
}

const refuseToLoad = () => Promise.reject(new Problem('CHART_EXTERNAL_DATA'))
const REFUSING_LOADER = { load: refuseToLoad, sanitize: refuseToLoad, http: refuseToLoad, file: refuseToLoad }

/** Errors that vega only logs are errors here, since the drawing is not what was asked for. */
function quiet(messages: string[]) {
  const logger = {
    level: () => logger,
    error: (...parts: unknown[]) => {
      throw parts.find(part => part instanceof Error) ?? new Error(parts.join(' '))
    },
    warn: (...parts: unknown[]) => {
      messages.push(parts.map(String).join(' ').slice(0, 300))
      return logger
    },
    info: () => logger,
    debug: () => logger,
  }
  return logger
}

interface SceneNode {
  marktype?: string
  items?: SceneNode[]
}

function countMarks(node: SceneNode): number {
  return (node.items ?? []).reduce((sum, item) => sum + 1 + countMarks(item), 0)
}

interface EchartsOptions {
  option: Record<string, unknown>
  width: number
  height: number
}

/** Draws a chart of our own making. Equal ones get equal names inside, whatever was drawn before. */
export async function drawEcharts(_files: string[], { option, width, height }: EchartsOptions) {
  const random = Math.random
  Math.random = createRandom(SEED)
  try {
    const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
    chart.setOption({ ...option, animation: false })
    const svg = chart.renderToSVGString({ useViewBox: true })
    chart.dispose()
    return { svg: renumber(svg), marks: 0, messages: [] }
  } catch (error) {
    throw toProblem(error)
  } finally {
    Math.random = random
  }
}

/** Names within a drawing count on from the drawing before; here they count from the first of their own. */
function renumber(svg: string): string {
  const names = new Map<string, string>()
  return svg.replace(/zr\d+-[\w-]+/g, name => {
    if (!names.has(name)) names.set(name, `zr-${names.size}`)
    return names.get(name)!
  })
}

setPlatformAPI({
  measureText(text, font = '') {
    const [, size] = /([\d.]+)px/.exec(font) ?? []
    return { width: measure(text, Number(size ?? 12), /bold|[6-9]00/.test(font)) }
  },
})

const MAX_MEASURED = 2_000

function measure(text: string, size: number, bold: boolean): number {
  if (text === '' || text.length > MAX_MEASURED) return text.length * size * 0.6
  const style = { family: 'sans', bold } as const
  const missing = findMissingCharacters(text, style)
  const known = missing.reduce((rest, character) => rest.replaceAll(character, ''), text)
  return (shapeLine(known, style).width + (text.length - known.length) * 0.7) * size
}

function toProblem(error: unknown): unknown {
  if ((error as { name?: string }).name === 'Problem') return error
  const { message = String(error) } = error as Error
  if (/load|fetch|CHART_EXTERNAL|from somewhere else/i.test(message) && /url|load/i.test(message))
    return new Problem('CHART_EXTERNAL_DATA')
  return new Problem('CHART_SPEC_INVALID', { reason: message.split('\n')[0]!.slice(0, 300) })
}
