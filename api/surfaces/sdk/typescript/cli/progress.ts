import type { Progress } from '../types.ts'

const WIDTH = 24
const CLEAR_LINE = '\r\u001B[K'

/** Shows how far an upload or a job is, on a terminal alone. */
export function openProgress(): { onProgress: ((progress: Progress) => void) | undefined; end(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { onProgress: undefined, end: () => undefined }
  return {
    onProgress: progress => stderr.write(CLEAR_LINE + renderBar(progress)),
    end: () => stderr.write(CLEAR_LINE),
  }
}

export function renderBar({ phase, done, total, unit }: Progress): string {
  const part = total > 0 ? Math.min(1, done / total) : 0
  const filled = Math.round(part * WIDTH)
  const amount =
    unit === 'byte'
      ? `${(done / 2 ** 20).toFixed(1)} of ${(total / 2 ** 20).toFixed(1)} MiB`
      : `${done} of ${total} ${unit}`
  return `${phase === 'upload' ? 'uploading' : 'running  '} [${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${amount}`
}
