import { fstatSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from './contract.ts'

// 50 MiB take half of the processor time of the file streams of Node.

const CHUNK_BYTES = 512 * 1024

/**
 * A part of a file. Sent as a response it is read into two buffers in turns, each of which is filled again when it has been
 * written: new buffers for all of a large file would make Node collect its whole heap for every 64 MiB of them.
 */
export class FileStream extends Readable {
  readonly #file: FileHandle
  /** Where it ends, behind the last byte. */
  readonly #end: number
  #at: number

  constructor(file: FileHandle, { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }) {
    super({ highWaterMark: CHUNK_BYTES })
    this.#file = file
    this.#at = start
    this.#end = Math.min(end + 1, fstatSync(file.fd).size)
  }

  override _read(): void {
    this.#fill(this.#createBuffer()).then(
      chunk => this.push(chunk.length > 0 ? chunk : null),
      error => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#file.close().then(
      () => callback(error),
      closeError => callback(error ?? (closeError as Error)),
    )
  }

  override pipe<Destination extends NodeJS.WritableStream>(to: Destination, options?: { end?: boolean }): Destination {
    if (!(to instanceof ServerResponse)) return super.pipe(to, options)
    this.#send(to).catch((error: unknown) => this.destroy(error as Error))
    return to
  }

  async #send(response: ServerResponse): Promise<void> {
    response.once('close', () => this.destroy())
    let chunk = await this.#fill(this.#createBuffer())
    let spare = this.#createBuffer()
    while (chunk.length > 0 && !this.destroyed) {
      // That the reader has gone away is no error of the file.
      const written = write(response, chunk).catch(() => void this.destroy())
      const [following] = await Promise.all([this.#fill(spare), written])
      spare = Buffer.from(chunk.buffer)
      chunk = following
    }
    if (this.destroyed) return
    response.end()
    this.push(null)
    this.resume()
  }

  #createBuffer(): Buffer {
    return Buffer.allocUnsafeSlow(Math.max(0, Math.min(CHUNK_BYTES, this.#end - this.#at)))
  }

  /** Reads on into a buffer; nothing at the end. */
  async #fill(buffer: Buffer): Promise<Buffer> {
    const wanted = Math.min(buffer.length, this.#end - this.#at)
    if (wanted <= 0 || this.destroyed) return buffer.subarray(0, 0)
    const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#at)
    if (bytesRead === 0) throw new Error('the file has become shorter')
    this.#at += bytesRead
    return buffer.subarray(0, bytesRead)
  }
}

/** Resolves when the bytes are no longer needed. */
function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, error => (error ? reject(error) : resolve()))
  })
}
