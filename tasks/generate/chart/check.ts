import { Problem } from '#kit'

export const MAX_ROWS = 50_000
const MAX_NODES = 600_000
/** Fields whose text is a program. */
const EXPRESSIONS = /^(expr|signal|update|init|calculate|filter|test|.*Expr)$/

type Json = Record<string, unknown> | unknown[]

/** Refuses what would load something, what would differ tomorrow, and what is too much, before anything is drawn. */
export function checkSpec(spec: Record<string, unknown>): void {
  let nodes = 0
  const visit = (value: unknown, path: string, key: string): void => {
    if (typeof value === 'string') checkText(value, path, key)
    if (typeof value !== 'object' || value === null) return
    if (++nodes > MAX_NODES) throw new Problem('TOO_MANY_ROWS', { limit: MAX_NODES, of: 'values in the specification' })
    if (Array.isArray(value)) checkList(value, path, key)
    else checkKeys(value as Record<string, unknown>, path)
    for (const [name, child] of Object.entries(value as Json)) visit(child, `${path}/${name}`, name)
  }
  visit(spec, '', '')
}

function checkText(text: string, path: string, key: string): void {
  if (/^\s*(function\b|\(?[\w$, ]*\)?\s*=>)/.test(text))
    throw new Problem('CHART_SPEC_INVALID', { path, reason: 'functions are not run' })
  if (EXPRESSIONS.test(key) && /\bnow\s*\(/.test(text)) {
    throw new Problem('CHART_SPEC_INVALID', { path, reason: 'now() differs each time; pass the time in the data' })
  }
}

function checkList(list: unknown[], path: string, key: string): void {
  if (key === 'values' && list.length > MAX_ROWS)
    throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: list.length, path })
}

function checkKeys(node: Record<string, unknown>, path: string): void {
  for (const name of ['url', 'href']) {
    if (name in node && !path.endsWith('/values') && !/\/values\/\d+$/.test(path))
      throw new Problem('CHART_EXTERNAL_DATA', { path: `${path}/${name}` })
  }
  const mark = node.mark ?? node.type
  const type = typeof mark === 'object' && mark !== null ? (mark as { type?: unknown }).type : mark
  const isMark = node.mark !== undefined || /\/(marks\/\d+)$/.test(path)
  if (isMark && type === 'image') throw new Problem('CHART_EXTERNAL_DATA', { path: `${path}/mark` })
}

export function findKind({ $schema, ...spec }: Record<string, unknown>): 'vega' | 'vega-lite' {
  if (typeof $schema === 'string' && /\/vega-lite\//.test($schema)) return 'vega-lite'
  if (typeof $schema === 'string' && /\/vega\//.test($schema)) return 'vega'
  const isLite = ['mark', 'encoding', 'layer', 'hconcat', 'vconcat', 'concat', 'facet', 'repeat', 'spec'].some(
    name => name in spec,
  )
  if (!isLite && !('marks' in spec))
    throw new Problem('CHART_SPEC_INVALID', { path: '', reason: 'neither Vega nor Vega-Lite' })
  return isLite ? 'vega-lite' : 'vega'
}
