import { existsSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import type { HostContext } from '../../host-context.ts'

/** The programs to start, and what of them lies outside the folders that every sandbox shows. */
export interface MediaPrograms {
  ffmpeg: string
  ffprobe: string
  visible: readonly string[]
}

/** The operator's choice, then the binary that ffmpeg-static may have downloaded, then the one of the system. */
export function findPrograms({ ffmpegPath }: Pick<HostContext, 'ffmpegPath'>): MediaPrograms {
  const ffmpeg = ffmpegPath ?? findDownloaded() ?? 'ffmpeg'
  const beside = join(dirname(ffmpeg), 'ffprobe')
  const ffprobe = ffmpeg !== 'ffmpeg' && existsSync(beside) ? beside : 'ffprobe'
  return { ffmpeg, ffprobe, visible: [ffmpeg, ffprobe].filter(path => path.startsWith('/') && !isShown(path)) }
}

/** The package names a path whether or not its download succeeded. It is GPL, so it is never imported. */
function findDownloaded(): string | undefined {
  const manifest = findPackageJSON('ffmpeg-static', import.meta.url)
  const path = manifest && join(dirname(manifest), 'ffmpeg')
  return path && existsSync(path) ? path : undefined
}

function isShown(path: string): boolean {
  return ['/usr/', '/bin/'].some(folder => path.startsWith(folder))
}
