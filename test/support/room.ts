import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Folders } from '../../pools/folders.ts'
import type { JobRoom } from '../../pools/job-room.ts'
import { Launches } from '../../pools/launches.ts'
import { NativeChildren } from '../../pools/native-children.ts'
import { Programs } from '../../pools/programs.ts'
import type { SandboxLevel } from '../../pools/sandbox.ts'
import { findLevel } from '../../pools/sandbox-level.ts'
import { freshFolder } from './folder.ts'

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Programs and children as the worker has them, without lanes and operations around. */
export async function openRooms() {
  const home = await freshFolder()
  const folders = new Folders(join(home.path, 'work'))
  await mkdir(home.path, { recursive: true })
  await folders.prepare()
  const launches = new Launches()
  const level = await findLevel({ sandbox: 'auto', production: false, log: SILENT }, folders, launches)
  const programs = new Programs(level, launches)
  const children = new NativeChildren(level, folders, 4)
  let rooms = 0
  return {
    level,
    programs,
    programsAt: (other: SandboxLevel) => new Programs(other, launches),
    children,
    folders,
    home: home.path,
    async room(limitSeconds = 20, signal = new AbortController().signal): Promise<JobRoom> {
      const jobId = `room-${++rooms}`
      const folder = await folders.open(jobId)
      const deadlineMs = performance.now() + limitSeconds * 1000
      return { jobId, folder, signal, deadlineMs, limitSeconds, out: name => join(folder, name) }
    },
    async close() {
      launches.close()
      await children.close()
      await home[Symbol.asyncDispose]()
    },
  }
}
