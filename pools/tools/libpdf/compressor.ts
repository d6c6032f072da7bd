import type { HostContext } from '../../host-context.ts'
import type { NewImageData } from './compression/images.ts'
import { createEngineCall, saveOutput } from './engine-call.ts'
import type { ObjectId } from './pages/images.ts'

/** Replaces images and drawings of PDFs by smaller ones. Runs in the child process of libpdf. */
export function bind(context: HostContext) {
  const call = createEngineCall(context)
  return {
    /** Describes how images are stored, and which of them can be encoded again. */
    describeImages: (path: string, objects: readonly ObjectId[]) => call('describeImages', [path], { objects }),
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
