import type { ApiContext } from '../context.ts'
import { CALL_TOOL, DESCRIBE_TOOL } from '../surfaces/mcp/own-tools.ts'
import { buildTool, isTool, type Tool, type ToolDetail, type ToolEntry } from '../surfaces/mcp/tools.ts'
import { readWholeState } from '../surfaces/state.ts'
import { CODES, McpError } from './protocol.ts'

const PAGE_SIZE = 50
/** How long a client may keep a list: prices and tools change seldom. */
const LIST_TTL_MS = 300_000

/** Every tool, the most used ones, or those alone by which all others are found and called. */
export type ToolListName = 'full' | 'featured' | 'few'

/** With these, an agent that cannot read long lists can still do everything. */
const FEW = new Set(['search_tools', DESCRIBE_TOOL.name, CALL_TOOL.name, 'job_get', 'outputs_upload_url'])

interface ToolLists extends Record<ToolListName, readonly Tool[]> {
  state: string
  /** Pages as JSON, because they are read far more often than they change. */
  pages: Map<string, string>
}

const lists = new WeakMap<ApiContext, ToolLists>()

/** One page of the tools, as the text of a result. */
export async function printToolPage(
  context: ApiContext,
  page: { list: ToolListName; isModern: boolean; cursor: unknown },
): Promise<string> {
  const { list, isModern, cursor } = page
  const found = await readLists(context)
  const tools = found[list]
  const start = readCursor(cursor, tools.length)
  const key = `${list} ${isModern} ${start}`
  const known = found.pages.get(key)
  if (known !== undefined) return known
  const next = start + PAGE_SIZE
  const text = JSON.stringify({
    ...(isModern && { resultType: 'complete' }),
    tools: tools.slice(start, next),
    ...(next < tools.length && { nextCursor: makeCursor(next) }),
    ...(isModern && { ttlMs: LIST_TTL_MS, cacheScope: 'public' }),
  })
  found.pages.set(key, text)
  return text
}

export async function listTools(context: ApiContext): Promise<readonly Tool[]> {
  return (await readLists(context)).full
}

/** The tools that find all others come first. */
async function readLists(context: ApiContext): Promise<ToolLists> {
  const { state, options } = await readWholeState(context)
  const known = lists.get(context)
  if (known?.state === state) return known
  const entries = context.catalog.entries.filter(isTool)
  const build = (chosen: readonly ToolEntry[], detail: ToolDetail = 'brief') =>
    chosen.map(entry => buildTool(entry, options, detail))
  const own = [DESCRIBE_TOOL, CALL_TOOL]
  const search = entries.filter(({ tool }) => tool === 'search_tools')
  const others = entries.filter(({ tool }) => tool !== 'search_tools')
  const featured = [
    ...build(search),
    ...own,
    ...build(
      others.filter(({ isFeatured }) => isFeatured),
      'short',
    ),
  ]
  const made: ToolLists = {
    state,
    full: [...build(search), ...own, ...build(others)],
    featured,
    few: featured.filter(({ name }) => FEW.has(name)),
    pages: new Map(),
  }
  lists.set(context, made)
  return made
}

/** Opaque to clients: they may only send back what they were given. */
function makeCursor(start: number): string {
  return Buffer.from(`tools:${start}`).toString('base64url')
}

function readCursor(cursor: unknown, total: number): number {
  if (cursor === undefined) return 0
  const start = Number(/^tools:(\d{1,6})$/.exec(Buffer.from(String(cursor), 'base64url').toString())?.[1])
  const isOurs = start > 0 && start < total && start % PAGE_SIZE === 0 && makeCursor(start) === cursor
  if (!isOurs) throw new McpError(CODES.invalidParams, 'Invalid cursor.')
  return start
}
