import { type AuthMode, Problem, type ProductNames } from '#kit'
import { type Product, products } from '../../tasks/products/index.ts'
import type { Caller } from '../intake/identity/caller.ts'

// Decision 0197: give batons and leases scopes.

/** What a connector may do besides what products declare. */
const PLATFORM = {
  'mcp:read': 'Read your jobs, their results, your saved pipelines and your balance.',
  'mcp:write': 'Call tools, which spends from your balance, upload files, save pipelines and cancel jobs.',
} as const

export type Scope = keyof typeof PLATFORM | ProductNames<'scopes'>

const SCOPE = /^[a-z][a-z-]*:(read|write)$/

/** Every scope with what it allows, in words. To write includes to read. */
const TEXTS = collectScopes(products)
export const SCOPES = Object.keys(TEXTS) as readonly Scope[]

/** A scope has one meaning, so it can be declared once only. */
export function collectScopes(declared: readonly Pick<Product, 'name' | 'scopes'>[]): Record<string, string> {
  const texts: Record<string, string> = { ...PLATFORM }
  for (const { name, scopes = {} } of declared) {
    for (const [scope, text] of Object.entries(scopes)) {
      if (!SCOPE.test(scope)) throw new Error(`the product ${name} declares ${scope}, which is no scope`)
      if (Object.hasOwn(texts, scope)) throw new Error(`the scope ${scope} is declared twice`)
      texts[scope] = text
    }
  }
  return texts
}

/** What a scope allows, as its user reads it. */
export function describeScope(scope: Scope): string {
  return TEXTS[scope]!
}

/** A call as far as it decides what a connector needs for it. */
interface ScopedCall {
  auth: readonly AuthMode[]
  /** What a connector must be approved for; without it no connector may, unless the call is open to all. */
  connectorScope?: Scope
}

/** What a connector needs for a route that does not say it itself; undefined for what is open to all or to none. */
export function findScope(route: {
  product?: string
  at: string
  auth: readonly AuthMode[]
  price?: object
}): Scope | undefined {
  if (isOpen(route)) return undefined
  const suffix = route.at.startsWith('GET ') ? ':read' : ':write'
  const declared = listScopesOf(route.product).find(scope => scope.endsWith(suffix))
  return declared ?? (route.price ? 'mcp:write' : undefined)
}

/** Those of a product, or of another one of its family. */
function listScopesOf(name: string | undefined): Scope[] {
  const own = products.find(product => product.name === name)
  const declaring = own?.scopes ? own : products.find(({ family, scopes }) => scopes && family === own?.family)
  return Object.keys(declaring?.scopes ?? {}) as Scope[]
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
