import { TOOL_LANES } from '#kit'
import type { HostContext } from './host-context.ts'
import type { Threads } from './threads/pool.ts'
import { ToolMissing } from './tool-crashed.ts'
import { TOOLS, type ToolModule } from './tools/index.ts'

type ToolName = keyof typeof TOOLS

/** Binds the tools of one job on the main thread of the worker. Tools of the thread lane are called in a thread. */
export async function bindTools(
  names: readonly string[],
  context: HostContext,
  threads: Threads,
  missing: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const bound = await Promise.all(
    names.map(async name => {
      if (missing.includes(name)) return bindMissingTool(name)
      return bindOneTool(name as ToolName, context, threads)
    }),
  )
  return Object.fromEntries(names.map((name, index) => [name, bound[index]]))
}

async function bindOneTool(name: ToolName, context: HostContext, threads: Threads): Promise<unknown> {
  if (TOOL_LANES[name] === 'thread') return bindThreadTool(name, context, threads)
  const module = (await TOOLS[name].load()) as ToolModule
  return module.bind(context)
}

function bindMissingTool(tool: string): object {
  const fail = () => Promise.reject(new ToolMissing(tool))
  return new Proxy({}, { get: (_, method) => (typeof method === 'string' && method !== 'then' ? fail : undefined) })
}

function bindThreadTool(tool: ToolName, context: HostContext, threads: Threads): unknown {
  return new Proxy(
    {},
    {
      get: (_, method) =>
        typeof method === 'string' && method !== 'then'
          ? (...args: unknown[]) => threads.run(context, { kind: 'tool', tool, method, args })
          : undefined,
    },
  )
}
