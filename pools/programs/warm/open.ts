import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Folders } from '../../folders.ts'
import type { LauncherClient } from '../launcher-client.ts'
import { Programs } from '../run.ts'
import type { SandboxLevel } from '../sandbox.ts'
import { createSelfTestContext, type PoolLog } from '../sandbox-level.ts'
import { WarmSandboxes } from './sandboxes.ts'

/**
 * Opens warm sandboxes where programs have their own file system, if one starts and confines on this machine. Without
 * them every program gets a sandbox of its own, as it does at the weaker levels.
 */
export async function openWarmSandboxes(
  level: SandboxLevel | undefined,
  size: number,
  { folders, launcher, log }: { folders: Folders; launcher: LauncherClient; log: PoolLog },
): Promise<WarmSandboxes | undefined> {
  if (level !== 2) return undefined
  const warm = new WarmSandboxes(folders.root, Math.max(1, size))
  const leaks = (await warm.prepare()) ? await findLeaks(warm, folders, launcher) : ['it does not start']
  if (leaks.length === 0) return warm
  log.warn({ leaks }, 'no warm sandboxes: every program starts in a new one')
  warm.close()
  return undefined
}

/** Tries from inside what must be impossible, and returns what was possible. */
async function findLeaks(warm: WarmSandboxes, folders: Folders, launcher: LauncherClient): Promise<string[]> {
  const name = `self-test-${randomUUID()}`
  const canary = join(folders.root, name, 'canary')
  const other = `${name}-other`
  try {
    const context = createSelfTestContext(await folders.open(other), other)
    await folders.open(name)
    await writeFile(canary, 'canary', { mode: 0o644 })
    const script = ['-c', ESCAPE_SCRIPT, 'sh', canary, `/jobs/all/${name}/canary`]
    const { stdout } = await new Programs(2, launcher, warm).run(context, 'sh', script, { memoryMb: 64 })
    const [last, ...leaks] = stdout.trim().split('\n').reverse()
    return last === 'tried' ? leaks : ['it runs no program']
  } catch (error) {
    return [(error as Error).message]
  } finally {
    await Promise.all([name, other].map(folder => folders.close(folder)))
  }
}

const ESCAPE_SCRIPT = `
for file in "$@"; do [ -e "$file" ] && echo 'reads files of others'; done
[ -n "$(ls /jobs)" ] && echo 'sees the folders of others'
(: > /written) 2>&- && echo 'writes outside its folder'
[ "$(id -u)" = 0 ] && echo 'keeps a privilege'
[ "$(ulimit -v)" = 65536 ] || echo 'memory is not limited'
(: < /proc/1/environ) 2>&- && echo 'reads the starter'
[ "$(grep -c : /proc/net/dev)" = 1 ] || echo 'has a network'
env | grep -vqE '^(PATH|HOME|TMPDIR|TZ|PWD|OLDPWD|SHLVL|_)=' && echo 'sees our environment'
echo tried`
