import { type EngineCall, saveOutput } from '../engine-call.ts'
import type { ObjectId } from '../pages/images.ts'
import type { NewImageData } from './images.ts'

/** Replaces images and drawings by smaller ones. */
export function bindCompression(call: EngineCall) {
  return {
    /** Describes how images are stored, and which of them can be encoded again. */
    readImageEncodings: (path: string, objects: readonly ObjectId[]) => call('readImageEncodings', [path], { objects }),
    async unwrapImages(path: string, objects: readonly ObjectId[], { to }: { to: string }) {
      return saveOutput(await call('unwrapImages', [path], { objects }), to)
    },
    async replaceImageData(
      path: string,
      data: readonly string[],
      { to, ...plan }: { images: readonly NewImageData[]; to: string },
    ) {
      return saveOutput(await call('replaceImageData', [path, ...data], plan), to)
    },
    /** Replaces what the pages draw by what the pages of another document draw. */
    async graftDrawing(path: string, drawn: string, { to }: { to: string }) {
      return saveOutput(await call('graftDrawing', [path, drawn], {}), to)
    },
  }
}
