import { main } from '../../../ops/cli.ts'

interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** Runs a command of the command line in this process. The last line breaks of what it printed are left out. */
export async function runCli(env: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  const printed = { stdout: '', stderr: '' }
  const capture = (name: keyof typeof printed) => ({ write: (text: string) => (printed[name] += text) })
  const exitCode = await main(args, { env, stdout: capture('stdout'), stderr: capture('stderr') })
  return { exitCode, stdout: printed.stdout.replace(/\n$/, ''), stderr: printed.stderr.replace(/\n$/, '') }
}
