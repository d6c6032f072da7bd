import { type AuthMode, Problem } from '#kit'
import type { Caller } from '../intake/identity/caller.ts'

/** What a connector may do. To write includes to read. */
export const SCOPES = ['mcp:read', 'mcp:write', 'batons:read', 'batons:write', 'leases:read', 'leases:write'] as const
export type Scope = (typeof SCOPES)[number]

/** Families whose content belongs to an account have scopes of their own, because calls alone do not need to see it. */
const AREAS: Readonly<Record<string, 'batons' | 'leases'>> = { baton: 'batons', storage: 'batons', leases: 'leases' }

/** A call as far as it decides what a connector needs for it. */
interface ScopedCall {
  auth: readonly AuthMode[]
  /** What a connector must be approved for; without it no connector may, unless the call is open to all. */
  connectorScope?: Scope
}

/** What a connector needs for a route that does not say it itself; undefined for what is open to all or to none. */
export function findScope(route: { family: string; at: string; auth: readonly AuthMode[]; price?: object }) {
  if (isOpen(route)) return undefined
  const area = AREAS[route.family]
  if (area) return `${area}:${route.at.startsWith('GET ') ? 'read' : 'write'}` as const
  return route.price ? ('mcp:write' as const) : undefined
}

function isOpen({ auth }: Pick<ScopedCall, 'auth'>): boolean {
  return auth.every(mode => mode === 'none')
}

/** A connector may do what its user has approved; what is open to all is open to it too. */
export function requireScopeOf(call: ScopedCall, caller: Caller | undefined): void {
  if (!caller?.connector || isOpen(call)) return
  if (call.connectorScope === undefined) throw new Problem('FORBIDDEN', { reason: 'connector' })
  requireScope(caller, call.connectorScope)
}

/** The client learns by the problem what to ask its user for. */
export function requireScope(caller: Caller | undefined, scope: Scope): void {
  if (caller?.connector && !includeReading(caller.connector.scopes).includes(scope))
    throw new Problem('INSUFFICIENT_SCOPE', { scope })
}

/** The scopes with those that they include. */
export function includeReading(granted: readonly string[]): Scope[] {
  return SCOPES.filter(scope => granted.includes(scope) || granted.includes(scope.replace(':read', ':write')))
}

/** Reads a list of scopes; undefined if one of them is unknown. Clients that ask for refresh tokens by scope get them anyway. */
export function parseScopes(text: string): Scope[] | undefined {
  const words = text.split(' ').filter(word => word !== '' && word !== 'offline_access')
  const known: readonly string[] = SCOPES
  return words.every(word => known.includes(word)) ? SCOPES.filter(scope => words.includes(scope)) : undefined
}
