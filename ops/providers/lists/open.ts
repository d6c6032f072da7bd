import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListsConfig } from './settings.ts'

interface OpenedFile {
  chunks: AsyncIterable<Uint8Array>
  etag: string | undefined
}

type Fetch = (
  url: string,
  limits: { etag: string | undefined; bytes: number; signal: AbortSignal },
) => Promise<OpenedFile | undefined>

const MAX_FILE_BYTES = 4 * 2 ** 30

/** Opens files of the operator's folder, and those that it lacks from the web, if that is allowed. */
export function openOutsideFiles({ folder, urls }: ListsConfig, fetch: Fetch | undefined) {
  return {
    async open(
      { list, name, url }: { list: string; name: string; url?: string | undefined },
      { etag, signal }: { etag?: string; signal: AbortSignal },
    ): Promise<OpenedFile | 'unchanged' | undefined> {
      const local = folder && (await openLocal(join(folder, name), etag))
      if (local) return local
      const address = urls.get(list)?.replace('{file}', name) ?? url
      if (!address || !fetch) return undefined
      return (await fetch(address, { etag, bytes: MAX_FILE_BYTES, signal })) ?? 'unchanged'
    },
  }
}

/** A file of the folder is told by its time and size. */
async function openLocal(path: string, etag: string | undefined): Promise<OpenedFile | 'unchanged' | undefined> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!facts?.isFile()) return undefined
  const mark = `file-${facts.mtimeMs}-${facts.size}`
  return mark === etag ? 'unchanged' : { chunks: createReadStream(path), etag: mark }
}
