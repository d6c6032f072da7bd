import type { AuthMode } from '#kit'
import type { NamedRoute } from '../catalog.ts'
import type { ApiContext } from '../context.ts'
import { type Billable, billableOperation, billableRoute, isPriced } from '../intake/billable.ts'
import { isTool, type ToolEntry } from '../surfaces/mcp/tools.ts'

/** How a tool is performed: as a call that is billed, or as a route that costs nothing. */
export type ToolCall = { entry: ToolEntry; auth: readonly AuthMode[]; isOperation: boolean } & (
  | { kind: 'billable'; billable: Billable }
  | { kind: 'route'; route: NamedRoute }
)

/** Every tool by its name. */
export function indexToolCalls({ catalog }: Pick<ApiContext, 'catalog'>): ReadonlyMap<string, ToolCall> {
  const routes = new Map(catalog.routes.map(route => [route.name, route]))
  const calls = catalog.entries.filter(isTool).map((entry): [string, ToolCall] => {
    const { auth } = entry
    const operation = catalog.operation(entry.name)
    if (operation) {
      return [entry.tool, { entry, auth, isOperation: true, kind: 'billable', billable: billableOperation(operation) }]
    }
    const route = routes.get(entry.name)!
    const shared = { entry, auth, isOperation: false }
    if (isPriced(route)) return [entry.tool, { ...shared, kind: 'billable', billable: billableRoute(route) }]
    return [entry.tool, { ...shared, kind: 'route', route }]
  })
  return new Map(calls)
}
