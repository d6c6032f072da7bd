import type { FastifyInstance } from 'fastify'

/** Keys of `_meta` that every request of the modern era has. */
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Options {
  headers?: Record<string, string>
  params?: Record<string, unknown>
  url?: string
  id?: string | number
}

interface McpAnswer {
  status: number
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields of the answer that it expects.
  body: any
}

/** Sends one message as a client of an older revision, or as bare JSON-RPC. */
export async function sendLegacy(app: FastifyInstance, method: string, options: Options = {}): Promise<McpAnswer> {
  const { headers = {}, params, url = '/mcp', id = 1 } = options
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: { jsonrpc: '2.0', id, method, ...(params && { params }) },
  })
  return { status: answer.statusCode, headers: answer.headers, body: parse(answer.payload) }
}

/** Sends one request of the modern era with all that it must have. */
export function sendModern(app: FastifyInstance, method: string, options: Options = {}): Promise<McpAnswer> {
  const { params = {}, headers = {} } = options
  const { _meta, ...rest } = params as { _meta?: object }
  const name = (params.name ?? params.uri ?? params.taskId) as string | undefined
  return sendLegacy(app, method, {
    ...options,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...headers,
    },
    params: { ...rest, _meta: { ...MODERN_META, ..._meta } },
  })
}

export function callTool(app: FastifyInstance, name: string, args: unknown, options: Options & { meta?: object } = {}) {
  const { meta, ...rest } = options
  return sendLegacy(app, 'tools/call', { ...rest, params: { name, arguments: args, ...(meta && { _meta: meta }) } })
}

function parse(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text)
}
