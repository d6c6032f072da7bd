import { Liquid, type Template } from 'liquidjs'
import { Problem } from '#kit'
import { type Escape, escapeFor } from '../../tasks/text/escape-shape.ts'

export function bind() {
  return { render }
}

export interface LiquidOrder {
  template: string
  partials: Record<string, string>
  strictVariables: boolean
  escape: Escape
  /** One text for each. */
  scopes: readonly object[]
}

const PARSE_LETTERS = 1_000_000
const RENDER_MS = 1000
const RENDER_UNITS = 10_000_000

/** Templates are data: partials come from memory alone, and only own properties of the data are seen. */
async function render({ template, partials, strictVariables, escape: manner, scopes }: LiquidOrder): Promise<string[]> {
  const write = escapeFor(manner)
  const engine = new Liquid({
    templates: partials,
    ownPropertyOnly: true,
    strictVariables,
    strictFilters: true,
    lenientIf: true,
    parseLimit: PARSE_LETTERS,
    renderLimit: RENDER_MS,
    memoryLimit: RENDER_UNITS,
    ...(manner !== 'none' && { outputEscape: write }),
  })
  delete engine.tags.layout
  delete engine.tags.block
  try {
    const parsed: Template[] = engine.parse(template)
    return scopes.map(scope => String(engine.renderSync(parsed, scope)))
  } catch (error) {
    throw asProblem(error as Error & { originalError?: Error })
  }
}

/** The engine names its errors and puts the line into the sentence. */
function asProblem(error: Error & { originalError?: Error }): unknown {
  const { message } = error
  if (error instanceof Problem) return error
  if (/limit exceeded/.test(message)) return limitProblem(message)
  const line = Number(/line:(\d+)/.exec(message)?.[1] ?? 1)
  const name = /undefined variable: ([^,]+)/.exec(message)?.[1]
  if (name !== undefined) return new Problem('TEMPLATE_VARIABLE', { name, line })
  const detail = message.split('\n')[0]!.slice(0, 200)
  const isKnown = /^(?:ParseError|RenderError|TokenizationError|AssertionError|LiquidErrors|ENOENT)$/.test(error.name)
  if (isKnown || message.startsWith('ENOENT')) return new Problem('TEMPLATE_SYNTAX', { line, detail })
  return error instanceof RangeError ? new Problem('TEMPLATE_SYNTAX', { line, detail: 'nested too deep' }) : error
}

function limitProblem(message: string): Problem {
  if (/memory/.test(message)) return new Problem('MEMORY_LIMIT_EXCEEDED')
  if (/parse/.test(message)) return new Problem('TEMPLATE_SYNTAX', { detail: message.slice(0, 200) })
  return new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: RENDER_MS / 1000 })
}
