import type { HostRoom } from '../job-room.ts'
import type { ImageFacts } from './sharp-engine.ts'
import type { EncodedImage } from './sharp-output.ts'
import type { ResizeOptions } from './sharp-resize.ts'

/** Pictures. libvips parses untrusted bytes in native code, so that it works in warm confined children. */
export function bind(room: HostRoom) {
  return {
    inspect: (files: readonly string[]): Promise<ImageFacts[]> =>
      room.children.call(room, 'sharp', 'inspect', files, {}),
    resize: (file: string, options: ResizeOptions): Promise<EncodedImage> =>
      room.children.call(room, 'sharp', 'resize', [file], options),
  }
}
