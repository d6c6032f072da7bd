import { spawnSync } from 'node:child_process'

/** Whether a program that some readers need is on this machine; those every Debian has are not asked for. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined
}

/** What a program answers, as an independent reader of our output. */
export function runProgram(
  name: string,
  args: readonly string[],
  input: Uint8Array | string = '',
  cwd?: string,
): string {
  const { status, stdout, stderr, error } = spawnSync(name, args, { input, cwd, maxBuffer: 64 * 2 ** 20 })
  if (error) throw error
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.toString('utf8')
}
