// In browsers, packers put paths-web.js in the place of this file.

/** A file of the disk as a Blob, which reads it when its bytes are needed. */
export async function openPath(path: string | URL): Promise<Blob> {
  const { openAsBlob, statSync } = await import('node:fs')
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new TypeError(`${path} is a folder, not a file`)
  try {
    return await openAsBlob(path)
  } catch (cause) {
    throw new TypeError(`${path} cannot be read as a file`, { cause })
  }
}

type Content = ReadableStream<Uint8Array> | Uint8Array

/** A file is written beside its place first, so that what breaks off leaves there what was there before. */
export async function writePath(path: string | URL, content: Content): Promise<void> {
  const { access, constants, realpath, stat, writeFile } = await import('node:fs/promises')
  const known = await stat(path).catch(() => undefined)
  // A pipe or a device is no place for another file.
  if (known && !known.isFile()) return writeFile(path, content as Uint8Array)
  if (known) await access(path, constants.W_OK)
  await replaceFile(known ? await realpath(path) : await toPath(path), content, known?.mode)
}

async function toPath(path: string | URL): Promise<string> {
  const { fileURLToPath } = await import('node:url')
  return typeof path === 'string' ? path : fileURLToPath(path)
}

async function replaceFile(path: string, content: Content, mode: number | undefined): Promise<void> {
  const { chmod, rename, rm, writeFile } = await import('node:fs/promises')
  const { dirname, join } = await import('node:path')
  const draft = join(dirname(path), `.${crypto.randomUUID()}.part`)
  try {
    await writeFile(draft, content as Uint8Array, { flag: 'wx' })
    if (mode !== undefined) await chmod(draft, mode)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The last part of a path, which is its name among other files. */
export function nameOfPath(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
