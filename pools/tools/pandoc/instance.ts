import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** What the wasm build of pandoc is given: a defaults file as an object, standard input, and files by name. */
interface Pandoc {
  convert(options: object, stdin: string | null, files: Record<string, Blob | string>): Promise<PandocOutput>
}

export interface PandocOutput {
  stdout: string
  stderr: string
  warnings: { type: string; verbosity: string; pretty?: string; path?: string }[]
  files: Record<string, Blob>
  mediaFiles: Record<string, Blob>
}

interface Core {
  createPandocInstance(wasm: Uint8Array): Promise<Pandoc>
}

let current: Promise<Pandoc> | undefined

/**
 * The package makes one instance when it is imported. Its core is imported instead, because an instance that has trapped
 * is of no use any more and is replaced.
 */
export function openPandoc(): Promise<Pandoc> {
  current ??= createInstance()
  return current
}

export function dropPandoc(): void {
  current = undefined
}

async function createInstance(): Promise<Pandoc> {
  const entry = import.meta.resolve('pandoc-wasm')
  const [core, wasm] = await Promise.all([
    import(new URL('core.js', entry).href) as Promise<Core>,
    readFile(fileURLToPath(new URL('pandoc.wasm', entry))),
  ])
  return core.createPandocInstance(wasm)
}
