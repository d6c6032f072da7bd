import { TOOL_LANES } from '#kit'
import type { HostRoom } from './job-room.ts'
import type { Threads } from './threads.ts'
import { TOOLS, type ToolModule } from './tools/index.ts'

type ToolName = keyof typeof TOOLS

/** The tools of one job on the worker's main loop. Those of the thread lane are reached through a thread. */
export async function toolsFor(
  names: readonly string[],
  room: HostRoom,
  threads: Threads,
): Promise<Record<string, unknown>> {
  const bound = await Promise.all(names.map(name => bindTool(name as ToolName, room, threads)))
  return Object.fromEntries(names.map((name, index) => [name, bound[index]]))
}

async function bindTool(name: ToolName, room: HostRoom, threads: Threads): Promise<unknown> {
  if (TOOL_LANES[name] === 'thread') return throughThread(name, room, threads)
  const module = (await TOOLS[name].load()) as ToolModule
  return module.bind(room)
}

function throughThread(tool: ToolName, room: HostRoom, threads: Threads): unknown {
  return new Proxy(
    {},
    {
      get: (_, method) =>
        typeof method === 'string' && method !== 'then'
          ? (...args: unknown[]) => threads.run(room, { kind: 'tool', tool, method, args })
          : undefined,
    },
  )
}
