import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, statfs, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own with little room, which can be filled to the last byte. */
export interface SmallDisk extends AsyncDisposable {
  path: string
  freeBytes(): Promise<number>
  fill(): Promise<void>
  /** Takes back what `fill` has taken. */
  drain(): Promise<void>
}

/** Nothing where this user may not mount. */
export async function openSmallDisk(sizeMb: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'coinop-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0711`, 'tmpfs', path])
  if (status !== 0) {
    await rm(path, { recursive: true })
    return undefined
  }
  const ballast = join(path, 'ballast')
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  }
  return {
    path,
    freeBytes,
    fill: async () => {
      while ((await freeBytes()) > 0) await writeFile(ballast, Buffer.alloc(await freeBytes()), { flag: 'a' })
    },
    drain: () => unlink(ballast),
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', ['--lazy', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}
