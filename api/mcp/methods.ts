import { Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import { isObject } from '../intake/x402/payments.ts'
import { buildInstructions } from '../surfaces/mcp/instructions.ts'
import { CALL_TOOL, DESCRIBE_TOOL } from '../surfaces/mcp/own-tools.ts'
import { SERVER_DESCRIPTION, SERVER_TITLE } from '../surfaces/mcp/server-card.ts'
import { version } from '../surfaces/state.ts'
import { callTool } from './call-tool.ts'
import { describeValues } from './content.ts'
import { describeTool } from './describe-tool.ts'
import type { McpExchange } from './exchange.ts'
import { openSession, SESSION_HEADER } from './live/session.ts'
import { listenToTools } from './live/subscription.ts'
import { canToolsChange } from './live/tool-listeners.ts'
import { CODES, LEGACY_VERSIONS, McpError, META, MODERN_VERSIONS, TASKS_EXTENSION } from './protocol.ts'
import { readResource } from './resources.ts'
import { cancelTask, getTask, updateTask } from './tasks.ts'
import { printToolPage } from './tool-list.ts'

/** The result of a method: values, or their JSON where it is kept. */
type Method = (exchange: McpExchange) => object | string | Promise<object | string>

const LIST_TTL_MS = 3_600_000

const SHARED: Record<string, Method> = {
  'tools/list': ({ context, list, era, message: { params } }) =>
    printToolPage(context, { list, isModern: era.isModern, cursor: params.cursor }),
  'tools/call': performTool,
  'resources/list': exchange => emptyList(exchange, 'resources'),
  'resources/templates/list': exchange => emptyList(exchange, 'resourceTemplates'),
  'resources/read': readResource,
  'prompts/list': exchange => emptyList(exchange, 'prompts'),
  'prompts/get': () => {
    throw new McpError(CODES.invalidParams, 'Unknown prompt: this server has none.')
  },
}

const LEGACY: Record<string, Method> = {
  ...SHARED,
  initialize: ({ context, reply, message: { params } }) => {
    reply.header(SESSION_HEADER, openSession(context.config.secret, params.capabilities))
    return {
      protocolVersion: isLegacyVersion(params.protocolVersion) ? params.protocolVersion : LEGACY_VERSIONS[0],
      capabilities: describeCapabilities(context),
      serverInfo: SERVER_INFO,
      instructions: buildInstructions(),
    }
  },
  ping: () => ({}),
}

const MODERN: Record<string, Method> = {
  ...SHARED,
  'server/discover': ({ context }) => ({
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: { ...describeCapabilities(context), extensions: { [TASKS_EXTENSION]: {} } },
    instructions: buildInstructions(),
    ttlMs: LIST_TTL_MS,
    cacheScope: 'public',
    _meta: { [META.serverInfo]: SERVER_INFO },
  }),
  'subscriptions/listen': listenToTools,
  'tasks/get': getTask,
  'tasks/update': updateTask,
  'tasks/cancel': cancelTask,
}

const SERVER_INFO = { name: SERVER_TITLE, title: SERVER_TITLE, version, description: SERVER_DESCRIPTION }

function describeCapabilities(context: ApiContext) {
  return { tools: { listChanged: canToolsChange(context) }, resources: {}, prompts: {} }
}

/** Performs a request. Every result of the modern era says of what type it is. */
export async function performMethod(exchange: McpExchange): Promise<object | string> {
  const { era, message } = exchange
  const methods = era.isModern ? MODERN : LEGACY
  if (!Object.hasOwn(methods, message.method)) {
    throw new McpError(CODES.methodNotFound, `Method not found: ${message.method.slice(0, 128)}`, {
      status: era.isModern ? 404 : 200,
    })
  }
  const result = await methods[message.method]!(exchange)
  return typeof result === 'string' || !era.isModern ? result : { resultType: 'complete', ...result }
}

function performTool(exchange: McpExchange): object | Promise<object> {
  const { name, arguments: given } = exchange.message.params
  if (name === DESCRIBE_TOOL.name) return describeTool(exchange, readFields(given).name)
  if (name !== CALL_TOOL.name) return callTool(exchange, name, given)
  const inner = readFields(given)
  if (inner.name === DESCRIBE_TOOL.name) return describeTool(exchange, readFields(inner.arguments).name)
  const stray = Object.keys(inner).find(field => field !== 'name' && field !== 'arguments')
  if (stray !== undefined) return refuseStray(stray)
  return callTool(exchange, inner.name, inner.arguments)
}

/** Fields beside `arguments` would be passed over, and the call charged for what was not asked. */
function refuseStray(field: string): object {
  const hints = { field, known: ['name', 'arguments'], didYouMean: `arguments.${field}` }
  return describeValues(new Problem('UNKNOWN_FIELD', hints).toBody(), [], true)
}

function readFields(given: unknown): Record<string, unknown> {
  return isObject(given) ? given : {}
}

function emptyList({ era }: McpExchange, name: string): object {
  return { [name]: [], ...(era.isModern && { ttlMs: LIST_TTL_MS, cacheScope: 'public' }) }
}

function isLegacyVersion(version: unknown): boolean {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version)
}
