/** What a connector may do. To write includes to read. */
export const SCOPES = ['mcp:read', 'mcp:write'] as const
export type Scope = (typeof SCOPES)[number]

export function hasScope(granted: readonly string[], scope: Scope): boolean {
  return granted.includes(scope) || granted.includes('mcp:write')
}

/** Reads a list of scopes; undefined if one of them is unknown. Clients that ask for refresh tokens by scope get them anyway. */
export function parseScopes(text: string): Scope[] | undefined {
  const words = text.split(' ').filter(word => word !== '' && word !== 'offline_access')
  const known: readonly string[] = SCOPES
  return words.every(word => known.includes(word)) ? SCOPES.filter(scope => words.includes(scope)) : undefined
}
