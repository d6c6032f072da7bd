import { Problem } from '#kit'
import type { Caller } from '../intake/identity/caller.ts'
import { hasScope } from '../oauth/scopes.ts'
import type { ToolCall } from './tool-calls.ts'

/** A connector may do what its user has approved; what is open to all is open to it too. */
export function requireScope(
  { auth, connectorScope: scope }: Pick<ToolCall, 'auth' | 'connectorScope'>,
  caller: Caller | undefined,
): void {
  if (!caller?.connector) return
  if (scope === undefined) {
    if (!auth.includes('none') || auth.includes('x402')) throw new Problem('FORBIDDEN', { reason: 'connector' })
  } else if (!hasScope(caller.connector.scopes, scope)) throw new Problem('INSUFFICIENT_SCOPE')
}
