import { closeSync, fstatSync, read } from 'node:fs'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteRange } from './contract.ts'

// 50 MiB take half of the processor time of the file streams of Node.

const CHUNK_BYTES = 512 * 1024
const readBytes = promisify(read)

/**
 * A part of a file, which is closed at its end. Sent as a response it is read into two buffers in turns, each of which is filled again when it has been
 * written: new buffers for all of a large file would make Node collect its whole heap for every 64 MiB of them.
 */
export class FileStream extends Readable {
  readonly #file: number
  /** Where it ends, behind the last byte. */
  readonly #end: number
  #at: number
  /** A file that is being read must not be closed: its number may be another file's by then. */
  #reading: Promise<unknown> = Promise.resolve()

  constructor(file: number, { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }) {
    super({ highWaterMark: CHUNK_BYTES })
    this.#file = file
    this.#at = start
    this.#end = Math.min(end + 1, fstatSync(file).size)
  }

  override _read(): void {
    this.#fill(this.#createBuffer()).then(
      chunk => this.push(chunk.length > 0 ? chunk : null),
      error => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const close = () => {
      closeSync(this.#file)
      callback(error)
    }
    this.#reading.then(close, close)
  }

  override pipe<Destination extends NodeJS.WritableStream>(to: Destination, options?: { end?: boolean }): Destination {
    if (!(to instanceof ServerResponse)) return super.pipe(to, options)
    this.#send(to).catch((error: unknown) => this.destroy(error as Error))
    return to
  }

  async #send(response: ServerResponse): Promise<void> {
    response.once('close', () => this.destroy())
    let chunk = await this.#fill(this.#createBuffer())
    if (this.#at === this.#end && !this.destroyed) return this.#finish(response, chunk)
    let spare = this.#createBuffer()
    while (chunk.length > 0 && !this.destroyed) {
      // That the reader has gone away is no error of the file.
      const written = write(response, chunk).catch(() => void this.destroy())
      const [following] = await Promise.all([this.#fill(spare), written])
      spare = Buffer.from(chunk.buffer)
      chunk = following
    }
    if (!this.destroyed) this.#finish(response, chunk)
  }

  #finish(response: ServerResponse, chunk: Buffer): void {
    response.end(chunk)
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
    const reading = readBytes(this.#file, buffer, 0, wanted, this.#at)
    this.#reading = reading
    const { bytesRead } = await reading
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
