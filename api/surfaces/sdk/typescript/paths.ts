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

export async function writePath(path: string | URL, content: ReadableStream<Uint8Array> | Uint8Array): Promise<void> {
  const { writeFile } = await import('node:fs/promises')
  await writeFile(path, content as Uint8Array)
}

/** The last part of a path, which is its name among other files. */
export function nameOfPath(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
