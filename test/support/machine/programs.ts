import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** That of Debian, which has pip and httpx. One that comes before it on the path may start thirty processes to find the one it means. */
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

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
