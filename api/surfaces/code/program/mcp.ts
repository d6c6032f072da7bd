import type { ProgramStep } from './step.ts'
import { JAVASCRIPT, listSamples, type Notation, printValue } from './values.ts'

/** The steps as a program that uses the official client of MCP, as an agent's host does. */
export function printMcp(steps: readonly ProgramStep[], publicUrl: string): string {
  const hasFiles = listSamples(steps).length > 0
  const imports = [
    "import { Client } from '@modelcontextprotocol/sdk/client/index.js'",
    "import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'",
    ...(hasFiles ? ["import { readFileSync } from 'node:fs'"] : []),
    '',
  ]
  const head = `const headers = { Authorization: \`Bearer \${process.env.KEY}\` }
const address = new URL('${publicUrl}/mcp')
const client = new Client({ name: 'my-agent', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))

async function call(name, input) {
  const answer = await client.callTool({ name, arguments: input })
  if (answer.isError) throw new Error(answer.content[0].text)
  return answer.structuredContent ?? answer.content
}`
  const lines = steps.flatMap((step, index) => printStep(step, index === steps.length - 1))
  return [...imports, head, ...lines, 'await client.close()'].join('\n')
}

const NOTATION: Notation = {
  ...JAVASCRIPT,
  sample: file => `{ inline: readFileSync('${file}', 'base64') }`,
  file: ({ step }) => `{ inputKey: ${step}.output.outputKey }`,
}

function printStep({ entry, note, input, as }: ProgramStep, isLast: boolean): string[] {
  const answer = as ?? (isLast ? 'answer' : undefined)
  const made = `await call('${entry.tool}', ${printValue(input, NOTATION)})`
  return [
    '',
    ...(note === undefined ? [] : [`// ${note}`]),
    answer === undefined ? made : `const ${answer} = ${made}`,
    ...(isLast ? [`console.log(${answer})`] : []),
  ]
}
