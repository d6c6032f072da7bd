import type { Entry, Example } from '#kit'
import { printWithSamples } from './sample-input.ts'

/** The call as an MCP client of the official SDK makes it. */
export function renderMcp({ name }: Entry, { input }: Example): string {
  const text = printWithSamples(input, 2, file => `{ "inline": "<base64 of ${file}>" }`)
  return `const result = await client.callTool({\n  name: '${name}',\n  arguments: ${text.replaceAll('\n', '\n  ')},\n})`
}
