import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: each story reads the fields of the answer that it expects.
type Result = any

/** The official client on the full list; without a key its calls have no credentials. */
export async function connectOfficialClient(url: string, key?: string) {
  const client = new Client({ name: 'story', version: '1' })
  const options = key === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${key}` } } }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp/full`), options)
  await client.connect(transport as never)
  const ask = async (name: string, args: object = {}): Promise<Result> =>
    client.callTool({ name, arguments: args as Record<string, unknown> })
  /** A call that succeeds: its values, and the resource with its bytes. */
  const call = async (name: string, args: object = {}): Promise<Result> => {
    const result = await ask(name, args)
    expect(result.isError, `${name}: ${JSON.stringify(result.structuredContent)}`).toBe(false)
    return { ...result.structuredContent, resource: result.content[1]?.resource }
  }
  return { client, ask, call, [Symbol.asyncDispose]: () => client.close() }
}
