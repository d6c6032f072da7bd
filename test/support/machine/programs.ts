import { spawnSync } from 'node:child_process'

/** Whether an optional program is installed on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined
}

/** Runs a program, for example as an independent reader of our output, and gives its stdout. */
export function runProgram(
  name: string,
  args: readonly string[],
  input: Uint8Array | string = '',
  cwd?: string,
): string {
  const { status, stdout, stderr, error } = spawnSync(name, args, { input, cwd, maxBuffer: 64 * 2 ** 20 })
  if (error) throw error
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} exited with ${status}: ${stderr}`)
  return stdout.toString('utf8')
}
