import type { HostContext } from '../../../host-context.ts'
import { type EngineCall, saveOutput } from '../engine-call.ts'
import type { DrawingPlan, SealPlan } from './seal.ts'

type OpenedKey = Awaited<ReturnType<typeof import('../engine.ts').readPkcs12>>

/** Prepares documents to be signed by people, and seals them. */
export function bindSealing(context: HostContext, call: EngineCall) {
  return {
    /** Opens a key of the operator, in a process that reads no document of strangers. */
    readPkcs12: (path: string, password: string) =>
      context.engines.call<OpenedKey>(context, 'libpdf', 'readPkcs12', [path], { password }, { group: 'keys' }),
    inspectForSealing: (path: string) => call('inspectForSealing', [path], {}),
    /** Finds text by a pattern, with the exact boxes of its glyphs. */
    locateTexts: (path: string, pattern: RegExp) => call('locateTexts', [path], { pattern: pattern.source }),
    /** Draws on pages, and on a new last one if its size is given. */
    async drawOnPages(path: string, { to, ...plan }: DrawingPlan & { to: string }) {
      return saveOutput(await call('drawOnPages', [path], plan), to)
    },
    /** Makes what is sealed, complete but for the signature; the images come before the files to attach. */
    async prepareSeal(
      document: string | undefined,
      assets: readonly string[],
      { to, ...plan }: Omit<SealPlan, 'hasDocument'> & { to: string },
    ) {
      const files = document === undefined ? assets : [document, ...assets]
      const options = { ...plan, hasDocument: document !== undefined }
      const { toSign, pages, ...output } = await call('prepareSeal', files, options)
      return { path: await saveOutput(output, to), pages, toSign }
    },
    /** Puts the signature into what was prepared, and its timestamp if there is one. */
    async completeSignature(path: string, { to, ...made }: { signature: Uint8Array; token?: Uint8Array; to: string }) {
      return saveOutput(await call('completeSignature', [path], made), to)
    },
  }
}
