import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Folders } from '../../../pools/folders.ts'
import type { JobContext } from '../../../pools/job-context.ts'
import { NativeEngines } from '../../../pools/native/engines.ts'
import { LauncherClient } from '../../../pools/programs/launcher-client.ts'
import { Programs } from '../../../pools/programs/run.ts'
import type { SandboxLevel } from '../../../pools/programs/sandbox.ts'
import { findSandboxLevel } from '../../../pools/programs/sandbox-level.ts'
import { openWarmSandboxes } from '../../../pools/programs/warm/open.ts'
import { freshFolder } from '../machine/folder.ts'

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Programs and native engines as the worker has them, but without lanes and operations. */
export async function openTestHost({
  warmSandboxes = 4,
  visible = {},
}: {
  warmSandboxes?: number
  visible?: Record<string, string[]>
} = {}) {
  const temporary = await freshFolder()
  const folders = new Folders(join(temporary.path, 'work'))
  await mkdir(temporary.path, { recursive: true })
  await folders.prepare()
  const launcher = new LauncherClient()
  const level = await findSandboxLevel({ sandbox: 'auto', production: false, log: SILENT_LOG }, folders, launcher)
  const warm = await openWarmSandboxes(level, warmSandboxes, { folders, launcher, log: SILENT_LOG })
  const engines = new NativeEngines(level, folders, 4, { visible })
  let contexts = 0
  return {
    level,
    /** In warm sandboxes if this machine has them. */
    programs: new Programs(level, launcher, warm),
    warm,
    programsAt: (other: SandboxLevel) => new Programs(other, launcher),
    engines,
    folders,
    path: temporary.path,
    async createContext(limitSeconds = 20, signal = new AbortController().signal): Promise<JobContext> {
      const jobId = `context-${++contexts}`
      const folder = await folders.open(jobId)
      const deadlineMs = performance.now() + limitSeconds * 1000
      return { jobId, folder, signal, deadlineMs, limitSeconds, out: name => join(folder, name) }
    },
    async close() {
      launcher.close()
      warm?.close()
      engines.close()
      await temporary[Symbol.asyncDispose]()
    },
  }
}
