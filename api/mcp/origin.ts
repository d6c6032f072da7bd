import type { FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import { CODES, McpError } from './protocol.ts'

const LOOPBACK = /^https?:\/\/(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i

/** A page whose name was made to point here must not use a server that only its visitor can reach. */
export function requireAllowed({ settings, config }: ApiContext, { headers: { origin } }: FastifyRequest): void {
  if (!settings.get('mcp.enabled')) throw new Problem('MCP_DISABLED')
  if (origin === undefined || LOOPBACK.test(origin) || origin === new URL(config.publicUrl).origin) return
  if (settings.get('mcp.origins').includes(origin)) return
  throw new McpError(CODES.refused, 'This origin is not allowed.', { status: 403, data: { origin } })
}
