import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { basename } from 'node:path'
import type { HostContext } from '../../host-context.ts'
import { ToolCrashed } from '../../tool-crashed.ts'

interface JobPipe {
  /** Resolves when the writer has closed it. */
  readonly ended: Promise<void>
  close(): void
}

/**
 * Makes a named pipe in the job's folder: what a program writes to it is read as it comes, and no length of it is kept. It
 * is opened before the program starts, without waiting for it. A confined program made it, so it is checked to be a pipe.
 */
export async function openJobPipe(
  context: HostContext,
  path: string,
  onChunk: (chunk: Buffer) => void,
): Promise<JobPipe> {
  const { code, stderr } = await context.programs.run(context, 'mkfifo', ['-m', '600', `./${basename(path)}`])
  if (code !== 0) throw new ToolCrashed('mkfifo', stderr.slice(0, 200))
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  const socket = new Socket({ fd, readable: true, writable: false })
  if (!fstatSync(fd).isFIFO()) {
    socket.destroy()
    throw new ToolCrashed('mkfifo', 'left no pipe')
  }
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  ended.catch(() => undefined)
  socket.on('data', onChunk).on('end', resolve).on('error', reject).on('close', resolve)
  return { ended, close: () => socket.destroy() }
}
