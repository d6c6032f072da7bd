import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freshFolder } from '../machine/folder.ts'
import type { Customer, Stack } from '../stack/start.ts'

const run = promisify(execFile)

/** Runs the command that the text of an operation prints for language models, as it stands, and returns its answer. */
export async function runPrintedCommand(stack: Stack, { key }: Customer, name: string): Promise<object> {
  const { text } = await stack.anonymous.get(`/llms/${name}.txt`)
  const command = text.match(/```sh\n(.*?)\n```/s)![1]!
  await using folder = await freshFolder()
  const script = command.replaceAll('curl ', 'curl --fail-with-body -sS ')
  const { stdout } = await run('bash', ['-euc', script], {
    cwd: folder.path,
    env: { ...process.env, KEY: key },
    maxBuffer: 64 << 20,
  })
  return JSON.parse(stdout) as object
}
