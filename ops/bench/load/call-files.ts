import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface CallRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** The call that run.ts has written, once for each key. */
export async function readRequests(folder: string): Promise<CallRequest[]> {
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const lines = (await read('headers')).split('\n').filter(Boolean)
  const headers = Object.fromEntries(lines.map(line => line.split(/: (.*)/, 2) as [string, string]))
  const paths = (await read('paths')).split('\n')
  const method = (await read('method')) as CallRequest['method']
  const body = await readFile(join(folder, 'body'))
  const keys = (await read('keys')).split('\n')
  return keys.map((key, index) => ({
    ...{ method, path: paths[index]!, body },
    headers: { ...headers, authorization: `Bearer ${key}` },
  }))
}
