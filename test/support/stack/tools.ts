import { TOOL_LANES } from '#kit'
import type { Client } from './client.ts'

/** Whether the api knows of each tool if a worker has it. Until then the operations that need it count as available. */
export async function areAllToolsTried(client: Client): Promise<boolean> {
  const { body } = await client.get('/v1/capabilities')
  const known = new Set((body.tools as { tool: string }[]).map(({ tool }) => tool))
  return Object.keys(TOOL_LANES).every(tool => known.has(tool))
}
