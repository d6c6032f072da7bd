import type { TSchema } from 'typebox'
import { ALIASES_RULE, type AuthMode, fieldEntries } from '#kit'
import type { NamedRoute } from '../catalog.ts'
import type { ApiContext } from '../context.ts'
import { type Billable, billableOperation, billableRoute, isPriced } from '../intake/billable.ts'
import type { Scope } from '../oauth/scopes.ts'
import { headersByArgument } from '../surfaces/mcp/arguments.ts'
import { isTool, type ToolEntry } from '../surfaces/mcp/tools.ts'

interface ToolAddress {
  entry: ToolEntry
  auth: readonly AuthMode[]
  isOperation: boolean
  /** What a connector must be approved for to use it; undefined if none may. Without credentials anyone may use it. */
  connectorScope: Scope | undefined
  /** The arguments that REST has in the path and in the query; all others are in the body. */
  inPath: readonly string[]
  inQuery: ReadonlySet<string>
  /** The headers that are arguments too, by the names of those. */
  inHeaders: ReadonlyMap<string, string>
  /** The path takes its last parameter with slashes. */
  hasWildcard: boolean
}

/** How a tool is performed: as a call that is billed, or as a route that costs nothing. */
export type ToolCall = ToolAddress & ({ kind: 'billable'; billable: Billable } | { kind: 'route'; route: NamedRoute })

const indexes = new WeakMap<object, ReadonlyMap<string, ToolCall>>()

/** Every tool by its name, made anew when the catalogue has changed. */
export function indexToolCalls({ catalog }: Pick<ApiContext, 'catalog'>): ReadonlyMap<string, ToolCall> {
  const index = indexes.get(catalog.entries) ?? buildIndex(catalog)
  indexes.set(catalog.entries, index)
  return index
}

function buildIndex(catalog: ApiContext['catalog']): ReadonlyMap<string, ToolCall> {
  const routes = new Map(catalog.routes.map(route => [route.name, route]))
  const calls = catalog.entries.filter(isTool).map((entry): [string, ToolCall] => {
    const operation = catalog.operation(entry.name)
    const route = routes.get(entry.name)
    const address = describeAddress(entry, route)
    if (operation) return [entry.tool, { ...address, kind: 'billable', billable: billableOperation(operation) }]
    if (isPriced(route!)) return [entry.tool, { ...address, kind: 'billable', billable: billableRoute(route) }]
    return [entry.tool, { ...address, kind: 'route', route: route! }]
  })
  return new Map(calls)
}

function describeAddress(entry: ToolEntry, route: NamedRoute | undefined): ToolAddress {
  return {
    entry,
    auth: entry.auth,
    isOperation: entry.kind === 'operation',
    connectorScope: entry.kind === 'operation' ? 'mcp:write' : route?.connectorScope,
    inPath: [...entry.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!),
    inQuery: namesOf(entry.query),
    inHeaders: headersByArgument(entry),
    hasWildcard: route?.at.endsWith('/*') ?? false,
  }
}

function namesOf(schema: TSchema | undefined): Set<string> {
  const fields = schema ? fieldEntries(schema) : []
  return new Set(fields.flatMap(([name, field]) => [name, ...aliasesOf(field)]))
}

function aliasesOf(field: object): readonly string[] {
  return (field as { [ALIASES_RULE]?: readonly string[] })[ALIASES_RULE] ?? []
}
