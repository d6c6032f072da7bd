import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const INTERVAL_MS = 500
const TAIL_BYTES = 1024

/** Watches the file into which ffmpeg writes its position, until the returned function is called. */
export function watchProgress(path: string, onSeconds: (seconds: number) => void): () => void {
  let isReading = false
  const read = async () => {
    if (isReading) return
    isReading = true
    const seconds = await readPosition(path).catch(() => undefined)
    isReading = false
    if (seconds !== undefined) onSeconds(seconds)
  }
  const timer = setInterval(() => void read(), INTERVAL_MS).unref()
  return () => clearInterval(timer)
}

/** The last position in seconds. The program may have replaced its file, so links and pipes are not followed. */
export async function readPosition(path: string): Promise<number | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return undefined
    const start = Math.max(0, stats.size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start)
    const positions = [...buffer.toString('latin1', 0, bytesRead).matchAll(/^out_time_us=(\d+)$/gm)]
    const last = positions.at(-1)?.[1]
    return last === undefined ? undefined : Number(last) / 1e6
  } finally {
    await file.close()
  }
}
