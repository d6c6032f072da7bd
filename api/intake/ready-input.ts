import type { TSchema } from 'typebox'
import { FILE_RULE, type InputFile, markedPlaces, type StagedFile, withReplaced } from '#kit'
import { heldBytes } from './held-bytes.ts'

/**
 * The input as an operation or a price reads it: with an `InputFile` in the place of every staged file. Its bytes can
 * be read where they are in memory; there is never a path, because nothing in this process works on files.
 */
export function readyInput(schema: TSchema, input: unknown): unknown {
  return markedPlaces(FILE_RULE, schema, input).reduce(
    (ready, { path, value }) => withReplaced(ready, path, new HeldFile(value as StagedFile)),
    input,
  )
}

class HeldFile implements InputFile {
  readonly type: string
  readonly sizeBytes: number
  readonly name: string | undefined
  readonly facts = {}
  readonly #file: StagedFile

  constructor(file: StagedFile) {
    this.#file = file
    this.type = file.type
    this.sizeBytes = file.sizeBytes
    this.name = file.name
  }

  get path(): string {
    throw new Error('there is no path on the instant lane: the operation must read bytes() or chunks()')
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const held = heldBytes(this.#file) ?? (this.#file.inline === undefined ? undefined : fromBase64(this.#file.inline))
    if (!held) throw new Error('these bytes are in the object store, not in memory')
    return held as Buffer<ArrayBuffer>
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    yield await this.bytes()
  }
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}
