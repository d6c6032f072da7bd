import { main } from '../../../ops/cli.ts'

/** What `cli plugin check` prints of a plugin, and its exit code. */
export async function runCheck(path: string): Promise<{ code: number; text: string }> {
  let text = ''
  const out = { write: (part: string) => (text += part) }
  return { code: await main(['plugin', 'check', path], { stdout: out, stderr: out }), text }
}
